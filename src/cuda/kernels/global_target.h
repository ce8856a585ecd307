/* global_target.h - attributes of kernels over slots in the device's memory (kernel_global.h). GLOBAL_THREADS samples lie side by side; on
 * the host four, of which one thread runs one after the other in the first place, or one where BLOCK_HELPERS threads help with each.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_GLOBAL_TARGET_H
#define HN_CUDA_GLOBAL_TARGET_H

#ifdef DEVICE_HOST
#ifdef BLOCK_HELPERS
#define GLOBAL_WIDTH 1
#else
#define GLOBAL_WIDTH 4
#endif
#define GLOBAL_REFILL 1
#define BYTECODE_PLACE(variable)                                                                                       \
    extern "C" {                                                                                                       \
    variable;                                                                                                          \
    }
#else
#define GLOBAL_WIDTH  GLOBAL_THREADS
#define GLOBAL_REFILL 8
#undef WARP_VOTE
#define WARP_VOTE(flag) __ballot_sync(0xffffffffU >> (32 - GLOBAL_WIDTH), flag)
#define BYTECODE_PLACE(variable)                                                                                       \
    extern "C" {                                                                                                       \
    __constant__ variable;                                                                                             \
    }
#endif

#define POINT_AT_ONCE 16
#define SOLVER_UNROLL DEVICE_UNROLL_SOME
#define POINT_UNROLL  DEVICE_UNROLL_SOME
#ifdef DEVICE_SEARCHES
#define SOLVER_SEARCHES
#endif

#endif
