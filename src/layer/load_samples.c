/* load_samples.c - assigns the next sample to a free lane: checks and loads x and y_raw.
 *
 * Detects NaN, infinity and crossed bounds before any step; such a sample returns its fallback.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

void worker_fall_back(struct worker *worker, uint32_t lane, hn_outcome outcome) {
    const struct point p = worker_point(worker, lane);
    const double *fallback = worker->batch->fallback;
    sample_fall_back(&worker->lane[lane].state, outcome);
    if (fallback)
        point_write(&p, worker->plan->y, worker->plan->outputs, fallback);
    else
        point_fall_back(&p);
}

/* Ends an invalid sample with its fallback. */
static void fall_back(struct worker *worker, uint32_t lane, hn_outcome outcome, size_t culprit) {
    worker->lane[lane].culprit = culprit;
    worker_fall_back(worker, lane, outcome);
}

/* Constant bounds are checked once per worker. */
static bool bad_bounds(struct worker *worker, uint32_t lane, size_t *culprit) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, lane);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    uint32_t constants = plan->program.constants.count;
    if (worker->bounds_known)
        return false;
    bool bad = point_bad_bounds(&p, culprit), same = !bad;
    for (size_t i = 0; same && i < plan->rows; i++)
        same = lower[i] < constants && upper[i] < constants;
    worker->bounds_known = same;
    return bad;
}

/* Sets y to y_raw or the start values, if these, x and the bounds are valid. */
static void take_raw(struct worker *worker, uint32_t lane) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, lane);
    size_t sample = worker->lane[lane].sample, culprit = 0;
    const double *raw = batch_raw(worker, sample);
    if (!all_finite(batch_inputs(worker, sample), plan->inputs, &culprit))
        fall_back(worker, lane, HN_OUTCOME_NONFINITE_INPUT, culprit);
    else if (raw && !all_finite(raw, plan->outputs, &culprit))
        fall_back(worker, lane, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + culprit);
    else if (bad_bounds(worker, lane, &culprit))
        fall_back(worker, lane, HN_OUTCOME_BAD_BOUNDS, culprit);
    else if (raw)
        point_write(&p, plan->y, plan->outputs, raw);
    else
        point_start(&p);
}

static void point_copy(const struct point *p, uint32_t from, uint32_t to, size_t count) {
    for (uint32_t i = 0; i < count; i++)
        *point_at(p, to + i) = *point_at(p, from + i);
}

/* Called after the evaluation of what depends on x only. */
static void open_seat(struct worker *worker, uint32_t lane) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, lane);
    const struct sample *s = &worker->lane[lane].state;
    size_t culprit = 0;
    take_raw(worker, lane);
    if (!point_set_fixed(&p) && s->phase == PHASE_NEW) {
        fall_back(worker, lane, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
        point_set_fixed(&p);
    }
    bool starts = s->phase == PHASE_NEW && !worker->batch->y_raw;
    if (starts && !point_finite(&p, plan->y, plan->outputs, &culprit)) /* a start value that is not finite for this x */
        fall_back(worker, lane, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + culprit);
    if (plan->options.usual > 0 && s->phase == PHASE_NEW && point_is_start(&p))
        sample_is_home(&worker->lane[lane].state);
    if (worker->batch->warm)
        point_copy(&p, plan->y, plan->best, plan->outputs);
    point_set_mask(&p, plan->summary + SUMMARY_USABLE, true);
}

void worker_bring_raw(const struct worker *worker, uint32_t lane) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, lane);
    const double *raw = batch_raw(worker, worker->lane[lane].sample);
    const uint32_t *start = plan_words(plan, plan->start);
    const uint32_t *fixed = plan_words(plan, plan->fixed.slot), *output = plan_words(plan, plan->fixed.entry);
    for (uint32_t j = 0; j < plan->outputs; j++)
        *point_at(&p, plan->raw + j) = raw ? raw[j] : *point_at(&p, start[j]);
    for (uint32_t f = 0; f < plan->fixed.slot.count; f++)
        *point_at(&p, plan->raw + output[f]) = *point_at(&p, fixed[f]);
}

static bool take_sample(struct worker *worker, uint32_t lane) {
    struct lane *own = &worker->lane[lane];
    const struct point p = worker_point(worker, lane);
    bool skips = worker->cancelled && worker_can_skip(worker);
    do
        if (!queue_take(worker->queue, worker->batch->count, &own->sample))
            return false;
    while (skips && worker_skip(worker, own->sample));
    own->culprit = SIZE_MAX;
    own->searched = own->tried = own->found = own->lost = own->split = false;
    own->least_slope = own->proof = INFINITY;
    sample_open(&own->state, &worker->plan->options);
    if (worker->plan->inputs)
        point_write(&p, worker->plan->x, worker->plan->inputs, batch_inputs(worker, own->sample));
    return true;
}

bool worker_load(struct worker *worker) {
    bool loaded = false, busy = false, opens[MAX_LANES] = {false};
    for (uint32_t k = 0; k < worker->width; k++) {
        if (worker->lane[k].state.phase == PHASE_IDLE && !worker->lane[k].deferred)
            loaded = (opens[k] = take_sample(worker, k)) || loaded;
        busy = busy || worker->lane[k].state.phase != PHASE_IDLE;
    }
    if (!loaded)
        return busy;
    worker->executor->prepare(worker->executor, worker->slots);
    for (uint32_t k = 0; k < worker->width; k++)
        if (opens[k])
            open_seat(worker, k);
    return true;
}

/* ---- warm starts ---- */

/* Moves y by the displacement of the previous call; false when the result is not a valid start. */
static bool go_warm(const struct worker *worker, uint32_t lane) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, lane);
    const double *warm = worker->batch->warm + worker->lane[lane].sample * plan->outputs;
    size_t unused;
    point_read(&p, plan->y, plan->outputs, worker->row);
    for (size_t j = 0; j < plan->outputs; j++)
        worker->row[j] += warm[j];
    if (!all_finite(worker->row, plan->outputs, &unused))
        return false;
    point_write(&p, plan->y, plan->outputs, worker->row);
    point_set_fixed(&p);
    return true;
}

bool worker_start_warm(struct worker *worker) {
    const struct sample_options *o = &worker->plan->options;
    bool any = false;
    for (uint32_t k = 0; k < worker->width && worker->batch->warm; k++) {
        struct sample *s = &worker->lane[k].state;
        if (s->phase != PHASE_NEW)
            continue;
        struct sample_numbers n = worker_numbers(worker, k);
        if (!sample_starts_warm(s, o, &n) || !go_warm(worker, k))
            continue;
        sample_start_warm(s, o, &n);
        any = true;
    }
    return any;
}
