/* search_layout.h - what the methods nearest and optimal walk on a device, and what a thread has of its sample for them; both the
 * library and the text of the kernels are compiled with the first part. See nearest_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SEARCH_LAYOUT_H
#define HN_CUDA_SEARCH_LAYOUT_H

#include "core/nearest_layout.h"
#include "core/nearest_state.h"

/* Numbers of a thread: first those that lie side by side with those of the other threads of its warp. */
struct search_places {
    struct nearest_parts near, split; /* split: without kinks; its program is 0 where there are none */
    struct affine affine;
    const double *weights; /* outputs: S; 0: all 1 */
    uint64_t split_at, goal_at, affine_at, near_numbers, numbers;
    int32_t optimal, maximizes;
};

#ifdef DEVICE_SEARCHES
struct thread_search {
    const struct search_places *places;
    struct solver_search own;
    double *near, *without; /* workspaces of the searches, interleaved with those of the warp; without: kinks split */
    double *rows, *inputs, *slope; /* c and its bounds; inputs; outputs */
    double *goal, *affine;         /* workspaces of active_set.h, interleaved */
};
#endif

#endif
