/* samples.c - see samples.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/samples.h"

#include "base/error.h"
#include "common/console.h"
#include "common/inputs.h"
#include "common/text.h"
#include "common/verbs.h"

#include <string.h>

/* ---- reading ---- */

static hn_status read_outputs(const hn_model *model, const char *option, const char *path, hn_array *array,
                              hn_error *error) {
    size_t outputs = hn_model_output_count(model);
    hn_status status = hn_array_read(array, path, 0, error);
    if (status != HN_OK)
        return status;
    if (array->dimensions == 1 && array->rows == outputs) { /* one dimension is one row */
        array->columns = outputs;
        array->rows = 1;
    }
    if (array->columns == outputs && array->rows > 0)
        return HN_OK;
    status =
        error_set(error, HN_INVALID, "--%s %s: %zu x %zu numbers, but the model has %zu column%s, %s%s%s", option, path,
                  array->rows, array->columns, outputs, outputs == 1 ? "" : "s", hn_model_output(model, 0).name,
                  outputs > 1 ? " to " : "", outputs > 1 ? hn_model_output(model, outputs - 1).name : "");
    hn_array_release(array);
    return status;
}

static hn_status agree(struct samples *samples, hn_error *error) {
    size_t x = samples->x.values ? samples->x.rows : 1, y = samples->y.values ? samples->y.rows : 1;
    if (x != y && x != 1 && y != 1)
        return error_set(error, HN_INVALID, "--x %s has %zu rows and --y %s has %zu: they must agree, or one be 1",
                         samples->x_path, x, samples->y_path, y);
    samples->count = x > y ? x : y;
    return HN_OK;
}

int samples_read(struct samples *samples, const hn_model *model) {
    hn_error error = {.status = HN_OK};
    hn_status status = HN_OK;
    if (samples->x_path)
        status = inputs_read(model, "x", samples->x_path, &samples->x, &error);
    if (status == HN_OK && samples->y_path)
        status = read_outputs(model, "y", samples->y_path, &samples->y, &error);
    if (status == HN_OK)
        status = agree(samples, &error);
    if (status == HN_OK)
        return VERB_OK;
    console_error("%s", error.text);
    samples_release(samples);
    return status == HN_INVALID ? VERB_MISUSED : VERB_FAILED; /* the shapes are the caller's */
}

int samples_read_weights(const char *path, const hn_model *model, hn_array *weights) {
    hn_error error = {.status = HN_OK};
    hn_status status = read_outputs(model, "weights", path, weights, &error);
    if (status == HN_OK && weights->rows > 1) {
        status = error_set(&error, HN_INVALID, "--weights %s: %zu rows; the weights are one row for all samples", path,
                           weights->rows);
        hn_array_release(weights);
    }
    if (status == HN_OK)
        return VERB_OK;
    console_error("%s", error.text);
    return status == HN_INVALID ? VERB_MISUSED : VERB_FAILED;
}

void samples_release(struct samples *samples) {
    hn_array_release(&samples->x);
    hn_array_release(&samples->y);
}

/* ---- inputs ---- */

int samples_ask_for_inputs(const hn_model *model) {
    enum { SHOWN = 12 };
    size_t count = hn_model_input_count(model), shown = count <= SHOWN ? count : SHOWN - 1;
    struct text names = {.bytes = NULL};
    for (size_t i = 0; i < shown; i++)
        text_print(&names, "%s%.30s", i > 0 ? ", " : "", hn_model_input(model, i).name);
    if (shown < count)
        text_print(&names, ", ... %.30s", hn_model_input(model, count - 1).name);
    console_error("the model has %zu input%s (%.*s), whose values --x must give", count, count == 1 ? "" : "s",
                  (int)names.count, names.bytes ? names.bytes : "");
    text_release(&names);
    return VERB_MISUSED;
}

/* ---- batches ---- */

size_t samples_row(const hn_array *array, size_t sample) {
    return array->rows == 1 ? 0 : sample;
}

hn_batch samples_batch(const struct samples *samples, size_t first, size_t count) {
    const hn_array *x = &samples->x, *y = &samples->y;
    hn_batch batch = {.size = sizeof batch, .count = count, .repeat_x = x->rows == 1, .repeat_y = y->rows == 1};
    if (x->values)
        batch.x = x->values + samples_row(x, first) * x->columns;
    if (y->values)
        batch.y_raw = y->values + samples_row(y, first) * y->columns;
    return batch;
}
