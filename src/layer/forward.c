/* forward.c - serves the requests of core/solver.h for all lanes of a worker: equal requests together, under a mask.
 *
 * Idle lanes keep computing on stale values; the results are ignored.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

#include <math.h>

/* The requests of all lanes. */
struct requests {
    unsigned lane[MAX_LANES];
    bool keep[MAX_LANES], commit[MAX_LANES], any_commit, any_largest;
    double *tape[MAX_LANES]; /* destination of the iterate for RECORD */
};

/* ---- evaluate ---- */

static void forward_evaluate(struct worker *worker) {
    bool fresh[MAX_LANES], weighted = worker->plan->options.weighted;
    for (uint32_t k = 0; weighted && k < worker->width; k++)
        fresh[k] = sample_is_fresh(worker_state(worker, k));
    worker->executor->evaluate(worker->executor, worker->slots, weighted ? fresh : NULL, false);
}

static bool start_warm(struct worker *worker) {
    bool any = false;
    for (uint32_t k = 0; worker->batch->warm && k < worker->width; k++)
        any = (!lane_is_idle(&worker->lane[k]) && solver_warm(&worker->lane[k].solver)) || any;
    return any;
}

/* ---- decide ---- */

static void watch(struct worker *worker, const struct lane *own) {
    const struct solver *d = &own->solver;
    if (!worker->batch->watch || sample_is_last(&d->state) || d->state.phase == PHASE_ELASTIC)
        return;
    point_read(&d->point, worker->plan->y, worker->plan->outputs, worker->row);
    worker->batch->watch(worker->batch->watch_context, own->sample, d->state.iteration, worker->row, d->numbers.measure,
                         d->state.iteration ? d->state.used : NAN);
}

static double *record(const struct worker *worker, uint32_t lane) {
    const struct solver *d = &worker->lane[lane].solver;
    if (!worker->batch->tape)
        return NULL;
    struct tape tape = worker_tape(worker, lane);
    tape_write_step(&tape, d->state.steps, d->state.used, d->led);
    tape_prefetch(&tape, d->state.steps + 1, true);
    return tape_iterate(&tape, d->state.steps);
}

static void decide_lane(struct worker *worker, uint32_t lane, struct requests *all) {
    struct solver *d = &worker->lane[lane].solver;
    all->keep[lane] = all->commit[lane] = false;
    all->tape[lane] = NULL;
    if (lane_is_idle(&worker->lane[lane]))
        return;
    solver_numbers(d);
    watch(worker, &worker->lane[lane]);
    bool solved = d->state.phase == PHASE_NEW && worker_try_active_set(worker, lane);
    unsigned requests = solved ? SOLVER_RECORD : solver_decide(d, worker->cancelled);
    all->lane[lane] = requests;
    if (requests & SOLVER_RECORD)
        all->tape[lane] = record(worker, lane);
    if (requests & SOLVER_FINISH)
        worker_finish(worker, lane, worker->plan->y);
    all->keep[lane] = (requests & SOLVER_KEEP) != 0;
    all->commit[lane] = (requests & SOLVER_COMMIT) != 0;
    all->any_commit = all->any_commit || all->commit[lane];
    all->any_largest = all->any_largest || (requests & SOLVER_LARGEST);
}

/* ---- commit ---- */

static void commit(struct worker *worker, const bool *accepted) {
    const struct executor *x = worker->executor;
    struct row_masks masks;
    const struct executor_rows rows = worker_rows(worker, accepted, &masks);
    x->weigh(x, worker->slots, &rows);
    x->copy(x, worker->slots, worker->plan->y, worker->plan->base, worker->plan->outputs, accepted);
}

/* Whether all samples take a step of auto's near stage, which the executor may fuse with the commit. */
static bool steps_near(struct worker *worker, const bool *accepted) {
    bool all = worker->executor->step_near && worker->plan->options.method == HN_METHOD_AUTO;
    for (uint32_t k = 0; all && k < worker->width; k++)
        all = lane_is_idle(&worker->lane[k]) || (accepted[k] && sample_steps_near(worker_state(worker, k)));
    return all;
}

static void forward_decide(struct worker *worker) {
    const struct executor *x = worker->executor;
    const struct plan *plan = worker->plan;
    struct requests all;
    all.any_commit = all.any_largest = false;
    for (uint32_t k = 0; k < worker->width; k++)
        decide_lane(worker, k, &all);
    if (worker->batch->tape)
        x->unload(x, worker->slots, plan->y, plan->outputs, all.tape);
    x->copy(x, worker->slots, plan->y, plan->best, plan->outputs, all.keep);
    worker->at_once = all.any_commit && steps_near(worker, all.commit);
    if (all.any_commit && !worker->at_once)
        commit(worker, all.commit);
    if (all.any_largest)
        x->largest(x, worker->slots);
    for (uint32_t k = 0; k < worker->width; k++)
        if (!lane_is_idle(&worker->lane[k]))
            (void)solver_prepare_step(&worker->lane[k].solver, all.lane[k]); /* all lanes step */
}

/* ---- step ---- */

/* Commit and step fused, if the executor supports it for the present weights; else commits. */
static bool step_near(struct worker *worker, const double *eps) {
    const struct executor *x = worker->executor;
    bool busy[MAX_LANES];
    struct row_masks masks;
    for (uint32_t k = 0; k < worker->width; k++)
        busy[k] = !lane_is_idle(&worker->lane[k]);
    const struct executor_rows rows = worker_rows(worker, busy, &masks);
    if (x->step_near(x, worker->slots, &rows, eps))
        return true;
    commit(worker, busy);
    return false;
}

/* Steps all lanes, also those whose result is not used. */
static void compute_step(struct worker *worker) {
    const struct executor *x = worker->executor;
    const struct sample_options *o = &worker->plan->options;
    double eps[MAX_LANES];
    bool clipped[MAX_LANES];
    for (uint32_t k = 0; o->weighted && k < worker->width; k++) {
        const struct sample *s = worker_state(worker, k);
        eps[k] = s->eps;
        clipped[k] = s->phase != PHASE_IDLE && s->kind == SAMPLE_CLIPPED;
    }
    if (worker->at_once && step_near(worker, eps))
        return;
    x->step(x, worker->slots, o->weighted ? eps : NULL, o->method == HN_METHOD_AUTO ? clipped : NULL);
}

static void forward_step(struct worker *worker) {
    const struct executor *x = worker->executor;
    const struct plan *plan = worker->plan;
    bool restore[MAX_LANES] = {false};
    compute_step(worker);
    for (uint32_t k = 0; k < worker->width; k++)
        if (!lane_is_idle(&worker->lane[k]))
            restore[k] = solver_stepped(&worker->lane[k].solver);
    x->copy(x, worker->slots, plan->best, plan->y, plan->outputs, restore);
}

/* ---- the loop ---- */

static bool any_busy(const struct worker *worker) {
    for (uint32_t k = 0; k < worker->width; k++)
        if (!lane_is_idle(&worker->lane[k]))
            return true;
    return false;
}

void worker_run(struct worker *worker) {
    while (worker_load(worker) || worker_search(worker)) {
        if (!any_busy(worker))
            continue;
        worker_poll(worker);
        if (worker_fused_auto(worker))
            continue;
        if (!worker->evaluated)
            forward_evaluate(worker);
        worker->evaluated = false;
        if (start_warm(worker))
            forward_evaluate(worker);
        forward_decide(worker);
        if (any_busy(worker))
            forward_step(worker);
        worker_fused_fixed(worker);
    }
}
