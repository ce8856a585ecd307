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

/* What is done with a sample: task_round returns false when it has ended. */
#ifdef DEVICE_GRADIENTS
typedef struct lane_back task;
#define task_open  lane_back_open
#define task_close lane_back_close

WIDE_INLINE struct lane *task_lane(task *t) {
    return &t->lane;
}

WIDE_INLINE bool task_round(task *t, double *slots) {
    const struct sample *s = &t->lane.drive.state;
    if (s->steps > 0)
        lane_back_round(t, slots);
    return s->steps > 0;
}
#else
typedef struct lane task;
#define task_open  lane_open
#define task_close lane_close
#if defined(DEVICE_POLISH) && !LAYER_WEIGHTED
#define task_round polish_round
#else
#define task_round lane_round
#endif

WIDE_INLINE struct lane *task_lane(task *t) {
    return t;
}
#endif

/* Threads without a sample close theirs and take the next one. Those that get none are done for good. */
WIDE_INLINE void task_refill(task *t, struct lane_turn *turn, const struct device_call *call, uint64_t threads) {
    if (turn->ended)
        task_close(t, call);
    turn->ended = false;
    turn->left = turn->left && lane_next_sample(call, &turn->sample, threads, turn->working == 0);
    turn->busy = turn->left;
    if (turn->busy)
        task_open(t, call, turn->sample);
}

/* What is read in every round lies near where anything does. */
WIDE_INLINE void tasks_run(const struct device_call *call, task *t, double *slots, uint64_t thread, uint64_t threads) {
#ifdef TASK_NEAR
    struct lane_turn *const turn = &task_lane(t)->turn;
#else
    struct lane_turn own, *const turn = &own;
#endif
    turn->sample = thread;
    turn->waited = turn->working = 0;
    turn->busy = turn->ended = false;
    turn->left = true;
    for (;;) {
        unsigned going = BLOCK_COUNT(turn->busy);
        turn->waited += turn->working - going;
        if (going == 0 || turn->waited >= LANE_PATIENCE * BLOCK_WARPS) {
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
