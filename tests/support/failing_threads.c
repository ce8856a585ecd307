/* failing_threads.c - see failing.h; stands in for src/base/thread_start.c.
 *
 * SPDX-License-Identifier: MIT */
#include "support/failing.h"

#include "base/thread_start.h"

static int fail_at, asked;
static bool once;

void threads_fail_at(int k) {
    fail_at = k;
    asked = 0;
    once = false;
}

void threads_fail_once(int k) {
    threads_fail_at(k);
    once = true;
}

bool thread_start(pthread_t *out, void *(*work)(void *argument), void *argument) {
    asked++;
    if (fail_at > 0 && asked == fail_at)
        fault_count(FAULT_THREAD);
    if (fail_at > 0 && (once ? asked == fail_at : asked >= fail_at))
        return false;
    return pthread_create(out, NULL, work, argument) == 0;
}
