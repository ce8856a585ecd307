/* train_source.c - rows of x for training and for validation: drawn from the box, or from the rows of a file.
 *
 * At most every fifth row of a file, chosen by the seed, is held out for validation. Rows are drawn with replacement,
 * so that the batch of a step depends on the step only. For files with more than MIXED rows only the held-out rows are
 * stored, so that memory does not grow with the file.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "common/console.h"
#include "common/verbs.h"
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HELD_SHARE = 5, MIXED = 1 << 20 };

struct random train_random(size_t seed, enum train_stream stream, size_t step) {
    return random_start(seed, (uint64_t)stream << 48 | (uint64_t)step);
}

double *train_numbers(size_t rows, size_t columns) {
    size_t count, bytes;
    bool fits = size_multiply(rows, columns, &count) && size_multiply(count, sizeof(double), &bytes);
    double *numbers = fits ? base_allocate(bytes > 0 ? bytes : 1) : NULL;
    if (numbers)
        memset(numbers, 0, bytes);
    return numbers;
}

/* ---- checks ---- */

static int train_source_check_model(const hn_model *model) {
    bool aims = hn_model_objective(model).name != NULL;
    if (aims && hn_model_input_count(model) > 0)
        return VERB_OK;
    console_error("%s", aims ? "the model has no inputs (params without a value); training needs them"
                             : "the model has no objective (minimize or maximize) that a network could be trained for");
    return VERB_FAILED;
}

static int check_box(const hn_model *model) {
    for (size_t i = 0; i < hn_model_input_count(model); i++) {
        hn_input_info input = hn_model_input(model, i);
        if (isfinite(input.lower) && isfinite(input.upper))
            continue;
        console_error("input %s has no finite range to sample from (%s to %s): give it >= and <= in the model, or rows "
                      "of inputs with --x",
                      input.name, error_number(input.lower).text, error_number(input.upper).text);
        return VERB_MISUSED;
    }
    return VERB_OK;
}

/* ---- files ---- */

/* A random order of the rows, the first of which are held back. */
static void train_source_mix(struct train_source *s, struct random *random, size_t rows) {
    for (size_t i = 0; i < rows; i++)
        s->order[i] = i;
    for (size_t i = 0; i + 1 < rows; i++) {
        size_t other = i + (size_t)random_below(random, rows - i), kept = s->order[i];
        s->order[i] = s->order[other];
        s->order[other] = kept;
    }
}

static int compare_rows(const void *a, const void *b) {
    size_t first = *(const size_t *)a, second = *(const size_t *)b;
    return (first > second) - (first < second);
}

/* Draws the held-out rows in ascending order; replaces duplicates. */
static void hold(struct train_source *s, struct random *random, size_t rows) {
    for (size_t found = 0; found < s->held;) {
        for (size_t i = found; i < s->held; i++)
            s->order[i] = (size_t)random_below(random, rows);
        qsort(s->order, s->held, sizeof *s->order, compare_rows);
        found = 0;
        for (size_t i = 0; i < s->held; i++)
            if (found == 0 || s->order[i] != s->order[found - 1])
                s->order[found++] = s->order[i];
    }
}

static hn_status train_source_split(struct train_source *s, size_t validation, hn_error *error) {
    struct random random = train_random(s->seed, STREAM_SPLIT, 0);
    size_t rows = s->x.rows, bytes;
    s->held = validation < rows / HELD_SHARE ? validation : rows / HELD_SHARE;
    size_t room = rows <= MIXED ? rows : s->held;
    s->order = size_multiply(room, sizeof *s->order, &bytes) ? base_allocate(bytes) : NULL;
    if (!s->order)
        return error_no_memory(error, "rows of --x");
    if (rows <= MIXED)
        train_source_mix(s, &random, rows);
    else
        hold(s, &random, rows);
    return HN_OK;
}

/* A row that is not held back. */
static size_t draw_row(const struct train_source *s, struct random *random) {
    size_t rows = s->x.rows, row;
    if (rows <= MIXED)
        return s->order[s->held + (size_t)random_below(random, rows - s->held)];
    do
        row = (size_t)random_below(random, rows);
    while (bsearch(&row, s->order, s->held, sizeof row, compare_rows));
    return row;
}

static hn_status read_files(struct train_source *s, const struct train_options *options, hn_error *error) {
    hn_status status = file_open(&s->x, options, s->model, "x", error);
    const struct train_file *targets = &s->targets;
    if (status == HN_OK && options->targets)
        status = file_open(&s->targets, options, s->model, "targets", error);
    if (status == HN_OK && options->targets && (targets->rows != s->x.rows || targets->columns != s->outputs))
        status = error_set(error, HN_INVALID,
                           "--targets %s: %zu x %zu numbers, but --x has %zu rows and the model %zu columns",
                           options->targets, targets->rows, targets->columns, s->x.rows, s->outputs);
    return status == HN_OK ? train_source_split(s, options->validation, error) : status;
}

/* ---- life ---- */

int source_create(struct train_source *s, const hn_model *model, const struct train_options *options) {
    hn_error error;
    *s = (struct train_source){.model = model, .seed = options->seed};
    s->inputs = hn_model_input_count(model);
    s->outputs = hn_model_output_count(model);
    int code = train_source_check_model(model);
    if (code == VERB_OK && !options->x)
        return check_box(model);
    hn_status status = code == VERB_OK ? read_files(s, options, &error) : HN_OK;
    if (status == HN_OK)
        return code;
    console_error("%s", error.text);
    return status == HN_INVALID ? VERB_MISUSED : VERB_FAILED;
}

void source_drop_labels(struct train_source *s) {
    double **all[] = {&s->label_x, &s->label_y, &s->label_f, &s->input_scale};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        base_release(*all[i]);
        *all[i] = NULL;
    }
    s->labels = s->most_labels = 0;
}

void source_release(struct train_source *s) {
    file_close(&s->x);
    file_close(&s->targets);
    base_release(s->order);
    source_drop_labels(s);
}

/* ---- rows ---- */

static hn_status sample_box(const struct train_source *s, struct random *random, double *x, hn_error *error) {
    bool met = false;
    hn_status status = inputs_sample(s->model, random, x, &met, error);
    if (status == HN_OK && !met)
        return error_set(error, HN_UNSUPPORTED,
                         "none of %d inputs sampled from the box meets the model's check: conditions", INPUTS_TRIES);
    return status;
}

static void take_row(double *to, const double *rows, size_t row, size_t columns) {
    memcpy(to, rows + row * columns, columns * sizeof *to);
}

hn_status source_row(const struct train_source *s, struct random *random, double *x, double *target, hn_error *error) {
    if (target && s->label_x) {
        size_t row = (size_t)random_below(random, s->labels);
        take_row(x, s->label_x, row, s->inputs);
        take_row(target, s->label_y, row, s->outputs);
        return HN_OK;
    }
    if (s->x.rows == 0)
        return sample_box(s, random, x, error);
    size_t row = draw_row(s, random);
    hn_status status = file_rows(&s->x, row, 1, x, error);
    return status == HN_OK && target ? file_rows(&s->targets, row, 1, target, error) : status;
}

hn_status source_validation(const struct train_source *s, size_t count, double *x, size_t *found, hn_error *error) {
    struct random random = train_random(s->seed, STREAM_VALIDATION, 0);
    size_t rows = s->held > 0 ? s->held : s->x.rows; /* a handful of rows is for both */
    *found = rows > 0 && rows < count ? rows : count;
    for (size_t i = 0; i < *found; i++) {
        hn_status status = rows > 0 ? file_rows(&s->x, s->order[i], 1, x + i * s->inputs, error)
                                    : sample_box(s, &random, x + i * s->inputs, error);
        if (status != HN_OK)
            return status;
    }
    return HN_OK;
}
