/* memory.h - the seam for memory: every allocation of the library goes through these three functions.
 *
 * They stand in a file of their own (memory.c), so that a test can link functions of the same names in their place and make
 * any allocation fail. Sizes come in already multiplied and checked (size.h); a size of 0 is never asked for.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_MEMORY_H
#define HN_BASE_MEMORY_H

#include <stddef.h>

/* NULL when there is no memory. base_reallocate leaves the old block alone then. base_release accepts NULL. */
void *base_allocate(size_t bytes);
void *base_reallocate(void *block, size_t bytes);
void base_release(void *block);

#endif
