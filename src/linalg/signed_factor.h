/* signed_factor.h - the plan that signed_system.h makes and signed_kernel.h executes, as plain data: it is uploaded to
 * devices unchanged, with its lists relocated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_SIGNED_FACTOR_H
#define HN_LINALG_SIGNED_FACTOR_H

#include "base/arena_memory.h"
#include "base/real.h"

/* An off-diagonal entry; each pair of unknowns at most once. */
struct signed_entry {
    uint32_t row, column, offset;
};

/* Slots of the summary. */
enum {
    SIGNED_POSITIVE, /* number of positive pivots */
    SIGNED_LOST,     /* number of pivots lost to rounding of their diagonal entry: their unknown is 0 */
    SIGNED_SUMMARY
};

struct signed_system {
    size_t order, entries, nonzeros; /* unknowns; off-diagonal entries; entries of L below its diagonal */
    uint32_t diagonal;               /* offset of the diagonal */
    uint32_t lower, inverse, work;   /* offsets of L, 1/D and one row */
    uint32_t summary;
    size_t slots;                                 /* storage of the kernels */
    uint32_t *permutation;                        /* order: offset in vectors of each unknown, in elimination order */
    uint32_t *column_first;                       /* order + 1 */
    uint32_t *row_number, *row_offset;            /* nonzeros: the row of each entry, and its offset in vectors */
    uint32_t *row_first, *row_column, *row_entry; /* L by rows, as in symbolic.h */
    uint32_t *own_first;               /* order + 1: entries of the matrix in each row, in elimination order, */
    uint32_t *own_column, *own_offset; /* their columns and the offsets of the numbers */
    uint32_t *pair;                    /* entries x 3: offsets in vectors of both unknowns, and of the number */
    /* only for kernels run by a thread block (signed_add_block_lists): */
    uint32_t *own_entry;   /* entries: the entry of L for each, in the order of own_offset */
    uint32_t *touch_first; /* order + 1: pairs of each unknown, in the order of pairs: */
    uint32_t *touch;       /* 2 x entries x 2: the other unknown, and the offset of the number */
    struct arena arena;
};

#endif
