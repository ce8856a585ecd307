/* global_block_sizes.h - linalg/block_sizes.h for one thread per sample and slots in global memory. A thread has 255
 * registers, and reads take long: several are in flight before the first write, which they would have to wait for.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_GLOBAL_BLOCK_SIZES_H
#define HN_CUDA_GLOBAL_BLOCK_SIZES_H

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
#define LOOP_UNROLL_FOUR
#define LOOP_UNROLL_EIGHT
#else
#define LOOP_UNROLL_TWO   _Pragma("unroll 2")
#define LOOP_UNROLL_FOUR  _Pragma("unroll 4")
#define LOOP_UNROLL_EIGHT _Pragma("unroll 8")
#endif
#define DAMPED_LIST const

#endif
