/* nearest_kernel_adjoint.h - gradients of the methods nearest and optimal on a device: a certified sample goes back as a solution does
 * (nearest_pull), others by auto's steps; what layer/search.c and layer/backward.c do for batches.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_NEAREST_KERNEL_ADJOINT_H
#define HN_CUDA_NEAREST_KERNEL_ADJOINT_H

static void thread_search_put(const struct global_state *f, const double *from, uint32_t slot, size_t count) {
    solver_spread(from, 1, point_at(&f->solver.point, slot), SLOT_STRIDE, count);
}

static double *thread_search_part(double *all, uint64_t sample, size_t width) {
    return all ? all + sample * width : 0;
}

/* Gradients by what a solution depends on, into their slots; false: it is one of several, or none. */
static GENERATED bool thread_search_pull(struct global_state *f, const struct device_call *call,
                                         const double *multipliers) {
    const struct plan *plan = f->solver.plan;
    struct thread_search *s = &f->search;
    const struct backend kernels = {};
    struct nearest_pull pull;
    pull.x = f->solver.x;
    pull.y = call->y + f->sample * LAYER_OUTPUTS;
    pull.multipliers = multipliers;
    pull.grad_y = call->grad_y + f->sample * LAYER_OUTPUTS;
    pull.grad_multipliers = call->grad_multipliers ? call->grad_multipliers + f->sample * LAYER_ROWS : 0;
    pull.gradient = s->raw;
    pull.grad_x = s->inputs;
    pull.grad_lower = s->multipliers;
    pull.grad_upper = s->weights;
    pull.grad_weights = thread_search_part(call->grad_weights, f->sample, LAYER_OUTPUTS);
    pull.regular = false;
    pull_run(&kernels, &s->places->near, s->near, &pull, 1);
    thread_search_put(f, pull.gradient, plan->gradient, LAYER_OUTPUTS);
    thread_search_put(f, pull.grad_x, plan->grad_x, LAYER_INPUTS);
    thread_search_put(f, pull.grad_lower, plan->grad_lower, LAYER_ROWS);
    thread_search_put(f, pull.grad_upper, plan->grad_upper, LAYER_ROWS);
    return pull.regular;
}

/* In place of global_adjoint_open. Whole: the gradient is that of a regular solution. */
static GENERATED void thread_search_back_open(struct global_adjoint *b, const struct device_call *call,
                                              uint64_t sample) {
    struct global_state *f = &b->far;
    const double *numbers = call->tape_numbers + sample * (LAYER_ROWS + 1);
    bool solution = numbers[0] == THREAD_SEARCH_BY_SOLUTION, elsewhere = numbers[0] == THREAD_SEARCH_ELSEWHERE;
    double *weights = thread_search_part(call->grad_weights, sample, LAYER_OUTPUTS);
    f->sample = sample;
    thread_adjoint_find(&f->solver, &b->back, &f->tape, call, sample, global_taken(&f->solver));
    if (solution || elsewhere)
        f->tape.head.steps = f->tape.head.attempt = 0;
    if (elsewhere)
        f->tape.head.way = TAPE_TOO_LONG;
    solver_back_open(&f->solver, &b->back, &f->tape.head);
    solver_back_clear(weights, LAYER_OUTPUTS);
    b->whole = solution && thread_search_pull(f, call, numbers + 1);
}

/* In place of global_adjoint_close. */
static GENERATED void thread_search_back_close(struct global_adjoint *b, const struct device_call *call) {
    uint64_t sample = b->far.sample;
    double *weights = thread_search_part(call->grad_weights, sample, LAYER_OUTPUTS);
    size_t unused;
    bool ok = !call->reports || call->reports[sample].outcome == (int32_t)HN_OUTCOME_OK;
    bool finite = !weights || solver_finite(weights, LAYER_OUTPUTS, &unused);
    finite = solver_back_finish(&b->far.solver, &b->back) && finite;
    if (!finite) {
        solver_back_clear(weights, LAYER_OUTPUTS);
        solver_back_clear(b->back.grad_raw, LAYER_OUTPUTS);
        solver_back_clear(b->back.grad_x, LAYER_INPUTS);
        solver_back_clear(b->back.grad_lower, LAYER_ROWS);
        solver_back_clear(b->back.grad_upper, LAYER_ROWS);
    }
    if (call->flagged)
        call->flagged[sample] = !(finite && b->whole && ok);
}

#endif
