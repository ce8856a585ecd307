/* sparse_ldl_kernel.h - the sparse factorisation row by row without product lists, and its triangular solves.
 *
 * Row i of L from the rows above it: with x = row i of h, for each column j of the row in turn n_ij = x_j, l_ij =
 * n_ij / d_j, and l_kj n_ij is subtracted from x for the rows k between j and i. Part of damped_kernel.h and
 * signed_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_SPARSE_LDL_KERNEL_H
#define HN_LINALG_SPARSE_LDL_KERNEL_H

#include "base/real.h"
#include "linalg/block_sizes.h"

#ifndef FREESTANDING
#include "base/simd.h"
#endif

#define SPARSE_AT(offset) ((simd *)(void *)SLOT_AT(slots, offset))

/* The pattern of L as in symbolic.h, and its numbers. */
struct sparse_ldl {
    simd *lower, *inverse;
    const uint32_t *permutation; /* offset in vectors of each unknown, in elimination order */
    const uint32_t *column_first, *row_number, *row_offset;
    const uint32_t *row_first, *row_column, *row_entry;
};

/* Initializer from a struct damped or a struct signed_system. */
#define SPARSE_LDL(system)                                                                                             \
    {                                                                                                                  \
        AT((system)->lower), AT((system)->inverse), (system)->permutation, (system)->column_first,                     \
            (system)->row_number, (system)->row_offset, (system)->row_first, (system)->row_column, (system)->row_entry \
    }

/* x -= l n in the rows of the entries first..end of a column; SPARSE_AHEAD of them are read before the first write. */
SIMD_INLINE void sparse_subtract(const struct sparse_ldl *f, simd *x, size_t first, size_t end, const simd *n) {
    for (size_t e = first; e < end; e += SPARSE_AHEAD) {
        simd rest[SPARSE_AHEAD][LANE_PARTS];
        LOOP_UNROLL
        for (size_t k = 0; k < SPARSE_AHEAD; k++) {
            size_t own = SPARSE_AHEAD > 1 && e + k >= end ? end - 1 : e + k;
            for (int i = 0; i < LANE_PARTS; i++)
                rest[k][i] = x[(size_t)f->row_number[own] * SLOT_STEP + (size_t)i] -
                             f->lower[own * SLOT_STEP + (size_t)i] * n[i];
        }
        LOOP_UNROLL
        for (size_t k = 0; k < SPARSE_AHEAD; k++)
            for (int i = 0; i < LANE_PARTS; i++)
                if (SPARSE_AHEAD == 1 || e + k < end)
                    x[(size_t)f->row_number[e + k] * SLOT_STEP + (size_t)i] = rest[k][i];
    }
}

/* Eliminates entry p of the rows, in column j, from x and d, and stores l_ij in the factor. */
SIMD_INLINE void sparse_eliminate(const struct sparse_ldl *f, size_t p, simd *x, simd *d) {
    size_t j = f->row_column[p], own = f->row_entry[p];
    simd n[LANE_PARTS];
    for (int i = 0; i < LANE_PARTS; i++)
        n[i] = x[j * SLOT_STEP + (size_t)i];
    sparse_subtract(f, x, f->column_first[j], own, n);
    for (int i = 0; i < LANE_PARTS; i++) {
        simd l = n[i] * f->inverse[j * SLOT_STEP + (size_t)i];
        f->lower[own * SLOT_STEP + (size_t)i] = l;
        d[i] -= l * n[i];
    }
}

/* z_i = b_i - sum over the row. The right-hand side of an added unknown is 0. */
SIMD_INLINE void sparse_forward_row(const struct sparse_ldl *f, real *slots, size_t row, uint32_t from, uint32_t to,
                                    const bool added) {
    simd sums[LANE_PARTS];
    for (int i = 0; i < LANE_PARTS; i++)
        sums[i] = added ? simd_all(0) : SPARSE_AT(from + f->permutation[row])[i];
    LOOP_UNROLL_FOUR
    for (size_t p = f->row_first[row]; p < f->row_first[row + 1]; p++) {
        const simd *l = f->lower + (size_t)f->row_entry[p] * SLOT_STEP;
        const simd *z = SPARSE_AT(to + f->permutation[f->row_column[p]]);
        for (int i = 0; i < LANE_PARTS; i++)
            sums[i] -= l[i] * z[i];
    }
    for (int i = 0; i < LANE_PARTS; i++)
        SPARSE_AT(to + f->permutation[row])[i] = sums[i];
}

/* z_j = z_j / d_j - sum over the entries below, last unknown first; for `count` vectors. */
SIMD_INLINE void sparse_backward(const struct sparse_ldl *f, real *slots, size_t order, const uint32_t *to,
                                 const int count) {
    LOOP_ROLLED
    for (size_t j = order; j-- > 0;) {
        const simd *inverse = f->inverse + j * SLOT_STEP;
        simd_prefetch(f->lower + (size_t)f->column_first[j] * SLOT_STEP, (size_t)0 - 1024); /* backwards */
        simd sums[2][LANE_PARTS];
        for (int side = 0; side < count; side++)
            for (int i = 0; i < LANE_PARTS; i++)
                sums[side][i] = SPARSE_AT(to[side] + f->permutation[j])[i] * inverse[i];
        LOOP_UNROLL_FOUR
        for (size_t e = f->column_first[j]; e < f->column_first[j + 1]; e++)
            for (int i = 0; i < LANE_PARTS; i++) {
                simd l = f->lower[e * SLOT_STEP + (size_t)i];
                for (int side = 0; side < count; side++)
                    sums[side][i] -= l * SPARSE_AT(to[side] + f->row_offset[e])[i];
            }
        for (int side = 0; side < count; side++)
            for (int i = 0; i < LANE_PARTS; i++)
                SPARSE_AT(to[side] + f->permutation[j])[i] = sums[side][i];
    }
}

#undef SPARSE_AT

#endif
