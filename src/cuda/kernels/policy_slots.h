/* policy_slots.h - slots of a warp in global memory, and the library's kernels over them by the names that core/refine_qp.h calls.
 *
 * The threads of a warp are a block: a slot of all of them is contiguous. The host has the width from the call. 32 bits must number the slots
 * of a warp.
 *
 * Functions of a struct, which C++ calls without a pointer. They are not inlined, because the QP is solved in two
 * places: the compiler would take 10 s instead of 3.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_SLOTS_H
#define HN_CUDA_POLICY_SLOTS_H

enum { LANE_PARTS = 1, SLOT_STRIDE = 1, OFFSET_STEP = 1 };

/* linalg/block_sizes.h for 128 registers. */
#define DENSE_SOLVE    1
#define DENSE_FUNCTION static GENERATED
#define LOOP_ROLLED    DEVICE_ROLLED

#ifdef DEVICE_HOST
static thread_local uint32_t warp_width;
#define SLOT_STEP warp_width
#else
#define SLOT_STEP blockDim.x
#endif
#define SLOT_AT(slots, offset)   ((slots) + (uint32_t)(offset)*SLOT_STEP)
#define simd_prefetch(at, ahead) ((void)0)

/* For core/refine_qp.h. */
#define REFINE_AT_ONCE             1
#define REFINE_STRIDE              1
#define REFINE_SLOT(slots, offset) (*SLOT_AT(slots, offset))

#include "core/barrier_kernel.h"
#include "core/program_run.h"
#include "linalg/damped_kernel.h"

SHARED_FUNCTION void kernel_load(double *slots, uint32_t offset, size_t count, const double *const *from) {
    for (size_t j = 0; j < count; j++)
        REFINE_SLOT(slots, offset + j) = from[0][j];
}

SHARED_FUNCTION void kernel_subtract(double *slots, uint32_t a, uint32_t b, uint32_t to, size_t count) {
    for (size_t j = 0; j < count; j++)
        REFINE_SLOT(slots, to + j) = REFINE_SLOT(slots, a + j) - REFINE_SLOT(slots, b + j);
}

SHARED_FUNCTION void kernel_run(const struct program *program, int phase, double *slots) {
    program_run((const struct policy_program *)(const void *)program, phase, slots, SLOT_STEP);
}

#define BACKEND_FUNCTION(name, parameters, arguments)                                                                  \
    GENERATED static void name parameters {                                                                            \
        DEVICE_GLOBAL(slots);                                                                                          \
        kernel_##name arguments;                                                                                       \
    }

struct backend {
    BACKEND_FUNCTION(load, (double *slots, uint32_t offset, size_t count, const double *const *from),
                     (slots, offset, count, from))
    BACKEND_FUNCTION(subtract, (double *slots, uint32_t a, uint32_t b, uint32_t to, size_t count),
                     (slots, a, b, to, count))
    BACKEND_FUNCTION(run, (const struct program *program, int phase, double *slots), (program, phase, slots))
    BACKEND_FUNCTION(multiply, (const struct product *product, double *slots, uint32_t from, uint32_t to),
                     (product, slots, from, to))
    BACKEND_FUNCTION(multiply_subtract, (const struct product *product, double *slots, uint32_t from, uint32_t to),
                     (product, slots, from, to))
    BACKEND_FUNCTION(multiply_two,
                     (const struct product *product, double *slots, const uint32_t *from, const uint32_t *to),
                     (product, slots, from, to))
    BACKEND_FUNCTION(solve, (const struct damped *system, double *slots, const struct damped_sides *sides),
                     (system, slots, sides))
    BACKEND_FUNCTION(barrier_scale, (const struct barrier_task *task, double *slots), (task, slots))
    BACKEND_FUNCTION(barrier_begin, (const struct barrier_task *task, double *slots), (task, slots))
    BACKEND_FUNCTION(barrier_rows, (const struct barrier_task *task, double *slots), (task, slots))
    BACKEND_FUNCTION(barrier_advance, (const struct barrier_task *task, double *slots), (task, slots))
    BACKEND_FUNCTION(barrier_multipliers, (const struct barrier_task *task, double *slots), (task, slots))
};

#endif
