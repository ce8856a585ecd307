/* lanes_back.c - one step of the exact adjoint over SIMD lanes.
 *
 * For a step y+ = y - A' H^-1 W r with H = A A' + eps I, v = H^-1 W r, s = A' v, and p the gradient with respect to y+:
 *
 *     q = H^-1 A p,   t = p - A' q,   g = -D W q          D = 1 on equalities and violated rows, else 0
 *     grad_y  = p + J' g - d/dy [ v' A(y) t - q' A(y) s ]
 *     grad_x += d/dx (g' c) - d/dx [ the same ]
 *     grad_bu = -g above and on equalities,   grad_bl = -g below
 *
 * W, eps and the active rows are locally constant. With as many unknowns as outputs, K = A' A + eps I, u = K^-1 p gives
 * q = A u and t = eps u, and eps v = W r - A s; only v' A t = (eps v)' A u is needed, so no division by eps is needed.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/lanes_executor.h"

/* Two products with A' (columns) or A, over lanes. */
static void multiply_two(const struct executor *x, double *slots, bool columns, const uint32_t from[2],
                         const uint32_t to[2]) {
    const struct lanes *own = lanes_of(x);
    if (own->system.kind != FACTOR_TILED) {
        own->kernels.multiply_two(columns ? &own->system.by_columns : &own->system.by_rows, slots, from, to);
        return;
    }
    for (int i = 0; i < 2; i++)
        if (columns)
            lanes_columns(x, slots, from[i], to[i], false);
        else
            lanes_rows(x, slots, from[i], to[i]);
}

/* Computes v and s only; the gradient passes through the clipping before q is solved for. */
static void solve_forward(const struct executor *x, double *slots) {
    const struct lanes *own = lanes_of(x);
    uint32_t step = lanes_at(x, x->plan->step), s = lanes_at(x, x->plan->leaf_s);
    if (own->system.outputs_side) {
        const struct damped_sides sides = {1, {step}, {s}};
        lanes_columns(x, slots, own->rows.right, step, false);
        lanes_solve(x, slots, &sides);
    } else {
        const struct damped_sides sides = {1, {own->rows.right}, {own->adjoint.v}};
        lanes_solve(x, slots, &sides);
        lanes_columns(x, slots, own->adjoint.v, s, false);
    }
}

void lanes_unclip(const struct executor *x, double *slots, const bool *clipped) {
    const struct lanes *own = lanes_of(x);
    const struct plan *plan = x->plan;
    const struct unclip_places at = {lanes_at(x, plan->y), lanes_at(x, plan->leaf_s), lanes_at(x, plan->gradient),
                                     own->adjoint.grad_lower, own->adjoint.grad_upper};
    if (!lanes_flag(x, slots, own->flags, clipped))
        return;
    solve_forward(x, slots);
    own->kernels.unclip(&own->clip, slots, &at, own->flags);
}

/* q, v, t, s on the rows' side: one unknown per row. */
static void solve_rows(const struct executor *x, double *slots) {
    const struct lanes *own = lanes_of(x);
    const struct plan *plan = x->plan;
    const struct backend *kernels = &own->kernels;
    uint32_t gradient = lanes_at(x, plan->gradient), work = lanes_at(x, plan->work), step = lanes_at(x, plan->step);
    const struct damped_sides sides = {2, {own->rows.right, work}, {own->adjoint.v, own->adjoint.q}};
    const uint32_t from[2] = {own->adjoint.q, own->adjoint.v}, to[2] = {step, lanes_at(x, plan->leaf_s)};
    lanes_rows(x, slots, gradient, work);
    lanes_solve(x, slots, &sides);
    multiply_two(x, slots, true, from, to);
    kernels->subtract(slots, gradient, step, lanes_at(x, plan->leaf_t), plan->outputs);
}

/* q, eps v, t / eps, s on the outputs' side: one unknown per output. */
static void solve_outputs(const struct executor *x, double *slots) {
    const struct lanes *own = lanes_of(x);
    const struct plan *plan = x->plan;
    const struct backend *kernels = &own->kernels;
    uint32_t gradient = lanes_at(x, plan->gradient), work = lanes_at(x, plan->work), step = lanes_at(x, plan->step);
    uint32_t t = lanes_at(x, plan->leaf_t), s = lanes_at(x, plan->leaf_s);
    const struct damped_sides sides = {2, {step, gradient}, {s, t}};
    const uint32_t from[2] = {t, s}, to[2] = {own->adjoint.q, work};
    lanes_columns(x, slots, own->rows.right, step, false);
    lanes_solve(x, slots, &sides);
    multiply_two(x, slots, false, from, to);
    kernels->subtract(slots, own->rows.right, work, own->adjoint.v, plan->rows);
}

void lanes_weigh_damping(const struct executor *x, double *slots, const double *slope) {
    double *damped = slots + lanes_of(x)->adjoint.damped;
    for (uint32_t k = 0; k < x->width; k++)
        damped[k] = slope[k] != 0 ? damped[k] * slope[k] : 0;
}

static void subtract_entries(const struct executor *x, double *slots, const struct lanes_entries *entries,
                             uint32_t slot) {
    lanes_of(x)->kernels.scatter_subtract(slots, entries->value, entries->entry, entries->count, lanes_at(x, slot));
}

void lanes_step_back(const struct executor *x, double *slots, const struct executor_back *step) {
    const struct lanes *own = lanes_of(x);
    const struct plan *plan = x->plan;
    bool weighted = plan->options.weighted;
    if (weighted) {
        lanes_put(x, slots, plan->eps, step->eps);
        own->kernels.shift(&own->rows, slots);
        lanes_unclip(x, slots, step->clipped);
    }
    if (own->system.outputs_side)
        solve_outputs(x, slots);
    else
        solve_rows(x, slots);
    if (weighted) {
        own->kernels.inner(slots, own->adjoint.q, own->adjoint.v, plan->rows, own->adjoint.damped);
        lanes_weigh_damping(x, slots, step->slope);
    }
    own->kernels.adjoint_rows(&own->rows, &own->adjoint, slots, step->bounds);
    own->kernels.run(&own->program, 2, slots);
    lanes_columns(x, slots, own->adjoint.kept, lanes_at(x, plan->gradient), true); /* J' g = -A' D q */
    subtract_entries(x, slots, &own->bracket_y, plan->gradient);
    subtract_entries(x, slots, &own->pull_x, plan->grad_x);
    subtract_entries(x, slots, &own->bracket_x, plan->grad_x);
}
