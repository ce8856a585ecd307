/* blocked_ldl.h - the linear system of a damped step for one sample at a time, if M M' is dense: (M M' + E) z = b.
 *
 * If computing samples side by side is slow (large factors exceed the caches eight times as early), samples are solved
 * one after the other, each with SIMD vectors over the entries of its matrices. A = W J may be sparse. Inactive rows
 * are left out, so that the order is the number of active rows. There are no operation lists: the kernels
 * (blocked_ldl_kernel.h) traverse the pattern of A. Constant rows of J have constant weights too: their A is W J and is
 * not stored unless A is stretched.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCKED_LDL_H
#define HN_LINALG_BLOCKED_LDL_H

#include "linalg/damped_factor.h"

struct helpers; /* base/helpers.h */

/* Rows of J that are constant and nearly dense, as dense matrices: products with them use SIMD vectors. */
struct tiled_block {
    size_t rows;
    const uint32_t *row;    /* ascending */
    const uint32_t *number; /* of each row of J: its number in the block, UINT32_MAX if it is not in the block */
    const real *by_columns; /* entry (i, k) at k * down + i, */
    const real *by_rows;    /* and at i * across + k */
    size_t down, across;
    size_t values;          /* rows with c = J y, */
    const uint32_t *valued; /* their numbers in the block, ascending, */
    const uint32_t *value;  /* and the offsets of c */
};

/* If all rows are constant, equalities, which are always active, are reduced to tridiagonal form once
 * (tridiagonal_schur_kernel.h): Q' A_e A_e' Q = T. Their products with the other rows become G = Q' A_e A_o'. */
struct tiled_reduction {
    size_t order, others; /* equalities; 0: no reduction. Other rows */
    const uint32_t *row;  /* order + others: equalities, then others, each ascending */
    const real *diagonal; /* diagonal of T: order, */
    const real *beside;   /* and subdiagonal: order - 1 */
    const real *turn;     /* order vectors, `wide` apart: G(k, .), then Q'(k, .) from `others` on */
    const real *turned;   /* others + order vectors, `tall` apart: G(., i), then Q'(., j), which is Q(j, .) */
    size_t wide, tall;
    const real *gram; /* A_o A_o' by columns: the lower triangle */
    size_t gram_leading;
};

struct tiled {
    size_t rows, columns;           /* of A */
    bool outputs_side;              /* M = A' */
    bool every_row;                 /* is active; else those whose mask is set */
    const uint32_t *first, *column; /* of A, by rows */
    const uint32_t *entry;          /* offsets of J's numbers */
    uint32_t matrix;                /* A's numbers, one per entry, from here on; every_row: A is J */
    uint32_t scale;                 /* offset of W: powers of two; every_row: all 1 */
    const uint32_t *known;          /* rows: number of the row in `gram`, UINT32_MAX if its J is not constant */
    const real *gram; /* J J' of the constant rows, by columns; NULL: no such rows, or the outputs' side */
    size_t gram_leading;
    struct tiled_block block;
    struct tiled_reduction reduction;
    uint32_t active;      /* offset of the rows' masks */
    uint32_t stretched;   /* offset of a mask: A is not W J, so `gram` is invalid; every_row: unused */
    uint32_t shift;       /* offset of E: on the rows' side one per row, on the outputs' side one for all */
    real fixed_shift;     /* every_row: E itself */
    uint32_t pivot_range; /* offset of two slots: the smallest and the largest pivot */
    size_t workspace;     /* offset of tiled_workspace() numbers, shared by all samples */
};

/* Padding for tiles that extend beyond the end: more than the rows of a tile. */
enum { TILED_MARGIN = 32, TILED_PANEL = 64, TILED_ACROSS = 8, TILED_DEPTH = 96, TILED_VECTORS = 12 };

/* Orders from which helpers reduce the run time: helpers that share a cache with the leader, other helpers, and in
 * triangular solves. */
enum { TILED_NEAR = 384, TILED_FAR = 640, TILED_TOGETHER = 384 };

/* Distance between columns of a matrix: a multiple of 8, odd in that unit so that columns do not map to the same cache
 * set. */
static inline size_t tiled_leading(size_t order) {
    return ((order + 2 * (size_t)TILED_MARGIN + 7) / 8 | 1) * 8;
}

/* h += M M', dense, the lower triangle: by columns, `leading` apart, zeros below the last row of M. h has order +
 * TILED_ACROSS columns, pack 2 TILED_DEPTH. */
struct tiled_gram {
    size_t order, depth, leading;
    const real *m;
    real *h, *pack;
    struct helpers *helpers; /* NULL: without helpers */
};

/* out += the sum of numbers times vectors, in order; SIMD vectors may extend beyond the length. */
struct tiled_sum {
    const real *vectors;
    size_t apart, length;
    const uint32_t *index; /* vector k is at index[k] * apart; NULL: at k * apart */
    const real *numbers;
    size_t count;
    real *out;
    bool fresh; /* out = the sum: out is not initialised */
};

/* Reduces c (order x order, all of it) to tridiagonal form and applies the reflections to `turn` (tiled_reduction).
 * scratch: 3 `tall`. */
struct tiled_turn {
    size_t order, width, tall, wide; /* rows of c are `tall` apart, those of turn `wide` */
    real *c, *turn, *scratch;
    real *diagonal, *beside;
    struct helpers *helpers; /* NULL: without helpers */
};

/* ---- memory of a sample's system ---- */

/* Sizes of the parts in numbers; `most`: of vectors over rows or columns. */
struct tiled_room {
    size_t leading, most, m, h, n, vectors, lists;
};

static inline struct tiled_room tiled_room_of(size_t rows, size_t columns, bool outputs_side) {
    size_t order = outputs_side ? columns : rows, depth = outputs_side ? rows : columns;
    struct tiled_room room = {.leading = tiled_leading(order)};
    room.most = tiled_leading(rows > columns ? rows : columns);
    room.m = depth * room.leading;
    room.h = (order + TILED_ACROSS) * room.leading;
    room.n = 2 * (size_t)TILED_DEPTH * room.leading;
    room.vectors = TILED_VECTORS * room.most;
    room.lists = rows + 4;
    return room;
}

static inline size_t tiled_workspace(size_t rows, size_t columns, bool outputs_side) {
    struct tiled_room room = tiled_room_of(rows, columns, outputs_side);
    return room.m + room.h + room.n + room.vectors + room.lists;
}

#endif
