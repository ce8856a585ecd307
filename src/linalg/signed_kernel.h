/* signed_kernel.h - factorisation, solve and residual of signed_system.h over lanes; compiled by each backend for its
 * width.
 *
 * L row by row (sparse_ldl_kernel.h), d_i = h_ii - sum_j l_ij n_ij. Sums run in the order of the lists, each product
 * rounded before it is added: the bits do not depend on the width.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_SIGNED_KERNEL_H
#define HN_LINALG_SIGNED_KERNEL_H

#include "linalg/signed_factor.h"
#include "linalg/sparse_ldl_kernel.h"

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

static void kernel_signed_factor(const struct signed_system *s, double *slots) {
    const struct sparse_ldl f = SPARSE_LDL(s);
    simd *x = AT(s->work), *inverse = f.inverse, *summary = AT(s->summary);
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
            sparse_eliminate(&f, p, x, d);
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
    const struct sparse_ldl f = SPARSE_LDL(s);
    for (size_t k = 0; k < s->order; k++)
        sparse_forward_row(&f, slots, k, from, to, false);
    sparse_backward(&f, slots, s->order, &to, 1);
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
