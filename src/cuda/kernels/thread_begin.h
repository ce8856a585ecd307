/* thread_begin.h - what a thread of a device begins with, and how it takes samples.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_THREAD_BEGIN_H
#define HN_CUDA_THREAD_BEGIN_H

#include "cuda/kernels/kernel_registers.h"

/* Slots that no statement writes are 0 until somebody else writes them. */
static void thread_begin(struct thread_state *l, real *slots, real *row, real *before, real *taken) {
    struct solver *d = &l->solver;
    d->plan = &layer_plan;
    d->options = &layer_plan.options;
    d->point.plan = &layer_plan;
    d->point.slots = slots;
    d->point.width = 1;
    d->row = row;
    l->before = before;
#ifdef DEVICE_SINGLE
    l->taken = taken;
#else
    (void)taken;
#endif
    SHARED_LOOP
    for (uint32_t i = 0; i < LAYER_ZEROS; i++)
        slots[zero_slot[i]] = 0;
    SHARED_LOOP
    for (uint32_t i = 0; i < LAYER_CONSTANTS; i++)
        slots[constant_slot[i]] = simd_of_bits(constant_bits[i]);
    solver_flag(d, layer_plan.slots + SOLVER_TAKES, true);
}

/* The first sample of a thread is that of its own number, later ones come from the counter. */
static bool thread_next_sample(const struct device_call *call, uint64_t *sample, uint64_t threads, bool first) {
    if (!first && *sample < call->count)
        *sample = threads + DEVICE_TAKE(call->next);
    return *sample < call->count;
}

#endif
