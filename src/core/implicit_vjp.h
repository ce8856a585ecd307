/* implicit_vjp.h - the gradient of the nearest point by the implicit function theorem (nearest.h).
 * Targets as for search.h.
 *
 * With A the active rows, the optimality conditions S^2 (y - y_raw) = J' l, c_A = b_A have the derivative
 *
 *     [ H     J_A' ] [  dy ]   [ S^2 dy_raw + d/dx (J' l) dx ]
 *     [ J_A   0    ] [ -dl ] = [ db_A - dc_A/dx dx           ]
 *
 * A gradient p with respect to y, and g with respect to l, therefore requires one solve with the same matrix, K (a, q) = (p, -g). The
 * gradient with respect to y_raw is S^2 a, to the active bounds q, to x a' d/dx (J' l) - q' dc/dx, likewise to fixed outputs, and to S
 * -2 S (y - y_raw) a = -2 (J' l) a / S. A row is active if its multiplier is larger than its distance to the bound, and weakly active if
 * both are below PULL_WEAK, in units of the row. Solutions with weakly active rows, dependent active
 * rows, or a Hessian that is not positive on the tangent (shown by the number of positive pivots) are not regular.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_IMPLICIT_VJP_H
#define HN_CORE_IMPLICIT_VJP_H

#include "base/real.h"
#include "core/nearest_solve.h"
#include "core/nearest_state.h"

SHARED_CONSTANT double PULL_WEAK = 1e-5;
SHARED_CONSTANT double PULL_LEFT_OUT = 1e30;  /* W of a row that is not active */
SHARED_CONSTANT double PULL_DEPENDENT = 1e-8; /* 1 / least q of a unit right-hand side on dependent rows */
SHARED_CONSTANT double PULL_SOLVED = 1e-10;   /* largest accepted residual, relative to the right-hand side */
enum {
    PULL_REFINEMENTS = 2,
    PULL_WITHOUT = 6
}; /* for f: more iterations, which remove the terms added to the diagonal for the factor */

/* The samples of one call. */
struct pulls {
    struct nearest_group group;
    double *inputs; /* workspace of the program of struct nearest_inputs */
    struct nearest_pull *samples;
};

/* ---- the point ---- */

static void pull_load(const struct pulls *g, size_t lane) {
    const struct nearest_plan *p = &g->group.n->plan;
    const struct nearest_inputs *by = &g->group.n->by_inputs;
    const struct nearest_pull *s = &g->samples[lane];
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    struct nearest_view other = v; /* of the program of struct nearest_inputs */
    other.at = g->inputs + lane;
    view_write_leaves(&v, p->x, p->inputs, s->x);
    view_write_leaves(&v, p->y, p->outputs, s->y);
    for (size_t i = 0; i < p->rows; i++)
        *view_slot(&v, p->lambda + i * p->stride) = -s->multipliers[i];
    if (p->optimal)
        *view_slot(&v, p->sigma) = 1;
    if (!by->program)
        return;
    view_write_leaves(&other, by->x, p->inputs, s->x);
    view_write_leaves(&other, by->y, p->outputs, s->y);
    view_write_leaves(&other, by->lambda, p->rows, s->multipliers);
    if (p->optimal)
        *view_slot(&other, by->sigma) = -1;
}

static void pull_evaluate(const struct pulls *g) {
    const struct nearest_inputs *by = &g->group.n->by_inputs;
    for (size_t lane = 0; lane < g->group.count; lane++)
        pull_load(g, lane);
    for (int phase = 0; phase < 3; phase++) {
        if (phase < 2)
            nearest_evaluate(&g->group, phase);
        else
            nearest_hessian(&g->group);
        if (by->program)
            g->group.kernels->run(by->program, phase, g->inputs);
    }
}

/* The active side of row i, 0: inactive; *weak is set if the row is weakly active. */
static double pull_side(const struct nearest_view *v, size_t i, double multiplier, bool *weak) {
    double l = multiplier / *view_row(v, ROW_UNIT, i), answer = 0;
    if (row_is_equality(v, i))
        return 1;
    for (size_t side = 0; side < 2; side++) {
        double force = side ? -l : l, room = fabs(side_room(v, i, side));
        if (!side_is_there(v, i, side))
            continue;
        *weak = *weak || (force < PULL_WEAK && room < PULL_WEAK);
        if (force > room)
            answer = side ? -1 : 1;
    }
    return answer;
}

/* For a distance the largest S^2, for f the largest second derivative of the Lagrangian. */
static void pull_measure_curvature(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    double largest = 0;
    for (size_t e = 0; p->optimal && e < p->curvatures; e++)
        largest = larger(largest, fabs(*view_slot(v, p->bend[e].offset)));
    *view_number(v, NUMBER_UNIT) = 1;
    *view_number(v, NUMBER_CURVATURE) = !p->optimal ? p->largest_square : largest > 0 ? largest : 1;
}

static void pull_assemble(const struct pulls *g, size_t lane) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    const struct nearest_plan *p = v.plan;
    struct nearest_pull *s = &g->samples[lane];
    bool weak = false;
    pull_measure_curvature(&v);
    for (size_t j = 0; j < p->outputs; j++) {
        *view_unknown(&v, UNKNOWN_DIAGONAL, j) =
            p->fixed[j] ? 1 : p->square[j] + *view_slot(&v, p->curvature[j]) + proximal(&v);
        *view_unknown(&v, UNKNOWN_RIGHT, j) = p->fixed[j] ? 0 : s->grad_y[j];
    }
    for (size_t i = 0; i < p->rows; i++) {
        row_measure(&v, i);
        double side = pull_side(&v, i, s->multipliers[i], &weak);
        *view_row(&v, ROW_SIDE, i) = side;
        *view_unknown(&v, UNKNOWN_DIAGONAL, p->outputs + i) = side != 0 ? -row_damping(&v, i) : -PULL_LEFT_OUT;
        *view_unknown(&v, UNKNOWN_RIGHT, p->outputs + i) =
            side != 0 && s->grad_multipliers ? -s->grad_multipliers[i] * *view_row(&v, ROW_UNIT, i) : 0;
    }
    rows_write_matrix(&v);
    s->regular = !weak;
}

/* ---- the solve ---- */

/* Solves for UNKNOWN_RIGHT; the solution goes to the vector `to`. */
static void pull_solve(const struct pulls *g, size_t to) {
    nearest_solve(&g->group, to, g->group.n->plan.optimal ? PULL_WITHOUT : PULL_REFINEMENTS);
}

/* The matrix without the terms added for its factor, for residuals. */
static void pull_leave_out(const struct pulls *g, size_t lane) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    const struct nearest_plan *p = v.plan;
    for (size_t j = 0; p->optimal && j < p->outputs; j++)
        *view_unknown(&v, UNKNOWN_DIAGONAL, j) = p->fixed[j] ? 1 : *view_slot(&v, p->curvature[j]);
}

static bool pull_rows_are_independent(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    double largest = 0;
    for (size_t i = 0; i < p->rows; i++)
        if (*view_row(v, ROW_SIDE, i) != 0)
            largest = larger(largest, fabs(*view_unknown(v, UNKNOWN_STEP2, p->outputs + i)));
    return largest * PULL_DEPENDENT < larger(1e-300, *view_number(v, NUMBER_CURVATURE));
}

/* Whether the solution solves the system without the terms added to its diagonal for the factor. */
static bool pull_is_solved(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    double rest = 0, right = 0;
    for (size_t k = 0; p->optimal && k < p->outputs + p->rows; k++) {
        rest = larger(rest, fabs(*view_unknown(v, UNKNOWN_REST, k)));
        right = larger(right, fabs(*view_unknown(v, UNKNOWN_RIGHT, k)));
    }
    return rest <= PULL_SOLVED * right;
}

/* ---- the gradient ---- */

/* (a, q) with rows in the user's units, in UNKNOWN_STEP. */
static void pull_unscale(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    for (size_t i = 0; i < p->rows; i++) {
        double *q = view_unknown(v, UNKNOWN_STEP, p->outputs + i);
        *q = *view_row(v, ROW_SIDE, i) != 0 ? *q * *view_row(v, ROW_UNIT, i) : 0;
    }
}

/* The gradient of fixed outputs: direct, through J' l, and through c. */
static void pull_fixed(const struct nearest_view *v, struct nearest_pull *s) {
    const struct nearest_plan *p = v->plan;
    for (size_t e = 0; e < p->curvatures; e++) {
        size_t i = p->bend[e].row, j = p->bend[e].column;
        double minus = *view_slot(v, p->bend[e].offset);
        if (p->fixed[i] && !p->fixed[j])
            s->gradient[i] -= minus * *view_unknown(v, UNKNOWN_STEP, j);
        if (p->fixed[j] && !p->fixed[i])
            s->gradient[j] -= minus * *view_unknown(v, UNKNOWN_STEP, i);
    }
    for (size_t i = 0; i < p->rows; i++)
        for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
            if (p->fixed[p->column[e]])
                s->gradient[p->column[e]] -=
                    *view_slot(v, p->entry[e]) * *view_unknown(v, UNKNOWN_STEP, p->outputs + i);
}

static void pull_inputs(const struct pulls *g, size_t lane, struct nearest_pull *s) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    const struct nearest_inputs *by = &g->group.n->by_inputs;
    const double *at = g->inputs + lane;
    for (size_t k = 0; k < v.plan->inputs; k++)
        s->grad_x[k] = 0;
    for (size_t j = 0; j < by->bends.rows; j++)
        for (size_t e = by->bends.first[j]; e < by->bends.first[j + 1] && !v.plan->fixed[j]; e++)
            s->grad_x[by->bends.column[e]] += *NEAREST_AT(at, by->bends.entry[e]) * *view_unknown(&v, UNKNOWN_STEP, j);
    for (size_t i = 0; i < by->rows.rows; i++) {
        double q = *view_unknown(&v, UNKNOWN_STEP, v.plan->outputs + i);
        for (size_t e = by->rows.first[i]; q != 0 && e < by->rows.first[i + 1]; e++)
            s->grad_x[by->rows.column[e]] -= *NEAREST_AT(at, by->rows.entry[e]) * q;
    }
}

/* Outputs with weight 0 have no gradient: J' l is 0 there. */
static void pull_weights(const struct nearest_view *v, const struct nearest_pull *s) {
    const struct nearest_plan *p = v->plan;
    for (size_t j = 0; j < p->outputs; j++)
        s->grad_weights[j] = 0;
    for (size_t i = 0; i < p->rows; i++)
        for (size_t e = p->first[i]; s->multipliers[i] != 0 && e < p->first[i + 1]; e++)
            s->grad_weights[p->column[e]] += *view_slot(v, p->entry[e]) * s->multipliers[i];
    for (size_t j = 0; j < p->outputs; j++)
        s->grad_weights[j] =
            p->fixed[j] || p->square[j] == 0
                ? 0
                : -2 * s->grad_weights[j] * *view_unknown(v, UNKNOWN_STEP, j) / real_sqrt(p->square[j]);
}

static void pull_give(const struct pulls *g, size_t lane) {
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    const struct nearest_plan *p = v.plan;
    struct nearest_pull *s = &g->samples[lane];
    pull_unscale(&v);
    for (size_t j = 0; j < p->outputs; j++)
        s->gradient[j] = p->fixed[j] ? s->grad_y[j] : p->square[j] * *view_unknown(&v, UNKNOWN_STEP, j);
    for (size_t i = 0; i < p->rows; i++) {
        double q = *view_unknown(&v, UNKNOWN_STEP, p->outputs + i), side = *view_row(&v, ROW_SIDE, i);
        s->grad_upper[i] = side < 0 || row_is_equality(&v, i) ? q : 0;
        s->grad_lower[i] = side > 0 && !row_is_equality(&v, i) ? q : 0;
    }
    pull_fixed(&v, s);
    pull_inputs(g, lane, s);
    if (s->grad_weights)
        pull_weights(&v, s);
}

static void pull_give_nothing(const struct pulls *g, struct nearest_pull *s) {
    const struct nearest_plan *p = &g->group.n->plan;
    s->regular = false;
    for (size_t j = 0; j < p->outputs; j++)
        s->gradient[j] = 0;
    for (size_t i = 0; i < p->rows; i++)
        s->grad_lower[i] = s->grad_upper[i] = 0;
    for (size_t k = 0; k < p->inputs; k++)
        s->grad_x[k] = 0;
}

/* At most plan.stride samples. */
static void pull_run(const struct backend *kernels, const struct nearest_parts *n, double *memory,
                     struct nearest_pull *samples, size_t count) {
    const struct nearest_plan *p = &n->plan;
    struct pulls g = {{kernels, n, memory, count}, NEAREST_AT(memory, n->inputs_at), samples};
    pull_evaluate(&g);
    for (size_t lane = 0; lane < count; lane++)
        pull_assemble(&g, lane);
    nearest_factor(&g.group);
    for (size_t lane = 0; lane < count; lane++)
        pull_leave_out(&g, lane);
    pull_solve(&g, UNKNOWN_STEP);
    kernels->signed_residual(&p->system, memory, nearest_vector(p, UNKNOWN_RIGHT), nearest_vector(p, UNKNOWN_STEP),
                             nearest_vector(p, UNKNOWN_REST));
    for (size_t lane = 0; lane < count; lane++) {
        const struct nearest_view v = nearest_view_of(&g.group, lane);
        samples[lane].regular = samples[lane].regular && pull_is_solved(&v);
        rows_ask_dependence(&v);
    }
    pull_solve(&g, UNKNOWN_STEP2);
    for (size_t lane = 0; lane < count; lane++) {
        const struct nearest_view v = nearest_view_of(&g.group, lane);
        samples[lane].regular = samples[lane].regular && pull_rows_are_independent(&v);
        if (nearest_has_signs(&v))
            pull_give(&g, lane);
        else
            pull_give_nothing(&g, &samples[lane]);
    }
}

#endif
