/* kernel_main.h - the kernels: a thread takes samples until none is left, to correct them or, where DEVICE_GRADIENTS is defined, to pull
 * gradients back.
 *
 * Threads of a block go through their rounds together: a round of lm or auto is about as long as a multiprocessor's cache of
 * instructions, and each warp alone would read it anew. One whose sample has ended waits, because ending and beginning are long and go through the slots: until the
 * rounds that threads have waited add up to what that costs a block, so that neither is ever more than half of the time. Where none goes
 * on nobody waits.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_MAIN_H
#define HN_CUDA_KERNEL_MAIN_H

#include "cuda/kernels/thread_begin.h"

/* What is done with a sample: task_round returns false when it has ended. */
#ifdef DEVICE_GRADIENTS
typedef struct thread_adjoint task;
#define task_open  thread_adjoint_open
#define task_close thread_adjoint_close

SIMD_INLINE struct thread_state *task_thread(task *t) {
    return &t->lane;
}

SIMD_INLINE bool task_round(task *t, real *slots) {
    const struct sample *s = &t->lane.solver.state;
    if (s->steps > 0)
        thread_adjoint_round(t, slots);
    return s->steps > 0;
}
#else
typedef struct thread_state task;
#define task_open  thread_open
#define task_close thread_close
#if defined(DEVICE_POLISH) && !LAYER_WEIGHTED
#define task_round polish_round
#else
#define task_round thread_round
#endif

SIMD_INLINE struct thread_state *task_thread(task *t) {
    return t;
}
#endif

/* Threads without a sample close theirs and take the next one. Those that get none are done for good. */
SIMD_INLINE void task_refill(task *t, struct thread_turn *turn, const struct device_call *call, uint64_t threads) {
    if (turn->ended)
        task_close(t, call);
    turn->ended = false;
    turn->left = turn->left && thread_next_sample(call, &turn->sample, threads, turn->working == 0);
    turn->busy = turn->left;
    if (turn->busy)
        task_open(t, call, turn->sample);
}

/* What is read in every round lies near where anything does. */
SIMD_INLINE void tasks_run(const struct device_call *call, task *t, real *slots, uint64_t thread, uint64_t threads) {
#ifdef TASK_NEAR
    struct thread_turn *const turn = &task_thread(t)->turn;
#else
    struct thread_turn own, *const turn = &own;
#endif
    turn->sample = thread;
    turn->waited = turn->working = 0;
    turn->busy = turn->ended = false;
    turn->left = true;
    SHARED_LOOP
    for (;;) {
        unsigned going = BLOCK_COUNT(turn->busy);
        turn->waited += turn->working - going;
        if (going == 0 || turn->waited >= THREAD_PATIENCE * BLOCK_WARPS) {
            if (!turn->busy)
                task_refill(t, turn, call, threads);
            turn->waited = 0;
            turn->working = BLOCK_COUNT(turn->busy);
            if (turn->working == 0)
                return;
        }
        if (turn->busy && !task_round(t, slots)) {
            turn->busy = false;
            turn->ended = true;
        }
    }
}

#endif
