/* pull_lanes.c - see nearest.h: the gradient of the nearest point by the implicit function theorem, for samples side by side.
 *
 * With A the active rows, the optimality conditions S^2 (y - y_raw) = J' l, c_A = b_A have the derivative
 *
 *     [ H     J_A' ] [  dy ]   [ S^2 dy_raw + d/dx (J' l) dx ]
 *     [ J_A   0    ] [ -dl ] = [ db_A - dc_A/dx dx           ]
 *
 * A gradient p by y, and g by l, therefore goes through one solve with the same matrix, K (a, q) = (p, -g): S^2 a belongs to y_raw, q to the active
 * bounds, a' d/dx (J' l) - q' dc/dx to x, and likewise to fixed outputs; -2 S (y - y_raw) a, which is -2 (J' l) a / S, to S. A row is active where its multiplier is larger than its distance
 * to the bound, and weakly active where both are below WEAK, in units of the row. Solutions with weakly active rows, dependent active
 * rows, or a Hessian that is not positive on the tangent (the number of positive pivots says so) are not regular.
 *
 * SPDX-License-Identifier: MIT */
#include "base/lanes.h"
#include "nearest/nearest.h"
#include "nearest/nearest_barrier.h"
#include "nearest/nearest_rows.h"

#include <string.h>

static const double WEAK = 1e-5;
static const double LEFT_OUT = 1e30;  /* W of a row that is not active */
static const double DEPENDENT = 1e-8; /* of a unit right-hand side on the rows: its solution is larger than 1 / this */
static const double SOLVED = 1e-10;   /* of the right-hand side may be left */
enum {
    REFINEMENTS = 2,
    WITHOUT = 6
}; /* of f, whose matrix is factored with something on its diagonal that is then left out */

/* The samples of one call. */
struct pulls {
    const struct nearest *n;
    double *memory, *inputs; /* of the plan, and of the program by inputs */
    struct nearest_pull *samples;
    size_t count;
};

static struct nearest_view view_of(const struct pulls *g, size_t lane) {
    return nearest_view_of(&g->n->plan, g->memory, lane);
}

/* ---- the point ---- */

static void load(const struct pulls *g, size_t lane) {
    const struct nearest_plan *p = &g->n->plan;
    const struct nearest_inputs *by = &g->n->by_inputs;
    const struct nearest_pull *s = &g->samples[lane];
    double *at = g->memory + lane, *other = g->inputs + lane;
    for (size_t i = 0; i < p->inputs; i++)
        at[p->x + i * p->stride] = other[by->x + i * p->stride] = s->x[i];
    for (size_t j = 0; j < p->outputs; j++) {
        at[p->y + j * p->stride] = s->y[j];
        if (by->program)
            other[by->y + j * p->stride] = s->y[j];
    }
    for (size_t i = 0; i < p->rows; i++) {
        at[p->lambda + i * p->stride] = -s->multipliers[i];
        if (by->program)
            other[by->lambda + i * p->stride] = s->multipliers[i];
    }
    if (p->optimal)
        at[p->sigma] = 1;
    if (p->optimal && by->program)
        other[by->sigma] = -1;
}

static void evaluate(const struct pulls *g) {
    const struct nearest_inputs *by = &g->n->by_inputs;
    for (size_t lane = 0; lane < g->count; lane++)
        load(g, lane);
    for (int phase = 0; phase < 3; phase++) {
        if (phase < 2)
            g->n->backend.run(g->n->plan.program, phase, g->memory);
        else
            nearest_bend(g->n, g->memory);
        if (by->program)
            g->n->backend.run(by->program, phase, g->inputs);
    }
}

/* The side of row i that is active, 0: none; true in *weak where that is hard to say. */
static double side_of(const struct nearest_view *v, size_t i, double multiplier, bool *weak) {
    double l = multiplier / *view_row(v, ROW_UNIT, i), answer = 0;
    if (row_is_equality(v, i))
        return 1;
    for (size_t side = 0; side < 2; side++) {
        double force = side ? -l : l, room = fabs(side_room(v, i, side));
        if (!side_is_there(v, i, side))
            continue;
        *weak = *weak || (force < WEAK && room < WEAK);
        if (force > room)
            answer = side ? -1 : 1;
    }
    return answer;
}

/* Of a distance the largest S^2, of f the largest second derivative of the Lagrangian. */
static void measure_curvature(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    double largest = 0;
    for (size_t e = 0; p->optimal && e < p->curvatures; e++)
        largest = larger(largest, fabs(v->at[p->bend[e].offset]));
    *view_number(v, NUMBER_UNIT) = 1;
    *view_number(v, NUMBER_CURVATURE) = !p->optimal ? p->largest_square : largest > 0 ? largest : 1;
}

static void assemble(const struct pulls *g, size_t lane) {
    const struct nearest_view v = view_of(g, lane);
    const struct nearest_plan *p = v.plan;
    struct nearest_pull *s = &g->samples[lane];
    bool weak = false;
    measure_curvature(&v);
    for (size_t j = 0; j < p->outputs; j++) {
        *view_unknown(&v, UNKNOWN_DIAGONAL, j) = p->fixed[j] ? 1 : p->square[j] + v.at[p->curvature[j]] + proximal(&v);
        *view_unknown(&v, UNKNOWN_RIGHT, j) = p->fixed[j] ? 0 : s->grad_y[j];
    }
    for (size_t i = 0; i < p->rows; i++) {
        barrier_measure_row(&v, i);
        double side = side_of(&v, i, s->multipliers[i], &weak);
        *view_row(&v, ROW_SIDE, i) = side;
        *view_unknown(&v, UNKNOWN_DIAGONAL, p->outputs + i) = side != 0 ? -row_damping(&v, i) : -LEFT_OUT;
        *view_unknown(&v, UNKNOWN_RIGHT, p->outputs + i) =
            side != 0 && s->grad_multipliers ? -s->grad_multipliers[i] * *view_row(&v, ROW_UNIT, i) : 0;
        for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
            v.at[p->matrix + e * p->stride] = row_entry(&v, i, e);
    }
    s->regular = !weak;
}

/* ---- the solve ---- */

static uint32_t unknown_vector(const struct pulls *g, size_t which) {
    const struct nearest_plan *p = &g->n->plan;
    return (uint32_t)(p->by_unknowns + which * (p->outputs + p->rows) * p->stride);
}

static void solve(const struct pulls *g, uint32_t right, uint32_t step) {
    const struct backend *b = &g->n->backend;
    const struct signed_system *system = &g->n->plan.system;
    uint32_t rest = unknown_vector(g, UNKNOWN_REST);
    b->signed_solve(system, g->memory, right, step);
    for (int k = 0; k < (g->n->plan.optimal ? WITHOUT : REFINEMENTS); k++) {
        b->signed_residual(system, g->memory, right, step, rest);
        b->signed_solve(system, g->memory, rest, rest);
        b->add(g->memory, rest, step, system->order);
    }
}

/* The matrix itself, for the residuals of what its factor gives. */
static void leave_out(const struct pulls *g, size_t lane) {
    const struct nearest_view v = view_of(g, lane);
    const struct nearest_plan *p = v.plan;
    for (size_t j = 0; p->optimal && j < p->outputs; j++)
        *view_unknown(&v, UNKNOWN_DIAGONAL, j) = p->fixed[j] ? 1 : v.at[p->curvature[j]];
}

/* 1 and -1 on the active rows in turn, 0 elsewhere: large where it goes in, unless the rows are independent. */
static void ask_rows(const struct pulls *g, size_t lane) {
    const struct nearest_view v = view_of(g, lane);
    const struct nearest_plan *p = v.plan;
    double sign = 1;
    for (size_t j = 0; j < p->outputs; j++)
        *view_unknown(&v, UNKNOWN_RIGHT, j) = 0;
    for (size_t i = 0; i < p->rows; i++) {
        bool active = *view_row(&v, ROW_SIDE, i) != 0;
        *view_unknown(&v, UNKNOWN_RIGHT, p->outputs + i) = active ? sign : 0;
        sign = active ? -0.875 * sign : sign; /* no sum of them is 0 by chance */
        sign = fabs(sign) < 0.25 ? 4 * sign : sign;
    }
}

static bool rows_are_independent(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    double largest = 0;
    for (size_t i = 0; i < p->rows; i++)
        if (*view_row(v, ROW_SIDE, i) != 0)
            largest = larger(largest, fabs(*view_unknown(v, UNKNOWN_STEP2, p->outputs + i)));
    return largest * DEPENDENT < larger(1e-300, *view_number(v, NUMBER_CURVATURE));
}

/* Whether the solution answers the matrix itself: what stood on its diagonal while it was factored may have been too much. */
static bool is_solved(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    double rest = 0, right = 0;
    for (size_t k = 0; p->optimal && k < p->outputs + p->rows; k++) {
        rest = larger(rest, fabs(*view_unknown(v, UNKNOWN_REST, k)));
        right = larger(right, fabs(*view_unknown(v, UNKNOWN_RIGHT, k)));
    }
    return rest <= SOLVED * right;
}

static bool has_signs(const struct pulls *g, size_t lane) {
    const struct nearest_plan *p = &g->n->plan;
    const double *summary = g->memory + p->system.summary + lane;
    return summary[(size_t)SIGNED_POSITIVE * p->stride] == (double)p->outputs &&
           summary[(size_t)SIGNED_LOST * p->stride] == 0;
}

/* ---- what it gives ---- */

/* (a, q) with the rows back in the user's units, in UNKNOWN_STEP. */
static void unscale(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    for (size_t i = 0; i < p->rows; i++) {
        double *q = view_unknown(v, UNKNOWN_STEP, p->outputs + i);
        *q = *view_row(v, ROW_SIDE, i) != 0 ? *q * *view_row(v, ROW_UNIT, i) : 0;
    }
}

/* Of a fixed output: its own gradient, what J' l owes, and what c owes. */
static void pull_fixed(const struct nearest_view *v, struct nearest_pull *s) {
    const struct nearest_plan *p = v->plan;
    for (size_t e = 0; e < p->curvatures; e++) {
        size_t i = p->bend[e].row, j = p->bend[e].column;
        double minus = v->at[p->bend[e].offset];
        if (p->fixed[i] && !p->fixed[j])
            s->gradient[i] -= minus * *view_unknown(v, UNKNOWN_STEP, j);
        if (p->fixed[j] && !p->fixed[i])
            s->gradient[j] -= minus * *view_unknown(v, UNKNOWN_STEP, i);
    }
    for (size_t i = 0; i < p->rows; i++)
        for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
            if (p->fixed[p->column[e]])
                s->gradient[p->column[e]] -= v->at[p->entry[e]] * *view_unknown(v, UNKNOWN_STEP, p->outputs + i);
}

static void pull_inputs(const struct pulls *g, size_t lane, struct nearest_pull *s) {
    const struct nearest_view v = view_of(g, lane);
    const struct nearest_inputs *by = &g->n->by_inputs;
    const double *at = g->inputs + lane;
    for (size_t k = 0; k < v.plan->inputs; k++)
        s->grad_x[k] = 0;
    for (size_t j = 0; j < by->bends.rows; j++)
        for (size_t e = by->bends.first[j]; e < by->bends.first[j + 1] && !v.plan->fixed[j]; e++)
            s->grad_x[by->bends.column[e]] += at[by->bends.entry[e]] * *view_unknown(&v, UNKNOWN_STEP, j);
    for (size_t i = 0; i < by->rows.rows; i++) {
        double q = *view_unknown(&v, UNKNOWN_STEP, v.plan->outputs + i);
        for (size_t e = by->rows.first[i]; q != 0 && e < by->rows.first[i + 1]; e++)
            s->grad_x[by->rows.column[e]] -= at[by->rows.entry[e]] * q;
    }
}

/* An output that costs nothing has no pull: J' l is 0 there. */
static void pull_weights(const struct nearest_view *v, const struct nearest_pull *s) {
    const struct nearest_plan *p = v->plan;
    for (size_t j = 0; j < p->outputs; j++)
        s->grad_weights[j] = 0;
    for (size_t i = 0; i < p->rows; i++)
        for (size_t e = p->first[i]; s->multipliers[i] != 0 && e < p->first[i + 1]; e++)
            s->grad_weights[p->column[e]] += v->at[p->entry[e]] * s->multipliers[i];
    for (size_t j = 0; j < p->outputs; j++)
        s->grad_weights[j] = p->fixed[j] || p->square[j] == 0
                                 ? 0
                                 : -2 * s->grad_weights[j] * *view_unknown(v, UNKNOWN_STEP, j) / sqrt(p->square[j]);
}

static void give(const struct pulls *g, size_t lane) {
    const struct nearest_view v = view_of(g, lane);
    const struct nearest_plan *p = v.plan;
    struct nearest_pull *s = &g->samples[lane];
    unscale(&v);
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

static void give_nothing(const struct pulls *g, struct nearest_pull *s) {
    const struct nearest_plan *p = &g->n->plan;
    s->regular = false;
    memset(s->gradient, 0, p->outputs * sizeof *s->gradient);
    memset(s->grad_lower, 0, p->rows * sizeof *s->grad_lower);
    memset(s->grad_upper, 0, p->rows * sizeof *s->grad_upper);
    if (p->inputs)
        memset(s->grad_x, 0, p->inputs * sizeof *s->grad_x);
}

void nearest_pull(const struct nearest *n, double *memory, struct nearest_pull *samples, size_t count) {
    struct pulls g = {n, memory, memory + n->inputs_at, samples, count};
    evaluate(&g);
    for (size_t lane = 0; lane < count; lane++)
        assemble(&g, lane);
    n->backend.signed_factor(&n->plan.system, memory);
    for (size_t lane = 0; lane < count; lane++)
        leave_out(&g, lane);
    solve(&g, unknown_vector(&g, UNKNOWN_RIGHT), unknown_vector(&g, UNKNOWN_STEP));
    n->backend.signed_residual(&n->plan.system, memory, unknown_vector(&g, UNKNOWN_RIGHT),
                               unknown_vector(&g, UNKNOWN_STEP), unknown_vector(&g, UNKNOWN_REST));
    for (size_t lane = 0; lane < count; lane++) {
        const struct nearest_view v = view_of(&g, lane);
        samples[lane].regular = samples[lane].regular && is_solved(&v);
        ask_rows(&g, lane);
    }
    solve(&g, unknown_vector(&g, UNKNOWN_RIGHT), unknown_vector(&g, UNKNOWN_STEP2));
    for (size_t lane = 0; lane < count; lane++) {
        const struct nearest_view v = view_of(&g, lane);
        samples[lane].regular = samples[lane].regular && rows_are_independent(&v);
        if (has_signs(&g, lane))
            give(&g, lane);
        else
            give_nothing(&g, &samples[lane]);
    }
}
