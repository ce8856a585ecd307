/* dense_ldl.h - the factor of a matrix that is nearly full, and its solves, as loops of one thread over slots in the device's memory: what
 * linalg/dense_ldl_kernel.h computes, to the last bit.
 *
 *     d_j = h_jj - sum_k l_jk n_jk,   l_ij = (h_ij - sum_k l_ik n_jk) / d_j,   n_jk = l_jk w_k
 *
 * Memory answers late and a thread has 255 registers: DENSE_DOWN x DENSE_ACROSS sums stay in registers, and a number that was read takes part
 * in several products. Every sum runs over k ascending, each product rounded before it is subtracted. In front of row i of L may stand `prefix`
 * numbers that count as further columns (tridiagonal_schur.h); w is D behind them. Tiles that stick out read the last row again.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DENSE_LDL_H
#define HN_CUDA_DENSE_LDL_H

enum { DENSE_DOWN = 8, DENSE_ACROSS = 4, DENSE_AHEAD = 8 };

struct dense {
    size_t order, prefix;
    real *lower;   /* row i: prefix numbers, then i + 1 of h, which become those of L */
    real *weight;  /* w: prefix + order */
    real *inverse; /* 1 / D: order */
    real *strip;   /* n of DENSE_ACROSS rows, DENSE_DEPTH apart */
    real low, high;
};

/* What rows below need of the rows of a group of columns: n and 1/d. */
struct dense_corner {
    real n[DENSE_ACROSS][DENSE_ACROSS], inverse[DENSE_ACROSS];
};

SIMD_INLINE real *dense_at(real *slots, size_t slot) {
    return slots + slot * SLOT_STRIDE;
}

SIMD_INLINE size_t dense_least(size_t a, size_t b) {
    return a < b ? a : b;
}

SIMD_INLINE real *dense_row(const struct dense *f, size_t i) {
    return f->lower + (i * f->prefix + i * (i + 1) / 2) * SLOT_STRIDE;
}

/* ---- the factor ---- */

/* The products of so many columns from k on in the group's own rows; leaves n in the strip. All reads come before the first write, which
 * they would wait for. */
SIMD_INLINE void dense_corner_lose(const struct dense *f, const real *const row[DENSE_ACROSS], size_t k,
                                   const size_t columns, real sums[DENSE_ACROSS][DENSE_ACROSS]) {
    real l[DENSE_AHEAD][DENSE_ACROSS], n[DENSE_AHEAD][DENSE_ACROSS], weight[DENSE_AHEAD];
    DEVICE_UNROLL
    for (size_t s = 0; s < columns; s++) {
        weight[s] = f->weight[(k + s) * SLOT_STRIDE];
        DEVICE_UNROLL
        for (size_t r = 0; r < DENSE_ACROSS; r++)
            l[s][r] = row[r][(k + s) * SLOT_STRIDE];
    }
    DEVICE_UNROLL
    for (size_t s = 0; s < columns; s++) {
        DEVICE_UNROLL
        for (size_t r = 0; r < DENSE_ACROSS; r++) {
            n[s][r] = l[s][r] * weight[s];
            f->strip[(r * DENSE_DEPTH + k + s) * SLOT_STRIDE] = n[s][r];
            DEVICE_UNROLL
            for (size_t c = 0; c <= r; c++)
                sums[r][c] -= l[s][r] * n[s][c];
        }
    }
}

SIMD_INLINE void dense_corner_sums(const struct dense *f, size_t j, real sums[DENSE_ACROSS][DENSE_ACROSS]) {
    const real *row[DENSE_ACROSS];
    size_t depth = f->prefix + j, k = 0;
    DEVICE_UNROLL
    for (size_t r = 0; r < DENSE_ACROSS; r++) {
        row[r] = dense_row(f, dense_least(j + r, f->order - 1));
        DEVICE_UNROLL
        for (size_t c = 0; c <= r; c++)
            sums[r][c] = row[r][(depth + c) * SLOT_STRIDE];
    }
    DEVICE_ROLLED
    for (; k + DENSE_AHEAD <= depth; k += DENSE_AHEAD)
        dense_corner_lose(f, row, k, DENSE_AHEAD, sums);
    DEVICE_ROLLED
    for (; k < depth; k++)
        dense_corner_lose(f, row, k, 1, sums);
}

/* d_j and 1/d_j, which is 0 for a pivot that is lost in rounding. */
SIMD_INLINE real dense_pivot(struct dense *f, size_t j, real whole, real d) {
    real inverse = kernel_pivot_inverse(whole, d);
    f->weight[(f->prefix + j) * SLOT_STRIDE] = d;
    f->inverse[j * SLOT_STRIDE] = inverse;
    f->low = d < f->low ? d : f->low;
    f->high = f->high < d ? d : f->high;
    return inverse;
}

/* The group's own rows: pivots and what is left of it of L. */
static void dense_factor_corner(struct dense *f, size_t j, struct dense_corner *out) {
    real sums[DENSE_ACROSS][DENSE_ACROSS], whole[DENSE_ACROSS], l[DENSE_ACROSS];
    size_t depth = f->prefix + j, left = f->order - j;
    DEVICE_UNROLL
    for (size_t c = 0; c < DENSE_ACROSS; c++)
        whole[c] = dense_row(f, dense_least(j + c, f->order - 1))[(depth + c) * SLOT_STRIDE];
    dense_corner_sums(f, j, sums);
    DEVICE_UNROLL
    for (size_t c = 0; c < DENSE_ACROSS; c++) {
        real d = sums[c][c];
        out->inverse[c] = c < left ? dense_pivot(f, j + c, whole[c], d) : 0;
        DEVICE_UNROLL
        for (size_t r = c + 1; r < DENSE_ACROSS; r++) {
            l[r] = sums[r][c] * out->inverse[c];
            out->n[r][c] = l[r] * d;
            if (r < left)
                dense_row(f, j + r)[(depth + c) * SLOT_STRIDE] = l[r];
        }
        DEVICE_UNROLL
        for (size_t r = c + 1; r < DENSE_ACROSS; r++) {
            DEVICE_UNROLL
            for (size_t other = c + 1; other <= r; other++)
                sums[r][other] -= l[r] * out->n[other][c];
        }
    }
}

/* Rows i .. of the group's columns: what is before the group. */
SIMD_INLINE void dense_below_sums(const struct dense *f, size_t j, const real *const row[DENSE_DOWN],
                                  real sums[DENSE_DOWN][DENSE_ACROSS]) {
    size_t depth = f->prefix + j;
    const real *n = f->strip;
    DEVICE_UNROLL
    for (size_t r = 0; r < DENSE_DOWN; r++) {
        DEVICE_UNROLL
        for (size_t c = 0; c < DENSE_ACROSS; c++)
            sums[r][c] = row[r][(depth + c) * SLOT_STRIDE];
    }
    DEVICE_UNROLL_FOUR
    for (size_t k = 0; k < depth; k++) {
        real l[DENSE_DOWN], own[DENSE_ACROSS];
        DEVICE_UNROLL
        for (size_t c = 0; c < DENSE_ACROSS; c++)
            own[c] = n[(c * DENSE_DEPTH + k) * SLOT_STRIDE];
        DEVICE_UNROLL
        for (size_t r = 0; r < DENSE_DOWN; r++)
            l[r] = row[r][k * SLOT_STRIDE];
        DEVICE_UNROLL
        for (size_t r = 0; r < DENSE_DOWN; r++) {
            DEVICE_UNROLL
            for (size_t c = 0; c < DENSE_ACROSS; c++)
                sums[r][c] -= l[r] * own[c];
        }
    }
}

static void dense_factor_below(const struct dense *f, size_t j, size_t i, const struct dense_corner *corner) {
    real sums[DENSE_DOWN][DENSE_ACROSS];
    const real *row[DENSE_DOWN];
    size_t depth = f->prefix + j;
    DEVICE_UNROLL
    for (size_t r = 0; r < DENSE_DOWN; r++)
        row[r] = dense_row(f, dense_least(i + r, f->order - 1));
    dense_below_sums(f, j, row, sums);
    DEVICE_UNROLL
    for (size_t r = 0; r < DENSE_DOWN; r++) {
        DEVICE_UNROLL
        for (size_t c = 0; c < DENSE_ACROSS; c++) {
            sums[r][c] *= corner->inverse[c];
            DEVICE_UNROLL
            for (size_t other = c + 1; other < DENSE_ACROSS; other++)
                sums[r][other] -= sums[r][c] * corner->n[other][c];
        }
    }
    DEVICE_UNROLL
    for (size_t r = 0; r < DENSE_DOWN; r++)
        if (i + r < f->order) {
            real *to = dense_row(f, i + r) + depth * SLOT_STRIDE;
            DEVICE_UNROLL
            for (size_t c = 0; c < DENSE_ACROSS; c++)
                to[c * SLOT_STRIDE] = sums[r][c];
        }
}

static GENERATED void dense_factor(struct dense *f) {
    DEVICE_ROLLED
    for (size_t j = 0; j < f->order; j += DENSE_ACROSS) {
        struct dense_corner corner;
        dense_factor_corner(f, j, &corner);
        DEVICE_ROLLED
        for (size_t i = j + DENSE_ACROSS; i < f->order; i += DENSE_DOWN)
            dense_factor_below(f, j, i, &corner);
    }
}

/* ---- the solution ---- */

/* z = L^-1 z: rows i .. lose what is known, then each other. */
static void dense_forward_rows(const struct dense *f, real *z, size_t i) {
    const real *row[DENSE_DOWN];
    real sums[DENSE_DOWN];
    DEVICE_UNROLL
    for (size_t r = 0; r < DENSE_DOWN; r++) {
        row[r] = dense_row(f, dense_least(i + r, f->order - 1)) + f->prefix * SLOT_STRIDE;
        sums[r] = z[dense_least(i + r, f->order - 1) * SLOT_STRIDE];
    }
    DEVICE_UNROLL_FOUR
    for (size_t k = 0; k < i; k++) {
        real known = z[k * SLOT_STRIDE];
        DEVICE_UNROLL
        for (size_t r = 0; r < DENSE_DOWN; r++)
            sums[r] -= row[r][k * SLOT_STRIDE] * known;
    }
    DEVICE_UNROLL
    for (size_t c = 0; c < DENSE_DOWN; c++) {
        DEVICE_UNROLL
        for (size_t r = c + 1; r < DENSE_DOWN; r++)
            if (i + r < f->order)
                sums[r] -= row[r][(i + c) * SLOT_STRIDE] * sums[c];
    }
    DEVICE_UNROLL
    for (size_t r = 0; r < DENSE_DOWN; r++)
        if (i + r < f->order)
            z[(i + r) * SLOT_STRIDE] = sums[r];
}

/* z = L'^-1 D^-1 z: unknowns k .. lose those behind them, the last first, then each other. */
static void dense_backward_rows(const struct dense *f, real *z, size_t k) {
    real sums[DENSE_DOWN];
    DEVICE_UNROLL
    for (size_t c = 0; c < DENSE_DOWN; c++) {
        size_t own = dense_least(k + c, f->order - 1) * SLOT_STRIDE;
        sums[c] = z[own] * f->inverse[own];
    }
    DEVICE_UNROLL_FOUR
    for (size_t i = f->order; i-- > k + DENSE_DOWN;) {
        const real *row = dense_row(f, i) + (f->prefix + k) * SLOT_STRIDE;
        real known = z[i * SLOT_STRIDE];
        DEVICE_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++)
            sums[c] -= row[c * SLOT_STRIDE] * known;
    }
    DEVICE_UNROLL
    for (size_t r = DENSE_DOWN; r-- > 1;) {
        if (k + r < f->order) {
            const real *row = dense_row(f, k + r) + (f->prefix + k) * SLOT_STRIDE;
            DEVICE_UNROLL
            for (size_t c = 0; c < r; c++)
                sums[c] -= row[c * SLOT_STRIDE] * sums[r];
        }
    }
    DEVICE_UNROLL
    for (size_t c = 0; c < DENSE_DOWN; c++)
        if (k + c < f->order)
            z[(k + c) * SLOT_STRIDE] = sums[c];
}

static GENERATED void dense_solve(const struct dense *f, real *z) {
    DEVICE_ROLLED
    for (size_t i = 0; i < f->order; i += DENSE_DOWN)
        dense_forward_rows(f, z, i);
    DEVICE_ROLLED
    for (size_t k = (f->order + DENSE_DOWN - 1) / DENSE_DOWN * DENSE_DOWN; k > 0; k -= DENSE_DOWN)
        dense_backward_rows(f, z, k - DENSE_DOWN);
}

/* from = to, for vectors that do not overlap: several are read before the first is written. */
static void dense_copy(const real *from, real *to, size_t count) {
    DEVICE_ROLLED
    for (size_t i = 0; i < count; i += DENSE_DOWN) {
        real block[DENSE_DOWN];
        DEVICE_UNROLL
        for (size_t k = 0; k < DENSE_DOWN; k++)
            block[k] = from[dense_least(i + k, count - 1) * SLOT_STRIDE];
        DEVICE_UNROLL
        for (size_t k = 0; k < DENSE_DOWN; k++)
            if (i + k < count)
                to[(i + k) * SLOT_STRIDE] = block[k];
    }
}

#endif
