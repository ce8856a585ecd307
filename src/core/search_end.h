/* search_end.h - the result of a search (search.h), and the reason for a missing certificate.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SEARCH_END_H
#define HN_CORE_SEARCH_END_H

#include "base/real.h"
#include "core/least_squares.h"

static double search_energy(const struct nearest_view *v, size_t which) {
    const struct nearest_plan *p = v->plan;
    double sum = 0;
    for (size_t j = 0; j < p->outputs; j++) {
        double away = *view_column(v, which, j) - *view_column(v, COLUMN_RAW, j);
        sum += p->fixed[j] ? 0 : p->square[j] * away * away;
    }
    return sum;
}

/* The amount by which f may exceed its value at the start, apart from the start's violation: rounding, and from the
 * second attempt on the complementarity gap, by which a start at the optimum is better than an interior solution. With
 * split kinks the search may start at the solution, where f is exactly 0. */
static double search_excess(const struct nearest_view *v, const struct nearest_state *s) {
    double size = fabs(s->start_cost);
    double gap = s->attempt > 0 ? smaller(s->gap, 0x1p-30 * size) : 0;
    return gap + 0x1p-40 * (v->plan->outputs > v->plan->own_outputs ? larger(1, size) : size);
}

/* Whether the best iterate is not further away than the start. The start's violation is compensated to first order, by
 * its product with the multipliers. */
static bool search_is_closer(const struct nearest_view *v, const struct nearest_state *s) {
    double worth = 0, before = search_energy(v, COLUMN_START);
    for (size_t i = 0; i < v->plan->rows; i++)
        worth += fabs(*view_row(v, ROW_KEPT, i) * *view_row(v, ROW_UNIT, i)) * *view_row(v, ROW_START, i);
    if (v->plan->optimal)
        return s->kept_cost <= s->start_cost + worth / *view_number(v, NUMBER_UNIT) + search_excess(v, s);
    return search_energy(v, COLUMN_KEPT) <= before + 2 * worth + 0x1p-40 * before;
}

/* Whether the best iterate is the result. */
static bool search_is_taken(const struct nearest_view *v, const struct nearest_state *s) {
    return s->kept <= NEAREST_ENOUGH && search_is_closer(v, s);
}

/* Multipliers of rows with an almost vanishing gradient become 0 if the certificate does not need them. The program's y
 * is the best iterate, and c and J were evaluated there. */
static void search_drop_multipliers(const struct nearest_view *v, struct nearest_state *s) {
    for (size_t i = 0; i < v->plan->rows; i++)
        *view_row(v, ROW_POLISH, i) = polish_row_vanishes(v, i) ? 0 : *view_row(v, ROW_KEPT, i);
    double residual = polish_residual(v, ROW_POLISH);
    s->vanishes = false;
    for (size_t i = 0; residual <= NEAREST_ENOUGH && i < v->plan->rows; i++)
        *view_row(v, ROW_KEPT, i) = *view_row(v, ROW_POLISH, i);
    s->kept = residual <= NEAREST_ENOUGH ? residual : s->kept;
}

static enum nearest_reason search_reason(const struct search_group *g, size_t lane) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    const struct nearest_state *s = &g->state[lane];
    if (search_is_taken(&v, s))
        return NEAREST_CERTIFIED;
    if (s->unbounded)
        return NEAREST_UNBOUNDED;
    if (g->cut)
        return NEAREST_STOPPED;
    if (!s->finite)
        return NEAREST_UNDEFINED;
    return best_is_at_kink(&v) ? NEAREST_AT_KINK : NEAREST_NOT_CONVERGED;
}

/* ---- additional outputs ---- */

/* The rows that are active at the program's y, whose additional outputs were just set to the values of their kinks. */
static void search_begin_lifted(const struct nearest_view *v, struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    s->phase = NEAREST_POLISHES;
    s->polish = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double l = *view_row(v, ROW_KEPT, i), norm = *view_row(v, ROW_NORM, i);
        bool active = i < p->own_rows ? l != 0 : side_room(v, i, 0) <= 0x1p-40 * norm;
        *view_row(v, ROW_SIDE, i) = row_is_equality(v, i) ? 1 : active ? (l < 0 ? -1 : 1) : 0;
        *view_row(v, ROW_POLISH, i) = active || row_is_equality(v, i) ? l : 0;
        *view_row(v, ROW_HELD, i) = PLAIN_HELD;
    }
}

/* One of Newton's steps on these rows, for the samples that polish. */
static void search_step_lifted(struct search_group *g) {
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        search_set_multipliers(&v, ROW_POLISH);
    }
    nearest_hessian(&g->group);
    search_factor(g);
    nearest_solve(&g->group, UNKNOWN_STEP, SEARCH_REFINEMENTS);
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        struct nearest_state *s = &g->state[lane];
        bool stepped = s->phase == NEAREST_POLISHES && s->polish >= 0 && polish_step(&v);
        for (size_t i = 0; stepped && i < v.plan->rows; i++) {
            double l = *view_row(&v, ROW_POLISH, i);
            bool wrong = !row_is_equality(&v, i) && !(*view_row(&v, ROW_SIDE, i) * l > 0);
            *view_row(&v, ROW_KEPT, i) = wrong ? 0 : l;
        }
        s->phase = NEAREST_IDLE;
    }
}

/* An additional output may exceed its kink if nothing depends on it, or by the last mu. The certificate is for the
 * exact values of the kinks; if it is not valid for these, Newton's method continues from there. The program's y is the
 * best iterate. */
static void search_judge_lifted(struct search_group *g) {
    bool judges[NEAREST_AT_ONCE], busy = true;
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        judges[lane] = search_is_taken(&v, &g->state[lane]);
    }
    for (int round = 0; busy && round < SEARCH_LIFTS; round++) {
        busy = false;
        search_lift(g);
        nearest_evaluate(&g->group, 1);
        for (size_t lane = 0; lane < g->group.count; lane++) {
            const struct nearest_view v = nearest_view_of(&g->group, lane);
            struct nearest_state *s = &g->state[lane];
            if (!judges[lane])
                continue;
            s->kept = REAL_INFINITY;
            polish_keep(&v, s, ROW_KEPT, polish_residual(&v, ROW_KEPT));
            judges[lane] = !(s->kept <= NEAREST_ENOUGH);
            if (judges[lane])
                search_begin_lifted(&v, s);
            busy = busy || judges[lane];
        }
        if (busy)
            search_step_lifted(g);
    }
}

/* The final check of results without certificate, with an almost vanishing gradient of a row, or with split kinks. */
static void search_look_back(struct search_group *g) {
    bool any = false, split = g->group.n->plan.outputs > g->group.n->plan.own_outputs;
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        const struct nearest_state *s = &g->state[lane];
        bool taken = search_is_taken(&v, s), best = v.plan->optimal && s->best_cost < s->start_cost;
        any = any || !taken || s->vanishes;
        view_write_y(&v, taken ? COLUMN_KEPT : best ? COLUMN_BEST : COLUMN_START);
    }
    if (split)
        search_judge_lifted(g);
    else if (any)
        nearest_evaluate(&g->group, 1);
    for (size_t lane = 0; any && !split && lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        if (g->state[lane].vanishes && search_is_taken(&v, &g->state[lane]))
            search_drop_multipliers(&v, &g->state[lane]);
    }
}

/* Goal optimal: a point that is not certified is returned, too, if f is lower than at the start. */
static void search_finish(const struct search_group *g, size_t lane) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    const struct nearest_state *s = &g->state[lane];
    struct nearest_sample *sample = &g->samples[lane];
    bool taken = search_is_taken(&v, s), best = !taken && v.plan->optimal && s->best_cost < s->start_cost;
    sample->kkt = taken ? s->kept : REAL_INFINITY;
    sample->reason = (int)search_reason(g, lane);
    sample->programmes = s->programmes;
    sample->factorisations = s->factorisations;
    sample->before = s->start_cost;
    sample->objective = taken ? s->kept_cost : best ? s->best_cost : sample->before;
    sample->moved = false;
    for (size_t j = 0; (taken || best) && j < v.plan->own_outputs; j++) {
        double y = *view_column(&v, taken ? COLUMN_KEPT : COLUMN_BEST, j);
        sample->moved = sample->moved || y != sample->y[j];
        sample->y[j] = y;
    }
    for (size_t i = 0; sample->multipliers && i < v.plan->own_rows; i++)
        sample->multipliers[i] =
            taken ? *view_row(&v, ROW_KEPT, i) * *view_row(&v, ROW_UNIT, i) / *view_number(&v, NUMBER_UNIT) : 0;
}

#endif
