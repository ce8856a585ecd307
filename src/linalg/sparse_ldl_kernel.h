/* sparse_ldl_kernel.h - the sparse factorisation row by row without product lists, for factors whose lists would be too
 * long.
 *
 * Row i of L from the rows above it: with x = row i of h, for each column j of the row in turn n_ij = x_j, l_ij = n_ij
 * / d_j, and l_kj n_ij is subtracted from x for the rows k between j and i. Part of damped_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_SPARSE_LDL_KERNEL_H
#define HN_LINALG_SPARSE_LDL_KERNEL_H

#include "base/real.h"

/* x = row i of h, the diagonal into `whole`. */
SIMD_INLINE const uint32_t *kernel_gather_row(real *slots, const uint32_t *s, simd *x, simd *whole) {
    uint32_t entries = *s++;
    for (uint32_t t = 1; t <= entries; t++) {
        simd *to = t < entries ? x + (size_t)s[0] * SLOT_STEP : whole;
        simd sums[LANE_PARTS];
        for (int i = 0; i < LANE_PARTS; i++)
            sums[i] = AT(s[1])[i];
        s = kernel_pairs(slots, s + 3, s[2], sums);
        for (int i = 0; i < LANE_PARTS; i++)
            to[i] = sums[i];
    }
    return s;
}

/* Eliminates column j from x and d, and stores l_ij in the factor. */
SIMD_INLINE void kernel_eliminate(const struct damped *system, real *slots, size_t p, simd *x, simd *d) {
    size_t j = system->row_column[p], own = system->row_entry[p];
    simd *lower = AT(system->lower);
    const simd *inverse = AT(system->inverse) + j * SLOT_STEP;
    simd n[LANE_PARTS];
    for (int i = 0; i < LANE_PARTS; i++)
        n[i] = x[j * SLOT_STEP + (size_t)i];
    for (size_t e = system->column_first[j]; e < own; e++)
        for (int i = 0; i < LANE_PARTS; i++)
            x[(size_t)system->row_number[e] * SLOT_STEP + (size_t)i] -= lower[e * SLOT_STEP + (size_t)i] * n[i];
    for (int i = 0; i < LANE_PARTS; i++) {
        simd l = n[i] * inverse[i];
        lower[own * SLOT_STEP + (size_t)i] = l;
        d[i] -= l * n[i];
    }
}

/* The right-hand side of an added unknown is 0. */
SIMD_INLINE void kernel_forward_walked(const struct damped *system, real *slots, size_t row, uint32_t from, uint32_t to,
                                       const bool added) {
    simd sums[LANE_PARTS];
    for (int i = 0; i < LANE_PARTS; i++)
        sums[i] = added ? simd_all(0) : AT(from + system->permutation[row])[i];
    for (size_t p = system->row_first[row]; p < system->row_first[row + 1]; p++) {
        const simd *l = AT(system->lower) + (size_t)system->row_entry[p] * SLOT_STEP;
        const simd *z = AT(to + system->permutation[system->row_column[p]]);
        for (int i = 0; i < LANE_PARTS; i++)
            sums[i] -= l[i] * z[i];
    }
    for (int i = 0; i < LANE_PARTS; i++)
        AT(to + system->permutation[row])[i] = sums[i];
}

static void kernel_factor_walked(const struct damped *system, real *slots, const struct damped_sides *sides) {
    const uint32_t *s = system->stream;
    simd *x = AT(system->negated);
    size_t own = (system->order - system->added) * SLOT_STRIDE;
    struct pivots range;
    kernel_pivots_begin(system, slots, &range);
    for (size_t row = 0; row < system->order; row++, range.inverse += SLOT_STEP) {
        simd whole[LANE_PARTS], d[LANE_PARTS];
        s = kernel_gather_row(slots, s, x, whole);
        for (int i = 0; i < LANE_PARTS; i++)
            d[i] = whole[i];
        for (size_t p = system->row_first[row]; p < system->row_first[row + 1]; p++)
            kernel_eliminate(system, slots, p, x, d);
        bool added = system->permutation[row] >= own;
        if (added)
            kernel_pivot_added(&range, whole, d);
        else
            kernel_pivot(&range, whole, d);
        for (int side = 0; side < sides->count; side++)
            kernel_forward_walked(system, slots, row, sides->from[side], sides->to[side], added);
    }
    kernel_pivots_end(system, slots, &range);
}

#endif
