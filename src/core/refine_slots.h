/* refine_slots.h - definitions for the kernels of refinement (core/refine_qp.h) in an emitted file: slots of one
 * number, constant lists, and direct calls.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_REFINE_SLOTS_H
#define HN_CORE_REFINE_SLOTS_H

#include "base/real.h"
#include "core/program_run.h"
#include "core/solver_run.h"

#define SLOT_STEP                  1
#define SLOT_AT(slots, offset)     ((slots) + (offset))
#define simd_prefetch(at, ahead)   ((void)0)
#define DAMPED_LIST                const
#define REFINE_AT_ONCE             1
#define REFINE_STRIDE              1
#define REFINE_SLOT(slots, offset) ((slots)[offset])
#define REFINE_CALL(k, name)       ((void)(k), kernel_##name)

struct backend;

/* The program of core/barrier.h. */
struct program {
    struct policy_program own;
};

static void kernel_load(real *slots, uint32_t offset, size_t count, const real *const *from) {
    solver_copy(from[0], slots + offset, count);
}

static void kernel_subtract(real *slots, uint32_t a, uint32_t b, uint32_t to, size_t count) {
    for (size_t j = 0; j < count; j++)
        slots[to + j] = slots[a + j] - slots[b + j];
}

static void kernel_run(const struct program *program, int phase, real *slots) {
    program_run(&program->own, phase, slots, 1);
}

#endif
