/* thread_start.c - see thread_start.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/thread_start.h"

bool thread_start(pthread_t *out, void *(*work)(void *argument), void *argument) {
    return pthread_create(out, NULL, work, argument) == 0;
}
