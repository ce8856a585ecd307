/* dense_ldl_kernel.h - the factorisation of a nearly dense matrix; the only lists are those of h = M M' + E.
 *
 * L by rows, packed, D on its diagonal. Blocks of two columns by four rows reuse loaded numbers. Every sum runs over k
 * ascending, as without blocking. Part of damped_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_DENSE_LDL_KERNEL_H
#define HN_LINALG_DENSE_LDL_KERNEL_H

#include "base/real.h"

enum { DENSE_ROWS = 4 };

SIMD_INLINE simd *kernel_dense_row(const struct damped *system, real *slots, size_t i) {
    return AT(system->lower) + i * (i + 1) / 2 * SLOT_STEP;
}

static void kernel_gather_dense(const struct damped *system, real *slots) {
    const uint32_t *s = system->stream;
    simd *to = AT(system->lower);
    for (size_t e = 0; e < system->order * (system->order + 1) / 2; e++, to += SLOT_STEP) {
        simd sums[LANE_PARTS];
        for (int i = 0; i < LANE_PARTS; i++)
            sums[i] = AT(s[0])[i];
        s = kernel_pairs(slots, s + 2, s[1], sums);
        for (int i = 0; i < LANE_PARTS; i++)
            to[i] = sums[i];
    }
}

/* n_k = l_jk d_k for k < count, and the pivot d_j. */
SIMD_INLINE void kernel_dense_pivot(const struct damped *system, real *slots, size_t j, simd *n, struct pivots *range) {
    simd *row = kernel_dense_row(system, slots, j), *diagonal = row + j * SLOT_STEP;
    simd whole[LANE_PARTS];
    for (int i = 0; i < LANE_PARTS; i++)
        whole[i] = diagonal[i];
    for (size_t k = 0; k < j; k++) {
        const simd *d = kernel_dense_row(system, slots, k) + k * SLOT_STEP;
        for (int i = 0; i < LANE_PARTS; i++) {
            n[k * SLOT_STEP + (size_t)i] = row[k * SLOT_STEP + (size_t)i] * d[i];
            diagonal[i] -= row[k * SLOT_STEP + (size_t)i] * n[k * SLOT_STEP + (size_t)i];
        }
    }
    range->inverse = AT(system->inverse) + j * SLOT_STEP;
    kernel_pivot(range, whole, diagonal);
}

/* Columns j and, if `both`, j + 1 of `count` rows from `first` on; n and n + span are the two rows of L D. One part of
 * the lanes at a time, so that the sums stay in registers. */
SIMD_INLINE void kernel_dense_block(const struct damped *system, real *slots, size_t first, size_t j, int part,
                                    const int count, const bool both) {
    const simd *n0 = AT(system->negated) + part, *n1 = n0 + system->order * SLOT_STEP;
    const simd *inverse = AT(system->inverse) + part;
    simd *row[DENSE_ROWS], sums0[DENSE_ROWS], sums1[DENSE_ROWS];
    for (int r = 0; r < count; r++) {
        row[r] = kernel_dense_row(system, slots, first + (size_t)r) + part;
        sums0[r] = row[r][j * SLOT_STEP];
        sums1[r] = both ? row[r][(j + 1) * SLOT_STEP] : simd_all(0);
    }
    for (size_t k = 0; k < j * SLOT_STEP; k += SLOT_STEP)
        for (int r = 0; r < count; r++) {
            sums0[r] -= row[r][k] * n0[k];
            if (both)
                sums1[r] -= row[r][k] * n1[k];
        }
    for (int r = 0; r < count; r++) {
        simd l = sums0[r] * inverse[j * SLOT_STEP];
        row[r][j * SLOT_STEP] = l;
        if (both)
            row[r][(j + 1) * SLOT_STEP] = (sums1[r] - l * n1[j * SLOT_STEP]) * inverse[(j + 1) * SLOT_STEP];
    }
}

SIMD_INLINE void kernel_dense_rows(const struct damped *system, real *slots, size_t first, size_t j, const bool both) {
    size_t row = first;
    for (; row + DENSE_ROWS <= system->order; row += DENSE_ROWS)
        for (int part = 0; part < LANE_PARTS; part++)
            kernel_dense_block(system, slots, row, j, part, DENSE_ROWS, both);
    for (; row < system->order; row++)
        for (int part = 0; part < LANE_PARTS; part++)
            kernel_dense_block(system, slots, row, j, part, 1, both);
}

static void kernel_factor_dense(const struct damped *system, real *slots) {
    simd *n0 = AT(system->negated), *n1 = n0 + system->order * SLOT_STEP;
    struct pivots range;
    size_t j = 0;
    kernel_pivots_begin(system, slots, &range);
    kernel_gather_dense(system, slots);
    for (; j + 1 < system->order; j += 2) {
        kernel_dense_pivot(system, slots, j, n0, &range);
        for (int part = 0; part < LANE_PARTS; part++)
            kernel_dense_block(system, slots, j + 1, j, part, 1, false);
        kernel_dense_pivot(system, slots, j + 1, n1, &range);
        kernel_dense_rows(system, slots, j + 2, j, true);
    }
    if (j < system->order)
        kernel_dense_pivot(system, slots, j, n0, &range);
    kernel_pivots_end(system, slots, &range);
}

/* Forward substitution by rows, then back substitution, each unknown subtracted from those before it. */
static void kernel_solve_dense(const struct damped *system, real *slots, uint32_t from, uint32_t to) {
    const simd *b = AT(from), *inverse = AT(system->inverse);
    simd *z = AT(to);
    for (size_t row = 0; row < system->order; row++) {
        const simd *l = kernel_dense_row(system, slots, row);
        for (size_t i = 0; i < LANE_PARTS; i++) {
            simd sum = b[row * SLOT_STEP + i];
            for (size_t k = 0; k < row; k++)
                sum -= l[k * SLOT_STEP + i] * z[k * SLOT_STEP + i];
            z[row * SLOT_STEP + i] = sum;
        }
    }
    for (size_t k = 0; k < system->order; k++)
        for (size_t i = 0; i < LANE_PARTS; i++)
            z[k * SLOT_STEP + i] *= inverse[k * SLOT_STEP + i];
    for (size_t row = system->order; row-- > 0;) {
        const simd *l = kernel_dense_row(system, slots, row);
        for (size_t k = 0; k < row; k++)
            for (size_t i = 0; i < LANE_PARTS; i++)
                z[k * SLOT_STEP + i] -= l[k * SLOT_STEP + i] * z[row * SLOT_STEP + i];
    }
}

#endif
