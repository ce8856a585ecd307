/* kernel_text.h - the kernels: a thread takes samples until none is left.
 *
 * Threads of a warp go through their rounds together. One whose sample has ended waits until several have, so that ending and beginning,
 * which are long and go through the slots, cost a warp little; where none goes on nobody waits.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_KERNEL_TEXT_H
#define HN_DEVICE_KERNEL_TEXT_H

WIDE_INLINE void lanes_run(const struct device_call *call, struct lane *l, double *slots, uint64_t thread,
                           uint64_t threads) {
    uint64_t sample = thread;
    bool busy = false, ended = false, left = true;
    for (bool first = true;; first = false) {
        unsigned waiting = WARP_VOTE(!busy && (ended || left)), going = WARP_VOTE(busy);
        if (!busy && (going == 0 || WARP_COUNT(waiting) >= LANE_REFILL)) {
            if (ended)
                lane_close(l, call);
            ended = false;
            busy = left = left && lane_next_sample(call, &sample, threads, first);
            if (busy)
                lane_open(l, call, sample);
        }
        if (WARP_VOTE(busy) == 0)
            return;
        if (busy && !lane_round(l, slots)) {
            busy = false;
            ended = true;
        }
    }
}

#endif
