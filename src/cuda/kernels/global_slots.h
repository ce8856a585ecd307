/* global_slots.h - slots in global memory: a slot of the GLOBAL_WIDTH threads of a warp is contiguous. For statements
 * (S, M) and for the kernels of linalg/ and core/ (SLOT_AT). On a device GLOBAL_THREADS is the width; on the host it is
 * 4, of which one is used, or 1 if BLOCK_HELPERS threads help with each sample.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_GLOBAL_SLOTS_H
#define HN_CUDA_GLOBAL_SLOTS_H

#ifdef DEVICE_HOST
#ifdef BLOCK_HELPERS
#define GLOBAL_WIDTH 1
#else
#define GLOBAL_WIDTH 4
#endif
#define GLOBAL_REFILL 1
#else
#define GLOBAL_WIDTH  GLOBAL_THREADS
#define GLOBAL_REFILL 8
#undef WARP_VOTE
#define WARP_VOTE(flag) __ballot_sync(0xffffffffU >> (32 - GLOBAL_WIDTH), flag)
#endif

enum { LANE_PARTS = 1, SLOT_STRIDE = GLOBAL_WIDTH, OFFSET_STEP = 1 };

#define S(slot)                  (slots[(slot)*SLOT_STRIDE])
#define M(slot)                  (simd_to_bits(slots[(slot)*SLOT_STRIDE]))
#define S_AT(moved, slot)        (slots[(moved) + (slot)*SLOT_STRIDE])
#define M_AT(moved, slot)        (simd_to_bits(slots[(moved) + (slot)*SLOT_STRIDE]))
#define SLOT_STEP                ((uint32_t)SLOT_STRIDE)
#define SLOT_AT(slots, offset)   ((slots) + (size_t)(offset)*SLOT_STEP)
#define simd_prefetch(at, ahead) ((void)0)

/* Loads in flight of loops over rows and outputs. */
#define POINT_AT_ONCE 16
#define SOLVER_UNROLL DEVICE_UNROLL_SOME
#define POINT_UNROLL  DEVICE_UNROLL_SOME

/* The search of core/search.h, one sample at a time. */
#ifdef DEVICE_SEARCHES
#define SOLVER_SEARCHES
#define NEAREST_AT_ONCE           1
#define NEAREST_AT(slots, offset) SLOT_AT(slots, offset)
#define NEAREST_ENDS(watch)       false
#endif

/* Block sizes of a linear system that is solved in loops (linalg/block_sizes.h): a thread has 255 registers, and
 * several loads are in flight before the first store, which would wait for them. */
#ifdef DEVICE_SYSTEM
#define DENSE_DOWN     8
#define DENSE_ACROSS   4
#define DENSE_SOLVE    8
#define DENSE_AHEAD    8
#define DENSE_CLAMPED  1
#define DENSE_PREFIX   SYSTEM_PREFIX
#define DENSE_FUNCTION static GENERATED
#define SPARSE_AHEAD   16
#define ROWS_AHEAD     16
#define LOOP_UNROLL    DEVICE_UNROLL
#define LOOP_ROLLED    DEVICE_ROLLED
#ifdef DEVICE_HOST
#define LOOP_UNROLL_TWO
#else
#define LOOP_UNROLL_TWO _Pragma("unroll 2")
#endif
#define LOOP_UNROLL_FOUR  DEVICE_UNROLL_FOUR
#define LOOP_UNROLL_EIGHT DEVICE_UNROLL_EIGHT
#define DAMPED_LIST       const
#endif

#endif
