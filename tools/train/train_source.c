/* train_source.c - rows of x for training and for validation: drawn from the box, or from the rows of a file.
 *
 * Of a file every fifth row at most, drawn by the seed, is kept for validation and never trained on. Rows are drawn with
 * replacement, so that what a step sees depends on the step only.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "common/console.h"
#include "common/inputs.h"
#include "common/verbs.h"
#include "train/train.h"

#include <math.h>
#include <string.h>

enum { HELD_SHARE = 5 };

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

/* ---- what is refused ---- */

static int check_model(const hn_model *model) {
    bool aims = hn_model_objective(model).name != NULL;
    if (aims && hn_model_input_count(model) > 0)
        return VERB_OK;
    console_error("%s", aims ? "the model has no inputs (params without a value): there is nothing to learn"
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

static hn_status check_finite(const hn_array *array, const char *option, const char *path, hn_error *error) {
    for (size_t i = 0; i < array->rows * array->columns; i++)
        if (!isfinite(array->values[i]))
            return error_set(error, HN_INVALID, "--%s %s: row %zu, column %zu, counted from 0, is not finite", option,
                             path, i / array->columns, i % array->columns);
    return HN_OK;
}

/* ---- files ---- */

static hn_status read_targets(struct train_source *s, const char *path, hn_error *error) {
    hn_status status = hn_array_read(&s->targets, path, 0, error);
    if (status != HN_OK)
        return status;
    if (s->targets.rows != s->x.rows || s->targets.columns != s->outputs)
        return error_set(error, HN_INVALID,
                         "--targets %s: %zu x %zu numbers, but --x has %zu rows and the model %zu columns", path,
                         s->targets.rows, s->targets.columns, s->x.rows, s->outputs);
    return check_finite(&s->targets, "targets", path, error);
}

/* A random order of the rows, the first of which are held back. */
static hn_status split(struct train_source *s, size_t validation, hn_error *error) {
    struct random random = train_random(s->seed, STREAM_SPLIT, 0);
    size_t rows = s->x.rows, bytes;
    s->order = size_multiply(rows, sizeof *s->order, &bytes) ? base_allocate(bytes) : NULL;
    if (!s->order)
        return error_no_memory(error, "rows of --x");
    for (size_t i = 0; i < rows; i++)
        s->order[i] = i;
    for (size_t i = 0; i + 1 < rows; i++) {
        size_t other = i + (size_t)random_below(&random, rows - i), kept = s->order[i];
        s->order[i] = s->order[other];
        s->order[other] = kept;
    }
    s->held = validation < rows / HELD_SHARE ? validation : rows / HELD_SHARE;
    return HN_OK;
}

static hn_status read_files(struct train_source *s, const struct train_options *options, hn_error *error) {
    hn_status status = inputs_read(s->model, "x", options->x, &s->x, error);
    if (status == HN_OK)
        status = check_finite(&s->x, "x", options->x, error);
    struct unusual_inputs unusual;
    if (status == HN_OK)
        status = inputs_warn(s->model, "x", options->x, &s->x, &unusual, error); /* warns; they are trained on */
    if (status == HN_OK && options->targets)
        status = read_targets(s, options->targets, error);
    return status == HN_OK ? split(s, options->validation, error) : status;
}

/* ---- life ---- */

int source_create(struct train_source *s, const hn_model *model, const struct train_options *options) {
    hn_error error;
    *s = (struct train_source){.model = model, .seed = options->seed};
    s->inputs = hn_model_input_count(model);
    s->outputs = hn_model_output_count(model);
    int code = check_model(model);
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
    hn_array_release(&s->x);
    hn_array_release(&s->targets);
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
    if (!s->x.values)
        return sample_box(s, random, x, error);
    size_t row = s->order[s->held + (size_t)random_below(random, s->x.rows - s->held)];
    take_row(x, s->x.values, row, s->inputs);
    if (target)
        take_row(target, s->targets.values, row, s->outputs);
    return HN_OK;
}

hn_status source_validation(const struct train_source *s, size_t count, double *x, size_t *found, hn_error *error) {
    struct random random = train_random(s->seed, STREAM_VALIDATION, 0);
    size_t rows = s->held > 0 ? s->held : s->x.rows; /* a handful of rows is for both */
    *found = s->x.values && rows < count ? rows : count;
    for (size_t i = 0; i < *found; i++) {
        hn_status status = HN_OK;
        if (s->x.values)
            take_row(x + i * s->inputs, s->x.values, s->order[i], s->inputs);
        else
            status = sample_box(s, &random, x + i * s->inputs, error);
        if (status != HN_OK)
            return status;
    }
    return HN_OK;
}
