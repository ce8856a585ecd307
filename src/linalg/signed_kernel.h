/* signed_kernel.h - factorisation, solve and residual of signed_system.h over lanes; compiled by each backend for its
 * width.
 *
 * Row i of L from the rows above it: with x = row i of the matrix, for each column j of the row in turn n_ij = x_j,
 * l_ij = n_ij / d_j, and l_kj n_ij is subtracted from x for the rows k between j and i; d_i = h_ii - sum_j l_ij n_ij.
 * Sums run in the order of the lists, each product rounded before it is added: the bits do not depend on the width.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_SIGNED_KERNEL_H
#define HN_LINALG_SIGNED_KERNEL_H

#include "linalg/signed_factor.h"

#ifndef FREESTANDING
#include "base/simd.h"
#include "linalg/signed_system.h"
#endif

#define AT(offset) ((simd *)(void *)SLOT_AT(slots, offset))

/* x = row `at` of the matrix, 0 where only L has an entry. */
// NOLINTNEXTLINE(readability-non-const-parameter): AT needs a non-const pointer
SIMD_INLINE void kernel_signed_gather(const struct signed_system *s, double *slots, size_t at, simd *x) {
    for (size_t p = s->row_first[at]; p < s->row_first[at + 1]; p++)
        for (size_t i = 0; i < LANE_PARTS; i++)
            x[(size_t)s->row_column[p] * SLOT_STEP + i] = simd_all(0);
    for (size_t p = s->own_first[at]; p < s->own_first[at + 1]; p++)
        for (size_t i = 0; i < LANE_PARTS; i++)
            x[(size_t)s->own_column[p] * SLOT_STEP + i] = AT(s->own_offset[p])[i];
}

/* Eliminates column j from x and d, and stores l_ij in the factor. */
SIMD_INLINE void kernel_signed_eliminate(const struct signed_system *s, double *slots, size_t p, simd *x, simd *d) {
    size_t j = s->row_column[p], own = s->row_entry[p];
    simd *lower = AT(s->lower);
    const simd *inverse = AT(s->inverse) + j * SLOT_STEP;
    simd n[LANE_PARTS];
    for (size_t i = 0; i < LANE_PARTS; i++)
        n[i] = x[j * SLOT_STEP + i];
    for (size_t e = s->column_first[j]; e < own; e++)
        for (size_t i = 0; i < LANE_PARTS; i++)
            x[(size_t)s->row_number[e] * SLOT_STEP + i] -= lower[e * SLOT_STEP + i] * n[i];
    for (size_t i = 0; i < LANE_PARTS; i++) {
        simd l = n[i] * inverse[i];
        lower[own * SLOT_STEP + i] = l;
        d[i] -= l * n[i];
    }
}

static void kernel_signed_factor(const struct signed_system *s, double *slots) {
    simd *x = AT(s->work), *inverse = AT(s->inverse), *summary = AT(s->summary);
    for (size_t k = 0; k < SIGNED_SUMMARY; k++)
        for (size_t i = 0; i < LANE_PARTS; i++)
            summary[k * SLOT_STEP + i] = simd_all(0);
    for (size_t at = 0; at < s->order; at++, inverse += SLOT_STEP) {
        const simd *whole = AT(s->diagonal + s->permutation[at]);
        simd d[LANE_PARTS];
        kernel_signed_gather(s, slots, at, x);
        for (size_t i = 0; i < LANE_PARTS; i++)
            d[i] = whole[i];
        for (size_t p = s->row_first[at]; p < s->row_first[at + 1]; p++)
            kernel_signed_eliminate(s, slots, p, x, d);
        for (size_t i = 0; i < LANE_PARTS; i++) {
            simd_bits kept = simd_less(simd_abs(whole[i]) * simd_all(0x1p-50), simd_abs(d[i]));
            inverse[i] = simd_keep(kept, simd_all(1) / d[i]);
            summary[(size_t)SIGNED_POSITIVE * SLOT_STEP + i] += simd_keep(simd_less(simd_all(0), d[i]), simd_all(1));
            summary[(size_t)SIGNED_LOST * SLOT_STEP + i] += simd_keep(~kept, simd_all(1));
        }
    }
}

/* to = the solution for the right-hand side `from`; they may be equal. */
static void kernel_signed_solve(const struct signed_system *s, double *slots, uint32_t from, uint32_t to) {
    const simd *lower = AT(s->lower), *inverse = AT(s->inverse);
    for (size_t k = 0; k < s->order; k++) {
        simd sums[LANE_PARTS];
        for (size_t i = 0; i < LANE_PARTS; i++)
            sums[i] = AT(from + s->permutation[k])[i];
        for (size_t p = s->row_first[k]; p < s->row_first[k + 1]; p++)
            for (size_t i = 0; i < LANE_PARTS; i++)
                sums[i] -=
                    lower[(size_t)s->row_entry[p] * SLOT_STEP + i] * AT(to + s->permutation[s->row_column[p]])[i];
        for (size_t i = 0; i < LANE_PARTS; i++)
            AT(to + s->permutation[k])[i] = sums[i];
    }
    for (size_t k = s->order; k-- > 0;) {
        simd sums[LANE_PARTS];
        for (size_t i = 0; i < LANE_PARTS; i++)
            sums[i] = AT(to + s->permutation[k])[i] * inverse[k * SLOT_STEP + i];
        for (size_t e = s->column_first[k]; e < s->column_first[k + 1]; e++)
            for (size_t i = 0; i < LANE_PARTS; i++)
                sums[i] -= lower[e * SLOT_STEP + i] * AT(to + s->row_offset[e])[i];
        for (size_t i = 0; i < LANE_PARTS; i++)
            AT(to + s->permutation[k])[i] = sums[i];
    }
}

/* to = right - K x; `to` must differ from both. */
static void kernel_signed_residual(const struct signed_system *s, double *slots, uint32_t right, uint32_t x,
                                   uint32_t to) {
    for (size_t k = 0; k < s->order * SLOT_STEP; k += SLOT_STEP)
        for (size_t i = 0; i < LANE_PARTS; i++)
            AT(to)[k + i] = AT(right)[k + i] - AT(s->diagonal)[k + i] * AT(x)[k + i];
    for (size_t e = 0; e < s->entries; e++) {
        const uint32_t *pair = s->pair + 3 * e;
        for (size_t i = 0; i < LANE_PARTS; i++) {
            simd v = AT(pair[2])[i];
            AT(to + pair[0])[i] -= v * AT(x + pair[1])[i];
            AT(to + pair[1])[i] -= v * AT(x + pair[0])[i];
        }
    }
}

#undef AT

#endif
