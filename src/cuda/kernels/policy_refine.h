/* policy_refine.h - kernels of policies that refine: the step is core/refine_qp.h, one sample per thread.
 *
 * A slot is contiguous over the threads of a warp, which read the same lists at the same time. A thread whose QP is
 * solved waits for the others of its warp; no bit depends on them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_REFINE_H
#define HN_CUDA_POLICY_REFINE_H

#include "core/program_run.h"
#include "cuda/kernels/policy_args.h"
#include "cuda/kernels/policy_slots.h"

#include "core/refine_qp.h"

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

/* Threads take several samples in turn if memory does not suffice for all at once. */
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

SHARED_FUNCTION void policy_refine_keep(const struct policy_call *c, uint64_t s) {
    refine_keep(&c->samples, &c->refinement.trial, c->refinement.length, c->outputs, s);
}

SHARED_FUNCTION void policy_refine_measure(const struct policy_call *c, uint64_t s) {
    refine_measure(&c->samples, c->outputs, s);
}

/* ---- improved outputs as targets ---- */

/* The distance between corrected and raw outputs, before they are refined. */
SHARED_FUNCTION void policy_improve_begin(const struct policy_call *c, uint64_t s) {
    train_move(&c->train, s);
}

SHARED_FUNCTION void policy_improve_target(const struct policy_call *c, uint64_t s) {
    improve_target(&c->improve, s);
}

SHARED_FUNCTION void policy_improve_start(const struct policy_call *c, uint64_t i) {
    improve_start(&c->improve, i);
}

SHARED_FUNCTION void policy_improve_adopt(const struct policy_call *c, uint64_t i) {
    improve_adopt(&c->improve, i);
}

SHARED_FUNCTION void policy_improve_regress(const struct policy_call *c, uint64_t s) {
    train_regress(&c->train, s, c->improve.targets + s * c->outputs);
}

POLICY_KERNEL_OF_THREADS(refine_step, __launch_bounds__(REFINE_WARP, REFINE_WARPS_EACH))
REFINE_KERNEL_LIST(POLICY_KERNEL)

#endif
