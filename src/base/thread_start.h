/* thread_start.h - the interface for threads: the library starts them here only; and the pause of a spin wait.
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

/* The pause instruction of a spin wait: frees execution units for the sibling thread. */
static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
