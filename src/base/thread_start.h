/* thread_start.h - the interface for threads: the library starts them here only.
 *
 * In a separate file (thread_start.c), so that a test can link a replacement that fails to start a thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_THREAD_START_H
#define HN_BASE_THREAD_START_H

#include <pthread.h>
#include <stdbool.h>

/* False: the system cannot start another thread. */
bool thread_start(pthread_t *out, void *(*work)(void *argument), void *argument);

#endif
