/* load_samples.c - assigns the next samples to free lanes.
 *
 * Samples that a cancelled call did not start are not evaluated, so the call ends quickly for any batch size: y is the
 * input, the outcome is `cancelled`, and violations are infinite, which means unknown. Samples whose y needs an evaluation
 * (it is not finite, or start values or fixed outputs depend on x) are loaded as usual and end with their fallback and
 * outcome after no steps.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

#include <math.h>
#include <string.h>

/* ---- cancelled calls ---- */

/* Whether these slots hold constants, which need no evaluation. */
static bool are_constant(const struct plan *plan, const uint32_t *slots, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (slots[i] >= plan->program.constants.count)
            return false;
    return true;
}

/* Whether samples that were not started can be returned without an evaluation. */
static bool can_skip(const struct worker *worker) {
    const struct plan *plan = worker->plan;
    if (worker->batch->not_ok != HN_NOT_OK_BEST)
        return false; /* the replacement of y must be evaluated */
    if (worker->batch->y_raw)
        return are_constant(plan, plan_words(plan, plan->fixed.slot), plan->fixed.slot.count);
    return plan->fixed.slot.count == 0 && are_constant(plan, plan_words(plan, plan->start), plan->outputs);
}

/* y_raw or the start values, with fixed outputs at their values; false if not finite. */
static bool take_input(struct worker *worker, const struct lane *own) {
    const struct plan *plan = worker->plan;
    const struct solver *d = &own->solver;
    const uint32_t *fixed = plan_words(plan, plan->fixed.slot), *output = plan_words(plan, plan->fixed.entry);
    size_t unused;
    for (size_t j = 0; j < plan->outputs; j++)
        worker->row[j] = solver_raw(d, j);
    for (size_t f = 0; f < plan->fixed.slot.count; f++)
        worker->row[output[f]] = *point_at(&d->point, fixed[f]);
    bool changed = plan->fixed.slot.count > 0; /* a fixed value may replace the input y */
    return point_all_finite(worker->row, 1, plan->outputs, &unused) &&
           (!changed || point_all_finite(d->raw, 1, plan->outputs, &unused)) &&
           point_all_finite(d->x, 1, plan->inputs, &unused);
}

static void report_skipped(const struct worker *worker, struct lane *own) {
    const struct plan *plan = worker->plan;
    hn_report out;
    memset(&out, 0, sizeof out); /* padding, too: equal reports have equal bytes */
    out.outcome = HN_OUTCOME_CANCELLED;
    out.violation_before = out.violation = out.slope = INFINITY;
    out.worst = out.culprit = SIZE_MAX;
    out.damping = own->solver.state.used;
    if (plan->fixed.slot.count > 0)
        out.moved = out.distance = solver_distance(&own->solver, plan->y, NULL);
    out.kkt = out.objective = out.complementarity = out.proof = INFINITY;
    report_write(worker->batch, own->sample, &out);
}

static void fill(double *numbers, size_t sample, size_t count, double value) {
    for (size_t i = 0; numbers && i < count; i++)
        numbers[sample * count + i] = value;
}

/* Returns the sample of an idle lane; false if it needs an evaluation. */
static bool skip(struct worker *worker, uint32_t lane) {
    const struct plan *plan = worker->plan;
    const hn_batch *batch = worker->batch;
    struct lane *own = &worker->lane[lane];
    struct solver *d = &own->solver;
    const size_t sample = own->sample;
    d->x = batch_inputs(worker, lane);
    d->raw = batch_raw(worker, sample);
    if (!take_input(worker, own))
        return false;
    sample_open(&d->state, &plan->options);
    point_write(&d->point, plan->y, plan->outputs, worker->row);
    if (batch->tape) {
        struct tape tape = tape_of(plan, batch->tape, sample);
        *tape.head = tape_head_of(&d->state, tape.room);
        fill(tape.numbers, 0, plan->tape_numbers, 0); /* TAPE_BY_STEPS with no steps */
    }
    fill(batch->residual, sample, plan->rows, INFINITY);
    fill(batch->multipliers, sample, plan->rows, 0);
    fill(batch->warm, sample, plan->outputs, 0);
    if (batch->reports)
        report_skipped(worker, own);
    point_read(&d->point, plan->y, plan->outputs, batch->y + sample * plan->outputs);
    d->state.phase = PHASE_IDLE;
    return true;
}

/* ---- loading ---- */

static bool take_sample(struct worker *worker, uint32_t lane) {
    struct lane *own = &worker->lane[lane];
    const hn_batch *batch = worker->batch;
    bool skips = worker->cancelled && can_skip(worker);
    do
        if (!queue_take(worker->queue, batch->count, &own->sample))
            return false;
    while (skips && skip(worker, lane));
    own->solver.x = batch_inputs(worker, lane);
    own->solver.raw = batch_raw(worker, own->sample);
    own->solver.fallback = batch->fallback;
    own->solver.warm = batch->warm ? batch->warm + own->sample * worker->plan->outputs : NULL;
    solver_load(&own->solver);
    if (own->solver.search)
        search_load(own->solver.search);
    return true;
}

bool worker_load(struct worker *worker) {
    bool loaded = false, busy = false, opens[MAX_LANES] = {false};
    for (uint32_t k = 0; k < worker->width; k++) {
        if (lane_is_idle(&worker->lane[k]) && !worker->lane[k].deferred)
            loaded = (opens[k] = take_sample(worker, k)) || loaded;
        busy = busy || !lane_is_idle(&worker->lane[k]);
    }
    if (!loaded)
        return busy;
    worker->executor->prepare(worker->executor, worker->slots);
    for (uint32_t k = 0; k < worker->width; k++)
        if (opens[k])
            solver_open(&worker->lane[k].solver);
    return true;
}
