/* tiled_system.h - the linear system of a damped step for one sample at a time, where M M' is full: (M M' + E) z = b.
 *
 * Where samples side by side are slow (a factor of many unknowns leaves the caches eight times as early) one sample is
 * solved after the other, each with SIMD vectors over the entries of its matrices. A = W J may be sparse. Rows that do not
 * count are left out, so that the order is the number of those that do. Nothing is listed: the kernels (tiled_kernel.h) walk
 * the pattern of A.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_SPARSE_TILED_SYSTEM_H
#define HN_SPARSE_TILED_SYSTEM_H

#include "sparse/damped_system.h"

struct tiled {
    size_t rows, columns;           /* of A */
    bool outputs_side;              /* M = A' */
    bool every_row;                 /* counts; else those whose mask is set */
    const uint32_t *first, *column; /* of A, by rows */
    const uint32_t *entry;          /* offsets of its numbers; NULL: they lie one behind the other, */
    uint32_t matrix;                /* from here on */
    uint32_t scale;                 /* offset of W: powers of two; every_row: all 1 */
    const uint32_t *known;          /* rows: number of the row in `gram`, UINT32_MAX for one whose J is not constant */
    const double *gram; /* J J' of those whose J is, by columns; NULL: there are none, or it is the outputs' side */
    size_t gram_leading;
    uint32_t active;      /* offset of the rows' masks */
    uint32_t stretched;   /* offset of a mask: A is not W J, so that `gram` does not hold; every_row: not used */
    uint32_t shift;       /* offset of E: on the rows' side one per row, on the outputs' side one for all */
    double fixed_shift;   /* E itself where it is a number for ever; else NaN */
    uint32_t pivot_range; /* offset of two slots: the smallest and the largest pivot */
    size_t workspace;     /* offset of tiled_workspace() numbers, shared by all samples */
};

/* Room for tiles that stick out: more than the rows of one. */
enum { TILED_MARGIN = 32, TILED_PANEL = 64, TILED_ACROSS = 8 };

/* Numbers from one column of a matrix to the next: a multiple of 8, odd in that unit so that columns do not meet in one set
 * of a cache. */
static inline size_t tiled_leading(size_t order) {
    return ((order + 2 * TILED_MARGIN + 7) / 8 | 1) * 8;
}

/* h += M M' of plain numbers, the lower triangle: by columns, `leading` apart, zeros below the last row of M. h has
 * order + TILED_ACROSS columns. */
struct tiled_gram {
    size_t order, depth, leading;
    const double *m;
    double *h;
};

/* Numbers: M, M M' and then L, a panel of L D, four vectors, and the list of rows that count. */
static inline size_t tiled_workspace(size_t rows, size_t columns, bool outputs_side) {
    size_t order = outputs_side ? columns : rows, depth = outputs_side ? rows : columns;
    return (depth + order + TILED_ACROSS + TILED_PANEL + 4) * tiled_leading(order) + rows / 2 + 1;
}

#endif
