/* effort.c - what samples that cannot be corrected cost, beside those that can: power flow with a tenth of impossible loads.
 *
 *     build/bench/effort [--check | --check-steps] [SAMPLES]    1000 samples
 *
 * Exit status 1 with --check: a batch costs more than twice its feasible samples in time, or an outcome is wrong. With --check-steps
 * the same in steps, which depend on nothing but the samples.
 *
 * Loads are within 10 % of nominal. Every tenth sample asks for 5 to 50 % more active power than all generators together can give, in
 * turns from all loads alike and from one bus alone. No lines make power: the sum of the balances says that nothing holds them.
 * Raw outputs are the model's start values, or these disturbed (normal, 0.1). One thread; processor time, the least of a few runs
 * in turns; the steps do not depend on the machine.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "command_line.h"
#include "hardnet/layer.h"
#include "hardnet/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 1000, EVERY = 10, RUNS = 7, SEED = 57, WRONG = 1, MISUSED = 2 };

static const double MOST_RATIO = 2;

/* A case: where it is, and what its box of inputs ends at, in nominal loads. */
struct grid {
    const char *path;
    double most;
};

static const struct grid grids[] = {{"models/opf.mod", 1.2}, {"models/opf57.mod", 1.1}};

/* One batch, and what came out of it. */
struct trial {
    size_t count, inputs, outputs;
    double *x, *raw, *y;
    hn_report *reports;
    void *workspace;
    double seconds; /* the least so far */
};

static void fail(const char *text) {
    fprintf(stderr, "effort: %s\n", text);
    exit(MISUSED);
}

static void *reserve(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (!memory)
        fail("out of memory");
    return memory;
}

/* ---- samples ---- */

/* What the generators give at most: upper bounds of the outputs pg. */
static double capacity_of(const hn_model *model, const double *x, const double *start) {
    double sum = 0;
    for (size_t j = 0; j < hn_model_output_count(model); j++) {
        hn_output_info output = hn_model_output(model, j);
        double upper = 0;
        if (strncmp(output.name, "pg[", 3) != 0)
            continue;
        if (hn_model_evaluate(model, 1, &output.upper, x, start, &upper, NULL) != HN_OK)
            fail("a bound cannot be evaluated");
        sum += upper;
    }
    return sum;
}

static void find_start(const hn_model *model, const double *x, double *start) {
    for (size_t j = 0; j < hn_model_output_count(model); j++) {
        hn_output_info output = hn_model_output(model, j);
        if (hn_model_evaluate(model, 1, &output.start, x, start, &start[j], NULL) != HN_OK)
            fail("a start value cannot be evaluated");
    }
}

/* The first half of the inputs are active loads. */
static void overload(double *x, size_t loads, double total, double wanted, size_t number) {
    size_t bus = number / 2 % loads;
    for (size_t i = 0; i < 2 * loads && number % 2 == 0; i++)
        x[i] *= wanted / total;
    if (number % 2 == 1)
        x[bus] += wanted - total;
}

static void draw_sample(const struct trial *t, const hn_model *model, const struct grid *grid, size_t k, double noise) {
    struct random random = random_start(SEED, k);
    double *x = t->x + k * t->inputs, *raw = t->raw + k * t->outputs, total = 0;
    for (size_t i = 0; i < t->inputs; i++) {
        x[i] = hn_model_input(model, i).upper / grid->most * random_between(&random, 0.9, 1.1);
        total += i < t->inputs / 2 ? x[i] : 0;
    }
    find_start(model, x, raw);
    if (k % EVERY == EVERY - 1) {
        double wanted = capacity_of(model, x, raw) * random_between(&random, 1.05, 1.5);
        overload(x, t->inputs / 2, total, wanted, k / EVERY);
    }
    for (size_t j = 0; j < t->outputs; j++)
        raw[j] += noise * random_normal(&random);
}

static struct trial trial_of(const hn_layer *layer, size_t count) {
    hn_layer_info info = hn_layer_info_of(layer);
    return (struct trial){.count = count,
                          .inputs = info.inputs,
                          .outputs = info.outputs,
                          .x = reserve(count, info.inputs * sizeof(double)),
                          .raw = reserve(count, info.outputs * sizeof(double)),
                          .y = reserve(count, info.outputs * sizeof(double)),
                          .reports = reserve(count, sizeof(hn_report)),
                          .workspace = reserve(hn_layer_workspace_bytes(layer), 1),
                          .seconds = 1e300};
}

static void release(struct trial *t) {
    free(t->x);
    free(t->raw);
    free(t->y);
    free(t->reports);
    free(t->workspace);
}

/* Without the impossible ones. */
static struct trial feasible_of(const hn_layer *layer, const struct trial *all) {
    struct trial some = trial_of(layer, all->count - all->count / EVERY);
    size_t n = 0;
    for (size_t k = 0; k < all->count; k++)
        if (k % EVERY != EVERY - 1) {
            memcpy(some.x + n * all->inputs, all->x + k * all->inputs, all->inputs * sizeof *some.x);
            memcpy(some.raw + n++ * all->outputs, all->raw + k * all->outputs, all->outputs * sizeof *some.raw);
        }
    return some;
}

/* ---- runs ---- */

static void run(struct trial *t, const hn_layer *layer) {
    const hn_batch batch = {.size = sizeof batch,
                            .count = t->count,
                            .x = t->x,
                            .y_raw = t->raw,
                            .y = t->y,
                            .report_size = sizeof(hn_report),
                            .reports = t->reports};
    hn_error error;
    clock_t begin = clock();
    if (hn_layer_run(layer, &batch, t->workspace, hn_layer_workspace_bytes(layer), &error) != HN_OK)
        fail(error.text);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    t->seconds = seconds < t->seconds ? seconds : t->seconds;
}

static double steps_of(const struct trial *t) {
    double steps = 0;
    for (size_t k = 0; k < t->count; k++)
        steps += t->reports[k].iterations;
    return steps;
}

/* Whether every sample that can be corrected is, and the others are called what they are. */
static bool outcomes_are_right(const struct trial *all) {
    bool right = true;
    for (size_t k = 0; k < all->count; k++) {
        hn_outcome wanted = k % EVERY == EVERY - 1 ? HN_OUTCOME_LOCALLY_INFEASIBLE : HN_OUTCOME_OK;
        if (all->reports[k].outcome == wanted)
            continue;
        if (right)
            printf("  sample %zu is %s, and should be %s\n", k, hn_outcome_text(all->reports[k].outcome),
                   hn_outcome_text(wanted));
        right = false;
    }
    return right;
}

/* What the command line asks for. */
struct wishes {
    bool check, by_steps;
    size_t count;
};

/* Prints a line; false: too dear, or a wrong outcome. */
static bool measure(const hn_layer *layer, const hn_model *model, const struct grid *grid, const struct wishes *wishes,
                    double noise) {
    size_t count = wishes->count;
    struct trial all = trial_of(layer, count);
    for (size_t k = 0; k < count; k++)
        draw_sample(&all, model, grid, k, noise);
    struct trial some = feasible_of(layer, &all);
    for (int i = 0; i < RUNS; i++) {
        run(&some, layer);
        run(&all, layer);
    }
    double few = steps_of(&some) / (double)some.count;
    double by_steps = steps_of(&all) / steps_of(&some), by_time = all.seconds / some.seconds;
    double many = (steps_of(&all) - steps_of(&some)) / (double)(all.count - some.count);
    printf("%-18s %-10s %8.2f %8.2f %10.1f %10.1f %8.2f %8.2f\n", grid->path, noise > 0 ? "disturbed" : "start",
           1e3 * some.seconds, 1e3 * all.seconds, few, many, by_steps, by_time);
    bool right = outcomes_are_right(&all) && (wishes->by_steps ? by_steps : by_time) <= MOST_RATIO;
    release(&some);
    release(&all);
    return right;
}

static bool measure_grid(const struct grid *grid, const struct wishes *wishes) {
    hn_model *model = NULL;
    hn_layer *layer = NULL;
    hn_error error;
    if (hn_model_read(&model, 1, &grid->path, NULL, &error) != HN_OK ||
        hn_layer_create(&layer, model, NULL, &error) != HN_OK)
        fail(error.text);
    bool start = measure(layer, model, grid, wishes, 0), disturbed = measure(layer, model, grid, wishes, 0.1);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
    return start && disturbed;
}

static const char HELP[] =
    "usage: effort [--check | --check-steps] [SAMPLES]\n\n"
    "What samples of power flow that cannot be corrected cost, beside those that can: 1000 samples,\n"
    "or so many, at least 10. With --check it fails where a batch costs more than twice its\n"
    "feasible samples in time, with --check-steps in steps, or where an outcome is wrong.\n";

static struct wishes parse(int argc, char **argv) {
    static const char *const options[] = {"--check", "--check-steps", NULL};
    struct wishes wishes = {.count = SAMPLES};
    int next = 1;
    command_line_check(argc, argv, HELP, options, 1);
    wishes.by_steps = argc > 1 && strcmp(argv[1], "--check-steps") == 0;
    wishes.check = wishes.by_steps || (argc > 1 && strcmp(argv[1], "--check") == 0);
    next += wishes.check;
    if (argc > next)
        wishes.count = strtoul(argv[next++], NULL, 10);
    if (argc > next || wishes.count < EVERY)
        fail("usage: effort [--check | --check-steps] [SAMPLES, at least 10]");
    return wishes;
}

int main(int argc, char **argv) {
    const struct wishes wishes = parse(argc, argv);
    bool good = true;
    printf("%zu samples of power flow, every tenth impossible; ms of processor time on one thread\n", wishes.count);
    printf("%-18s %-10s %8s %8s %10s %10s %8s %8s\n", "", "raw", "feasible", "all", "steps ok", "steps not", "in steps",
           "in time");
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++)
        good = measure_grid(&grids[i], &wishes) && good;
    return wishes.check && !good ? WRONG : 0;
}
