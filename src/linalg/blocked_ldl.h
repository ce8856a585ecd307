/* blocked_ldl.h - the linear system of a damped step for one sample at a time, where M M' is full: (M M' + E) z = b.
 *
 * Where samples side by side are slow (a factor of many unknowns leaves the caches eight times as early) one sample is
 * solved after the other, each with SIMD vectors over the entries of its matrices. A = W J may be sparse. Rows that do not
 * count are left out, so that the order is the number of those that do. Nothing is listed: the kernels (blocked_ldl_kernel.h) walk
 * the pattern of A. Rows of J that are constant have constant weights, too: their A is W J and not written down, unless A
 * is stretched.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCKED_LDL_H
#define HN_LINALG_BLOCKED_LDL_H

#include "base/helpers.h"
#include "linalg/damped_system.h"

/* Rows of J that are constant and nearly full, as matrices of numbers: products with them go along SIMD vectors. */
struct tiled_block {
    size_t rows;
    const uint32_t *row;      /* ascending */
    const uint32_t *number;   /* of each row of J: its number in the block, UINT32_MAX for one that is not in it */
    const double *by_columns; /* entry (i, k) at k * down + i, */
    const double *by_rows;    /* and at i * across + k */
    size_t down, across;
    size_t values;          /* rows whose c is J y, */
    const uint32_t *valued; /* their numbers in the block, ascending, */
    const uint32_t *value;  /* and the offsets of c */
};

/* Where all rows are constant, equalities, which always count, are brought to tridiagonal form once (tridiagonal_schur_kernel.h):
 * Q' A_e A_e' Q = T. The other rows' products with them become G = Q' A_e A_o'. */
struct tiled_reduction {
    size_t order, others;   /* equalities; 0: no reduction. Other rows */
    const uint32_t *row;    /* order + others: equalities, then others, each ascending */
    const double *diagonal; /* of T: order, */
    const double *beside;   /* and order - 1 */
    const double *turn;     /* order vectors, `wide` apart: G(k, .), then Q'(k, .) from `others` on */
    const double *turned;   /* others + order vectors, `tall` apart: G(., i), then Q'(., j), that is Q(j, .) */
    size_t simd, tall;
    const double *gram; /* A_o A_o' by columns: the lower triangle */
    size_t gram_leading;
};

struct tiled {
    size_t rows, columns;           /* of A */
    bool outputs_side;              /* M = A' */
    bool every_row;                 /* counts; else those whose mask is set */
    const uint32_t *first, *column; /* of A, by rows */
    const uint32_t *entry;          /* offsets of J's numbers */
    uint32_t matrix;                /* A's own numbers, one per entry, from here on; every_row: A is J */
    uint32_t scale;                 /* offset of W: powers of two; every_row: all 1 */
    const uint32_t *known;          /* rows: number of the row in `gram`, UINT32_MAX for one whose J is not constant */
    const double *gram; /* J J' of those whose J is, by columns; NULL: there are none, or it is the outputs' side */
    size_t gram_leading;
    struct tiled_block block;
    struct tiled_reduction reduction;
    uint32_t active;      /* offset of the rows' masks */
    uint32_t stretched;   /* offset of a mask: A is not W J, so that `gram` does not hold; every_row: not used */
    uint32_t shift;       /* offset of E: on the rows' side one per row, on the outputs' side one for all */
    double fixed_shift;   /* E itself where it is a number for ever; else NaN */
    uint32_t pivot_range; /* offset of two slots: the smallest and the largest pivot */
    size_t workspace;     /* offset of tiled_workspace() numbers, shared by all samples */
};

/* Room for tiles that stick out: more than the rows of one. */
enum { TILED_MARGIN = 32, TILED_PANEL = 64, TILED_ACROSS = 8, TILED_DEPTH = 96, TILED_VECTORS = 12 };

/* Unknowns from which on helpers pay: those that share a cache with the leader, others, and in triangular solutions. */
enum { TILED_NEAR = 384, TILED_FAR = 640, TILED_TOGETHER = 384 };

/* Numbers from one column of a matrix to the next: a multiple of 8, odd in that unit so that columns do not meet in one set
 * of a cache. */
static inline size_t tiled_leading(size_t order) {
    return ((order + 2 * (size_t)TILED_MARGIN + 7) / 8 | 1) * 8;
}

/* h += M M' of plain numbers, the lower triangle: by columns, `leading` apart, zeros below the last row of M. h has
 * order + TILED_ACROSS columns, pack 2 TILED_DEPTH. */
struct tiled_gram {
    size_t order, depth, leading;
    const double *m;
    double *h, *pack;
    struct helpers *helpers; /* who helps; NULL: nobody */
};

/* out += the sum of numbers times vectors, first to last; SIMD vectors may stick out of the length. */
struct tiled_sum {
    const double *vectors;
    size_t apart, length;
    const uint32_t *index; /* vector k lies at index[k] * apart; NULL: at k * apart */
    const double *numbers;
    size_t count;
    double *out;
    bool fresh; /* out = the sum: nothing was there */
};

/* Brings c (order x order, all of it) to tridiagonal form and turns `turn` with it (tiled_reduction). scratch: 3 `tall`. */
struct tiled_turn {
    size_t order, width, tall, simd; /* rows of c are `tall` apart, those of turn `wide` */
    double *c, *turn, *scratch;
    double *diagonal, *beside;
    struct helpers *helpers; /* who helps; NULL: nobody */
};

/* ---- memory of a sample's system ---- */

/* Numbers of each part; `most`: the vectors over rows or columns. */
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
