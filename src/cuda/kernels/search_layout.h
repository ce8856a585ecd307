/* search_layout.h - what the methods nearest and optimal walk on a device, and what a thread has of its sample for them; both the
 * library and the text of the kernels are compiled with the first part. See nearest_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SEARCH_LAYOUT_H
#define HN_CUDA_SEARCH_LAYOUT_H

/* Numbers of a thread: first those that lie side by side with those of the other threads of its warp. */
struct search_places {
    struct nearest_parts near, split; /* split: without kinks; its program is 0 where there are none */
    struct affine affine;
    const double *weights; /* outputs: S; 0: all 1 */
    uint64_t split_at, goal_at, affine_at, near_numbers, numbers;
    int32_t optimal, maximizes;
};

/* How y depends on what came in: the first number of a sample's part of the tape; multipliers follow. */
enum { THREAD_SEARCH_BY_STEPS, THREAD_SEARCH_BY_SOLUTION, THREAD_SEARCH_ELSEWHERE };

#ifdef DEVICE_SEARCHES
struct thread_search {
    const struct search_places *places;
    double *near, *without; /* the thread's own among those of its warp; of the search without kinks */
    double *raw, *best,
        *found; /* outputs: what came in, auto's y, and what was found, or where steps came to a stand */
    double *multipliers, *weights; /* rows: at `found`, or at `best`; where steps came to a stand */
    const double *kept;            /* one of these */
    double *rows, *inputs, *slope; /* c and its bounds; inputs; outputs */
    double *goal, *affine;         /* of active_set.h, among those of its warp */
    struct nearest_sample sample;
    double stood; /* the ratio by which they did */
    double proof;
    bool tried, found_at_once, lost, searched, split;
};
#endif

#endif
