/* thread_start.h - the seam for threads: the library starts them here only.
 *
 * In a file of its own (thread_start.c), so that a test can link another in its place and make a thread fail to start.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_THREAD_START_H
#define HN_BASE_THREAD_START_H

#include <pthread.h>
#include <stdbool.h>

/* False: the system has no more to give. */
bool thread_start(pthread_t *out, void *(*work)(void *argument), void *argument);

#endif
