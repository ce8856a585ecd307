/* dense_ldl_kernel.h - the factorisation of a nearly dense matrix, and its triangular solves.
 *
 *     d_j = h_jj - sum_k l_jk n_jk,   l_ij = (h_ij - sum_k l_ik n_jk) / d_j,   n_jk = l_jk w_k,   w = D
 *
 * L by rows, packed. Blocks of DENSE_DOWN x DENSE_ACROSS sums are in registers, so that each loaded number is used in
 * several products. Every sum runs over k ascending, each product rounded before it is subtracted: the same bits as
 * without blocks. Part of damped_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_DENSE_LDL_KERNEL_H
#define HN_LINALG_DENSE_LDL_KERNEL_H

#include "linalg/block_sizes.h"
#include "linalg/pivot_kernel.h"

/* The range of pivots so far, in registers during the factorisation, and the target of the current 1/d. */
struct pivots {
    simd low[LANE_PARTS], high[LANE_PARTS];
    simd *inverse;
};

SIMD_INLINE void kernel_pivots_begin(struct pivots *range, simd *inverse) {
    range->inverse = inverse;
    for (int i = 0; i < LANE_PARTS; i++) {
        range->low[i] = simd_all(REAL_INFINITY);
        range->high[i] = simd_all(0);
    }
}

/* 1/d, or 0 for a pivot lost to rounding; updates the range of pivots. */
SIMD_INLINE simd kernel_pivot(struct pivots *range, int part, simd whole, simd d) {
    range->low[part] = simd_select(simd_less(d, range->low[part]), d, range->low[part]);
    range->high[part] = simd_select(simd_less(range->high[part], d), d, range->high[part]);
    return kernel_pivot_inverse(whole, d);
}

/* With DENSE_PREFIX, `prefix` numbers before each row of L count as further columns, and w is an array: their weights,
 * then D. Without, D is on the diagonal of L. */
struct dense {
    size_t order, prefix;
    simd *lower;   /* row i: prefix numbers, then i + 1 of h, which become those of L */
    simd *weight;  /* w: prefix + order */
    simd *inverse; /* 1/D: order */
    simd *strip;   /* n in the rows of a group of DENSE_ACROSS columns, */
    size_t apart;  /* this many slots apart */
    struct pivots *range;
    int part;
};

/* Data of the group's rows that the rows below need: n and 1/d. */
struct dense_corner {
    simd n[DENSE_ACROSS][DENSE_ACROSS], inverse[DENSE_ACROSS];
};

/* The same for one part of the lanes. */
SIMD_INLINE struct dense dense_part(const struct dense *f, int part) {
    struct dense own = *f;
    own.lower += part;
    own.weight += DENSE_PREFIX ? part : 0;
    own.inverse += part;
    own.strip += part;
    own.part = part;
    return own;
}

/* The number of columns before column j of L. */
SIMD_INLINE size_t dense_depth(const struct dense *f, size_t j) {
    return DENSE_PREFIX ? f->prefix + j : j;
}

SIMD_INLINE simd *dense_row(const struct dense *f, size_t i) {
    return f->lower + (DENSE_PREFIX ? i * f->prefix + i * (i + 1) / 2 : i * (i + 1) / 2) * SLOT_STEP;
}

SIMD_INLINE simd *dense_weight(const struct dense *f, size_t k) {
    return DENSE_PREFIX ? f->weight + k * SLOT_STEP : dense_row(f, k) + k * SLOT_STEP;
}

/* Row i; beyond the end, the last row. */
SIMD_INLINE size_t dense_clamp(const struct dense *f, size_t i) {
    return DENSE_CLAMPED && i >= f->order ? f->order - 1 : i;
}

SIMD_INLINE bool dense_has(const struct dense *f, size_t i) {
    return !DENSE_CLAMPED || i < f->order;
}

/* Whether a block of `count` rows or columns may begin at i. */
SIMD_INLINE bool dense_fits(const struct dense *f, size_t i, size_t count) {
    return DENSE_CLAMPED ? i < f->order : i + count <= f->order;
}

/* ---- the factorisation ---- */

/* The products of `columns` columns from k on in the group's rows, and their n. All reads precede the first write. */
SIMD_INLINE void dense_corner_products(const struct dense *f, const simd *const row[DENSE_ACROSS], size_t k,
                                       const size_t columns, const size_t across,
                                       simd sums[DENSE_ACROSS][DENSE_ACROSS]) {
    simd l[DENSE_AHEAD][DENSE_ACROSS], n[DENSE_AHEAD][DENSE_ACROSS], weight[DENSE_AHEAD];
    LOOP_UNROLL
    for (size_t s = 0; s < columns; s++) {
        weight[s] = *dense_weight(f, k + s);
        LOOP_UNROLL
        for (size_t r = 0; r < across; r++)
            l[s][r] = row[r][(k + s) * SLOT_STEP];
    }
    LOOP_UNROLL
    for (size_t s = 0; s < columns; s++) {
        LOOP_UNROLL
        for (size_t r = 0; r < across; r++) {
            n[s][r] = l[s][r] * weight[s];
            f->strip[(r * f->apart + k + s) * SLOT_STEP] = n[s][r];
            LOOP_UNROLL
            for (size_t c = 0; c <= r; c++)
                sums[r][c] -= l[s][r] * n[s][c];
        }
    }
}

SIMD_INLINE void dense_corner_sums(const struct dense *f, size_t j, const size_t across,
                                   simd sums[DENSE_ACROSS][DENSE_ACROSS]) {
    const simd *row[DENSE_ACROSS];
    size_t depth = dense_depth(f, j), k = 0;
    LOOP_UNROLL
    for (size_t r = 0; r < across; r++) {
        row[r] = dense_row(f, dense_clamp(f, j + r));
        LOOP_UNROLL
        for (size_t c = 0; c <= r; c++)
            sums[r][c] = row[r][(depth + c) * SLOT_STEP];
    }
    LOOP_ROLLED
    for (; k + DENSE_AHEAD <= depth; k += DENSE_AHEAD)
        dense_corner_products(f, row, k, DENSE_AHEAD, across, sums);
    LOOP_ROLLED
    for (; DENSE_AHEAD > 1 && k < depth; k++)
        dense_corner_products(f, row, k, 1, across, sums);
}

/* d_j; 1/d_j, which is 0 for a pivot lost to rounding. */
SIMD_INLINE simd dense_pivot(const struct dense *f, size_t j, simd whole, simd d) {
    simd inverse = kernel_pivot(f->range, f->part, whole, d);
    *dense_weight(f, dense_depth(f, j)) = d;
    f->inverse[j * SLOT_STEP] = inverse;
    return inverse;
}

/* The group's rows: pivots, and L between its columns. */
SIMD_INLINE void dense_factor_corner(const struct dense *f, size_t j, const size_t across, struct dense_corner *out) {
    simd sums[DENSE_ACROSS][DENSE_ACROSS], whole[DENSE_ACROSS], l[DENSE_ACROSS];
    size_t depth = dense_depth(f, j);
    LOOP_UNROLL
    for (size_t c = 0; c < across; c++)
        whole[c] = dense_row(f, dense_clamp(f, j + c))[(depth + c) * SLOT_STEP];
    dense_corner_sums(f, j, across, sums);
    LOOP_UNROLL
    for (size_t c = 0; c < across; c++) {
        simd d = sums[c][c];
        out->inverse[c] = simd_all(0);
        if (dense_has(f, j + c))
            out->inverse[c] = dense_pivot(f, j + c, whole[c], d);
        LOOP_UNROLL
        for (size_t r = c + 1; r < across; r++) {
            l[r] = sums[r][c] * out->inverse[c];
            out->n[r][c] = l[r] * d;
            if (dense_has(f, j + r))
                dense_row(f, j + r)[(depth + c) * SLOT_STEP] = l[r];
        }
        LOOP_UNROLL
        for (size_t r = c + 1; r < across; r++) {
            LOOP_UNROLL
            for (size_t other = c + 1; other <= r; other++)
                sums[r][other] -= l[r] * out->n[other][c];
        }
    }
}

/* The group's columns in `rows` rows below it: the products of the columns before the group. */
SIMD_INLINE void dense_below_sums(const struct dense *f, size_t j, const simd *const row[DENSE_DOWN], const size_t rows,
                                  simd sums[DENSE_DOWN][DENSE_ACROSS]) {
    size_t depth = dense_depth(f, j);
    const simd *n = f->strip;
    LOOP_UNROLL
    for (size_t r = 0; r < rows; r++) {
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_ACROSS; c++)
            sums[r][c] = row[r][(depth + c) * SLOT_STEP];
    }
    LOOP_UNROLL_FOUR
    for (size_t k = 0; k < depth; k++) {
        simd l[DENSE_DOWN], own[DENSE_ACROSS];
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_ACROSS; c++)
            own[c] = n[(c * f->apart + k) * SLOT_STEP];
        LOOP_UNROLL
        for (size_t r = 0; r < rows; r++)
            l[r] = row[r][k * SLOT_STEP];
        LOOP_UNROLL
        for (size_t r = 0; r < rows; r++) {
            LOOP_UNROLL
            for (size_t c = 0; c < DENSE_ACROSS; c++)
                sums[r][c] -= l[r] * own[c];
        }
    }
}

/* The group's columns of L in rows i.. */
SIMD_INLINE void dense_factor_below(const struct dense *f, size_t j, size_t i, const size_t rows,
                                    const struct dense_corner *corner) {
    simd sums[DENSE_DOWN][DENSE_ACROSS];
    const simd *row[DENSE_DOWN];
    size_t depth = dense_depth(f, j);
    LOOP_UNROLL
    for (size_t r = 0; r < rows; r++)
        row[r] = dense_row(f, dense_clamp(f, i + r));
    dense_below_sums(f, j, row, rows, sums);
    LOOP_UNROLL
    for (size_t r = 0; r < rows; r++) {
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_ACROSS; c++) {
            sums[r][c] *= corner->inverse[c];
            LOOP_UNROLL
            for (size_t other = c + 1; other < DENSE_ACROSS; other++)
                sums[r][other] -= sums[r][c] * corner->n[other][c];
        }
    }
    LOOP_UNROLL
    for (size_t r = 0; r < rows; r++)
        if (dense_has(f, i + r)) {
            simd *to = dense_row(f, i + r) + depth * SLOT_STEP;
            LOOP_UNROLL
            for (size_t c = 0; c < DENSE_ACROSS; c++)
                to[c * SLOT_STEP] = sums[r][c];
        }
}

SIMD_INLINE void dense_rows_below(const struct dense *f, size_t j, size_t i, const size_t rows,
                                  const struct dense_corner *corner) {
    for (int part = 0; part < LANE_PARTS; part++) {
        const struct dense own = dense_part(f, part);
        dense_factor_below(&own, j, i, rows, corner + part);
    }
}

SIMD_INLINE void dense_corner_parts(const struct dense *f, size_t j, const size_t across, struct dense_corner *corner) {
    for (int part = 0; part < LANE_PARTS; part++) {
        const struct dense own = dense_part(f, part);
        dense_factor_corner(&own, j, across, corner + part);
    }
}

DENSE_FUNCTION void dense_factor(const struct dense *f) {
    struct dense_corner corner[LANE_PARTS];
    size_t j = 0;
    for (int part = 0; part < LANE_PARTS; part++) /* every n is set before it is read, but GCC 12 warns at -O2 */
        corner[part].n[1][0] = simd_all(1);
    LOOP_ROLLED
    for (; dense_fits(f, j, DENSE_ACROSS); j += DENSE_ACROSS) {
        size_t i = j + DENSE_ACROSS;
        dense_corner_parts(f, j, DENSE_ACROSS, corner);
        LOOP_ROLLED
        for (; dense_fits(f, i, DENSE_DOWN); i += DENSE_DOWN)
            dense_rows_below(f, j, i, DENSE_DOWN, corner);
        LOOP_ROLLED
        for (; !DENSE_CLAMPED && i < f->order; i++)
            dense_rows_below(f, j, i, 1, corner);
    }
    LOOP_ROLLED
    for (; !DENSE_CLAMPED && j < f->order; j++) /* the last column, if DENSE_ACROSS is 2 */
        dense_corner_parts(f, j, 1, corner);
}

/* ---- triangular solves ---- */

/* z = L^-1 b in rows i..: first the products of the unknowns before them, then of each other. */
SIMD_INLINE void dense_forward_rows(const struct dense *f, const simd *b, simd *z, size_t i, const size_t rows) {
    const simd *row[DENSE_SOLVE];
    simd sums[DENSE_SOLVE];
    LOOP_UNROLL
    for (size_t r = 0; r < rows; r++) {
        row[r] = dense_row(f, dense_clamp(f, i + r)) + dense_depth(f, 0) * SLOT_STEP;
        sums[r] = b[dense_clamp(f, i + r) * SLOT_STEP];
    }
    LOOP_UNROLL_FOUR
    for (size_t k = 0; k < i; k++) {
        simd known = z[k * SLOT_STEP];
        LOOP_UNROLL
        for (size_t r = 0; r < rows; r++)
            sums[r] -= row[r][k * SLOT_STEP] * known;
    }
    LOOP_UNROLL
    for (size_t c = 0; c < rows; c++) {
        LOOP_UNROLL
        for (size_t r = c + 1; r < rows; r++)
            if (dense_has(f, i + r))
                sums[r] -= row[r][(i + c) * SLOT_STEP] * sums[c];
    }
    LOOP_UNROLL
    for (size_t r = 0; r < rows; r++)
        if (dense_has(f, i + r))
            z[(i + r) * SLOT_STEP] = sums[r];
}

/* z = L'^-1 D^-1 z in rows k..: first the products of the unknowns after them, the last first, then of each other. */
SIMD_INLINE void dense_backward_rows(const struct dense *f, simd *z, size_t k, const size_t rows) {
    simd sums[DENSE_SOLVE];
    LOOP_UNROLL
    for (size_t c = 0; c < rows; c++) {
        size_t own = dense_clamp(f, k + c) * SLOT_STEP;
        sums[c] = z[own] * f->inverse[own];
    }
    LOOP_UNROLL_FOUR
    for (size_t i = f->order; i-- > k + rows;) {
        const simd *row = dense_row(f, i) + dense_depth(f, k) * SLOT_STEP;
        simd known = z[i * SLOT_STEP];
        LOOP_UNROLL
        for (size_t c = 0; c < rows; c++)
            sums[c] -= row[c * SLOT_STEP] * known;
    }
    LOOP_UNROLL
    for (size_t r = rows; r-- > 1;)
        if (dense_has(f, k + r)) {
            const simd *row = dense_row(f, k + r) + dense_depth(f, k) * SLOT_STEP;
            LOOP_UNROLL
            for (size_t c = 0; c < r; c++)
                sums[c] -= row[c * SLOT_STEP] * sums[r];
        }
    LOOP_UNROLL
    for (size_t c = 0; c < rows; c++)
        if (dense_has(f, k + c))
            z[(k + c) * SLOT_STEP] = sums[c];
}

SIMD_INLINE void dense_forward(const struct dense *f, const simd *b, simd *z, size_t i, const size_t rows) {
    for (int part = 0; part < LANE_PARTS; part++) {
        const struct dense own = dense_part(f, part);
        dense_forward_rows(&own, b + part, z + part, i, rows);
    }
}

SIMD_INLINE void dense_backward(const struct dense *f, simd *z, size_t k, const size_t rows) {
    for (int part = 0; part < LANE_PARTS; part++) {
        const struct dense own = dense_part(f, part);
        dense_backward_rows(&own, z + part, k, rows);
    }
}

/* z = h^-1 b; b may be z. */
DENSE_FUNCTION void dense_solve(const struct dense *f, const simd *b, simd *z) {
    size_t i = 0, k = DENSE_CLAMPED ? (f->order + DENSE_SOLVE - 1) / DENSE_SOLVE * DENSE_SOLVE : f->order;
    LOOP_ROLLED
    for (; dense_fits(f, i, DENSE_SOLVE); i += DENSE_SOLVE)
        dense_forward(f, b, z, i, DENSE_SOLVE);
    LOOP_ROLLED
    for (; !DENSE_CLAMPED && i < f->order; i++)
        dense_forward(f, b, z, i, 1);
    LOOP_ROLLED
    for (; !DENSE_CLAMPED && k % DENSE_SOLVE != 0; k--)
        dense_backward(f, z, k - 1, 1);
    LOOP_ROLLED
    for (; k > 0; k -= DENSE_SOLVE)
        dense_backward(f, z, k - DENSE_SOLVE, DENSE_SOLVE);
}

#endif
