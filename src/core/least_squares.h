/* least_squares.h - least-squares systems over the plan's matrix, without curvature:
 *
 *     [ I    J_A' ] [ d ]
 *     [ J_A  -w   ] [ q ],      A the rows with ROW_SIDE != 0
 *
 * They answer two questions: which equalities are linearly dependent, and which direction close to a step keeps all
 * rows of A constant. Part of search.h, for the samples whose flag is set.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_LEAST_SQUARES_H
#define HN_CORE_LEAST_SQUARES_H

#include "base/real.h"
#include "core/search_group.h"

enum { PLAIN_REFINEMENTS = 2, PLAIN_RAYS = 8, PLAIN_PROBES = 3 };
SHARED_CONSTANT double PLAIN_LEFT_OUT = 1e30; /* W of a row outside A */
SHARED_CONSTANT double PLAIN_DEPENDENT = 1e8; /* least q of a unit right-hand side on dependent rows */
SHARED_CONSTANT double PLAIN_HELD = 0x1p30;   /* factor on their damping, which then exceeds rounding errors of H */
SHARED_CONSTANT double PLAIN_NOTHING = 1e-10; /* rounding error, relative to the largest entry of a direction */
SHARED_CONSTANT double PLAIN_SLOPE = 1e-6;    /* least slope of f, relative to the sum of its absolute terms */
SHARED_CONSTANT double PLAIN_ROUNDING = 1e-9; /* rounding error of a distant row, relative to sum |J_ij y_j| */
SHARED_CONSTANT double PLAIN_FARTHER = 1e3;   /* factor between the tested points of a ray */

/* J in units of its rows, no curvature. c and J were evaluated. */
static void plain_load(const struct search_group *g) {
    const struct nearest_plan *p = &g->group.n->plan;
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        view_write_leaves(&v, p->lambda, p->rows, 0);
        if (g->flag[lane])
            rows_write_matrix(&v);
        if (p->optimal)
            *view_slot(&v, p->sigma) = 0;
    }
    nearest_hessian(&g->group);
}

static void plain_assemble(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    for (size_t j = 0; j < p->outputs; j++)
        *view_unknown(v, UNKNOWN_DIAGONAL, j) = 1;
    for (size_t i = 0; i < p->rows; i++) {
        double norm = *view_row(v, ROW_NORM, i);
        *view_unknown(v, UNKNOWN_DIAGONAL, p->outputs + i) =
            -norm * norm * (*view_row(v, ROW_SIDE, i) != 0 ? 0x1p-44 : PLAIN_LEFT_OUT);
    }
}

static void plain_solve(const struct search_group *g) {
    nearest_factor(&g->group);
    nearest_solve(&g->group, UNKNOWN_STEP, PLAIN_REFINEMENTS);
}

/* ---- linearly dependent rows ---- */

static void plain_ask_equalities(const struct nearest_view *v) {
    for (size_t i = 0; i < v->plan->rows; i++)
        *view_row(v, ROW_SIDE, i) = row_is_equality(v, i) ? 1 : 0;
    rows_ask_dependence(v);
    plain_assemble(v);
}

/* More damping for equalities that are linearly dependent at the program's y. If H is almost 0, as in a linear program,
 * rounding errors exceed their pivots, whose signs are then wrong. The damping is a proximal term, which vanishes at
 * the solution. */
static void plain_hold_dependent(struct search_group *g) {
    const struct nearest_plan *p = &g->group.n->plan;
    plain_load(g);
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        if (g->flag[lane])
            plain_ask_equalities(&v);
    }
    plain_solve(g);
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        for (size_t i = 0; g->flag[lane] && i < p->rows; i++)
            if (row_is_equality(&v, i) && fabs(*view_unknown(&v, UNKNOWN_STEP, p->outputs + i)) > PLAIN_DEPENDENT)
                *view_row(&v, ROW_HELD, i) = PLAIN_HELD;
    }
}

/* ---- directions along which f is unbounded below ---- */

/* Whether a row moves towards a bound along the ray, by more than rounding. */
static bool plain_closes_in(const struct nearest_view *v, size_t i) {
    const struct nearest_plan *p = v->plan;
    double along = 0, size = 0;
    for (size_t e = p->first[i]; e < p->first[i + 1]; e++) {
        double part = p->fixed[p->column[e]] ? 0 : row_entry(v, i, e) * *view_column(v, COLUMN_RAY, p->column[e]);
        along += part;
        size += fabs(part);
    }
    if (!(fabs(along) > PLAIN_NOTHING * size))
        return false;
    return row_is_equality(v, i) || side_is_there(v, i, along > 0);
}

/* Adds the rows that must not move to A. */
static void plain_stop_rows(const struct nearest_view *v, bool first) {
    for (size_t i = 0; i < v->plan->rows; i++)
        if (first || *view_row(v, ROW_SIDE, i) == 0)
            *view_row(v, ROW_SIDE, i) = row_is_equality(v, i) || plain_closes_in(v, i) ? 1 : 0;
}

static void plain_ask_ray(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    plain_assemble(v);
    for (size_t j = 0; j < p->outputs; j++)
        *view_unknown(v, UNKNOWN_RIGHT, j) = p->fixed[j] ? 0 : *view_column(v, COLUMN_RAY, j);
    for (size_t i = 0; i < p->rows; i++)
        *view_unknown(v, UNKNOWN_RIGHT, p->outputs + i) = 0;
}

/* Scales the computed ray to a largest entry of 1 and clears rounding errors; false if it is 0 or not finite. */
static bool plain_take_ray(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    double most = 0;
    for (size_t j = 0; j < p->outputs; j++)
        most = larger(most, fabs(*view_unknown(v, UNKNOWN_STEP, j)));
    for (size_t j = 0; j < p->outputs; j++) {
        double d = *view_unknown(v, UNKNOWN_STEP, j) / most;
        *view_column(v, COLUMN_RAY, j) = fabs(d) > PLAIN_NOTHING ? d : 0;
    }
    return most > 0 && most <= REAL_MAX;
}

/* Slope of f along the ray at the program's y, in the user's units; 0 if it cancels within rounding errors. */
static double plain_slope(const struct nearest_view *v) {
    double sum = 0, size = 0;
    for (size_t j = 0; j < v->plan->outputs; j++) {
        double part = column_slope(v, j) * *view_column(v, COLUMN_RAY, j) / *view_number(v, NUMBER_UNIT);
        sum += part;
        size += fabs(part);
    }
    return sum < -PLAIN_SLOPE * size ? sum : 0;
}

/* Whether the program's y, far along the ray, satisfies the rows up to rounding, and f has decreased by at least half
 * of what the slope at the start predicts. */
static bool plain_falls(const struct nearest_view *v, const struct nearest_state *s, double length, double slope) {
    const struct nearest_plan *p = v->plan;
    for (size_t i = 0; i < p->rows; i++) {
        double most, violation = best_violation(v, i, &most), size = 0;
        for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
            size += fabs(*view_slot(v, p->entry[e]) * *view_y(v, p->column[e]));
        if (!(violation <= most + PLAIN_ROUNDING * size))
            return false;
    }
    return *view_slot(v, p->own_cost) <= s->best_cost + 0.5 * length * slope;
}

static void plain_go_to(const struct nearest_view *v, double length) {
    const struct nearest_plan *p = v->plan;
    for (size_t j = 0; j < p->outputs; j++)
        *view_y(v, j) = *view_column(v, COLUMN_BEST, j) + (length > 0 ? length * *view_column(v, COLUMN_RAY, j) : 0);
}

/* The direction closest to the ray along which the rows that it would violate stay constant. */
static void plain_clear_rays(struct search_group *g) {
    for (int round = 0; round < PLAIN_RAYS; round++) {
        for (size_t lane = 0; lane < g->group.count; lane++) {
            const struct nearest_view v = nearest_view_of(&g->group, lane);
            if (!g->flag[lane])
                continue;
            plain_stop_rows(&v, round == 0);
            plain_ask_ray(&v);
        }
        plain_solve(g);
        for (size_t lane = 0; lane < g->group.count; lane++) {
            const struct nearest_view v = nearest_view_of(&g->group, lane);
            g->flag[lane] = g->flag[lane] && plain_take_ray(&v);
        }
    }
}

/* After a search without certificate: whether f is unbounded along the last step that lowered it. The slope along the direction is
 * confirmed at three points, at distances of 1e3, 1e6 and 1e9 times the size of y. */
static void plain_find_unbounded(struct search_group *g) {
    double slope[NEAREST_AT_ONCE], length[NEAREST_AT_ONCE];
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        if (g->flag[lane])
            plain_go_to(&v, 0);
    }
    nearest_evaluate(&g->group, 1);
    plain_load(g);
    plain_clear_rays(g);
    for (size_t lane = 0; lane < g->group.count; lane++) {
        const struct nearest_view v = nearest_view_of(&g->group, lane);
        slope[lane] = g->flag[lane] ? plain_slope(&v) : 0;
        length[lane] = g->flag[lane] ? best_size(&v, COLUMN_BEST) : 0;
        g->flag[lane] = g->flag[lane] && slope[lane] < 0;
    }
    for (int probe = 0; probe < PLAIN_PROBES; probe++) {
        for (size_t lane = 0; lane < g->group.count; lane++) {
            const struct nearest_view v = nearest_view_of(&g->group, lane);
            length[lane] *= PLAIN_FARTHER;
            if (g->flag[lane])
                plain_go_to(&v, length[lane]);
        }
        nearest_evaluate(&g->group, 1);
        for (size_t lane = 0; lane < g->group.count; lane++) {
            const struct nearest_view v = nearest_view_of(&g->group, lane);
            g->flag[lane] = g->flag[lane] && plain_falls(&v, &g->state[lane], length[lane], slope[lane]);
        }
    }
    for (size_t lane = 0; lane < g->group.count; lane++)
        g->state[lane].unbounded = g->state[lane].unbounded || g->flag[lane];
}

#endif
