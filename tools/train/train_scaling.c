/* train_scaling.c - shifts and scales of the network, so that its weights work on numbers around 1.
 *
 *     inputs    middle and half width of the box; mean and standard deviation of a file
 *     outputs   mean and standard deviation of the corrected starts of the model at some inputs, the same for all candidates
 *
 * A start that hardly depends on x says little about how far the best outputs spread. So the spread of an output is at least a
 * share of the distance between its bounds or, without them, of what is usual in its family and in the model.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "common/figures.h"
#include "train/train.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 300 };
static const double SHARE_OF_BOUNDS = 0.15, SHARE_OF_USUAL = 0.3;
static const double NOISE =
    1e-6; /* of max(1, |mean|): starts that are nearer to each other are the same up to rounding */

struct scaling {
    const struct train_source *source;
    size_t outputs, count;          /* rows of starts */
    double *x, *y;                  /* inputs and corrected starts */
    double *mean, *spread, *sorted; /* of the outputs */
    double *shift, *scale;          /* of the network's outputs */
    hn_report *reports;
};

/* ---- inputs ---- */

/* Mean and standard deviation of column j, over the rows that count; reports NULL: all. */
static void measure(const double *rows, size_t count, size_t columns, size_t j, const hn_report *reports, double *mean,
                    double *deviation) {
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

static hn_status set_inputs(hn_network *network, const struct train_source *s, hn_error *error) {
    double *shift = train_numbers(2, s->inputs), *scale = shift ? shift + s->inputs : NULL;
    if (!shift)
        return error_no_memory(error, "scaling");
    for (size_t i = 0; i < s->inputs; i++) {
        hn_input_info input = hn_model_input(s->model, i);
        double width = 0.5 * (input.upper - input.lower);
        shift[i] = input.lower + width;
        if (s->x.values)
            measure(s->x.values, s->x.rows, s->inputs, i, NULL, &shift[i], &width);
        scale[i] = width > 0 ? 1 / width : 1;
    }
    hn_status status = hn_network_set_input(network, shift, scale, error);
    base_release(shift);
    return status;
}

/* ---- corrected starts ---- */

static hn_status correct_starts(struct scaling *s, const struct train_options *options, hn_error *error) {
    struct random random = train_random(s->source->seed, STREAM_SCALING, 0);
    hn_layer_options settings = train_trainer_options(options).policy.layer;
    hn_layer *layer = NULL;
    hn_pool *pool = NULL;
    hn_status status = HN_OK;
    for (size_t i = 0; status == HN_OK && i < s->count; i++)
        status = source_row(s->source, &random, s->x + i * s->source->inputs, NULL, error);
    if (status == HN_OK)
        status = hn_layer_create(&layer, s->source->model, &settings, error);
    if (status == HN_OK)
        status = hn_pool_create(&pool, layer, (int)options->common.threads, error);
    hn_batch batch = {.size = sizeof batch,
                      .count = s->count,
                      .x = s->x,
                      .y = s->y,
                      .report_size = sizeof(hn_report),
                      .reports = s->reports};
    if (status == HN_OK)
        status = hn_pool_run(pool, &batch, error);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    return status;
}

/* Where nearly no start can be corrected the best that was found serves too: it is finite. */
static const hn_report *which_count(const struct scaling *s) {
    size_t ok = 0;
    for (size_t i = 0; i < s->count; i++)
        ok += s->reports[i].outcome == HN_OUTCOME_OK;
    return 10 * ok >= s->count ? s->reports : NULL;
}

/* ---- outputs ---- */

static size_t family_length(const char *name) {
    return strcspn(name, "[");
}

static bool same_family(const char *a, const char *b) {
    size_t length = family_length(a);
    return length == family_length(b) && strncmp(a, b, length) == 0;
}

/* The median of the spreads that are not 0, in the family of this output or (NULL) in the whole model; 0: there are none. */
static double usual_spread(struct scaling *s, const char *name) {
    size_t found = 0;
    for (size_t i = 0; i < s->outputs; i++)
        if (s->spread[i] > 0 && (!name || same_family(name, hn_model_output(s->source->model, i).name)))
            s->sorted[found++] = s->spread[i];
    return found > 0 ? figures_spread(s->sorted, found).median : 0;
}

/* The distance between the bounds at the first inputs; 0 where one is infinite. */
static hn_status bounds_width(const struct scaling *s, const hn_output_info *output, double *width, hn_error *error) {
    const hn_expr bounds[] = {output->lower, output->upper};
    double values[2] = {0, 0};
    *width = 0;
    hn_status status = HN_OK;
    if (hn_is_valid(bounds[0]) && hn_is_valid(bounds[1]))
        status = hn_model_evaluate(s->source->model, 2, bounds, s->x, s->y, values, error);
    if (status == HN_OK && isfinite(values[1] - values[0]) && values[1] > values[0])
        *width = values[1] - values[0];
    return status;
}

static hn_status least_spread(struct scaling *s, size_t i, double usual, double *least, hn_error *error) {
    hn_output_info output = hn_model_output(s->source->model, i);
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

static hn_status set_outputs(hn_network *network, struct scaling *s, size_t candidates,
                             const struct train_columns *columns, hn_error *error) {
    const hn_report *reports = which_count(s);
    hn_status status = HN_OK;
    for (size_t i = 0; i < s->outputs; i++) {
        measure(s->y, s->count, s->outputs, i, reports, &s->mean[i], &s->spread[i]);
        if (s->spread[i] <= NOISE * fmax(1, fabs(s->mean[i])))
            s->spread[i] = 0;
    }
    double usual = usual_spread(s, NULL);
    for (size_t i = 0; status == HN_OK && i < columns->count; i++) {
        size_t column = columns->column[i];
        double least = 0;
        status = least_spread(s, column, usual, &least, error);
        for (size_t k = 0; k < candidates; k++) {
            s->shift[k * columns->count + i] = s->mean[column];
            s->scale[k * columns->count + i] = fmax(least, s->spread[column]);
        }
    }
    return status == HN_OK ? hn_network_set_output(network, s->shift, s->scale, error) : status;
}

static bool make_room(struct scaling *s, size_t candidates) {
    s->x = train_numbers(s->count, s->source->inputs);
    s->y = train_numbers(s->count, s->outputs);
    s->mean = train_numbers(3, s->outputs);
    s->shift = train_numbers(2 * candidates, s->outputs);
    s->reports = base_allocate(s->count * sizeof *s->reports);
    if (!s->x || !s->y || !s->mean || !s->shift || !s->reports)
        return false;
    s->spread = s->mean + s->outputs;
    s->sorted = s->spread + s->outputs;
    s->scale = s->shift + candidates * s->outputs;
    return true;
}

hn_status scaling_set(hn_network *network, const struct train_source *source, const struct train_options *options,
                      const struct train_columns *columns, hn_error *error) {
    struct scaling s = {.source = source, .outputs = source->outputs, .count = SAMPLES};
    hn_status status = make_room(&s, options->candidates) ? HN_OK : error_no_memory(error, "scaling");
    if (status == HN_OK)
        status = set_inputs(network, source, error);
    if (status == HN_OK)
        status = correct_starts(&s, options, error);
    if (status == HN_OK)
        status = set_outputs(network, &s, options->candidates, columns, error);
    base_release(s.x);
    base_release(s.y);
    base_release(s.mean);
    base_release(s.shift);
    base_release(s.reports);
    return status;
}
