/* kernel_text.h - the kernels: a thread takes samples until none is left, to correct them or, where DEVICE_GRADIENTS is defined, to pull
 * gradients back.
 *
 * Threads of a block go through their rounds together: a round of lm or auto is about as long as a multiprocessor's cache of
 * instructions, and each warp alone would read it anew. One whose sample has ended waits, because ending and beginning are long and go through the slots: until the
 * rounds that threads have waited add up to what that costs a block, so that neither is ever more than half of the time. Where none goes
 * on nobody waits.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_KERNEL_TEXT_H
#define HN_DEVICE_KERNEL_TEXT_H

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

WIDE_INLINE void tasks_run(const struct device_call *call, task *t, double *slots, uint64_t thread, uint64_t threads) {
    uint64_t sample = thread;
    bool busy = false, ended = false, left = true;
    unsigned waited = 0;
    for (bool first = true;; first = false) {
        unsigned waiting = BLOCK_COUNT(!busy && (ended || left)), going = BLOCK_COUNT(busy);
        bool refills = going == 0 || (waited += waiting) >= LANE_PATIENCE * BLOCK_WARPS;
        waited = refills ? 0 : waited;
        if (!busy && refills) {
            if (ended)
                task_close(t, call);
            ended = false;
            busy = left = left && lane_next_sample(call, &sample, threads, first);
            if (busy)
                task_open(t, call, sample);
        }
        if (BLOCK_COUNT(busy) == 0)
            return;
        if (busy && !task_round(t, slots)) {
            busy = false;
            ended = true;
        }
    }
}

#endif
