/* kernel_back_text.h - the kernel of gradients; see kernel_text.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_KERNEL_BACK_TEXT_H
#define HN_DEVICE_KERNEL_BACK_TEXT_H

WIDE_INLINE void lanes_pull(const struct device_call *call, struct lane_back *b, double *slots, uint64_t thread,
                            uint64_t threads) {
    uint64_t sample = thread;
    bool busy = false, ended = false, left = true;
    for (bool first = true;; first = false) {
        unsigned waiting = WARP_VOTE(!busy && (ended || left)), going = WARP_VOTE(busy);
        if (!busy && (going == 0 || WARP_COUNT(waiting) >= LANE_REFILL)) {
            if (ended)
                lane_back_close(b, call);
            ended = false;
            busy = left = left && lane_next_sample(call, &sample, threads, first);
            if (busy)
                lane_back_open(b, call, sample);
        }
        if (WARP_VOTE(busy) == 0)
            return;
        if (busy && b->lane.drive.state.steps > 0)
            lane_back_round(b, slots);
        if (busy && b->lane.drive.state.steps == 0) {
            busy = false;
            ended = true;
        }
    }
}

#endif
