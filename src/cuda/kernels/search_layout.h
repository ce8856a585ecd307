/* search_layout.h - constant data of the methods nearest and optimal on a device, for the library and for kernels, and the
 * workspaces of a thread (nearest_kernel.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SEARCH_LAYOUT_H
#define HN_CUDA_SEARCH_LAYOUT_H

#include "core/nearest_layout.h"
#include "core/nearest_state.h"
#include "core/program_lists.h"

/* A program whose instructions are sorted by level, each of which reads results of earlier levels only: for thread blocks. */
struct block_program {
    struct policy_program own;
    const uint32_t *level; /* start of each level, and the end of the last */
    size_t level_first[4]; /* of each phase */
};

/* Memory of a thread: the first near_numbers are interleaved with those of the other threads of its warp. */
struct search_places {
    struct nearest_parts near, split; /* split: without kinks; its program is 0 if there are none */
    struct affine affine;
    const double *weights; /* outputs: S; 0: all 1 */
    uint64_t split_at, goal_at, affine_at, near_numbers, numbers;
    int32_t optimal, maximizes;
};

#ifdef DEVICE_SEARCHES
#include "core/solver_search.h"

struct thread_search {
    const struct search_places *places;
    struct solver_search own;
    double *near, *without;        /* workspaces of the searches, interleaved; without: kinks split */
    double *rows, *inputs, *slope; /* c and its bounds; inputs; outputs */
    double *goal, *affine;         /* workspaces of active_set.h, interleaved */
};
#endif

#endif
