/* policy_refine.h - kernels of policies that refine: the step is core/refine_qp.h, one sample per thread, over the kernels of the
 * library.
 *
 * The threads of a warp are a block: a slot of all of them is contiguous, and they read the same lists at the same
 * time. A thread whose QP is solved waits for the others; its bits do not depend on them. On the host the width of a
 * warp is an argument of the call. 32 bits must number the slots of a warp.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_REFINE_H
#define HN_CUDA_POLICY_REFINE_H

/* ---- slots and kernels ---- */

enum { LANE_PARTS = 1, SLOT_STRIDE = 1, OFFSET_STEP = 1 };

/* Sizes of linalg/block_sizes.h for 128 registers. */
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

/* Definitions required by core/refine_qp.h. */
#define REFINE_AT_ONCE             1
#define REFINE_STRIDE              1
#define REFINE_SLOT(slots, offset) (*SLOT_AT(slots, offset))

#include "core/barrier_kernel.h"
#include "core/program_run.h"
#include "cuda/kernels/policy_args.h"
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

/* Member functions, which C++ calls without a function pointer. Not inlined, because the QP is solved in two places:
 * compiling would take 10 s instead of 3. */
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

#include "core/refine_qp.h"

/* ---- a step ---- */

SHARED_FUNCTION double *refine_memory(const struct policy_refinement *r, uint64_t thread) {
    uint64_t warp = thread / SLOT_STEP, lane = thread % SLOT_STEP;
    return r->memory + warp * r->slots * SLOT_STEP + lane;
}

SHARED_FUNCTION void refine_prepare(const struct policy_refinement *r, double *slots) {
    const struct refine_places *p = r->places;
    const struct policy_program *program = (const struct policy_program *)(const void *)p->program;
    for (uint64_t i = 0; i < r->slots; i++)
        REFINE_SLOT(slots, i) = i < program->constant_count ? program->constants[i] : 0;
    for (uint64_t i = 0; i < p->system.constant_count; i++)
        REFINE_SLOT(slots, p->system.constants[i].offset) = p->system.constants[i].value;
}

SHARED_FUNCTION void refine_one(const struct policy_call *c, uint64_t s, double *slots) {
    const struct policy_refinement *r = &c->refinement;
    const struct backend kernels = {};
    struct refine_sample sample;
    if (!r->known)
        r->length[s] = 1;
    sample.x = c->samples.x + s * c->inputs;
    sample.y = c->samples.y + s * c->outputs;
    sample.y_new = r->trial.raw + s * c->outputs;
    sample.multipliers = r->multipliers + s * c->train.rows;
    sample.known = r->known != 0;
    sample.length = r->length[s];
    refine_group(&kernels, r->places, slots, &sample, 1);
}

/* Threads process several samples in turn if memory does not suffice for all at once. */
SHARED_FUNCTION void policy_refine_step(const struct policy_call *c, uint64_t thread) {
    const struct policy_refinement *r = &c->refinement;
#ifdef DEVICE_HOST
    warp_width = (uint32_t)r->width;
#endif
    if (thread >= c->samples.count)
        return;
    double *slots = refine_memory(r, thread);
    refine_prepare(r, slots);
    for (uint64_t s = thread; s < c->samples.count; s += r->threads)
        refine_one(c, s, slots);
}

POLICY_FUNCTION(refine_keep, refine_keep(&c->samples, &c->refinement.trial, c->refinement.length, c->outputs, i))
POLICY_FUNCTION(refine_measure, refine_measure(&c->samples, c->outputs, i))

/* ---- improved outputs as targets ---- */

/* The distance between corrected and raw outputs, before they are refined. */
POLICY_FUNCTION(improve_begin, train_move(&c->train, i))
POLICY_FUNCTION(improve_target, improve_target(&c->improve, i))
POLICY_FUNCTION(improve_start, improve_start(&c->improve, i))
POLICY_FUNCTION(improve_adopt, improve_adopt(&c->improve, i))
POLICY_FUNCTION(improve_regress, train_regress(&c->train, i, c->improve.targets + i * c->outputs))

POLICY_KERNEL_OF_THREADS(refine_step, __launch_bounds__(REFINE_WARP, REFINE_WARPS_EACH))
REFINE_KERNEL_LIST(POLICY_KERNEL)

#endif
