/* set.h - blocks of rows whose values c must lie together in a closed convex set K: the residual is r = c - P_K(c).
 *
 *     psd    the matrix M is positive semidefinite. Its rows are the lower triangle by rows, off-diagonal entries times sqrt 2, so that
 *            their norm is the Frobenius norm. M = sum_a w_a q_a q_a'
 *     soc    |u| <= t. Its rows are t, u. Eigenvalues t - |u| and t + |u|
 *
 * For both, r is the spectral function f(w) = min(w, 0), and the violation is that of the smallest eigenvalue, -w. The Jacobian of r is
 * D J, where D is diagonal in a basis of the block: 1 between directions of negative eigenvalues, 0 between others, else min / (min -
 * max), the divided difference of f. J' D J is the second derivative of |r|^2 / 2 for affine c, so A = W sqrt(D) J makes a damped step
 * one of Newton's method: J'D J, not J'D D J, is the matrix of the step. (Without damping both have the same steps, and A = W D J.) Methods
 * with row weights store A and W r of a block in this basis, where rows that do not count are exactly 0; a step does not depend on it.
 *
 * set_kernel.h has the operations. A set is an entry of hn_set, its operations there (set_psd_kernel.h, set_soc_kernel.h), and the
 * functions below.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SET_H
#define HN_CORE_SET_H

#include "base/real.h"

#ifndef FREESTANDING
#include "hardnet/inspect.h"
#endif

struct set_block {
    uint32_t kind;    /* hn_set */
    uint32_t order;   /* psd: of the matrix; soc: rows */
    uint32_t row;     /* the first of its rows, which have entries of J in the same columns */
    uint32_t storage; /* slot or offset */
};

enum { SET_MATRICES = 4, SET_VECTORS = 3 }; /* scratch of psd, and of every set */

static inline uint32_t set_row_count(hn_set kind, uint32_t order) {
    return kind == HN_SET_PSD ? order * (order + 1) / 2 : order;
}

static inline uint32_t set_rows(const struct set_block *block) {
    return set_row_count((hn_set)block->kind, block->order);
}

/* Eigenvalues, which come first in the storage. */
static inline uint32_t set_values(const struct set_block *block) {
    return block->kind == HN_SET_PSD ? block->order : 2;
}

/* Slots of the storage. */
static inline uint32_t set_storage(const struct set_block *block) {
    uint32_t order = block->order, psd = order + (1 + SET_MATRICES) * order * order;
    return (block->kind == HN_SET_PSD ? psd : 2 + order) + SET_VECTORS * set_rows(block);
}

/* The residual that users see: the negative eigenvalues, ascending, in the rows of the diagonal (soc: the first eigenvalue in the first
 * row), and 0 elsewhere; so max |r| is the violation, in the first row. Eigenvalues are `stride` apart; NaN if one of them is. */
static inline void set_shown_residual(const struct set_block *block, const real *value, size_t stride, real *rows) {
    const size_t count = set_values(block);
    for (size_t i = 0; i < set_rows(block); i++)
        rows[i] = 0;
    for (size_t a = 0; a < count; a++) {
        real own = value[a * stride];
        size_t rank = 0;
        for (size_t b = 0; b < count; b++)
            rank += value[b * stride] < own || (value[b * stride] == own && b < a);
        if (own < 0 && (rank == 0 || block->kind == HN_SET_PSD))
            rows[rank * (rank + 3) / 2] = own;
    }
    for (size_t a = 0; a < count; a++)
        if (!(value[a * stride] == value[a * stride]))
            rows[0] = REAL_NAN;
}

#endif
