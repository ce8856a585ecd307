/* kernel_global_main.h - the kernels over slots in the device's memory: a thread takes samples until none is left, to correct them or, where
 * DEVICE_GRADIENTS is defined, to pull gradients back.
 *
 * Threads of a warp go through the parts of a round together. One whose sample has ended waits until several have (GLOBAL_REFILL); where
 * none goes on nobody waits.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_GLOBAL_MAIN_H
#define HN_CUDA_KERNEL_GLOBAL_MAIN_H

#include "cuda/kernels/kernel_global.h"

/* What is done with a sample: a part of a round returns false when it has ended. */
#ifdef DEVICE_GRADIENTS
typedef struct global_adjoint task;
#ifdef DEVICE_SEARCHES
#define task_open thread_search_back_open
#else
#define task_open global_adjoint_open
#endif
#define task_close global_adjoint_close

SIMD_INLINE struct global_state *task_global(task *t) {
    return &t->far;
}

SIMD_INLINE bool task_begin(task *t) {
    return t->far.solver.state.steps > 0;
}

SIMD_INLINE bool task_decide(task *t) {
    (void)t;
    return true;
}

SIMD_INLINE void task_end(task *t) {
    global_adjoint_step(t);
}
#else
typedef struct global_state task;
#define task_open   global_open
#define task_close  global_close
#define task_decide global_decide
#define task_end    global_move

SIMD_INLINE struct global_state *task_global(task *t) {
    return t;
}

/* Behind floats of paper and hardnet the verdict is all there is. */
SIMD_INLINE bool task_begin(task *t) {
#if defined(DEVICE_POLISH) && !LAYER_WEIGHTED
    (void)t;
    return false;
#else
    global_evaluate(t);
    return true;
#endif
}
#endif

/* slots: those of the thread's sample; zeros, but for what is constant. */
static void global_begin(struct global_state *f, real *slots, real *row) {
    struct solver *d = &f->solver;
    d->plan = &layer_plan;
    d->options = &layer_plan.options;
    d->point.plan = &layer_plan;
    d->point.slots = slots;
    d->point.width = SLOT_STRIDE;
    d->row = row;
    for (uint32_t i = 0; i < LAYER_SLOTS; i++)
        S((size_t)i) = 0;
    for (uint32_t i = 0; i < LAYER_CONSTANTS; i++)
        S((size_t)constant_slot[i]) = simd_of_bits(constant_bits[i]);
    solver_flag(d, layer_plan.slots + SOLVER_TAKES, true);
}

/* The first sample of a thread is that of its own number, later ones come from the counter. */
static bool global_next_sample(const struct device_call *call, uint64_t *sample, uint64_t threads, bool first) {
    if (!first && *sample < call->count)
        *sample = threads + DEVICE_TAKE(call->next);
    return *sample < call->count;
}

SIMD_INLINE void tasks_run(const struct device_call *call, task *t, uint64_t thread, uint64_t threads) {
    uint64_t sample = thread;
    bool busy = false, ended = false, left = true;
    for (bool first = true;; first = false) {
        unsigned waiting = WARP_VOTE(!busy && (ended || left)), going = WARP_VOTE(busy);
        if (!busy && (going == 0 || WARP_COUNT(waiting) >= GLOBAL_REFILL)) {
            if (ended)
                task_close(t, call);
            ended = false;
            busy = left = left && global_next_sample(call, &sample, threads, first);
            if (busy)
                task_open(t, call, sample);
        }
        if (WARP_VOTE(busy) == 0)
            return;
        bool goes_on = busy && task_begin(t);
        if (WARP_VOTE(goes_on) != 0)
            goes_on = goes_on && task_decide(t);
        if (WARP_VOTE(goes_on) != 0 && goes_on)
            task_end(t);
        ended = ended || (busy && !goes_on);
        busy = goes_on;
    }
}

#endif
