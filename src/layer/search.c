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

/* Runs the active-set method; with the model's objective as goal, its gradient is evaluated before and after. */
static bool solve_affine(struct worker *worker, uint32_t lane) {
    const struct affine *affine = &worker->layer->affine;
    const struct solver *d = &worker->lane[lane].solver;
    struct solver_search *s = d->search;
    size_t rows = worker->plan->rows;
    double *slope = worker->memory.affine + 3 * rows;
    struct affine_sample sample = {.start = s->stepped,
                                   .value = worker->memory.affine,
                                   .lower = worker->memory.affine + rows,
                                   .upper = worker->memory.affine + 2 * rows,
                                   .y = s->found,
                                   .multipliers = s->multipliers};
    s->sample = (struct nearest_sample){.multipliers = sample.multipliers, .programmes = 1};
    search_read_rows(d, worker->memory.affine);
    if (affine->goal) {
        affine_goal_at(affine, worker->memory.goal, d->x, sample.start, slope);
        sample.slope = slope;
    }
    affine_solve(affine, slope + worker->plan->outputs, &sample);
    bool solved = sample.kkt <= HN_CERTIFIED && affine_goal_after(affine, worker->memory.goal, d->x, &sample, slope,
                                                                  &s->sample.objective) <= HN_CERTIFIED;
    s->sample.kkt = sample.kkt;
    s->sample.factorisations = sample.changes;
    return solved;
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

/* Runs a search for the flagged lanes from `found`, which receives the result. */
static void run_search(struct worker *worker, const struct nearest *nearest, double *memory, const bool *flags,
                       struct nearest_sample *results) {
    const struct nearest_watch watch = worker_cancellation(worker);
    struct nearest_sample samples[MAX_LANES];
    size_t count = 0;
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct solver *d = &worker->lane[k].solver;
        if (flags[k])
            samples[count++] = (struct nearest_sample){
                .x = d->x, .raw = d->search->raw, .y = d->search->found, .multipliers = d->search->multipliers};
    }
    if (count > 0)
        nearest_run(nearest, memory, samples, count, &watch);
    count = 0;
    for (uint32_t k = 0; k < worker->width; k++)
        if (flags[k])
            results[k] = samples[count++];
}

static void search(struct worker *worker) {
    struct nearest_sample results[MAX_LANES];
    bool flags[MAX_LANES] = {false};
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct solver_search *s = &worker->lane[k].search;
        flags[k] = worker->lane[k].deferred && !s->solved && !s->lost;
        if (flags[k])
            memcpy(s->found, s->stepped, worker->plan->outputs * sizeof *s->found);
    }
    run_search(worker, worker_nearest(worker), worker->memory.near, flags, results);
    for (uint32_t k = 0; k < worker->width; k++) {
        struct solver_search *s = &worker->lane[k].search;
        if (flags[k])
            s->sample = results[k];
        flags[k] = flags[k] && worker_split(worker)->parts.plan.program && search_may_split(s);
    }
    run_search(worker, worker_split(worker), worker->memory.split, flags, results);
    for (uint32_t k = 0; k < worker->width; k++)
        if (flags[k])
            search_take_split(&worker->lane[k].search, &results[k]);
}

/* ---- certificates of local infeasibility ---- */

/* Certificates for the flagged lanes, at auto's y or where steps stalled; rest receives their residuals. */
static void prove(struct worker *worker, bool stalled, const bool *flags, double *rest) {
    const struct nearest_watch watch = worker_cancellation(worker);
    struct nearest_proof list[MAX_LANES];
    size_t count = 0;
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct solver_search *s = &worker->lane[k].search;
        if (flags[k])
            list[count++] = (struct nearest_proof){.x = worker->lane[k].solver.x,
                                                   .y = stalled ? s->found : s->stepped,
                                                   .multipliers = stalled ? s->stalled_multipliers : s->multipliers};
    }
    if (count > 0)
        nearest_prove(worker_nearest(worker), worker->memory.near, list, count, &watch);
    count = 0;
    for (uint32_t k = 0; k < worker->width; k++)
        if (flags[k])
            rest[k] = list[count++].rest;
}

static void certify(struct worker *worker) {
    const size_t outputs = worker->plan->outputs;
    double at_stepped[MAX_LANES] = {0}, at_stalled[MAX_LANES] = {0};
    bool lost[MAX_LANES] = {false}, again[MAX_LANES] = {false};
    for (uint32_t k = 0; k < worker->width; k++)
        lost[k] = worker->lane[k].deferred && worker->lane[k].search.lost;
    prove(worker, false, lost, at_stepped);
    for (uint32_t k = 0; k < worker->width; k++)
        again[k] = lost[k] && search_tries_stalled(&worker->lane[k].search, outputs, at_stepped[k]);
    prove(worker, true, again, at_stalled);
    for (uint32_t k = 0; k < worker->width; k++)
        if (lost[k])
            search_choose_proof(&worker->lane[k].search, outputs, at_stepped[k], again[k] ? at_stalled[k] : INFINITY);
}

/* ---- the executor's evaluation ---- */

static bool any(const bool *flags, uint32_t count) {
    for (uint32_t k = 0; k < count; k++)
        if (flags[k])
            return true;
    return false;
}

/* Evaluates the flagged lanes at the result, or at auto's y: always there when they are locally infeasible. */
static void evaluate_at(struct worker *worker, bool result, const bool *flags) {
    const struct plan *plan = worker->plan;
    const bool none[MAX_LANES] = {false};
    for (uint32_t k = 0; k < worker->width; k++) {
        struct solver *d = &worker->lane[k].solver;
        if (!flags[k])
            continue;
        point_write(&d->point, plan->y, plan->outputs,
                    result && !d->search->lost ? d->search->found : d->search->stepped);
        solver_flag(d, plan->summary + SUMMARY_USABLE, true);
    }
    worker->executor->evaluate(worker->executor, worker->slots, none, false);
}

/* The result of the active-set method violates a constraint: the sample starts its steps. */
static void begin_anew(struct worker *worker, struct lane *own) {
    own->deferred = own->search.solved = false;
    point_write(&own->solver.point, worker->plan->y, worker->plan->outputs, own->search.stepped);
}

/* Evaluates the results, and auto's y again if a result violates a constraint. */
static void confirm(struct worker *worker, bool *deferred) {
    bool back[MAX_LANES] = {false};
    evaluate_at(worker, true, deferred);
    for (uint32_t k = 0; k < worker->width; k++) {
        struct lane *own = &worker->lane[k];
        if (!deferred[k])
            continue;
        own->solver.state.phase = own->phase;
        solver_numbers(&own->solver);
        back[k] = !own->search.lost && solver_verdict(&own->solver) != HN_OUTCOME_OK;
        if (back[k] && own->search.solved) {
            begin_anew(worker, own);
            back[k] = deferred[k] = false;
        } else if (back[k])
            search_withdraw(&own->search, worker->plan->rows);
    }
    if (any(back, worker->width))
        evaluate_at(worker, false, back);
}

bool worker_search(struct worker *worker) {
    bool deferred[MAX_LANES] = {false};
    for (uint32_t k = 0; k < worker->width; k++)
        deferred[k] = worker->lane[k].deferred;
    if (!any(deferred, worker->width))
        return false;
    search(worker);
    certify(worker);
    confirm(worker, deferred);
    for (uint32_t k = 0; k < worker->width; k++) {
        if (!deferred[k])
            continue;
        solver_numbers(&worker->lane[k].solver);
        worker->lane[k].deferred = false;
        worker->lane[k].search.searched = true;
        worker_finish(worker, k, worker->plan->y);
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
        .x = batch_inputs(worker, sample),
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
    const struct nearest *n = worker_nearest(worker);
    struct nearest_pull pulls[MAX_LANES];
    uint32_t lanes[MAX_LANES];
    size_t count = 0;
    for (uint32_t k = 0; k < worker->width; k++)
        if (!lane_is_idle(&worker->lane[k]) && worker->lane[k].search.searched) {
            pulls[count] = pull_of(worker, k, gradient);
            lanes[count++] = k;
        }
    if (count > 0)
        nearest_pull(n, worker->memory.near, pulls, count);
    for (size_t i = 0; i < count; i++) {
        const struct point *p = &worker->lane[lanes[i]].solver.point;
        worker->lane[lanes[i]].regular = pulls[i].regular;
        point_write(p, plan->gradient, plan->outputs, pulls[i].gradient);
        point_write(p, plan->grad_x, plan->inputs, pulls[i].grad_x);
        point_write(p, plan->grad_lower, plan->rows, pulls[i].grad_lower);
        point_write(p, plan->grad_upper, plan->rows, pulls[i].grad_upper);
    }
}
