/* memory.h - the interface for memory: every allocation of the library goes through these three functions.
 *
 * They are in a separate file (memory.c), so that a test can link replacements that fail. Sizes are already multiplied
 * and checked (size.h); a size of 0 is never requested.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_MEMORY_H
#define HN_BASE_MEMORY_H

#include <stddef.h>

/* NULL when out of memory; base_reallocate then leaves the old block unchanged. base_release accepts NULL. */
void *base_allocate(size_t bytes);
void *base_reallocate(void *block, size_t bytes);
void base_release(void *block);

#endif
