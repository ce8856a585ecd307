/* search.h - the search of nearest.h for several samples together, on a CPU and on a device.
 *
 *     evaluate    c and J at every sample's point, then the Hessian with its multipliers
 *     prepare     errors, mu, the system; a sample may start polishing, or end
 *     solve       factor, again with a larger delta if pivots have wrong signs; solution, refined twice
 *     search      lengths of steps, each with an evaluation of all samples; samples with an accepted step stay at it
 *
 * A target defines NEAREST_AT_ONCE, the largest number of samples, NEAREST_ENDS(watch), whether a search must end early, NEAREST_AT
 * (nearest_rows.h), struct backend, elementary_log.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SEARCH_H
#define HN_CORE_SEARCH_H

#include "base/real.h"
#include "core/search_end.h"

/* ---- preparing ---- */

/* After the evaluation at the start. A sample that needs no search has multipliers of 0. */
static void search_begin(struct search_group *g, size_t lane) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    struct nearest_state *s = &g->state[lane];
    barrier_begin(&v, s);
    for (size_t i = 0; s->attempt == 0 && i < v.plan->rows; i++)
        *view_row(&v, ROW_POLISH, i) = 0;
    if (s->attempt == 0)
        polish_keep(&v, s, ROW_POLISH, polish_residual(&v, ROW_POLISH));
    bool finite = s->energy > 0 && s->energy <= REAL_MAX;
    if (s->attempt == 0) {
        s->best_cost = s->start_cost;
        s->finite = s->kept <= REAL_MAX;
    }
    s->phase = finite && s->first_mu > 0 ? NEAREST_DESCENDS : NEAREST_IDLE;
}

/* At the iterate, with c and J evaluated: keeps it, lowers mu, polishes or ends. */
static void search_look(struct search_group *g, size_t lane) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    struct nearest_state *s = &g->state[lane];
    if (s->phase != NEAREST_DESCENDS)
        return;
    barrier_lower_mu(&v, s);
    best_keep(&v, s);
    polish_keep(&v, s, ROW_MULTIPLIER, polish_residual_of(&v, ROW_MULTIPLIER, s->largest));
    if (s->mu <= SEARCH_POLISHES * s->first_mu && s->mu < s->polished_mu) {
        polish_begin(&v, s);
        s->phase = NEAREST_POLISHES;
    } else if (++s->iterations > SEARCH_ITERATIONS || s->failures > SEARCH_FAILURES)
        s->phase = NEAREST_IDLE;
}

/* ---- the search along the step ---- */

static void search_begin_step(struct search_group *g, size_t lane) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    struct nearest_state *s = &g->state[lane];
    s->settled = true;
    if (s->phase == NEAREST_POLISHES) {
        if (s->polish < 0 || !polish_step(&v)) {
            s->phase = NEAREST_DESCENDS;
            s->polish = -1;
            view_write_y(&v, COLUMN_Y);
        }
        return;
    }
    if (s->phase != NEAREST_DESCENDS)
        return;
    s->settled = false;
    if (!barrier_direction(&v, s)) {
        s->failures++;
        s->settled = true;
        s->length = 0;
        s->damped = larger(s->damped, *view_number(&v, NUMBER_CURVATURE));
        return;
    }
    barrier_try(&v, s);
}

/* Second-order corrections, if requested. */
static void search_solve_second(struct search_group *g, const bool *asked) {
    const struct nearest_plan *p = &g->group.n->plan;
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        if (asked[lane]) {
            g->state[lane].way = 1;
            barrier_right(&v, &g->state[lane]);
        }
    }
    g->group.kernels->signed_solve(&p->system, g->group.memory, nearest_vector(p, UNKNOWN_RIGHT),
                                   nearest_vector(p, UNKNOWN_STEP2));
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        if (asked[lane]) {
            barrier_measure_step(&v, &g->state[lane]);
            barrier_try(&v, &g->state[lane]);
        }
    }
}

/* After an evaluation; true while the line search continues. */
static bool search_judge(struct search_group *g, size_t lane, bool *second) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    struct nearest_state *s = &g->state[lane];
    *second = false;
    if (s->settled)
        return false;
    switch (barrier_judge(&v, s)) {
    case BARRIER_SETTLED:
        s->settled = true;
        s->failures = 0;
        return false;
    case BARRIER_FAILED:
        s->settled = true;
        s->failures++;
        s->length = 0;
        view_write_y(&v, COLUMN_Y);
        return true; /* evaluate c and J at the iterate again */
    case BARRIER_SECOND:
        *second = true;
        return true;
    default:
        barrier_try(&v, s);
        return true;
    }
}

static void search_along(struct search_group *g) {
    bool second[NEAREST_AT_ONCE] = {false}, any = true;
    for (size_t lane = 0; lane < g->group.count; lane++)
        search_begin_step(g, lane);
    while (any) {
        bool asked = false;
        nearest_evaluate(&g->group, 1);
        any = false;
        for (size_t lane = 0; lane < g->group.count; lane++) {
            any = search_judge(g, lane, &second[lane]) || any;
            asked = asked || second[lane];
        }
        if (asked)
            search_solve_second(g, second);
    }
}

/* Moves to the accepted point; a polish continues or ends. */
static void search_take_over(struct search_group *g, size_t lane) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    struct nearest_state *s = &g->state[lane];
    if (s->phase == NEAREST_DESCENDS && s->polish >= 0 && s->length > 0)
        barrier_accept(&v, s);
    s->polish = s->polish < 0 ? 0 : s->polish;
    if (s->phase == NEAREST_POLISHES)
        best_keep(&v, s);
    if (s->phase == NEAREST_POLISHES && !polish_judge(&v, s)) {
        s->phase = s->kept <= NEAREST_ENOUGH ? NEAREST_IDLE : NEAREST_DESCENDS;
        view_write_y(&v, COLUMN_Y);
    }
}

/* ---- the whole search ---- */

static bool search_ended(struct search_group *g) {
    g->cut = g->cut || NEAREST_ENDS(g->watch);
    return g->cut;
}

static void search_all(struct search_group *g) {
    bool busy = true;
    while (busy && !search_ended(g)) {
        nearest_evaluate(&g->group, 1);
        for (size_t lane = 0; lane < g->group.count; lane++) {
            const struct nearest_view v = nearest_view_of(&g->group, lane);
            search_look(g, lane);
            search_set_multipliers(&v, g->state[lane].phase == NEAREST_POLISHES ? ROW_POLISH : ROW_MULTIPLIER);
        }
        nearest_hessian(&g->group);
        search_factor(g);
        nearest_solve(&g->group, UNKNOWN_STEP, SEARCH_REFINEMENTS);
        search_along(g);
        busy = false;
        for (size_t lane = 0; lane < g->group.count; lane++) {
            search_take_over(g, lane);
            busy = busy || search_is_busy(g, lane);
        }
    }
}

/* A sample without a solution, or with a more distant one, starts again from its first point, closer to its bounds. */
static bool search_begins_again(struct search_group *g, size_t lane) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    struct nearest_state *s = &g->state[lane];
    if (search_is_taken(&v, s))
        return false;
    s->attempt++;
    s->failures = s->iterations = 0;
    s->kept = REAL_INFINITY;
    for (size_t j = 0; j < v.plan->outputs; j++)
        *view_column(&v, COLUMN_Y, j) =
            *view_column(&v, s->attempt == 3 && !v.plan->fixed[j] ? COLUMN_RAW : COLUMN_START, j);
    view_write_y(&v, COLUMN_Y);
    return true;
}

/* Goal optimal: samples that have ended without a certificate. */
static void search_find_unbounded(struct search_group *g) {
    bool any = false;
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        bool own = v.plan->rows == v.plan->own_rows && v.plan->optimal;
        g->flag[lane] = own && g->state[lane].led && !search_is_taken(&v, &g->state[lane]);
        any = any || g->flag[lane];
    }
    if (any && !g->cut)
        plain_find_unbounded(g);
}

/* At most plan.stride samples. */
// NOLINTNEXTLINE(readability-non-const-parameter): it is written through the group
static void search_run(const struct backend *kernels, const struct nearest_parts *n, double *memory,
                       struct nearest_sample *samples, size_t count, const struct nearest_watch *watch) {
    struct search_group g = {.group = {kernels, n, memory, count}, .samples = samples, .watch = watch};
    const struct nearest_state fresh = {.kept = REAL_INFINITY};
    const int attempts = n->plan.optimal ? SEARCH_ATTEMPTS_OPTIMAL : SEARCH_ATTEMPTS;
    bool any = true;
    for (size_t lane = 0; lane < count; lane++) {
        search_load(&g, lane);
        g.state[lane] = fresh;
        g.flag[lane] = true;
    }
    nearest_evaluate(&g.group, 0);
    for (int attempt = 0; attempt < attempts && any && !g.cut; attempt++) {
        search_lift(&g);
        nearest_evaluate(&g.group, 1);
        for (size_t lane = 0; lane < count; lane++)
            if (g.flag[lane]) {
                search_take_lifted(&g, lane);
                search_begin(&g, lane);
            }
        if (attempt > 0)
            plain_hold_dependent(&g);
        search_all(&g);
        any = false;
        for (size_t lane = 0; lane < count && attempt + 1 < attempts && !g.cut; lane++)
            any = (g.flag[lane] = search_begins_again(&g, lane)) || any;
    }
    search_find_unbounded(&g);
    search_look_back(&g);
    for (size_t lane = 0; lane < count; lane++)
        search_finish(&g, lane);
}

#endif
