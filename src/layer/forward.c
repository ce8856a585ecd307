/* forward.c - corrects samples: rounds of evaluate, decide, step over LANES samples at once.
 *
 *     load     a free lane takes the next sample; what depends on x alone is evaluated
 *     evaluate c, J and r at the present iterate of every lane
 *     decide   per lane: go on, reject the step, or end (control.c); a sample that ends somewhere else than at its best iterate
 *              returns there first, so that every verdict comes from an evaluation at the returned y
 *     step     eps, factor, solve, y = base - A' (A A' + eps I)^-1 W r
 *
 * Lanes know nothing of each other. A lane that has no sample goes on computing with old numbers, which nobody reads.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "layer/layer_parts.h"

/* ---- rounds ---- */

static bool set_masks(const struct worker *worker, uint32_t place, const bool *values) {
    bool any = false;
    for (int lane = 0; lane < LANES; lane++) {
        mask_set(worker, place, lane, values[lane]);
        any = any || values[lane];
    }
    return any;
}

static void evaluate(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    layer->backend.run(layer->program, 1, worker->slots);
    if (layer->weighted) {
        bool fresh[LANES];
        for (int lane = 0; lane < LANES; lane++)
            fresh[lane] = worker->lane[lane].busy && worker->lane[lane].fresh;
        if (set_masks(worker, layer->mask_fresh, fresh))
            layer->backend.rescale(&layer->task, worker->slots, layer->mask_fresh);
    }
    layer->backend.residual(&layer->task, worker->slots);
}

static void watch(struct worker *worker, int lane) {
    const struct lane *own = &worker->lane[lane];
    if (!worker->batch->watch || own->last)
        return;
    lane_read(worker, worker->layer->y, lane, worker->layer->outputs, worker->row);
    worker->batch->watch(worker->batch->watch_context, own->sample, own->iteration, worker->row,
                         *lane_at(worker, worker->layer->task.summary, lane), own->eps);
}

static void record(struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    const struct lane *own = &worker->lane[lane];
    if (!worker->batch->tape)
        return;
    double *tape = tape_of(layer, worker->batch, own->sample);
    size_t steps = (size_t)own->steps, most = (size_t)layer->options.iterations;
    if (steps > 0)
        tape[steps] = own->used;
    if (steps < most)
        lane_read(worker, layer->y, lane, layer->outputs, tape + 1 + most + steps * layer->outputs);
}

/* The present iterate becomes the base of the next step. */
static bool accept(struct worker *worker, int lane) {
    struct lane *own = &worker->lane[lane];
    double measure = *lane_at(worker, worker->layer->task.summary, lane);
    if (!own->fresh)
        own->steps++;
    record(worker, lane);
    own->fresh = false;
    bool improved = measure < own->best;
    if (improved) {
        own->best = measure;
        own->best_step = own->steps;
    }
    return improved;
}

/* Ends at the present iterate when it is the one to return, else goes back to the best one for a last evaluation. */
static void end(struct worker *worker, int lane, bool here) {
    struct lane *own = &worker->lane[lane];
    if (here || own->last)
        finish_sample(worker, lane);
    else
        own->last = true;
}

/* A, W r and y of the accepted lanes; the first eps of those that have none yet. */
static void take_over(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    const struct backend *backend = &layer->backend;
    backend->weigh(&layer->task, worker->slots, layer->mask_accept);
    backend->copy(worker->slots, layer->y, layer->base, layer->outputs, layer->mask_accept);
    bool begins = false;
    for (int lane = 0; lane < LANES; lane++)
        begins = begins || (worker->lane[lane].busy && worker->lane[lane].eps < 0);
    if (!begins)
        return;
    backend->largest(&layer->task, worker->slots, layer->largest);
    for (int lane = 0; lane < LANES; lane++)
        if (worker->lane[lane].busy && worker->lane[lane].eps < 0)
            control_begin(worker, lane);
}

static void decide(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    bool accepted[LANES] = {false}, improved[LANES] = {false};
    for (int lane = 0; lane < LANES; lane++) {
        struct lane *own = &worker->lane[lane];
        if (!own->busy)
            continue;
        watch(worker, lane);
        if (own->last) {
            finish_sample(worker, lane);
            continue;
        }
        enum decision decision = control_decide(worker, lane);
        bool usable = mask_get(worker, layer->task.summary + SUMMARY_FINITE * LANES, lane);
        if (decision != REJECT && decision != END_BEFORE && usable) {
            accepted[lane] = true;
            improved[lane] = accept(worker, lane);
        }
        if (decision == END || decision == END_BEFORE)
            end(worker, lane, accepted[lane] && (own->outcome == HN_OUTCOME_OK || own->best_step == own->steps));
    }
    if (set_masks(worker, layer->mask_improved, improved))
        layer->backend.copy(worker->slots, layer->y, layer->best, layer->outputs, layer->mask_improved);
    if (set_masks(worker, layer->mask_accept, accepted) && layer->weighted)
        take_over(worker);
}

/* ---- the step ---- */

static void set_eps(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    for (int lane = 0; lane < LANES; lane++) {
        struct lane *own = &worker->lane[lane];
        own->used = own->eps;
        *lane_at(worker, layer->task.eps, lane) = own->eps;
    }
    layer->backend.shift(&layer->task, worker->slots);
}

/* step = A' (A A' + eps I)^-1 W r, in as many unknowns as there are rows or as there are outputs. */
static void solve(const struct worker *worker) {
    const hn_layer *layer = worker->layer;
    const struct backend *backend = &layer->backend;
    double *slots = worker->slots;
    if (layer->system.outputs_side) {
        const struct damped_sides sides = {1, {layer->gradient}, {layer->step}};
        backend->multiply(&layer->system.by_columns, slots, layer->right, layer->gradient);
        backend->solve(&layer->system, slots, &sides);
        if (layer->adaptive)
            backend->inner(slots, layer->step, layer->gradient, layer->outputs, layer->step_gain);
    } else {
        const struct damped_sides sides = {1, {layer->right}, {layer->unknown}};
        backend->solve(&layer->system, slots, &sides);
        backend->multiply(&layer->system.by_columns, slots, layer->unknown, layer->step);
        if (layer->adaptive)
            backend->inner(slots, layer->unknown, layer->right, layer->rows, layer->step_gain);
    }
    if (layer->adaptive)
        backend->inner(slots, layer->step, layer->step, layer->outputs, layer->step_squares);
}

static void step(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    bool last[LANES] = {false};
    if (layer->weighted)
        set_eps(worker);
    solve(worker);
    layer->backend.step(&layer->task, worker->slots, layer->base, layer->step, layer->y);
    for (int lane = 0; lane < LANES; lane++) {
        struct lane *own = &worker->lane[lane];
        if (!own->busy)
            continue;
        if (!own->last) {
            own->iteration++;
            own->last = control_stepped(worker, lane) != GO_ON;
        }
        last[lane] = own->last;
    }
    if (set_masks(worker, layer->mask_last, last))
        layer->backend.copy(worker->slots, layer->best, layer->y, layer->outputs, layer->mask_last);
}

/* ---- all of it ---- */

enum { CLOCK_EVERY = 16 };

static void poll(struct worker *worker) {
    const int *cancel = worker->batch->cancel;
    if (cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0)
        worker->cancelled = true;
    if (worker->queue->deadline > 0 && worker->rounds++ % CLOCK_EVERY == 0 && clock_seconds() > worker->queue->deadline)
        worker->cancelled = true;
}

static bool any_busy(const struct worker *worker) {
    for (int lane = 0; lane < LANES; lane++)
        if (worker->lane[lane].busy)
            return true;
    return false;
}

void worker_run(struct worker *worker) {
    while (worker_load(worker)) {
        poll(worker);
        evaluate(worker);
        decide(worker);
        if (any_busy(worker))
            step(worker);
    }
}
