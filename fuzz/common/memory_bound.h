/* memory_bound.h - the library's allocations, counted: a call that holds more bytes at once than it may is a finding.
 *
 * Stands in the place of base/memory.c. Without a bound, as at first, every allocation is granted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_FUZZ_COMMON_MEMORY_BOUND_H
#define HN_FUZZ_COMMON_MEMORY_BOUND_H

#include <stddef.h>

/* From here on the library may hold so many bytes more than it holds now; beyond that it says what was being done and aborts. */
void memory_bound_begin(const char *what, size_t bytes);
void memory_bound_end(void);

#endif
