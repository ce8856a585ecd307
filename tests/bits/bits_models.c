/* bits_models.c - models from files, and samples for any model. See bits.h.
 *
 * SPDX-License-Identifier: MIT */
#include "bits.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_SAMPLES = 10, LARGE_SAMPLES = 2, LARGE = 10000, PATH_BYTES = 4096 };

/* ---- random numbers ---- */

static uint64_t dice_bits(struct dice *dice) {
    uint64_t z = dice->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct dice bits_dice_start(uint64_t seed, uint64_t stream) {
    struct dice dice = {seed};
    dice.state = dice_bits(&dice) ^ (stream * 0xd1342543de82ef95u);
    dice_bits(&dice);
    return dice;
}

uint64_t bits_dice_below(struct dice *dice, uint64_t count) {
    return (dice_bits(dice) >> 11) % count;
}

double bits_dice_between(struct dice *dice, double lower, double upper) {
    return lower + (upper - lower) * ((double)(dice_bits(dice) >> 11) * 0x1p-53);
}

double bits_dice_normal(struct dice *dice) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += bits_dice_between(dice, 0, 1);
    return sum;
}

/* ---- problems ---- */

void *bits_reserve(size_t count, size_t bytes) {
    void *memory = calloc(count + 1, bytes);
    if (!memory) {
        fputs("bits: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

void bits_problem_begin(struct problem *problem, const char *name, hn_model *model, size_t count) {
    *problem = (struct problem){.name = name, .model = model, .count = count, .turn = ALL_TURNS};
    problem->inputs = hn_model_input_count(model);
    problem->outputs = hn_model_output_count(model);
    problem->rows = hn_model_row_count(model);
    problem->x = bits_reserve(count * problem->inputs, sizeof *problem->x);
    problem->y_raw = bits_reserve(count * problem->outputs, sizeof *problem->y_raw);
}

void bits_problem_release(struct problem *problem) {
    hn_model_destroy(problem->model);
    free(problem->x);
    free(problem->y_raw);
}

/* ---- samples ---- */

static double draw_input(hn_input_info input, struct dice *dice) {
    double normal = bits_dice_normal(dice);
    if (isfinite(input.lower) && isfinite(input.upper))
        return bits_dice_between(dice, input.lower, input.upper);
    if (isfinite(input.lower))
        return input.lower + fabs(normal);
    return isfinite(input.upper) ? input.upper - fabs(normal) : normal;
}

static bool requirements_hold(const hn_model *model, const double *x) {
    double none[1] = {0}, value;
    for (size_t i = 0; i < hn_model_requirement_count(model); i++) {
        hn_named_expr wanted = hn_model_requirement(model, i);
        if (hn_model_evaluate(model, 1, &wanted.value, x, none, &value, NULL) != HN_OK || !(value != 0))
            return false;
    }
    return true;
}

static void draw_inputs(const struct problem *problem, double *x, struct dice *dice) {
    enum { TRIES = 50 };
    for (int attempt = 0; attempt < TRIES; attempt++) {
        for (size_t i = 0; i < problem->inputs; i++)
            x[i] = draw_input(hn_model_input(problem->model, i), dice);
        if (requirements_hold(problem->model, x))
            return;
    }
}

static double start_of(const struct problem *problem, size_t output, const double *x, const double *y) {
    hn_expr start = hn_model_output(problem->model, output).start;
    double value = 0;
    bool known = hn_model_evaluate(problem->model, 1, &start, x, y, &value, NULL) == HN_OK && isfinite(value);
    return known ? value : 0;
}

/* Noise of sizes from nothing to enormous; the seventh sample has a NaN, the ninth an infinite input. */
void bits_problem_draw(struct problem *problem, struct dice *dice) {
    static const double sizes[] = {0.1, 1, 0, 1e-3, 10, 1e3, 1, 1e8, 1, 1e150};
    size_t n = problem->outputs;
    for (size_t k = 0; k < problem->count; k++) {
        double *x = problem->x + k * problem->inputs, *y = problem->y_raw + k * n;
        draw_inputs(problem, x, dice);
        for (size_t j = 0; j < n; j++)
            y[j] = start_of(problem, j, x, y);
        for (size_t j = 0; j < n; j++)
            y[j] += sizes[k % 10] * fmax(1, fabs(y[j])) * bits_dice_normal(dice);
        if (k % 10 == 6 && n > 0)
            y[n / 2] = NAN;
        if (k % 10 == 8 && problem->inputs > 0)
            x[problem->inputs - 1] = INFINITY;
    }
}

/* ---- files ---- */

static void run_file(FILE *out, const char *path, const char *name, uint64_t seed) {
    struct problem problem;
    hn_model *model;
    hn_error error;
    if (hn_model_read(&model, 1, &path, NULL, &error) != HN_OK) {
        fprintf(stderr, "bits: %s\n", error.text);
        exit(2);
    }
    struct dice dice = bits_dice_start(seed, 0);
    bool large = hn_model_output_count(model) * hn_model_row_count(model) > LARGE; /* minutes, if everything were run */
    bits_problem_begin(&problem, name, model, large ? LARGE_SAMPLES : FILE_SAMPLES);
    problem.turn = large ? 2 : ALL_TURNS;
    bits_problem_draw(&problem, &dice);
    bits_run_problem(out, &problem);
    bits_problem_release(&problem);
}

static bool is_model(const char *name) {
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".mod") == 0;
}

static size_t run_folder(FILE *out, const char *root, const char *path, uint64_t seed) {
    struct dirent **entries;
    struct stat facts;
    size_t found = 0;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char below[PATH_BYTES];
        snprintf(below, sizeof below, "%s/%s", path, entries[i]->d_name);
        bool hidden = entries[i]->d_name[0] == '.', folder = stat(below, &facts) == 0 && S_ISDIR(facts.st_mode);
        if (!hidden && folder)
            found += run_folder(out, root, below, seed);
        if (!hidden && !folder && is_model(below)) {
            run_file(out, below, below + strlen(root) + 1, seed);
            found++;
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return found;
}

size_t bits_run_files(FILE *out, const char *folder, uint64_t seed) {
    return run_folder(out, folder, folder, seed);
}
