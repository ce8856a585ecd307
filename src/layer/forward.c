/* forward.c - corrects samples: rounds of evaluate, decide, step over LANES samples at once.
 *
 *     load     a free lane takes the next sample; what depends on x alone is evaluated
 *     evaluate c, J and r at the present iterate of every lane; twice for a new sample with a warm start
 *     decide   per lane: go on, reject the step, or end (control.c); a sample that ends somewhere else than at its best iterate
 *              returns there first, so that every verdict comes from an evaluation at the returned y
 *     step     eps, factor, solve, y = base - A' (A A' + eps I)^-1 W r
 *
 * Lanes know nothing of each other. A lane that has no sample goes on computing with old numbers, which nobody reads.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "layer/layer_parts.h"

#include <math.h>

/* ---- rounds ---- */

static bool set_masks(const struct worker *worker, uint32_t place, const bool *values) {
    bool any = false;
    for (int lane = 0; lane < worker->lanes; lane++) {
        mask_set(worker, place, lane, values[lane]);
        any = any || values[lane];
    }
    return any;
}

static void evaluate(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    worker->backend.run(layer->program, 1, worker->slots);
    if (layer->weighted) {
        bool fresh[LANES];
        for (int lane = 0; lane < worker->lanes; lane++)
            fresh[lane] = worker->lane[lane].busy && worker->lane[lane].fresh;
        if (set_masks(worker, layer->mask_fresh, fresh))
            worker->backend.rescale(&layer->task, worker->slots, layer->mask_fresh);
    }
    worker->backend.residual(&layer->task, worker->slots);
}

static void watch(struct worker *worker, int lane) {
    const struct lane *own = &worker->lane[lane];
    if (!worker->batch->watch || own->last)
        return;
    lane_read(worker, worker->layer->y, lane, worker->layer->outputs, worker->row);
    worker->batch->watch(worker->batch->watch_context, own->sample, own->iteration, worker->row,
                         *lane_at(worker, worker->layer->task.summary, lane), own->iteration ? own->used : NAN);
}

/* The eps of the step that led here, and where on the tape this iterate goes. */
static double *record(struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    const struct lane *own = &worker->lane[lane];
    if (!worker->batch->tape)
        return NULL;
    double *eps = tape_of(layer, worker->batch, own->sample) + TAPE_HEAD;
    size_t steps = (size_t)own->steps, most = layer->tape_steps;
    if (steps > 0 && steps <= most)
        eps[steps - 1] = own->clipped ? -own->used : own->used;
    tape_prefetch(worker, lane, own->steps + 1, true);
    return steps < most ? eps + most + steps * layer->outputs : NULL;
}

/* The present iterate becomes the base of the next step. */
static bool accept(struct worker *worker, int lane, double **tape) {
    struct lane *own = &worker->lane[lane];
    double measure = *lane_at(worker, worker->layer->task.summary, lane);
    if (own->rewinds) {
        own->steps = own->best_step;
        return false;
    }
    if (!own->fresh)
        own->steps++;
    *tape = record(worker, lane);
    own->fresh = false;
    bool improved = measure <= own->best; /* of equals the last */
    if (improved) {
        own->best = measure;
        own->best_step = own->steps;
        own->best_attempt = own->attempt;
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
    const struct backend *backend = &worker->backend;
    bool clips[LANES] = {false};
    for (int lane = 0; lane < worker->lanes; lane++) {
        const struct lane *own = &worker->lane[lane];
        *lane_at(worker, layer->task.hold, lane) = control_hold(worker, lane, own->stage);
        clips[lane] = own->busy && mask_get(worker, layer->mask_accept, lane) && control_clips(layer, own);
    }
    backend->weigh(&layer->task, worker->slots, layer->mask_accept);
    worker_hold_bounds(worker, clips);
    backend->copy(worker->slots, layer->y, layer->base, layer->outputs, layer->mask_accept);
    bool begins = false;
    for (int lane = 0; lane < worker->lanes; lane++)
        begins = begins || (worker->lane[lane].busy && worker->lane[lane].eps < 0);
    if (!begins)
        return;
    backend->largest(&layer->task, worker->slots, layer->largest);
    for (int lane = 0; lane < worker->lanes; lane++)
        if (worker->lane[lane].busy && worker->lane[lane].eps < 0)
            control_begin(worker, lane);
}

/* What was decided about the iterates of all lanes. */
struct decisions {
    bool accepted[LANES], improved[LANES];
    double *tape[LANES]; /* where an accepted iterate is written to */
};

static void decide_lane(struct worker *worker, int lane, struct decisions *all) {
    struct lane *own = &worker->lane[lane];
    enum decision decision = control_decide(worker, lane);
    bool usable = mask_get(worker, worker->layer->task.summary + SUMMARY_FINITE * LANES, lane);
    if (usable && (decision == GO_ON || decision == END || decision == REWIND || decision == RESTART)) {
        all->accepted[lane] = true;
        all->improved[lane] = accept(worker, lane, &all->tape[lane]);
    }
    bool here = own->best_step == own->steps && own->best_attempt == own->attempt;
    if (decision == END || decision == END_BEFORE)
        end(worker, lane, all->accepted[lane] && (own->outcome == HN_OUTCOME_OK || here));
    own->rewinds = decision == REWIND && !(all->accepted[lane] && here);
    own->restarts = decision == RESTART || decision == RESTART_BEFORE;
}

static void decide(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    struct decisions all = {.accepted = {false}};
    for (int lane = 0; lane < worker->lanes; lane++) {
        const struct lane *own = &worker->lane[lane];
        if (!own->busy)
            continue;
        watch(worker, lane);
        if (own->last)
            finish_sample(worker, lane);
        else
            decide_lane(worker, lane, &all);
    }
    if (worker->batch->tape)
        worker->backend.unload(worker->slots, layer->y, layer->outputs, all.tape);
    if (set_masks(worker, layer->mask_improved, all.improved))
        worker->backend.copy(worker->slots, layer->y, layer->best, layer->outputs, layer->mask_improved);
    if (set_masks(worker, layer->mask_accept, all.accepted) && layer->weighted)
        take_over(worker);
}

/* ---- the step ---- */

static void set_eps(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    for (int lane = 0; lane < worker->lanes; lane++) {
        struct lane *own = &worker->lane[lane];
        if (own->busy && !own->last && !own->rewinds && !own->restarts)
            own->used = own->eps;
        *lane_at(worker, layer->task.eps, lane) = own->eps;
    }
    worker->backend.shift(&layer->task, worker->slots);
}

/* step = A' (A A' + eps I)^-1 W r, in as many unknowns as there are rows or as there are outputs. */
static void solve(const struct worker *worker) {
    const hn_layer *layer = worker->layer;
    const struct backend *backend = &worker->backend;
    double *slots = worker->slots;
    if (layer->system.outputs_side) {
        uint32_t from = layer->adaptive ? layer->gradient : layer->step;
        const struct damped_sides sides = {1, {from}, {layer->step}};
        backend->multiply(&layer->system.by_columns, slots, layer->right, from);
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

/* y into its bounds, where the method keeps to them. */
static void clip(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    bool clips[LANES] = {false};
    for (int lane = 0; lane < worker->lanes; lane++) {
        struct lane *own = &worker->lane[lane];
        own->clipped = clips[lane] = own->busy && control_clips(layer, own);
    }
    if (set_masks(worker, layer->mask_clip, clips))
        worker->backend.clip(&layer->clip, worker->slots, layer->y, layer->mask_clip);
}

/* A lane that begins anew: another point, its own weights, no eps yet. */
static void restart(struct worker *worker, int lane) {
    struct lane *own = &worker->lane[lane];
    own->restarts = false;
    own->fresh = true;
    own->attempt++;
    own->steps = 0;
    own->eps = -1;
    restart_place(worker, lane);
}

static void step(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    bool returns[LANES] = {false};
    if (layer->weighted)
        set_eps(worker);
    solve(worker);
    worker->backend.step(&layer->task, worker->slots, layer->base, layer->step, layer->y);
    if (layer->options.method == HN_METHOD_AUTO)
        clip(worker);
    for (int lane = 0; lane < worker->lanes; lane++) {
        struct lane *own = &worker->lane[lane];
        if (!own->busy)
            continue;
        if (own->restarts)
            restart(worker, lane);
        else if (!own->last && !own->rewinds) {
            own->iteration++;
            own->last = control_stepped(worker, lane) != GO_ON;
        }
        returns[lane] = own->last || own->rewinds;
        if (own->rewinds && own->best_attempt == CAME_IN) { /* which takes the place of the warm start */
            own->rewinds = false;
            own->fresh = true;
            own->steps = 0;
        }
    }
    if (set_masks(worker, layer->mask_last, returns))
        worker->backend.copy(worker->slots, layer->best, layer->y, layer->outputs, layer->mask_last);
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
    for (int lane = 0; lane < worker->lanes; lane++)
        if (worker->lane[lane].busy)
            return true;
    return false;
}

void worker_run(struct worker *worker) {
    while (worker_load(worker)) {
        poll(worker);
        evaluate(worker);
        if (worker_start_warm(worker))
            evaluate(worker);
        decide(worker);
        if (any_busy(worker))
            step(worker);
    }
}
