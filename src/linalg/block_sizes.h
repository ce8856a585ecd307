/* block_sizes.h - block sizes of the kernels of linalg/, and how their loops are unrolled: values for CPUs. CUDA
 * kernels define others before (cuda/kernels/global_block_sizes.h). The operations of each entry, and their order,
 * are the same for all sizes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCK_SIZES_H
#define HN_LINALG_BLOCK_SIZES_H

#ifndef DENSE_DOWN
#define DENSE_DOWN   4 /* rows and */
#define DENSE_ACROSS 2 /* columns of a register block of dense_ldl_kernel.h */
#define DENSE_SOLVE  4 /* unknowns of its triangular solves */
#define DENSE_AHEAD  1 /* columns that are read before the first write */
#define DENSE_CLAMPED                                                                                                  \
    0 /* 1: a block beyond the last row reads that row again; 0: the last rows are blocks of one row */
#define DENSE_PREFIX   0 /* 1: rows of L have a prefix (struct dense) */
#define DENSE_FUNCTION static
#define SPARSE_AHEAD   1 /* entries of a sparse column that are read before the first write */
#define ROWS_AHEAD     1 /* numbers of a row that are read before the first write */
#define LOOP_UNROLL
#define LOOP_UNROLL_TWO
#define LOOP_UNROLL_FOUR
#define LOOP_ROLLED
#endif

#endif
