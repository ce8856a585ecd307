/* search_group.h - the samples of a search, their points, and the systems that are solved for them. Part of search.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SEARCH_GROUP_H
#define HN_CORE_SEARCH_GROUP_H

#include "base/real.h"
#include "core/nearest_barrier.h"
#include "core/nearest_newton.h"
#include "core/nearest_solve.h"

struct nearest_watch;

enum {
    SEARCH_ITERATIONS = 80,
    SEARCH_FACTORS = 24,
    SEARCH_FAILURES = 3,
    SEARCH_REFINEMENTS = 2,
    SEARCH_ATTEMPTS = 3,
    SEARCH_ATTEMPTS_OPTIMAL = 4,
    SEARCH_LIFTS = 4
};
SHARED_CONSTANT double SEARCH_POLISHES = 1e-3; /* mu at which polishing starts, relative to the first mu */
SHARED_CONSTANT double SEARCH_DELTA = 1e-3;    /* least delta above 0, relative to the largest S^2 */

/* The samples of one call. */
struct search_group {
    struct nearest_group group;
    struct nearest_sample *samples;
    const struct nearest_watch *watch;
    bool cut;                   /* ended by the watch */
    bool flag[NEAREST_AT_ONCE]; /* samples of least_squares.h */
    struct nearest_state state[NEAREST_AT_ONCE];
};

static bool search_is_busy(const struct search_group *g, size_t lane) {
    return g->state[lane].phase != NEAREST_IDLE;
}

/* ---- start ---- */

static void search_load(const struct search_group *g, size_t lane) {
    const struct nearest_plan *p = &g->group.n->plan;
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    const struct nearest_sample *sample = &g->samples[lane];
    view_write_leaves(&v, p->x, p->inputs, sample->x);
    for (size_t j = 0; j < p->own_outputs; j++) {
        *view_column(&v, COLUMN_RAW, j) = sample->raw[j];
        *view_column(&v, COLUMN_START, j) = *view_column(&v, COLUMN_Y, j) = sample->y[j];
    }
    view_write_y(&v, COLUMN_Y);
}

/* Sets additional outputs to the values of their kinks at the program's y. */
static void search_lift(const struct search_group *g) {
    const struct nearest_plan *p = &g->group.n->plan;
    if (p->outputs == p->own_outputs)
        return;
    nearest_evaluate(&g->group, 1);
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        for (size_t j = p->own_outputs; j < p->outputs; j++)
            *view_y(&v, j) = *view_slot(&v, p->lift[j - p->own_outputs]);
    }
}

/* The start of an attempt; of the first one, the start of the search. */
static void search_take_lifted(const struct search_group *g, size_t lane) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    const struct nearest_plan *p = v.plan;
    for (size_t j = p->own_outputs; j < p->outputs; j++) {
        double t = *view_column(&v, COLUMN_Y, j) = *view_y(&v, j);
        if (g->state[lane].attempt == 0)
            *view_column(&v, COLUMN_START, j) = t;
    }
}

/* ---- systems ---- */

static void search_set_multipliers(const struct nearest_view *v, size_t which) {
    const struct nearest_plan *p = v->plan;
    for (size_t i = 0; i < p->rows; i++)
        *view_slot(v, p->lambda + i * p->stride) = -*view_row(v, which, i) * *view_row(v, ROW_UNIT, i);
    if (p->optimal)
        *view_slot(v, p->sigma) = *view_number(v, NUMBER_UNIT);
}

static void search_assemble(struct search_group *g, size_t lane) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    g->state[lane].delta = 0;
    if (search_is_busy(g, lane))
        rows_write_matrix(&v);
    if (g->state[lane].phase == NEAREST_POLISHES)
        polish_assemble(&v);
    else if (g->state[lane].phase == NEAREST_DESCENDS)
        barrier_assemble(&v, &g->state[lane]);
}

/* ---- solving ---- */

/* A larger delta for a sample whose pivots have wrong signs; a polish ends there. true: factor again. */
static bool search_damp(struct search_group *g, size_t lane) {
    struct nearest_state *s = &g->state[lane];
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    double least = SEARCH_DELTA * *view_number(&v, NUMBER_CURVATURE);
    if (!search_is_busy(g, lane) || nearest_has_signs(&v))
        return false;
    if (s->phase == NEAREST_POLISHES) {
        s->polish = -1;
        return false;
    }
    s->delta = s->delta > 0 ? 8 * s->delta : larger(least, s->damped / 4);
    s->damped = s->delta;
    barrier_assemble(&v, s);
    return true;
}

static void search_factor(struct search_group *g) {
    bool again = true;
    for (size_t lane = 0; lane < g->group.count; lane++)
        search_assemble(g, lane);
    for (int k = 0; k < SEARCH_FACTORS && again; k++) {
        again = false;
        nearest_factor(&g->group);
        for (size_t lane = 0; lane < g->group.count; lane++) {
            g->state[lane].factorisations += k == 0 && search_is_busy(g, lane);
            bool wrong = search_damp(g, lane);
            g->state[lane].factorisations += wrong && k + 1 < SEARCH_FACTORS;
            again = wrong || again;
        }
    }
}

#endif
