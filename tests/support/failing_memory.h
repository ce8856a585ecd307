/* failing_memory.h - the functions of base/memory.h once more, with allocations that fail on request.
 *
 * Blocks are filled with junk when they are made and when they go, and base_reallocate always moves, so that a test also
 * sees reads of what was never written and pointers that were kept too long.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_FAILING_MEMORY_H
#define HN_TESTS_SUPPORT_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The k-th allocation from now on fails (k = 1: the next); for_ever: all after it too. */
void memory_fail_at(size_t k, bool for_ever);
void memory_fail_never(void);

/* The next allocation fails whose way is new: some call on it was never on the way to an allocation that failed by this function.
 * A deed that is done again and again until none fails has seen each of its calls fail for want of memory, in few turns. */
void memory_fail_on_a_new_way(bool for_ever);

bool memory_has_failed(void);      /* since one of the two calls above */
size_t memory_allocations(void);   /* asked for since then, the failed ones included */
size_t memory_largest_block(void); /* likewise, in bytes */
size_t memory_live_blocks(void);

#endif
