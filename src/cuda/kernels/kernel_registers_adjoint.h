/* kernel_registers_adjoint.h - one thread of a device and the gradients of the samples that it takes: core/solver_adjoint.h, with steps that
 * are one straight line of generated statements (thread_adjoint_round) where they neither clip nor hold outputs on bounds.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_REGISTERS_ADJOINT_H
#define HN_CUDA_KERNEL_REGISTERS_ADJOINT_H

#include "cuda/kernels/kernel_registers.h"
#include "cuda/kernels/sample_io_adjoint.h"

struct thread_adjoint {
    struct thread_state lane;
    struct solver_back back;
    bool whole;
};

static GENERATED void thread_adjoint_open(struct thread_adjoint *b, const struct device_call *call, uint64_t sample) {
    struct thread_state *l = &b->lane;
    struct solver *d = &l->solver;
    l->sample = sample;
    b->whole = thread_adjoint_find(d, &b->back, &l->tape, call, sample, thread_taken(l));
    solver_back_open(d, &b->back, &l->tape.head);
    l->assumed = thread_assumes(d->point.slots);
}

/* A step for the slots. */
static GENERATED void thread_adjoint_listed(struct thread_adjoint *b) {
    solver_back_step(&b->lane.solver);
}

/* The same of a step that a straight round has begun with. */
static void thread_adjoint_apart(struct thread_adjoint *b) {
    b->lane.solver.state.steps++;
    thread_adjoint_listed(b);
}

/* The step before; false where it is one for the slots, and done. */
SIMD_INLINE bool thread_adjoint_begin(struct thread_adjoint *b, real *slots, const struct sample_options *o) {
    const struct solver_tape *tape = &b->lane.tape;
    struct sample *s = &b->lane.solver.state;
    size_t step = (size_t)(s->steps - 1);
    const real *from = tape->iterate + step * LAYER_OUTPUTS * tape->width;
    const real eps = tape->eps[step * tape->width];
    const int32_t kind = tape->kind[step * tape->width];
    thread_spread(from, tape->width, slots + LAYER_Y, 1, LAYER_OUTPUTS); /* before any of it is waited for */
    solver_back_to(s, eps, kind);
    if (o->weighted && (s->kind == SAMPLE_CLIPPED || !b->lane.assumed)) {
        thread_adjoint_listed(b);
        return false;
    }
    s->steps--;
    return true;
}

/* After the residual: what the rows are weighed by. */
SIMD_INLINE void thread_adjoint_weigh(struct thread_adjoint *b, real *slots, const struct sample_options *o) {
    const struct sample *s = &b->lane.solver.state;
    slots[LAYER_HOLD] = sample_hold(s, o, slots[LAYER_SUMMARY + SUMMARY_SQUARES]);
    mask_write(slots + LAYER_LEADS, s->kind == SAMPLE_LEADING);
    slots[LAYER_EPS] = s->eps;
}

/* After the solves: what eps owes to r; see solver_eps_slope. */
SIMD_INLINE void thread_adjoint_damp(struct thread_adjoint *b, real *slots, const struct sample_options *o) {
    const struct sample *s = &b->lane.solver.state;
    real slope = sample_eps_slope(s, o, slots[LAYER_SUMMARY + SUMMARY_SQUARES]);
    slope = slope != 0 && o->outputs_side ? slope / s->eps : slope;
    slots[LAYER_DAMPED] = slope != 0 ? slots[LAYER_DAMPED] * slope : 0;
}

static GENERATED void thread_adjoint_close(struct thread_adjoint *b, const struct device_call *call) {
    thread_adjoint_end(&b->lane.solver, &b->back, call, b->lane.sample, b->whole);
}

#endif
