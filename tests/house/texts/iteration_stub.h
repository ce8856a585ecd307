/* iteration_stub.h - what is generated behind kernel_registers.h: an iteration in registers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_ITERATION_STUB_H
#define HN_TESTS_ITERATION_STUB_H

#include "cuda/kernels/kernel_registers.h"

#ifdef DEVICE_GRADIENTS
SIMD_INLINE void thread_adjoint_round(struct thread_adjoint *b, real *slots) {
    slots[0] = b->whole;
}
#else
SIMD_INLINE bool thread_round(struct thread_state *l, real *slots) {
    return l->pinned && slots[0] > 0;
}

static GENERATED void thread_weights(real *slots) {
    (void)slots;
}

static GENERATED void thread_residuals(real *slots) {
    (void)slots;
}
#endif

#endif
