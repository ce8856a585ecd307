/* level_schedule_lists.h - a program (core/program_lists.h) as a team runs it: the library and kernels_block.h are compiled with it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_LEVEL_SCHEDULE_LISTS_H
#define HN_CUDA_LEVEL_SCHEDULE_LISTS_H

#include "core/program_lists.h"

/* Instructions in levels, each of which reads what those before it have written. */
struct block_program {
    struct policy_program own;
    const uint32_t *level; /* where each begins, and the end of the last */
    size_t level_first[4]; /* those of each phase */
};

#endif
