/* block_sizes.h - block sizes of the kernels of linalg/, and how their loops are unrolled: values for CPUs. CUDA kernels
 * define their own first (cuda/kernels/global_slots.h, policy_refine.h). The operations of each entry, and their order,
 * are the same for all sizes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCK_SIZES_H
#define HN_LINALG_BLOCK_SIZES_H

#include "base/real.h"

/* Rows and columns of a register block of dense_ldl_kernel.h, and columns that are read before the first write. If
 * DENSE_CLAMPED, blocks beyond the last row read that row again; else the last rows are blocks of one row. If
 * DENSE_PREFIX, rows of L have a prefix. */
#ifndef DENSE_DOWN
#define DENSE_DOWN    4
#define DENSE_ACROSS  2
#define DENSE_AHEAD   1
#define DENSE_CLAMPED 0
#define DENSE_PREFIX  0
#endif

/* Unknowns that its triangular solves compute side by side. */
#ifndef DENSE_SOLVE
#define DENSE_SOLVE 4
#endif

#ifndef DENSE_FUNCTION
#define DENSE_FUNCTION SHARED_FUNCTION
#endif

/* Entries of a sparse column, and of a row of A, that are read before the first write. */
#ifndef SPARSE_AHEAD
#define SPARSE_AHEAD 1
#define ROWS_AHEAD   1
#endif

#ifndef LOOP_ROLLED
#define LOOP_ROLLED
#endif
#ifndef LOOP_UNROLL
#define LOOP_UNROLL
#define LOOP_UNROLL_TWO
#define LOOP_UNROLL_FOUR
#endif

#endif
