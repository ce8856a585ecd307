/* failing_threads.c - see failing_threads.h; stands in for src/base/thread_start.c.
 *
 * SPDX-License-Identifier: MIT */
#include "support/failing_threads.h"

#include "base/thread_start.h"

static int fail_at, asked;

void threads_fail_at(int k) {
    fail_at = k;
    asked = 0;
}

bool thread_start(pthread_t *out, void *(*work)(void *argument), void *argument) {
    if (fail_at > 0 && ++asked >= fail_at)
        return false;
    return pthread_create(out, NULL, work, argument) == 0;
}
