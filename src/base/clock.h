/* clock.h - time in seconds.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_CLOCK_H
#define HN_BASE_CLOCK_H

#include <time.h>

static inline double clock_read(clockid_t which) {
    struct timespec now = {0};
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Monotonic, since an arbitrary moment in the past. */
static inline double clock_seconds(void) {
    return clock_read(CLOCK_MONOTONIC);
}

/* CPU time of this process, summed over its threads. */
static inline double clock_busy_seconds(void) {
    return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
