/* search.c - runs the searches of nearest and optimal (core/solver_search.h) for all lanes together.
 *
 * Samples that auto has corrected or found locally infeasible are deferred until no lane is busy. Then all are searched
 * together (nearest/nearest.h); samples without certificate are searched again with kinks split, if the model has
 * splittable kinks. The executor evaluates each result.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

#include <math.h>
#include <string.h>

void worker_defer_search(struct worker *worker, uint32_t lane, uint32_t y) {
    struct lane *own = &worker->lane[lane];
    own->deferred = true;
    own->phase = own->solver.state.phase;
    own->solver.state.phase = PHASE_IDLE;
    search_set_aside(&own->solver, y);
}

static void resume(struct lane *own) {
    own->deferred = false;
    own->solver.state.phase = own->phase;
}

/* ---- affine constraints ---- */

static bool solve_affine(struct worker *worker, uint32_t lane) {
    const struct solver *d = &worker->lane[lane].solver;
    double *rows = worker->memory.affine, *slope = rows + 3 * (size_t)worker->plan->rows;
    const struct affine_memory memory = {slope + worker->plan->outputs, worker->memory.goal, slope};
    struct affine_sample sample = search_affine_sample(d, rows);
    return affine_find(&worker->layer->affine, &memory, d->x, &sample, &d->search->sample);
}

bool worker_try_active_set(struct worker *worker, uint32_t lane) {
    struct lane *own = &worker->lane[lane];
    struct solver *d = &own->solver;
    if (!worker->layer->affine.there || worker->cancelled || !search_may_try(d))
        return false;
    own->search.tried = true;
    worker_defer_search(worker, lane, worker->plan->y);
    own->search.solved = solve_affine(worker, lane);
    if (!own->search.solved) {
        resume(own);
        return false;
    }
    d->led = SAMPLE_PLAIN;
    sample_came_in(&d->state, &worker->plan->options, &d->numbers);
    return true;
}

/* ---- the searches ---- */

/* Some lanes of a worker. */
struct lanes_list {
    size_t count;
    uint32_t lane[MAX_LANES];
};

static void add_lane(struct lanes_list *list, uint32_t lane) {
    list->lane[list->count++] = lane;
}

/* Runs a search from `found`, which receives the result. */
static void run_search(struct worker *worker, const struct nearest *nearest, double *memory,
                       const struct lanes_list *lanes, struct nearest_sample *results) {
    const struct nearest_watch watch = worker_cancellation(worker);
    for (size_t i = 0; i < lanes->count; i++) {
        const struct solver *d = &worker->lane[lanes->lane[i]].solver;
        results[i] = (struct nearest_sample){
            .x = d->x, .raw = d->search->raw, .y = d->search->found, .multipliers = d->search->multipliers};
    }
    if (lanes->count > 0)
        nearest_run(nearest, memory, results, lanes->count, &watch);
}

static void search(struct worker *worker) {
    struct nearest_sample results[MAX_LANES];
    struct lanes_list all = {.count = 0}, split = {.count = 0};
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct solver_search *s = &worker->lane[k].search;
        if (!worker->lane[k].deferred || s->solved || s->lost)
            continue;
        memcpy(s->found, s->stepped, worker->plan->outputs * sizeof *s->found);
        add_lane(&all, k);
    }
    run_search(worker, worker_nearest(worker), worker->memory.near, &all, results);
    for (size_t i = 0; i < all.count; i++) {
        struct solver_search *s = &worker->lane[all.lane[i]].search;
        s->sample = results[i];
        if (worker_split(worker)->parts.plan.program && search_may_split(s))
            add_lane(&split, all.lane[i]);
    }
    run_search(worker, worker_split(worker), worker->memory.split, &split, results);
    for (size_t i = 0; i < split.count; i++)
        search_take_split(&worker->lane[split.lane[i]].search, &results[i]);
}

/* ---- certificates of local infeasibility ---- */

/* Certificates at auto's y or at the points where steps stalled; rest receives their residuals. */
static void prove(struct worker *worker, bool stalled, const struct lanes_list *lanes, double *rest) {
    const struct nearest_watch watch = worker_cancellation(worker);
    struct nearest_proof list[MAX_LANES] = {{.x = NULL}};
    for (size_t i = 0; i < lanes->count; i++) {
        const struct solver *d = &worker->lane[lanes->lane[i]].solver;
        const struct solver_search *s = d->search;
        list[i] = (struct nearest_proof){.x = d->x,
                                         .y = stalled ? s->found : s->stepped,
                                         .multipliers = stalled ? s->stalled_multipliers : s->multipliers};
    }
    if (lanes->count > 0)
        nearest_prove(worker_nearest(worker), worker->memory.near, list, lanes->count, &watch);
    for (size_t i = 0; i < lanes->count; i++)
        rest[i] = list[i].rest;
}

static void certify(struct worker *worker) {
    const size_t outputs = worker->plan->outputs;
    double at_stepped[MAX_LANES], at_stalled[MAX_LANES];
    struct lanes_list lost = {.count = 0}, again = {.count = 0};
    for (uint32_t k = 0; k < worker->width; k++)
        if (worker->lane[k].deferred && worker->lane[k].search.lost)
            add_lane(&lost, k);
    prove(worker, false, &lost, at_stepped);
    for (size_t i = 0; i < lost.count; i++)
        if (search_tries_stalled(&worker->lane[lost.lane[i]].search, outputs, at_stepped[i]))
            add_lane(&again, lost.lane[i]);
    prove(worker, true, &again, at_stalled);
    for (size_t i = 0, j = 0; i < lost.count; i++) {
        bool stalled = j < again.count && again.lane[j] == lost.lane[i];
        search_choose_proof(&worker->lane[lost.lane[i]].search, outputs, at_stepped[i],
                            stalled ? at_stalled[j++] : INFINITY);
    }
}

/* ---- the executor's evaluation ---- */

/* Evaluates at the result, or at auto's y; always at auto's y if the samples are locally infeasible. */
static void evaluate_at(struct worker *worker, bool result, const struct lanes_list *lanes) {
    const struct plan *plan = worker->plan;
    const bool none[MAX_LANES] = {false};
    for (size_t i = 0; i < lanes->count; i++) {
        struct solver *d = &worker->lane[lanes->lane[i]].solver;
        point_write(&d->point, plan->y, plan->outputs,
                    result && !d->search->lost ? d->search->found : d->search->stepped);
        solver_flag(d, plan->summary + SUMMARY_USABLE, true);
    }
    if (lanes->count > 0)
        worker->executor->evaluate(worker->executor, worker->slots, none, false);
}

/* The result of the active-set method violates a constraint: the sample starts its steps. */
static void begin_anew(struct worker *worker, struct lane *own) {
    own->deferred = own->search.solved = false;
    point_write(&own->solver.point, worker->plan->y, worker->plan->outputs, own->search.stepped);
}

/* Evaluates the results, and auto's y again if a result violates a constraint. */
static void confirm(struct worker *worker, const struct lanes_list *deferred) {
    struct lanes_list back = {.count = 0};
    evaluate_at(worker, true, deferred);
    for (size_t i = 0; i < deferred->count; i++) {
        struct lane *own = &worker->lane[deferred->lane[i]];
        own->solver.state.phase = own->phase;
        solver_numbers(&own->solver);
        if (own->search.lost || solver_verdict(&own->solver) == HN_OUTCOME_OK)
            continue;
        if (own->search.solved) {
            begin_anew(worker, own);
        } else {
            search_withdraw(&own->search, worker->plan->rows);
            add_lane(&back, deferred->lane[i]);
        }
    }
    evaluate_at(worker, false, &back);
}

bool worker_search(struct worker *worker) {
    struct lanes_list deferred = {.count = 0};
    for (uint32_t k = 0; k < worker->width; k++)
        if (worker->lane[k].deferred)
            add_lane(&deferred, k);
    if (deferred.count == 0)
        return false;
    search(worker);
    certify(worker);
    confirm(worker, &deferred);
    for (size_t i = 0; i < deferred.count; i++) {
        struct lane *own = &worker->lane[deferred.lane[i]];
        if (!own->deferred)
            continue;
        solver_numbers(&own->solver);
        own->deferred = false;
        own->search.searched = true;
        worker_finish(worker, deferred.lane[i], worker->plan->y);
    }
    return true;
}

/* ---- gradients ---- */

/* The gradients of a lane are in its rows: with respect to outputs, inputs, lower and upper bounds. */
static struct nearest_pull pull_of(const struct worker *worker, uint32_t lane, const hn_gradient *gradient) {
    const struct plan *plan = worker->plan;
    size_t sample = worker->lane[lane].sample;
    const struct tape tape = worker_tape(worker, lane);
    double *own = worker_near_row(worker, lane);
    return (struct nearest_pull){
        .x = worker->lane[lane].solver.x,
        .y = worker->batch->y + sample * plan->outputs,
        .multipliers = tape.numbers + 1,
        .grad_y = gradient->grad_y + sample * plan->outputs,
        .grad_multipliers = gradient->grad_multipliers ? gradient->grad_multipliers + sample * plan->rows : NULL,
        .gradient = own,
        .grad_x = own + plan->outputs,
        .grad_lower = own + plan->outputs + plan->inputs,
        .grad_upper = own + plan->outputs + plan->inputs + plan->rows,
        .grad_weights = gradient->grad_weights ? gradient->grad_weights + sample * plan->outputs : NULL};
}

void worker_pull_nearest(struct worker *worker, const hn_gradient *gradient) {
    const struct plan *plan = worker->plan;
    struct nearest_pull pulls[MAX_LANES];
    struct lanes_list lanes = {.count = 0};
    for (uint32_t k = 0; k < worker->width; k++)
        if (!lane_is_idle(&worker->lane[k]) && worker->lane[k].search.searched) {
            pulls[lanes.count] = pull_of(worker, k, gradient);
            add_lane(&lanes, k);
        }
    if (lanes.count > 0)
        nearest_pull(worker_nearest(worker), worker->memory.near, pulls, lanes.count);
    for (size_t i = 0; i < lanes.count; i++) {
        struct lane *own = &worker->lane[lanes.lane[i]];
        own->regular = pulls[i].regular;
        point_write(&own->solver.point, plan->gradient, plan->outputs, pulls[i].gradient);
        point_write(&own->solver.point, plan->grad_x, plan->inputs, pulls[i].grad_x);
        point_write(&own->solver.point, plan->grad_lower, plan->rows, pulls[i].grad_lower);
        point_write(&own->solver.point, plan->grad_upper, plan->rows, pulls[i].grad_upper);
    }
}
