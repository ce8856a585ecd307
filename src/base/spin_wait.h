/* spin_wait.h - the pause instruction of a spin wait: frees execution units for the sibling thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_SPIN_WAIT_H
#define HN_BASE_SPIN_WAIT_H

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
