/* scaling.c - the start of a training: sampled inputs, and shifts and scales of a network (hardnet/train.h).
 *
 * If a start hardly depends on x, its standard deviation underestimates that of the best outputs. So the deviation of
 * an output is at least a share of the distance between its bounds or, without bounds, of the median in its family or
 * in the model.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "hardnet/train.h"
#include "model/draw_inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static hn_status sample_row(const hn_model *model, struct random *random, double *x, hn_error *error) {
    bool met = false;
    hn_status status = draw_inputs(model, random, x, &met, error);
    if (status != HN_OK || met)
        return status;
    return error_set(error, HN_UNSUPPORTED,
                     "none of %d inputs sampled from the box meets the model's check: conditions", DRAW_INPUTS_TRIES);
}

hn_status hn_sample_inputs(const hn_model *model, uint64_t seed, uint64_t stream, size_t count, hn_real *x,
                           hn_error *error) {
    if (!model || (!x && count > 0))
        return error_missing(error, "hn_sample_inputs", model ? "x" : "model");
    struct random random = random_start(seed, stream);
    hn_status status = HN_OK;
    for (size_t i = 0; i < count && status == HN_OK; i++)
        status = sample_row(model, &random, x + i * hn_model_input_count(model), error);
    return status;
}

/* ---- scaling ---- */

static const double SHARE_OF_BOUNDS = 0.15, SHARE_OF_USUAL = 0.3;
static const double NOISE = 1e-6; /* times max(1, |mean|): smaller deviations are rounding errors */

struct scaling {
    const hn_model *model;
    const hn_scaling *wanted;
    size_t inputs, outputs;
    size_t columns, candidates;     /* of the network */
    double *y;                      /* corrected starts */
    double *mean, *spread, *sorted; /* of the outputs */
    double *shift, *scale;          /* of the network's inputs, then of its outputs */
    hn_report *reports;
};

static void scaling_place(struct layout *layout, void *context) {
    struct scaling *s = context;
    size_t given = s->columns * s->candidates, most = given > s->inputs ? given : s->inputs;
    s->y = layout_take(layout, s->wanted->count * s->outputs, sizeof *s->y);
    s->mean = layout_take(layout, s->outputs, sizeof *s->mean);
    s->spread = layout_take(layout, s->outputs, sizeof *s->spread);
    s->sorted = layout_take(layout, s->outputs, sizeof *s->sorted);
    s->shift = layout_take(layout, most, sizeof *s->shift);
    s->scale = layout_take(layout, most, sizeof *s->scale);
    s->reports = layout_take(layout, s->wanted->count, sizeof *s->reports);
}

/* ---- inputs ---- */

/* Mean and standard deviation of column j over the rows that are ok; reports NULL: all rows. */
static void scaling_measure(const double *rows, size_t count, size_t columns, size_t j, const hn_report *reports,
                            double *mean, double *deviation) {
    double sum = 0, squares = 0, used = 0;
    for (size_t i = 0; i < count; i++)
        if (!reports || reports[i].outcome == HN_OUTCOME_OK) {
            sum += rows[i * columns + j];
            used++;
        }
    *mean = used > 0 ? sum / used : 0;
    for (size_t i = 0; i < count; i++)
        if (!reports || reports[i].outcome == HN_OUTCOME_OK) {
            double difference = rows[i * columns + j] - *mean;
            squares += difference * difference;
        }
    *deviation = used > 0 ? sqrt(squares / used) : 0;
}

static hn_status set_inputs(hn_network *network, const struct scaling *s, hn_error *error) {
    const hn_scaling *w = s->wanted;
    for (size_t i = 0; i < s->inputs; i++) {
        hn_input_info input = hn_model_input(s->model, i);
        double width = 0.5 * (input.upper - input.lower);
        s->shift[i] = input.lower + width;
        if (w->data)
            scaling_measure(w->data, w->data_count, s->inputs, i, NULL, &s->shift[i], &width);
        if (!isfinite(s->shift[i]) || !isfinite(width))
            return error_set(error, HN_INVALID, "input %s has no finite range: give rows of inputs to scale it by",
                             input.name);
        s->scale[i] = width > 0 ? 1 / width : 1;
    }
    return hn_network_set_input(network, s->shift, s->scale, error);
}

/* ---- corrected starts ---- */

static hn_status correct_starts(struct scaling *s, hn_error *error) {
    hn_layer *layer = NULL;
    hn_pool *pool = NULL;
    hn_status status = hn_layer_create(&layer, s->model, s->wanted->layer, error);
    if (status == HN_OK)
        status = hn_pool_create(&pool, layer, s->wanted->threads, error);
    hn_batch batch = {.size = sizeof batch,
                      .count = s->wanted->count,
                      .x = s->wanted->x,
                      .y = s->y,
                      .report_size = sizeof(hn_report),
                      .reports = s->reports};
    if (status == HN_OK)
        status = hn_pool_run(pool, &batch, error);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    return status;
}

/* If almost no start can be corrected, uses the best iterates as well; they are finite. */
static const hn_report *which_count(const struct scaling *s) {
    size_t ok = 0;
    for (size_t i = 0; i < s->wanted->count; i++)
        ok += s->reports[i].outcome == HN_OUTCOME_OK;
    return 10 * ok >= s->wanted->count ? s->reports : NULL;
}

/* ---- outputs ---- */

static bool same_family(const char *a, const char *b) {
    size_t length = strcspn(a, "[");
    return length == strcspn(b, "[") && strncmp(a, b, length) == 0;
}

static int scaling_compare(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, scaling_compare);
    double below = values[(count - 1) / 2], above = values[count / 2];
    return below == above ? below : 0.5 * below + 0.5 * above;
}

/* The median of the nonzero deviations in the family of this output or (NULL) in the whole model; 0 if all are 0. */
static double usual_spread(const struct scaling *s, const char *name) {
    size_t found = 0;
    for (size_t i = 0; i < s->outputs; i++)
        if (s->spread[i] > 0 && (!name || same_family(name, hn_model_output(s->model, i).name)))
            s->sorted[found++] = s->spread[i];
    return found > 0 ? median(s->sorted, found) : 0;
}

/* The distance between the bounds at the first inputs; 0 if one is infinite. */
static hn_status bounds_width(const struct scaling *s, const hn_output_info *output, double *width, hn_error *error) {
    const hn_expr bounds[] = {output->lower, output->upper};
    double values[2] = {0, 0};
    *width = 0;
    hn_status status = HN_OK;
    if (hn_is_valid(bounds[0]) && hn_is_valid(bounds[1]))
        status = hn_model_evaluate(s->model, 2, bounds, s->wanted->x, s->y, values, error);
    if (status == HN_OK && isfinite(values[1] - values[0]) && values[1] > values[0])
        *width = values[1] - values[0];
    return status;
}

static hn_status least_spread(const struct scaling *s, size_t i, double usual, double *least, hn_error *error) {
    hn_output_info output = hn_model_output(s->model, i);
    double width;
    hn_status status = bounds_width(s, &output, &width, error);
    if (status != HN_OK)
        return status;
    double family = width > 0 ? 0 : usual_spread(s, output.name);
    *least = width > 0    ? SHARE_OF_BOUNDS * width
             : family > 0 ? SHARE_OF_USUAL * family
             : usual > 0  ? SHARE_OF_USUAL * usual
                          : fmax(1, fabs(s->mean[i]));
    return HN_OK;
}

static void measure_starts(const struct scaling *s) {
    const hn_report *reports = which_count(s);
    for (size_t i = 0; i < s->outputs; i++) {
        scaling_measure(s->y, s->wanted->count, s->outputs, i, reports, &s->mean[i], &s->spread[i]);
        if (s->spread[i] <= NOISE * fmax(1, fabs(s->mean[i])))
            s->spread[i] = 0;
    }
}

static hn_status set_outputs(hn_network *network, const struct scaling *s, hn_error *error) {
    double usual = usual_spread(s, NULL);
    hn_status status = HN_OK;
    for (size_t i = 0; status == HN_OK && i < s->columns; i++) {
        size_t column = s->wanted->columns ? s->wanted->columns[i] : i;
        double least = 0;
        status = least_spread(s, column, usual, &least, error);
        for (size_t k = 0; k < s->candidates; k++) {
            s->shift[k * s->columns + i] = s->mean[column];
            s->scale[k * s->columns + i] = fmax(least, s->spread[column]);
        }
    }
    return status == HN_OK ? hn_network_set_output(network, s->shift, s->scale, error) : status;
}

/* ---- the scaling ---- */

static hn_status check(const struct scaling *s, const hn_network_options *network, hn_error *error) {
    const hn_scaling *w = s->wanted;
    if (w->count == 0 || !w->x)
        return error_missing(error, "hn_network_scale", "x");
    if (w->data && w->data_count == 0)
        return error_missing(error, "hn_network_scale", "data");
    for (size_t i = 0; w->columns && i < w->column_count; i++)
        if (w->columns[i] >= s->outputs)
            return error_about(error, HN_INVALID, error_argument("columns"),
                               "hn_network_scale: the model has no column %zu", w->columns[i]);
    if (network->inputs != s->inputs || s->columns == 0 || network->outputs % s->columns != 0)
        return error_about(error, HN_INVALID, error_argument("network"),
                           "hn_network_scale: the network has %zu inputs and %zu outputs, and the model %zu and %zu",
                           network->inputs, network->outputs, s->inputs, s->columns);
    return HN_OK;
}

hn_status hn_network_scale(hn_network *network, const hn_model *model, const hn_scaling *scaling, hn_error *error) {
    if (!network || !model || !scaling)
        return error_missing(error, "hn_network_scale", !network ? "network" : model ? "scaling" : "model");
    hn_network_options options = hn_network_options_of(network);
    struct scaling s = {.model = model, .wanted = scaling};
    s.inputs = hn_model_input_count(model);
    s.outputs = hn_model_output_count(model);
    s.columns = scaling->columns ? scaling->column_count : s.outputs;
    hn_status status = check(&s, &options, error);
    if (status != HN_OK)
        return status;
    s.candidates = options.outputs / s.columns;
    void *block = layout_allocate(scaling_place, &s);
    status = block ? set_inputs(network, &s, error) : error_no_memory(error, "scaling");
    if (status == HN_OK)
        status = correct_starts(&s, error);
    if (status == HN_OK) {
        measure_starts(&s);
        status = set_outputs(network, &s, error);
    }
    base_release(block);
    return status;
}
