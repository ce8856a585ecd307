/* kernels_thread.h - the library's kernels under the names that core/search.h calls, for one sample per thread. C++,
 * like policy_refine.h: member functions need no function pointer. They are not inlined, because they are called in
 * many places. kernels_block.h has the same for several threads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNELS_THREAD_H
#define HN_CUDA_KERNELS_THREAD_H

#include "core/program_run.h"
#include "linalg/signed_kernel.h"

struct backend {
    GENERATED static void run(const struct program *program, int phase, double *slots) {
        DEVICE_GLOBAL(slots);
        program_run((const struct policy_program *)(const void *)program, phase, slots, SLOT_STEP);
    }
    GENERATED static void add(double *slots, uint32_t a, uint32_t to, size_t count) {
        DEVICE_GLOBAL(slots);
        for (size_t j = 0; j < count; j++)
            *SLOT_AT(slots, to + j) += *SLOT_AT(slots, a + j);
    }
    GENERATED static void signed_factor(const struct signed_system *system, double *slots) {
        DEVICE_GLOBAL(slots);
        kernel_signed_factor(system, slots);
    }
    GENERATED static void signed_solve(const struct signed_system *system, double *slots, uint32_t from, uint32_t to) {
        DEVICE_GLOBAL(slots);
        kernel_signed_solve(system, slots, from, to);
    }
    GENERATED static void signed_residual(const struct signed_system *system, double *slots, uint32_t right, uint32_t x,
                                          uint32_t to) {
        DEVICE_GLOBAL(slots);
        kernel_signed_residual(system, slots, right, x, to);
    }
};

#endif
