/* search.c - nearest and optimal: the search that follows after auto has corrected a sample or found it locally
 * infeasible.
 *
 * Such samples wait in their lanes, with y saved, until no lane is busy. Then all are searched together
 * (nearest/nearest.h); if the model has splittable kinks, samples without certificate are searched again with the kinks
 * split. The executor evaluates each result: if it violates a constraint, auto's y is returned without certificate.
 * infeasibility.c computes certificates of local infeasibility.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

#include <math.h>
#include <string.h>

void worker_defer_search(struct worker *worker, uint32_t lane, uint32_t y) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, lane);
    struct lane *own = &worker->lane[lane];
    own->deferred = true;
    own->phase = own->state.phase;
    own->state.phase = PHASE_IDLE;
    worker_bring_raw(worker, lane);
    point_read(&p, plan->raw, plan->outputs, worker_near_row(worker, lane, ROW_RAW));
    point_read(&p, y, plan->outputs, worker_near_row(worker, lane, ROW_AUTO));
}

/* c, bl and bu of the lane's sample. */
static void read_rows(const struct worker *worker, uint32_t lane, double *to) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, lane);
    const struct plan_list lists[] = {plan->value, plan->lower, plan->upper};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < plan->rows; i++)
            *to++ = *point_at(&p, plan_words(plan, lists[k])[i]);
}

/* If the goal is the model's objective: its gradient at the start, */
static void look_before(const struct worker *worker, uint32_t lane, struct affine_sample *sample, double *slope) {
    const struct affine *affine = &worker->layer->affine;
    if (affine->goal) {
        const double *x = batch_inputs(worker, worker->lane[lane].sample);
        affine_goal_at(affine, worker->goal, x, sample->start, slope);
        sample->slope = slope;
    }
}

/* and at the result, for a second check of the optimality conditions. */
static bool look_after(struct worker *worker, uint32_t lane, struct affine_sample *sample, double *slope) {
    const double *x = batch_inputs(worker, worker->lane[lane].sample);
    double *cost = &worker->lane[lane].near.objective;
    return affine_goal_after(&worker->layer->affine, worker->goal, x, sample, slope, cost) <= HN_CERTIFIED;
}

bool worker_try_active_set(struct worker *worker, uint32_t lane, const struct sample_numbers *n) {
    const struct affine *affine = &worker->layer->affine;
    struct lane *own = &worker->lane[lane];
    size_t rows = worker->plan->rows;
    bool may = n->finite && !worker->cancelled && worker->plan->options.iterations > 0;
    if (!affine->there || own->tried || !may)
        return false;
    own->tried = true;
    worker_defer_search(worker, lane, worker->plan->y);
    read_rows(worker, lane, worker->affine);
    double *memory = worker->affine + 3 * rows;
    struct affine_sample sample = {.start = worker_near_row(worker, lane, ROW_AUTO),
                                   .value = worker->affine,
                                   .lower = worker->affine + rows,
                                   .upper = worker->affine + 2 * rows,
                                   .y = worker_near_row(worker, lane, ROW_NEAREST),
                                   .multipliers = worker_near_row(worker, lane, ROW_MULTIPLIERS)};
    own->near = (struct nearest_sample){.multipliers = sample.multipliers, .programmes = 1};
    look_before(worker, lane, &sample, memory);
    affine_solve(affine, memory + worker->plan->outputs, &sample);
    own->found = sample.kkt <= HN_CERTIFIED && look_after(worker, lane, &sample, memory);
    if (!own->found) {
        own->deferred = false;
        own->state.phase = own->phase;
        return false;
    }
    sample_came_in(&own->state, &worker->plan->options, n);
    own->near.kkt = sample.kkt;
    own->near.factorisations = sample.changes;
    return true;
}

/* Evaluates points of the flagged, deferred lanes: the same row of near_rows for all of them, or each lane's returned
 * point. */
static void evaluate_at(struct worker *worker, size_t which, const bool *flags) {
    const struct plan *plan = worker->plan;
    const bool none[MAX_LANES] = {false};
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct point p = worker_point(worker, k);
        if (!flags[k])
            continue;
        size_t row = worker->lane[k].lost ? ROW_AUTO : which;
        point_write(&p, plan->y, plan->outputs, worker_near_row(worker, k, row));
        point_set_mask(&p, plan->summary + SUMMARY_USABLE, true);
    }
    worker->executor->evaluate(worker->executor, worker->slots, none, false);
}

/* Runs a search for the flagged lanes from their ROW_NEAREST, which receives the result. */
static void run_search(struct worker *worker, const struct nearest *nearest, double *memory, const bool *flags,
                       struct nearest_sample *found) {
    const struct nearest_watch watch = worker_cancellation(worker);
    struct nearest_sample samples[MAX_LANES];
    size_t count = 0;
    for (uint32_t k = 0; k < worker->width; k++)
        if (flags[k])
            samples[count++] = (struct nearest_sample){.x = batch_inputs(worker, worker->lane[k].sample),
                                                       .raw = worker_near_row(worker, k, ROW_RAW),
                                                       .y = worker_near_row(worker, k, ROW_NEAREST),
                                                       .multipliers = worker_near_row(worker, k, ROW_MULTIPLIERS)};
    if (count > 0)
        nearest_run(nearest, memory, samples, count, &watch);
    count = 0;
    for (uint32_t k = 0; k < worker->width; k++)
        if (flags[k])
            found[k] = samples[count++];
}

/* Whether a search with kinks split can improve on the first. */
static bool may_split(const struct worker *worker, const struct nearest_sample *near) {
    return worker_split(worker)->parts.plan.program && near->kkt > HN_CERTIFIED && near->reason != NEAREST_UNBOUNDED &&
           near->reason != NEAREST_STOPPED;
}

/* Takes the result of the second search, which started from that of the first. */
static void take_split(struct lane *own, const struct nearest_sample *second) {
    struct nearest_sample *near = &own->near;
    own->split = second->kkt <= HN_CERTIFIED;
    near->kkt = second->kkt;
    near->objective = second->objective;
    near->moved = near->moved || second->moved;
    near->reason = own->split || second->reason == NEAREST_STOPPED ? second->reason : near->reason;
    near->programmes += second->programmes;
    near->factorisations += second->factorisations;
}

static void search(struct worker *worker) {
    struct nearest_sample found[MAX_LANES];
    bool flags[MAX_LANES] = {false};
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct lane *own = &worker->lane[k];
        flags[k] = own->deferred && !own->found && !own->lost;
        if (flags[k])
            memcpy(worker_near_row(worker, k, ROW_NEAREST), worker_near_row(worker, k, ROW_AUTO),
                   worker->plan->outputs * sizeof *worker->row);
    }
    run_search(worker, worker_nearest(worker), worker->near, flags, found);
    for (uint32_t k = 0; k < worker->width; k++) {
        if (flags[k])
            worker->lane[k].near = found[k];
        flags[k] = flags[k] && may_split(worker, &found[k]);
    }
    run_search(worker, worker_split(worker), worker->split, flags, found);
    for (uint32_t k = 0; k < worker->width; k++)
        if (flags[k])
            take_split(&worker->lane[k], &found[k]);
}

/* Discards the result of the search: the executor's evaluation found a violation. */
static void withdraw(struct worker *worker, uint32_t lane) {
    struct nearest_sample *near = &worker->lane[lane].near;
    near->reason = near->kkt <= HN_CERTIFIED ? NEAREST_NOT_CONFIRMED : near->reason;
    near->kkt = INFINITY;
    near->objective = near->before;
    near->moved = worker->lane[lane].split = false;
    memset(near->multipliers, 0, worker->plan->rows * sizeof *near->multipliers);
}

static bool any(const bool *flags, uint32_t count) {
    for (uint32_t k = 0; k < count; k++)
        if (flags[k])
            return true;
    return false;
}

/* The executor's evaluation found a violation at the result of affine.h: starts the sample without it. */
static void begin_anew(struct worker *worker, uint32_t lane) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, lane);
    worker->lane[lane].deferred = worker->lane[lane].found = false;
    point_write(&p, plan->y, plan->outputs, worker_near_row(worker, lane, ROW_AUTO));
}

/* Evaluates the results, and auto's y again if a result is infeasible. Locally infeasible samples return auto's y. */
static void evaluate_found(struct worker *worker, bool *deferred) {
    bool back[MAX_LANES] = {false};
    evaluate_at(worker, ROW_NEAREST, deferred);
    for (uint32_t k = 0; k < worker->width; k++) {
        struct lane *own = &worker->lane[k];
        if (!deferred[k])
            continue;
        own->state.phase = own->phase;
        const struct sample_numbers n = worker_numbers(worker, k);
        back[k] = !own->lost && worker_verdict(worker, k, &n) != HN_OUTCOME_OK;
        if (back[k] && own->found) {
            begin_anew(worker, k);
            back[k] = deferred[k] = false;
        } else if (back[k])
            withdraw(worker, k);
    }
    if (any(back, worker->width))
        evaluate_at(worker, ROW_AUTO, back);
}

bool worker_search(struct worker *worker) {
    bool deferred[MAX_LANES] = {false};
    for (uint32_t k = 0; k < worker->width; k++)
        deferred[k] = worker->lane[k].deferred;
    if (!any(deferred, worker->width))
        return false;
    search(worker);
    worker_find_certificate(worker);
    evaluate_found(worker, deferred);
    for (uint32_t k = 0; k < worker->width; k++) {
        if (!deferred[k])
            continue;
        const struct sample_numbers n = worker_numbers(worker, k);
        worker->lane[k].deferred = false;
        worker->lane[k].searched = true;
        worker_finish(worker, k, &n, worker->plan->y);
    }
    return true;
}

/* ---- gradients ---- */

/* The gradients of a lane are in its rows: with respect to outputs, inputs, lower and upper bounds. */
static struct nearest_pull pull_of(const struct worker *worker, uint32_t lane, const hn_gradient *gradient) {
    const struct plan *plan = worker->plan;
    size_t sample = worker->lane[lane].sample;
    const struct tape tape = worker_tape(worker, lane);
    double *own = worker_near_row(worker, lane, 0);
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
        if (worker->lane[k].state.phase != PHASE_IDLE && worker->lane[k].searched) {
            pulls[count] = pull_of(worker, k, gradient);
            lanes[count++] = k;
        }
    if (count > 0)
        nearest_pull(n, worker->near, pulls, count);
    for (size_t i = 0; i < count; i++) {
        const struct point p = worker_point(worker, lanes[i]);
        worker->lane[lanes[i]].regular = pulls[i].regular;
        point_write(&p, plan->gradient, plan->outputs, pulls[i].gradient);
        point_write(&p, plan->grad_x, plan->inputs, pulls[i].grad_x);
        point_write(&p, plan->grad_lower, plan->rows, pulls[i].grad_lower);
        point_write(&p, plan->grad_upper, plan->rows, pulls[i].grad_upper);
    }
}
