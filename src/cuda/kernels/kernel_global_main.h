/* kernel_global_main.h - the kernels over slots in the device's memory: a thread takes samples until none is left, to correct them or, where
 * DEVICE_GRADIENTS is defined, to pull gradients back.
 *
 * Threads of a warp go through the parts of a round together. One whose sample has ended waits until several have (FAR_REFILL); where
 * none goes on nobody waits.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_GLOBAL_MAIN_H
#define HN_CUDA_KERNEL_GLOBAL_MAIN_H

/* What is done with a sample: a part of a round returns false when it has ended. */
#ifdef DEVICE_GRADIENTS
typedef struct far_back task;
#ifdef DEVICE_SEARCHES
#define task_open  far_search_back_open
#define task_close far_search_back_close
#else
#define task_open  far_back_open
#define task_close far_back_close
#endif

WIDE_INLINE struct far *task_far(task *t) {
    return &t->far;
}

WIDE_INLINE bool task_begin(task *t) {
    return t->far.drive.state.steps > 0;
}

WIDE_INLINE bool task_decide(task *t) {
    (void)t;
    return true;
}

WIDE_INLINE void task_end(task *t) {
    far_back_step(t);
}
#else
typedef struct far task;
#define task_open   far_open
#define task_close  far_close
#define task_decide far_decide
#define task_end    far_move

WIDE_INLINE struct far *task_far(task *t) {
    return t;
}

/* Behind floats of paper and hardnet the verdict is all there is. */
WIDE_INLINE bool task_begin(task *t) {
#if defined(DEVICE_POLISH) && !LAYER_WEIGHTED
    (void)t;
    return false;
#else
    far_evaluate(t);
    return true;
#endif
}
#endif

/* slots: those of the thread's sample; zeros, but for what is constant. */
static void far_begin(struct far *f, double *slots, double *row) {
    struct drive *d = &f->drive;
    d->plan = &layer_plan;
    d->options = &layer_plan.options;
    d->point.plan = &layer_plan;
    d->point.slots = slots;
    d->point.width = LANES_HERE;
    d->row = row;
    for (uint32_t i = 0; i < LAYER_SLOTS; i++)
        S((size_t)i) = 0;
    for (uint32_t i = 0; i < LAYER_CONSTANTS; i++)
        S((size_t)constant_slot[i]) = wide_of_bits(constant_bits[i]);
    drive_flag(d, layer_plan.slots + DRIVE_TAKES, true);
}

/* The first sample of a thread is that of its own number, later ones come from the counter. */
static bool far_next_sample(const struct device_call *call, uint64_t *sample, uint64_t threads, bool first) {
    if (!first && *sample < call->count)
        *sample = threads + DEVICE_TAKE(call->next);
    return *sample < call->count;
}

WIDE_INLINE void tasks_run(const struct device_call *call, task *t, uint64_t thread, uint64_t threads) {
    uint64_t sample = thread;
    bool busy = false, ended = false, left = true;
    for (bool first = true;; first = false) {
        unsigned waiting = WARP_VOTE(!busy && (ended || left)), going = WARP_VOTE(busy);
        if (!busy && (going == 0 || WARP_COUNT(waiting) >= FAR_REFILL)) {
            if (ended)
                task_close(t, call);
            ended = false;
            busy = left = left && far_next_sample(call, &sample, threads, first);
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
