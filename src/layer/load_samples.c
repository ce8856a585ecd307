/* load_samples.c - a free lane takes the next sample: x and y_raw come in, are checked, and take their places.
 *
 * NaN and infinity are found here, before any step, and so are bounds that cross; such a sample returns its fallback.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/layer_parts.h"

#include <math.h>

static bool bad_bounds(const struct worker *worker, int lane, size_t *row) {
    const struct rows_task *task = &worker->layer->task;
    for (size_t i = 0; i < task->rows; i++) {
        double lower = *lane_at(worker, task->lower[i], lane), upper = *lane_at(worker, task->upper[i], lane);
        *row = i;
        if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY)
            return true;
    }
    return false;
}

static double clip(double value, double lower, double upper) {
    if (value < lower)
        value = lower;
    if (value > upper)
        value = upper;
    return isfinite(value) ? value : 0;
}

/* Start values inside their bounds, for samples that cannot be used; finite whatever x is. */
static void set_fallback(const struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    const struct rows_task *task = &layer->task;
    if (worker->batch->fallback) {
        lane_write(worker, layer->y, lane, layer->outputs, worker->batch->fallback);
        return;
    }
    for (size_t j = 0; j < layer->outputs; j++) {
        double value = *lane_at(worker, layer->start[j], lane);
        lane_at(worker, layer->y, lane)[j * (size_t)worker->lanes] = isfinite(value) ? value : 0;
    }
    for (size_t b = 0; b < layer->bound_rows.count; b++) {
        uint32_t row = layer->bound_rows.place[b];
        double *y = lane_at(worker, layer->y, lane) + (size_t)layer->bound_rows.offset[b] * (size_t)worker->lanes;
        *y = clip(*y, *lane_at(worker, task->lower[row], lane), *lane_at(worker, task->upper[row], lane));
    }
}

void set_fixed(const struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    for (size_t f = 0; f < layer->fixed.count; f++) {
        double value = *lane_at(worker, layer->fixed.place[f], lane);
        if (isfinite(value))
            *lane_at(worker, layer->y + layer->fixed.offset[f], lane) = value;
    }
}

static bool finite_fixed(const struct worker *worker, int lane) {
    const struct places *fixed = &worker->layer->fixed;
    for (size_t f = 0; f < fixed->count; f++)
        if (!isfinite(*lane_at(worker, fixed->place[f], lane)))
            return false;
    return true;
}

static const double *raw_of(const struct worker *worker, size_t sample) {
    const hn_batch *batch = worker->batch;
    return batch->y_raw ? batch->y_raw + (batch->repeat_y ? 0 : sample * worker->layer->outputs) : NULL;
}

static const double *inputs_of(const struct worker *worker, size_t sample) {
    const hn_batch *batch = worker->batch;
    return worker->layer->inputs ? batch->x + (batch->repeat_x ? 0 : sample * worker->layer->inputs) : NULL;
}

/* A sample that cannot be used returns its fallback, which is evaluated like any other point. */
static void give_up(struct worker *worker, int lane, hn_outcome outcome, size_t culprit) {
    struct lane *own = &worker->lane[lane];
    own->outcome = outcome;
    own->culprit = culprit;
    own->last = own->unusable = true;
    set_fallback(worker, lane);
}

/* After what depends on x alone was evaluated. */
static void open_lane(struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    struct lane *own = &worker->lane[lane];
    const double *raw = raw_of(worker, own->sample);
    size_t culprit = 0;
    if (!all_finite(inputs_of(worker, own->sample), layer->inputs, &culprit))
        give_up(worker, lane, HN_OUTCOME_NONFINITE_INPUT, culprit);
    else if (raw && !all_finite(raw, layer->outputs, &culprit))
        give_up(worker, lane, HN_OUTCOME_NONFINITE_INPUT, layer->inputs + culprit);
    else if (bad_bounds(worker, lane, &culprit))
        give_up(worker, lane, HN_OUTCOME_BAD_BOUNDS, culprit);
    else if (raw)
        lane_write(worker, layer->y, lane, layer->outputs, raw);
    else
        for (size_t j = 0; j < layer->outputs; j++)
            lane_at(worker, layer->y, lane)[j * (size_t)worker->lanes] = *lane_at(worker, layer->start[j], lane);
    if (!own->last && !finite_fixed(worker, lane))
        give_up(worker, lane, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
    set_fixed(worker, lane);
    lane_read(worker, layer->y, lane, layer->outputs, worker->row);
    if (!own->last && !all_finite(worker->row, layer->outputs, &culprit)) /* a start value that x drives away */
        give_up(worker, lane, HN_OUTCOME_NONFINITE_INPUT, layer->inputs + culprit);
    lane_read(worker, layer->y, lane, layer->outputs, worker->row);
    lane_write(worker, layer->raw, lane, layer->outputs, worker->row);
    lane_write(worker, layer->best, lane, layer->outputs, worker->row);
}

/* Whether any lane has a sample to work on. */
bool worker_load(struct worker *worker) {
    bool loaded = false, busy = false, opens[LANES] = {false}; /* a lane that restarts is fresh, too, but open */
    for (int lane = 0; lane < worker->lanes; lane++) {
        struct lane *own = &worker->lane[lane];
        size_t sample;
        if (own->busy || !queue_take(worker->queue, worker->batch->count, &sample)) {
            busy = busy || own->busy;
            continue;
        }
        *own = (struct lane){.busy = true, .fresh = true, .sample = sample, .culprit = SIZE_MAX};
        own->before = own->best = INFINITY;
        own->eps = worker->layer->options.method == HN_METHOD_AUTO ? -1 : worker->layer->options.damping;
        own->used = fmax(0, own->eps);
        worker_load_inputs(worker, lane, sample);
        loaded = busy = opens[lane] = true;
    }
    if (loaded) {
        worker->backend.run(worker->layer->program, 0, worker->slots);
        for (int lane = 0; lane < worker->lanes; lane++)
            if (opens[lane])
                open_lane(worker, lane);
    }
    return busy;
}

/* ---- warm starts ---- */

/* y goes where the call before ended, relative to its raw output; false where that is no place to go to. */
static bool go_warm(const struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    const double *warm = worker->batch->warm + worker->lane[lane].sample * layer->outputs;
    size_t unused;
    lane_read(worker, layer->y, lane, layer->outputs, worker->row);
    for (size_t j = 0; j < layer->outputs; j++)
        worker->row[j] += warm[j];
    if (!all_finite(worker->row, layer->outputs, &unused))
        return false;
    lane_write(worker, layer->y, lane, layer->outputs, worker->row);
    set_fixed(worker, lane);
    return true;
}

bool worker_start_warm(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    bool any = false;
    for (int lane = 0; lane < worker->lanes && worker->batch->warm; lane++) {
        struct lane *own = &worker->lane[lane];
        double measure = *lane_at(worker, layer->task.summary + SUMMARY_WORST * LANES, lane);
        bool finite = mask_get(worker, layer->task.summary + SUMMARY_FINITE * LANES, lane);
        bool held = layer->weighted && finite && measure <= layer->options.tolerance; /* paper and hardnet go on */
        bool opens = own->busy && own->fresh && !own->last && own->attempt == 0 && own->best_attempt != CAME_IN;
        if (!opens || held || layer->options.iterations == 0)
            continue;
        control_came_in(worker, lane);
        if (!go_warm(worker, lane))
            continue;
        own->best = finite ? measure : INFINITY;
        own->best_attempt = CAME_IN;
        any = true;
    }
    return any;
}
