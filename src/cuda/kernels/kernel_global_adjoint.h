/* kernel_global_adjoint.h - the gradients of the samples that a thread takes, where their slots lie in the device's memory: see kernel_global.h and
 * core/solver_adjoint.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_GLOBAL_ADJOINT_H
#define HN_CUDA_KERNEL_GLOBAL_ADJOINT_H

#include "cuda/kernels/kernel_global.h"
#include "cuda/kernels/sample_io_adjoint.h"

struct global_adjoint {
    struct global_state far;
    struct solver_back back;
    bool whole;
};

static GENERATED void global_adjoint_open(struct global_adjoint *b, const struct device_call *call, uint64_t sample) {
    struct global_state *f = &b->far;
    f->sample = sample;
    b->whole = thread_adjoint_find(&f->solver, &b->back, &f->tape, call, sample, global_taken(&f->solver));
    solver_back_open(&f->solver, &b->back, &f->tape.head);
}

static GENERATED void global_adjoint_step(struct global_adjoint *b) {
    solver_back_step(&b->far.solver);
}

static GENERATED void global_adjoint_close(struct global_adjoint *b, const struct device_call *call) {
    thread_adjoint_end(&b->far.solver, &b->back, call, b->far.sample, b->whole);
}

#endif
