/* nearest_kernel_adjoint.h - gradients of the methods nearest and optimal on a device: a certified sample goes back as a solution does
 * (nearest_pull), others by auto's steps; what layer/search.c and layer/backward.c do for batches.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_NEAREST_KERNEL_ADJOINT_H
#define HN_CUDA_NEAREST_KERNEL_ADJOINT_H

#include "core/implicit_vjp.h"
#include "cuda/kernels/kernel_global_adjoint.h"
#include "cuda/kernels/search_layout.h"

static double *thread_search_part(double *all, uint64_t sample, size_t width) {
    return all ? all + sample * width : 0;
}

/* Gradients by what a solution depends on, into their slots; false: it is one of several, or none. */
static GENERATED bool thread_search_pull(struct global_state *f, const struct device_call *call,
                                         const double *multipliers) {
    const struct plan *plan = f->solver.plan;
    const struct thread_search *s = &f->search;
    const struct point *p = &f->solver.point;
    const struct backend kernels = {};
    struct nearest_pull pull;
    pull.x = f->solver.x;
    pull.y = call->y + f->sample * LAYER_OUTPUTS;
    pull.multipliers = multipliers;
    pull.grad_y = call->grad_y + f->sample * LAYER_OUTPUTS;
    pull.grad_multipliers = call->grad_multipliers ? call->grad_multipliers + f->sample * LAYER_ROWS : 0;
    pull.gradient = s->own.raw;
    pull.grad_x = s->inputs;
    pull.grad_lower = s->own.multipliers;
    pull.grad_upper = s->own.stalled_multipliers;
    pull.grad_weights = thread_search_part(call->grad_weights, f->sample, LAYER_OUTPUTS);
    pull.regular = false;
    pull_run(&kernels, &s->places->near, s->near, &pull, 1);
    point_write(p, plan->gradient, LAYER_OUTPUTS, pull.gradient);
    point_write(p, plan->grad_x, LAYER_INPUTS, pull.grad_x);
    point_write(p, plan->grad_lower, LAYER_ROWS, pull.grad_lower);
    point_write(p, plan->grad_upper, LAYER_ROWS, pull.grad_upper);
    return pull.regular;
}

/* In place of global_adjoint_open. Whole: the gradient is that of a regular solution. */
static GENERATED void thread_search_back_open(struct global_adjoint *b, const struct device_call *call,
                                              uint64_t sample) {
    struct global_state *f = &b->far;
    const double *numbers = call->tape_numbers + sample * (LAYER_ROWS + 1);
    bool certified = numbers[0] == TAPE_CERTIFIED, elsewhere = numbers[0] == TAPE_ELSEWHERE;
    f->sample = sample;
    thread_adjoint_find(&f->solver, &b->back, &f->tape, call, sample, global_taken(&f->solver));
    if (certified || elsewhere)
        f->tape.head.steps = f->tape.head.attempt = 0;
    if (elsewhere)
        f->tape.head.way = TAPE_TOO_LONG;
    solver_back_open(&f->solver, &b->back, &f->tape.head);
    b->back.grad_weights = thread_search_part(call->grad_weights, sample, LAYER_OUTPUTS);
    point_zero(b->back.grad_weights, LAYER_OUTPUTS);
    b->whole = certified && thread_search_pull(f, call, numbers + 1);
}

#endif
