/* infeasibility_proof.h - row weights that prove, to first order, that no point near y is feasible (nearest.h).
 * Targets as for search.h.
 *
 * At a point with values c and Jacobian J, with rows in units of their gradients, the step d with the smallest violation,
 *
 *     minimise |v|^2 / 2 + delta |d - d_0|^2 / 2,     v = violation of c + J d,
 *
 * has J' v = -delta (d - d_0). If the linearised rows have no common solution, J' v vanishes with delta and v does not: by Farkas' lemma v
 * is the proof. The function is convex and piecewise quadratic: Newton's method on the violated rows, with shorter steps if necessary, ends
 * after finitely many steps. delta decreases from round to round, and each round begins at the solution of the last one, d_0.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_INFEASIBILITY_PROOF_H
#define HN_CORE_INFEASIBILITY_PROOF_H

#include "base/real.h"
#include "core/nearest_solve.h"
#include "core/nearest_state.h"

struct nearest_watch;

enum { PROOF_ROUNDS = 6, PROOF_STEPS = 40, PROOF_HALVES = 30, PROOF_REFINEMENTS = 2 };
/* Vectors: c + J d, its change along a step, d, and d_0. */
enum { ROW_REACHED = ROW_SLACK_LOWER, COLUMN_AWAY = COLUMN_Y, COLUMN_CENTRE = COLUMN_START };

SHARED_CONSTANT double PROOF_DELTA = 0x1p-4, PROOF_LESS = 0x1p-6; /* first delta, and the factor of its decrease */
SHARED_CONSTANT double PROOF_LEFT_OUT = 1e30;                     /* W of a row that is within its bounds */
SHARED_CONSTANT double PROOF_ENOUGH = 1e-14;                      /* residual at which a proof is accepted */
SHARED_CONSTANT double PROOF_LARGE = 0x1p200;
SHARED_CONSTANT double PROOF_ROUNDING = 1e-14; /* relative to the function's value */
SHARED_CONSTANT double PROOF_NOTHING = 1e-14;  /* relative slope at which Newton's method has converged */

struct proof {
    bool busy;
    int round, steps;
    double delta;
    double slope; /* at the start of the previous step */
};

struct proofs {
    struct nearest_group group;
    struct nearest_proof *samples;
    struct proof state[NEAREST_AT_ONCE];
};

/* The violation of a row with this value: positive at the upper bound. */
static double proof_beyond(const struct nearest_view *v, size_t i, double value) {
    double lower = row_lower(v, i), upper = row_upper(v, i);
    return value > upper ? value - upper : value < lower ? value - lower : 0;
}

static double proof_reached(const struct nearest_view *v, size_t i) {
    return proof_beyond(v, i, *view_row(v, ROW_REACHED, i));
}

/* ---- start ---- */

static void proof_load(const struct proofs *g, size_t lane) {
    const struct nearest_plan *p = &g->group.n->plan;
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    view_write_leaves(&v, p->x, p->inputs, g->samples[lane].x);
    view_write_leaves(&v, p->y, p->outputs, g->samples[lane].y);
    view_write_leaves(&v, p->lambda, p->rows, 0); /* no curvature */
    if (p->optimal)
        *view_slot(&v, p->sigma) = 0;
}

/* The unit of a row whose gradient vanishes is such that its violation can be squared. */
static void proof_measure_row(const struct nearest_view *v, size_t i) {
    row_measure(v, i);
    double violation = fabs(proof_beyond(v, i, row_value(v, i))), unit = *view_row(v, ROW_UNIT, i);
    if (violation > PROOF_LARGE)
        *view_row(v, ROW_UNIT, i) = violation <= REAL_MAX ? unit * ldexp(1.0, -(int)ilogb(violation / PROOF_LARGE)) : 1;
}

static void proof_begin(struct proofs *g, size_t lane) {
    const struct nearest_plan *p = &g->group.n->plan;
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    double sum = 0;
    for (size_t j = 0; j < p->outputs; j++)
        *view_column(&v, COLUMN_AWAY, j) = *view_column(&v, COLUMN_CENTRE, j) = 0;
    for (size_t i = 0; i < p->rows; i++) {
        proof_measure_row(&v, i);
        *view_row(&v, ROW_REACHED, i) = row_value(&v, i);
        sum += fabs(row_value(&v, i)) + *view_row(&v, ROW_NORM, i);
        for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
            sum += fabs(row_entry(&v, i, e));
    }
    rows_write_matrix(&v);
    const struct proof fresh = {.busy = sum <= REAL_MAX, .delta = PROOF_DELTA, .slope = REAL_INFINITY};
    g->state[lane] = fresh;
    g->samples[lane].rest = REAL_INFINITY;
    for (size_t i = 0; i < p->rows; i++)
        g->samples[lane].multipliers[i] = 0;
}

/* ---- the weights ---- */

/* J' v to COLUMN_REST; sums: |v|^2 / 2 at d, without the delta term. */
static double proof_pull(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    double squares = 0;
    for (size_t j = 0; j < p->outputs; j++)
        *view_column(v, COLUMN_REST, j) = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double r = proof_reached(v, i);
        squares += r * r;
        for (size_t e = p->first[i]; r != 0 && e < p->first[i + 1]; e++)
            if (!p->fixed[p->column[e]])
                *view_column(v, COLUMN_REST, p->column[e]) += row_entry(v, i, e) * r;
    }
    return squares / 2;
}

/* Keeps the weights v if their residual is the smallest so far, scaled so that the weighted violation is 1. */
static void proof_keep(const struct nearest_view *v, struct nearest_proof *sample) {
    const struct nearest_plan *p = v->plan;
    double weighed = 0, rest = 0;
    proof_pull(v);
    for (size_t j = 0; j < p->outputs; j++)
        rest += fabs(*view_column(v, COLUMN_REST, j));
    for (size_t i = 0; i < p->rows; i++) {
        double r = proof_reached(v, i), bound = r > 0 ? row_upper(v, i) : row_lower(v, i);
        weighed += r != 0 ? r * (row_value(v, i) - bound) : 0; /* satisfied rows count negatively */
    }
    if (!(weighed > 0 && weighed <= REAL_MAX && rest < sample->rest * weighed))
        return;
    sample->rest = rest / weighed;
    for (size_t i = 0; i < p->rows; i++)
        sample->multipliers[i] = 0 - proof_reached(v, i) * *view_row(v, ROW_UNIT, i) / weighed;
}

/* ---- Newton's method ---- */

static void proof_assemble(const struct proofs *g, size_t lane) {
    const struct nearest_plan *p = &g->group.n->plan;
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    double delta = g->state[lane].delta;
    for (size_t j = 0; j < p->outputs; j++) {
        double away = *view_column(&v, COLUMN_AWAY, j) - *view_column(&v, COLUMN_CENTRE, j);
        *view_unknown(&v, UNKNOWN_DIAGONAL, j) = p->fixed[j] ? 1 : delta;
        *view_unknown(&v, UNKNOWN_RIGHT, j) = p->fixed[j] ? 0 : -delta * away;
    }
    for (size_t i = 0; i < p->rows; i++) {
        double r = proof_reached(&v, i);
        bool counts = r != 0 || row_is_equality(&v, i);
        *view_unknown(&v, UNKNOWN_DIAGONAL, p->outputs + i) = counts ? -1 : -PROOF_LEFT_OUT;
        *view_unknown(&v, UNKNOWN_RIGHT, p->outputs + i) = -r;
    }
}

/* The function at a length along the step. */
static double proof_height(const struct proofs *g, size_t lane, double length) {
    const struct nearest_plan *p = &g->group.n->plan;
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    double sum = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double r = proof_beyond(&v, i, *view_row(&v, ROW_REACHED, i) + length * *view_row(&v, ROW_ALONG, i));
        sum += r * r;
    }
    for (size_t j = 0; j < p->outputs; j++) {
        double away = *view_column(&v, COLUMN_AWAY, j) - *view_column(&v, COLUMN_CENTRE, j);
        away += p->fixed[j] ? 0 : length * *view_unknown(&v, UNKNOWN_STEP, j);
        sum += g->state[lane].delta * away * away;
    }
    return sum / 2;
}

/* Directional derivative of the function at the start of the step; *slope receives the size of its gradient. */
static double proof_look_along(const struct proofs *g, size_t lane, double *slope) {
    const struct nearest_plan *p = &g->group.n->plan;
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    double down = 0;
    proof_pull(&v);
    *slope = 0;
    for (size_t j = 0; j < p->outputs; j++) {
        double away = *view_column(&v, COLUMN_AWAY, j) - *view_column(&v, COLUMN_CENTRE, j);
        double own = p->fixed[j] ? 0 : *view_column(&v, COLUMN_REST, j) + g->state[lane].delta * away;
        *slope = larger(*slope, fabs(own));
        down += own * *view_unknown(&v, UNKNOWN_STEP, j);
    }
    for (size_t i = 0; i < p->rows; i++)
        *view_row(&v, ROW_ALONG, i) = row_product(&v, i, view_unknown(&v, UNKNOWN_STEP, 0), p->stride);
    return down;
}

/* Moves along the step; false once Newton's method has ended. The last steps change the function by less than its
 * rounding errors, and are judged by the slope. */
static bool proof_move(struct proofs *g, size_t lane) {
    const struct nearest_plan *p = &g->group.n->plan;
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    struct proof *s = &g->state[lane];
    double slope, length = 1, down = proof_look_along(g, lane, &slope), here = proof_height(g, lane, 0),
                  lost = PROOF_ROUNDING * here;
    bool ends = -down <= lost && !(slope < 0.5 * s->slope);
    s->slope = slope;
    if (!(down < 0 && slope > PROOF_NOTHING * real_sqrt(2 * here)) || ends)
        return false;
    for (int k = 0; k < PROOF_HALVES && !(proof_height(g, lane, length) <= here + 0.25 * length * down + lost); k++)
        length *= 0.5;
    if (!(proof_height(g, lane, length) <= here + lost))
        return false;
    for (size_t j = 0; j < p->outputs; j++)
        *view_column(&v, COLUMN_AWAY, j) += p->fixed[j] ? 0 : length * *view_unknown(&v, UNKNOWN_STEP, j);
    for (size_t i = 0; i < p->rows; i++)
        *view_row(&v, ROW_REACHED, i) =
            row_value(&v, i) + row_product(&v, i, view_column(&v, COLUMN_AWAY, 0), COLUMN_VECTORS);
    return true;
}

/* ---- rounds ---- */

static void proof_advance(struct proofs *g, size_t lane) {
    const struct nearest_plan *p = &g->group.n->plan;
    const struct nearest_view v = nearest_view_of(&g->group, lane);
    struct proof *s = &g->state[lane];
    if (!s->busy || (proof_move(g, lane) && ++s->steps < PROOF_STEPS))
        return;
    proof_keep(&v, &g->samples[lane]);
    for (size_t j = 0; j < p->outputs; j++)
        *view_column(&v, COLUMN_CENTRE, j) = *view_column(&v, COLUMN_AWAY, j);
    s->steps = 0;
    s->slope = REAL_INFINITY;
    s->delta *= PROOF_LESS;
    s->busy = ++s->round < PROOF_ROUNDS && g->samples[lane].rest > PROOF_ENOUGH;
}

/* At most plan.stride samples. */
// NOLINTNEXTLINE(readability-non-const-parameter): written through the group
static void proof_run(const struct backend *kernels, const struct nearest_parts *n, double *memory,
                      struct nearest_proof *samples, size_t count, const struct nearest_watch *watch) {
    struct proofs g = {.group = {.kernels = kernels, .n = n, .memory = memory, .count = count}, .samples = samples};
    bool any = false;
    for (size_t lane = 0; lane < count; lane++)
        proof_load(&g, lane);
    nearest_evaluate(&g.group, 0);
    nearest_evaluate(&g.group, 1);
    nearest_hessian(&g.group);
    for (size_t lane = 0; lane < count; lane++) {
        proof_begin(&g, lane);
        any = any || g.state[lane].busy;
    }
    while (any && !NEAREST_ENDS(watch)) {
        for (size_t lane = 0; lane < count; lane++)
            proof_assemble(&g, lane);
        nearest_factor(&g.group);
        nearest_solve(&g.group, UNKNOWN_STEP, PROOF_REFINEMENTS);
        any = false;
        for (size_t lane = 0; lane < count; lane++) {
            proof_advance(&g, lane);
            any = any || g.state[lane].busy;
        }
    }
}

#endif
