/* set.h - blocks of rows whose values must lie together in a closed convex set K: the residual is r = c - P_K(c).
 *
 *     psd    the symmetric matrix M is positive semidefinite. The rows are its lower triangle by rows, off-diagonal entries
 *            times sqrt 2, so that the norm of the rows is the Frobenius norm. With M = Q diag(w) Q', r = Q diag(min(w, 0)) Q'
 *
 * The Jacobian of r is D J, D = I - dP_K. In the basis of Q it is diagonal: entry (a, b) is 1 if w_a and w_b are negative, 0 if neither
 * is, else min / (min - max), the divided difference of min(w, 0). Methods with row weights therefore store A and W r of a block in this
 * basis, where rows that do not count are exactly 0; a step does not depend on the basis.
 *
 * set_kernel.h has the operations. Their storage in the slots of a sample: w, Q by rows, then work matrices.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SET_H
#define HN_CORE_SET_H

#include "base/real.h"

struct set_block {
    uint32_t kind;    /* hn_set */
    uint32_t order;   /* s, of M */
    uint32_t row;     /* the first of s (s + 1) / 2 rows, which have entries of J in the same columns */
    uint32_t storage; /* slot or offset */
};

enum { SET_WORK = 4 }; /* work matrices */

static inline uint32_t set_rows(const struct set_block *block) {
    return block->order * (block->order + 1) / 2;
}

static inline uint32_t set_storage(uint32_t order) {
    return order + (1 + SET_WORK) * order * order;
}

/* The residual that users see: the negative eigenvalues, ascending, in the rows of the diagonal; so max |r| is the violation, and its
 * row the first of the block. Eigenvalues are `stride` apart; if one is NaN, so is every row. */
static inline void set_shown_residual(const real *value, size_t stride, uint32_t order, real *rows) {
    bool known = true;
    for (size_t i = 0; i < (size_t)order * (order + 1) / 2; i++)
        rows[i] = 0;
    for (size_t a = 0; a < order; a++) {
        real own = value[a * stride];
        size_t rank = 0;
        for (size_t b = 0; b < order; b++)
            rank += value[b * stride] < own || (value[b * stride] == own && b < a);
        rows[rank * (rank + 3) / 2] = own < 0 ? own : 0;
        known = known && own == own;
    }
    for (size_t i = 0; !known && i < (size_t)order * (order + 1) / 2; i++)
        rows[i] = REAL_NAN;
}

#endif
