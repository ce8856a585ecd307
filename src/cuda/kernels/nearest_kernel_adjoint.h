/* nearest_kernel_adjoint.h - gradients of the methods nearest and optimal on a device: a certified sample goes back as a solution does
 * (nearest_pull), others by auto's steps; what layer/search.c and layer/backward.c do for batches.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_NEAREST_KERNEL_ADJOINT_H
#define HN_CUDA_NEAREST_KERNEL_ADJOINT_H

static void far_search_put(const struct far *f, const double *from, uint32_t slot, size_t count) {
    drive_spread(from, 1, point_at(&f->drive.point, slot), LANES_HERE, count);
}

static double *far_search_part(double *all, uint64_t sample, size_t width) {
    return all ? all + sample * width : 0;
}

/* Gradients by what a solution depends on, into their slots; false: it is one of several, or none. */
static GENERATED bool far_search_pull(struct far *f, const struct device_call *call, const double *multipliers) {
    const struct plan *plan = f->drive.plan;
    struct far_search *s = &f->search;
    const struct backend kernels = {};
    struct nearest_pull pull;
    pull.x = f->drive.x;
    pull.y = call->y + f->sample * LAYER_OUTPUTS;
    pull.multipliers = multipliers;
    pull.grad_y = call->grad_y + f->sample * LAYER_OUTPUTS;
    pull.grad_multipliers = call->grad_multipliers ? call->grad_multipliers + f->sample * LAYER_ROWS : 0;
    pull.gradient = s->raw;
    pull.grad_x = s->inputs;
    pull.grad_lower = s->multipliers;
    pull.grad_upper = s->weights;
    pull.grad_weights = far_search_part(call->grad_weights, f->sample, LAYER_OUTPUTS);
    pull.regular = false;
    pull_run(&kernels, &s->places->near, s->near, &pull, 1);
    far_search_put(f, pull.gradient, plan->gradient, LAYER_OUTPUTS);
    far_search_put(f, pull.grad_x, plan->grad_x, LAYER_INPUTS);
    far_search_put(f, pull.grad_lower, plan->grad_lower, LAYER_ROWS);
    far_search_put(f, pull.grad_upper, plan->grad_upper, LAYER_ROWS);
    return pull.regular;
}

/* In place of far_back_open. Whole: the gradient is that of a regular solution. */
static GENERATED void far_search_back_open(struct far_back *b, const struct device_call *call, uint64_t sample) {
    struct far *f = &b->far;
    const double *numbers = call->tape_numbers + sample * (LAYER_ROWS + 1);
    bool solution = numbers[0] == FAR_SEARCH_BY_SOLUTION, elsewhere = numbers[0] == FAR_SEARCH_ELSEWHERE;
    double *weights = far_search_part(call->grad_weights, sample, LAYER_OUTPUTS);
    f->sample = sample;
    lane_back_find(&f->drive, &b->back, &f->tape, call, sample, far_taken(&f->drive));
    if (solution || elsewhere)
        f->tape.head.steps = f->tape.head.attempt = 0;
    if (elsewhere)
        f->tape.head.way = TAPE_TOO_LONG;
    drive_back_open(&f->drive, &b->back, &f->tape.head);
    drive_back_clear(weights, LAYER_OUTPUTS);
    b->whole = solution && far_search_pull(f, call, numbers + 1);
}

/* In place of far_back_close. */
static GENERATED void far_search_back_close(struct far_back *b, const struct device_call *call) {
    uint64_t sample = b->far.sample;
    double *weights = far_search_part(call->grad_weights, sample, LAYER_OUTPUTS);
    size_t unused;
    bool ok = !call->reports || call->reports[sample].outcome == (int32_t)HN_OUTCOME_OK;
    bool finite = !weights || drive_finite(weights, LAYER_OUTPUTS, &unused);
    finite = drive_back_finish(&b->far.drive, &b->back) && finite;
    if (!finite) {
        drive_back_clear(weights, LAYER_OUTPUTS);
        drive_back_clear(b->back.grad_raw, LAYER_OUTPUTS);
        drive_back_clear(b->back.grad_x, LAYER_INPUTS);
        drive_back_clear(b->back.grad_lower, LAYER_ROWS);
        drive_back_clear(b->back.grad_upper, LAYER_ROWS);
    }
    if (call->flagged)
        call->flagged[sample] = !(finite && b->whole && ok);
}

#endif
