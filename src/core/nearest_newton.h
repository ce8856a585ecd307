/* nearest_newton.h - Newton's method on the active rows, the residual of the optimality conditions, and the best points of a search. Part
 * of search.h.
 *
 * Close to a solution the interior-point method identifies the active rows: their force is larger than their slack.
 * With these as equalities and without the others, the system yields Newton's step for the optimality conditions. Rows
 * whose multiplier has the wrong sign become inactive, violated rows active. The iterate with the smallest residual is
 * kept:
 *
 *     max( |S^2 (y - y_raw) - J' l| / max(1, |l|),   |l| times the distance to the bound it belongs to,   violation )
 *
 * in the maximum norm, over the outputs that are not fixed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NEAREST_NEWTON_H
#define HN_CORE_NEAREST_NEWTON_H

#include "base/real.h"
#include "core/nearest_rows.h"
#include "core/nearest_state.h"

enum { NEAREST_POLISHES_MOST = 10 };
SHARED_CONSTANT double POLISH_LEFT_OUT = 1e30; /* W of inactive rows, in units of the gradient's square */
SHARED_CONSTANT double POLISH_NOTHING = 1e-12; /* residual at which polishing stops */
SHARED_CONSTANT double POLISH_VANISHES = 1e-6; /* largest entry of a vanishing gradient, relative to the start */

/* ---- the residual ---- */

/* Violation and complementarity of row i, in the user's units. */
static double polish_row_residual(const struct nearest_view *v, size_t i, double l) {
    double unit = *view_row(v, ROW_UNIT, i), worst = 0;
    l /= *view_number(v, NUMBER_UNIT);
    if (row_is_equality(v, i))
        return fabs(row_value(v, i) - row_lower(v, i)) / unit;
    for (size_t side = 0; side < 2; side++)
        if (side_is_there(v, i, side))
            worst = larger(worst, -side_room(v, i, side));
    worst /= unit;
    if (l == 0)
        return worst;
    size_t side = l < 0;
    double room = side_room(v, i, side);
    return side_is_there(v, i, side) ? larger(worst, fabs(l) * larger(0, room)) : REAL_INFINITY;
}

/* The residual at the program's y, with c and J evaluated there, given the largest multiplier and COLUMN_REST; infinite
 * if NaN. */
static double polish_residual_of(const struct nearest_view *v, size_t multipliers, double largest) {
    const struct nearest_plan *p = v->plan;
    double worst = 0, sum = 0, unit = *view_number(v, NUMBER_UNIT);
    for (size_t j = 0; j < p->outputs; j++) {
        double rest = fabs(*view_column(v, COLUMN_REST, j));
        worst = larger(worst, rest);
        sum += rest;
    }
    worst = worst / unit / larger(1, largest);
    for (size_t i = 0; i < p->rows; i++) {
        double lack = polish_row_residual(v, i, *view_row(v, multipliers, i));
        worst = larger(worst, lack);
        sum += lack + fabs(row_value(v, i));
    }
    return sum <= REAL_MAX ? worst : REAL_INFINITY; /* fmax hides a NaN, a sum does not */
}

/* The same, computing both. */
static double polish_residual(const struct nearest_view *v, size_t multipliers) {
    return polish_residual_of(v, multipliers, rows_rest(v, multipliers, COLUMN_REST));
}

/* Whether the gradient of row i almost vanishes at the program's y. */
static bool polish_row_vanishes(const struct nearest_view *v, size_t i) {
    const struct nearest_plan *p = v->plan;
    double most = 0;
    for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
        if (!p->fixed[p->column[e]])
            most = larger(most, fabs(row_entry(v, i, e)));
    return most <= POLISH_VANISHES;
}

/* Keeps the program's y with these multipliers if its residual is the smallest so far. */
static void polish_keep(const struct nearest_view *v, struct nearest_state *s, size_t multipliers, double residual) {
    const struct nearest_plan *p = v->plan;
    if (!(residual < s->kept))
        return;
    s->kept = residual;
    s->vanishes = false;
    s->gap = 0;
    s->kept_cost = p->optimal ? *view_slot(v, p->own_cost) : 0;
    for (size_t j = 0; j < p->outputs; j++)
        *view_column(v, COLUMN_KEPT, j) = *view_y(v, j);
    for (size_t i = 0; i < p->rows; i++) {
        double l = *view_row(v, ROW_KEPT, i) = *view_row(v, multipliers, i);
        if (l == 0 || !(residual <= NEAREST_ENOUGH))
            continue;
        s->vanishes = s->vanishes || polish_row_vanishes(v, i);
        if (!row_is_equality(v, i))
            s->gap += fabs(l) * larger(0, side_room(v, i, l < 0)) / *view_number(v, NUMBER_UNIT);
    }
}

/* ---- active rows ---- */

/* The side of row i whose force is larger than its slack, both in units of the start. */
static double polish_side(const struct nearest_view *v, const struct nearest_state *s, size_t i) {
    double norm = *view_row(v, ROW_NORM, i), best = 1, answer = 0;
    for (size_t side = 0; side < 2; side++) {
        double slack = *side_slack(v, i, side) / (norm * s->scale), force = *side_force(v, i, side) * norm / s->slope;
        if (side_is_there(v, i, side) && force > best * slack) {
            best = force / slack;
            answer = side ? -1 : 1;
        }
    }
    return answer;
}

/* Which rows are active at the iterate, which is the program's y. */
static void polish_begin(const struct nearest_view *v, struct nearest_state *s) {
    s->polish = 0;
    s->polished = REAL_INFINITY;
    s->polished_mu = s->mu;
    for (size_t i = 0; i < v->plan->rows; i++) {
        bool equality = row_is_equality(v, i);
        double side = equality ? 1 : polish_side(v, s, i);
        *view_row(v, ROW_SIDE, i) = side;
        *view_row(v, ROW_POLISH, i) = side != 0 ? *view_row(v, ROW_MULTIPLIER, i) : 0;
    }
}

/* Updates the active set after a step; true if it changed. A multiplier of the wrong sign becomes 0. */
static bool polish_revise(const struct nearest_view *v, const struct nearest_state *s) {
    bool changed = false;
    for (size_t i = 0; i < v->plan->rows; i++) {
        double *side = view_row(v, ROW_SIDE, i), *l = view_row(v, ROW_POLISH, i);
        if (row_is_equality(v, i))
            continue;
        double least = -0x1p-40 * *view_row(v, ROW_NORM, i) * s->scale, was = *side;
        if (*side != 0 && !(*side * *l > 0))
            *side = *l = 0;
        for (size_t k = 0; k < 2 && was == 0; k++)
            if (side_is_there(v, i, k) && side_room(v, i, k) < least)
                *side = k ? -1 : 1;
        changed = changed || *side != was;
    }
    return changed;
}

/* ---- the step ---- */

static void polish_assemble(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    for (size_t j = 0; j < p->outputs; j++) {
        *view_unknown(v, UNKNOWN_DIAGONAL, j) =
            p->fixed[j] ? 1 : p->square[j] + *view_slot(v, p->curvature[j]) + proximal(v);
        *view_unknown(v, UNKNOWN_RIGHT, j) = -column_slope(v, j);
    }
    for (size_t i = 0; i < p->rows; i++) {
        double side = *view_row(v, ROW_SIDE, i), w = row_damping(v, i), norm = *view_row(v, ROW_NORM, i);
        double bound = side < 0 ? row_upper(v, i) : row_lower(v, i);
        double right = bound - row_value(v, i) + w * *view_row(v, ROW_POLISH, i);
        *view_unknown(v, UNKNOWN_DIAGONAL, p->outputs + i) =
            side != 0 ? -w : -POLISH_LEFT_OUT * norm * norm / *view_number(v, NUMBER_CURVATURE);
        *view_unknown(v, UNKNOWN_RIGHT, p->outputs + i) = side != 0 ? right : 0;
    }
}

/* After the solve: updates the program's y and the multipliers; false if they are not finite. */
static bool polish_step(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    double sum = 0;
    for (size_t k = 0; k < p->outputs + p->rows; k++)
        sum += fabs(*view_unknown(v, UNKNOWN_STEP, k));
    if (!(sum <= REAL_MAX))
        return false;
    for (size_t j = 0; j < p->outputs; j++)
        *view_y(v, j) += *view_unknown(v, UNKNOWN_STEP, j);
    for (size_t i = 0; i < p->rows; i++)
        if (*view_row(v, ROW_SIDE, i) != 0)
            *view_row(v, ROW_POLISH, i) = -*view_unknown(v, UNKNOWN_STEP, p->outputs + i);
    return true;
}

/* After the evaluation at that y; false: polishing has ended. */
static bool polish_judge(const struct nearest_view *v, struct nearest_state *s) {
    bool changed = polish_revise(v, s);
    double residual = polish_residual(v, ROW_POLISH);
    bool better = residual < 0.25 * s->polished;
    polish_keep(v, s, ROW_POLISH, residual);
    s->polished = smaller(s->polished, residual);
    s->polish++;
    return residual > POLISH_NOTHING && residual <= REAL_MAX && (changed || better) &&
           s->polish < NEAREST_POLISHES_MOST;
}

/* ---- the goal optimal: the feasible point with the lowest objective ----
 *
 * A search that does not converge returns it. Rows are judged in the user's units, as the layer judges them, with half the tolerance,
 * because the layer's evaluation may round differently. */

SHARED_CONSTANT double BEST_SHARE = 0.5; /* share of the tolerance */
SHARED_CONSTANT double BEST_KINK = 1e-6; /* distance |a - b| below which y is at a kink, relative to max(1, |a|) */

/* The violation of own row i of the model, and the largest accepted one, in the user's units. */
static double best_violation(const struct nearest_view *v, size_t i, double *most) {
    const struct nearest_plan *p = v->plan;
    double value = *view_slot(v, p->own_value[i]);
    double below = *view_slot(v, p->lower[i]) - value, above = value - *view_slot(v, p->upper[i]);
    double bound = below > above ? *view_slot(v, p->lower[i]) : *view_slot(v, p->upper[i]);
    *most = BEST_SHARE * p->tolerance * (p->relative && fabs(bound) <= REAL_MAX ? larger(1, fabs(bound)) : 1);
    return value != value ? REAL_INFINITY : larger(below, above);
}

static bool best_is_feasible(const struct nearest_view *v) {
    for (size_t i = 0; i < v->plan->own_rows; i++) {
        double most, violation = best_violation(v, i, &most);
        if (!(violation <= most))
            return false;
    }
    return true;
}

static double best_size(const struct nearest_view *v, size_t which) {
    double size = 1;
    for (size_t j = 0; j < v->plan->own_outputs; j++)
        size = larger(size, fabs(*view_column(v, which, j)));
    return size;
}

/* Keeps the program's y, where c and f were evaluated. */
static void best_keep(const struct nearest_view *v, struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    double cost = p->optimal ? *view_slot(v, p->own_cost) : 0;
    if (!p->optimal || !(cost < s->best_cost && cost >= -REAL_MAX) || !best_is_feasible(v))
        return;
    s->best_cost = cost;
    for (size_t j = 0; j < p->outputs; j++)
        *view_column(v, COLUMN_BEST, j) = *view_y(v, j);
    s->led = s->phase == NEAREST_DESCENDS && s->iterations > 0;
    for (size_t j = 0; s->led && j < p->outputs; j++)
        *view_column(v, COLUMN_RAY, j) = *view_unknown(v, UNKNOWN_STEP + s->way, j);
}

/* Whether the program's y, already evaluated, is at a kink. */
static bool best_is_at_kink(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    for (size_t k = 0; k < p->kinks; k++) {
        double a = *view_slot(v, p->kink[2 * k]), b = *view_slot(v, p->kink[2 * k + 1]);
        if (fabs(a - b) <= BEST_KINK * larger(1, fabs(a)))
            return true;
    }
    return false;
}

#endif
