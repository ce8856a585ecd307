/* damped_kernel.h - factor, solve and multiply over lanes; compiled by each backend for its width.
 *
 *     d_j  = h_jj - sum_k l_jk n_jk        h = M M' + E, n = L D, stored negated so that all sums add
 *     n_ij = h_ij - sum_k l_ik n_jk        l_ij = n_ij / d_j
 *     z_j  = b_j - sum_k l_jk z_k          then z_j / d_j, then backward substitution
 *
 * A pivot at or below 2^-50 of its h_jj is lost to rounding: its 1/d is replaced by 0 and the unknown becomes 0.
 * Sums run in the order of the streams, each product rounded before it is added: the bits do not depend on the width.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_DAMPED_KERNEL_H
#define HN_LINALG_DAMPED_KERNEL_H

#include "base/real.h"
#include "linalg/block_sizes.h"
#include "linalg/damped_factor.h"
#include "linalg/dense_ldl_kernel.h"
#include "linalg/pivot_kernel.h"
#include "linalg/sparse_ldl_kernel.h"

#ifndef FREESTANDING
#include "linalg/damped_system.h"
#endif

#define AT(offset)      ((simd *)(void *)SLOT_AT(slots, offset))
#define SEEN_AT(offset) ((const simd *)(const void *)SLOT_AT(slots, offset))

/* sums += a b for one pair of offsets. */
SIMD_INLINE void kernel_pair(const real *slots, const uint32_t *pair, simd *sums) {
    const simd *a = SEEN_AT(pair[0]), *b = SEEN_AT(pair[1]);
    for (int i = 0; i < LANE_PARTS; i++)
        sums[i] += a[i] * b[i];
}

/* sums += a b over `count` pairs of offsets; most sums are short. */
SIMD_INLINE const uint32_t *kernel_pairs(const real *slots, const uint32_t *stream, uint32_t count, simd *sums) {
    LOOP_UNROLL_TWO
    for (; count >= 4; count -= 4, stream += 8) {
        kernel_pair(slots, stream, sums);
        kernel_pair(slots, stream + 2, sums);
        kernel_pair(slots, stream + 4, sums);
        kernel_pair(slots, stream + 6, sums);
    }
    if (count & 2) {
        kernel_pair(slots, stream, sums);
        kernel_pair(slots, stream + 2, sums);
        stream += 4;
    }
    if (count & 1) {
        kernel_pair(slots, stream, sums);
        stream += 2;
    }
    return stream;
}

/* sums = an entry of h: the offset of its known part, a number of pairs, then the pairs. */
SIMD_INLINE const uint32_t *kernel_sum(const real *slots, const uint32_t *s, simd *sums) {
    for (int i = 0; i < LANE_PARTS; i++)
        sums[i] = SEEN_AT(s[0])[i];
    return kernel_pairs(slots, s + 2, s[1], sums);
}

SIMD_INLINE void kernel_pivots_end(const struct damped *system, real *slots, const struct pivots *range) {
    simd *low = AT(system->pivot_range), *high = low + SLOT_STEP;
    for (int i = 0; i < LANE_PARTS; i++) {
        low[i] = range->low[i];
        high[i] = range->high[i];
    }
}

/* 1/d of the current unknown. An added unknown has a pivot of at most -1, which is not part of the range. */
SIMD_INLINE void kernel_pivots_next(struct pivots *range, const simd *whole, const simd *d, const bool added) {
    for (int i = 0; i < LANE_PARTS; i++)
        range->inverse[i] = added ? kernel_pivot_added_inverse(whole[i], d[i]) : kernel_pivot(range, i, whole[i], d[i]);
}

/* ---- the factor from lists ---- */

/* Row j of L: subtracts l_jk n_jk from the diagonal and l_jk z_k from each right-hand side. */
SIMD_INLINE const uint32_t *kernel_row_listed(const real *slots, const uint32_t *s, uint32_t count, simd *d,
                                              simd (*z)[LANE_PARTS], const struct damped_sides *sides,
                                              const int side_count) {
    for (uint32_t k = 0; k < count; k++, s += 3)
        for (int i = 0; i < LANE_PARTS; i++) {
            simd l = SEEN_AT(s[0])[i];
            d[i] += l * SEEN_AT(s[1])[i];
            for (int side = 0; side < side_count; side++)
                z[side][i] -= l * SEEN_AT(sides->to[side] + s[2])[i];
        }
    return s;
}

/* The diagonal entry and the right-hand sides of unknown `at`; 0 for an added unknown. */
SIMD_INLINE const uint32_t *kernel_diagonal(real *slots, const uint32_t *s, uint32_t at, struct pivots *range,
                                            const struct damped_sides *sides, const int side_count, const bool added) {
    simd whole[LANE_PARTS], d[LANE_PARTS], z[2][LANE_PARTS];
    uint32_t before = s[1];
    s = kernel_sum(slots, s + 2, whole);
    for (int i = 0; i < LANE_PARTS; i++) {
        d[i] = whole[i];
        for (int side = 0; side < side_count; side++)
            z[side][i] = added ? simd_all(0) : AT(sides->from[side] + at)[i];
    }
    s = kernel_row_listed(slots, s, before, d, z, sides, side_count);
    for (int i = 0; i < LANE_PARTS; i++)
        for (int side = 0; side < side_count; side++)
            AT(sides->to[side] + at)[i] = z[side][i];
    kernel_pivots_next(range, whole, d, added);
    return s;
}

/* bordered: some unknowns are added. */
SIMD_INLINE void kernel_columns_listed(const struct damped *system, real *slots, const struct damped_sides *sides,
                                       const int side_count, const bool bordered) {
    const uint32_t *s = system->stream, own = (uint32_t)((system->order - system->added) * OFFSET_STEP);
    simd *lower = AT(system->lower);
    struct pivots range;
    kernel_pivots_begin(&range, AT(system->inverse));
    for (size_t j = 0; j < system->order; j++, range.inverse += SLOT_STEP) {
        uint32_t below = s[0];
        for (size_t line = 0; line < 3; line++)
            simd_prefetch(s, 3072 + 64 * line);
        simd_prefetch(lower, 2048);
        if (bordered && system->permutation[j] >= own)
            s = kernel_diagonal(slots, s, system->permutation[j], &range, sides, side_count, true);
        else
            s = kernel_diagonal(slots, s, system->permutation[j], &range, sides, side_count, false);
        for (uint32_t e = 0; e < below; e++, lower += SLOT_STEP) {
            simd sums[LANE_PARTS], *negated = AT(s[0]);
            s = kernel_sum(slots, s + 1, sums);
            for (int i = 0; i < LANE_PARTS; i++) {
                negated[i] = -sums[i];
                lower[i] = sums[i] * range.inverse[i];
            }
        }
    }
    kernel_pivots_end(system, slots, &range);
}

static void kernel_factor_listed(const struct damped *system, real *slots, const struct damped_sides *sides) {
    if (sides->count == 1)
        kernel_columns_listed(system, slots, sides, 1, false);
    else
        kernel_columns_listed(system, slots, sides, 2, false);
}

static void kernel_factor_bordered(const struct damped *system, real *slots, const struct damped_sides *sides) {
    if (sides->count == 1)
        kernel_columns_listed(system, slots, sides, 1, true);
    else
        kernel_columns_listed(system, slots, sides, 2, true);
}

/* ---- the factor row by row ---- */

/* x = row i of h, the diagonal into `whole`. */
SIMD_INLINE const uint32_t *kernel_gather_row(real *slots, const uint32_t *s, simd *x, simd *whole) {
    uint32_t entries = *s++;
    LOOP_ROLLED
    for (uint32_t t = 1; t <= entries; t++) {
        simd *to = t < entries ? x + (size_t)s[0] * SLOT_STEP : whole;
        simd sums[LANE_PARTS];
        s = kernel_sum(slots, s + 1, sums);
        for (int i = 0; i < LANE_PARTS; i++)
            to[i] = sums[i];
    }
    return s;
}

static void kernel_factor_walked(const struct damped *system, real *slots, const struct damped_sides *sides) {
    const struct sparse_ldl f = SPARSE_LDL(system);
    const uint32_t *s = system->stream;
    simd *x = AT(system->negated);
    size_t own = (system->order - system->added) * OFFSET_STEP;
    struct pivots range;
    kernel_pivots_begin(&range, f.inverse);
    LOOP_ROLLED
    for (size_t row = 0; row < system->order; row++, range.inverse += SLOT_STEP) {
        simd whole[LANE_PARTS], d[LANE_PARTS];
        bool added = f.permutation[row] >= own;
        s = kernel_gather_row(slots, s, x, whole);
        for (int i = 0; i < LANE_PARTS; i++)
            d[i] = whole[i];
        LOOP_ROLLED
        for (size_t p = f.row_first[row]; p < f.row_first[row + 1]; p++)
            sparse_eliminate(&f, p, x, d);
        kernel_pivots_next(&range, whole, d, added);
        LOOP_ROLLED
        for (int side = 0; side < sides->count; side++)
            sparse_forward_row(&f, slots, row, sides->from[side], sides->to[side], added);
    }
    kernel_pivots_end(system, slots, &range);
}

static void kernel_backward(const struct damped *system, real *slots, const struct damped_sides *sides) {
    const struct sparse_ldl f = SPARSE_LDL(system);
    if (sides->count == 1)
        sparse_backward(&f, slots, system->order, sides->to, 1);
    else
        sparse_backward(&f, slots, system->order, sides->to, 2);
}

/* ---- the dense factor ---- */

static void kernel_gather_dense(const struct damped *system, real *slots) {
    const uint32_t *s = system->stream;
    simd *to = AT(system->lower);
    LOOP_ROLLED
    for (size_t e = 0; e < system->order * (system->order + 1) / 2; e++, to += SLOT_STEP) {
        simd sums[LANE_PARTS];
        s = kernel_sum(slots, s, sums);
        for (int i = 0; i < LANE_PARTS; i++)
            to[i] = sums[i];
    }
}

static void kernel_solve_dense(const struct damped *system, real *slots, const struct damped_sides *sides) {
    struct pivots range;
    const struct dense f = {
        system->order, 0, AT(system->lower), 0, AT(system->inverse), AT(system->negated), system->order, &range, 0};
    kernel_gather_dense(system, slots);
    kernel_pivots_begin(&range, f.inverse);
    dense_factor(&f);
    kernel_pivots_end(system, slots, &range);
    LOOP_ROLLED
    for (int side = 0; side < sides->count; side++)
        dense_solve(&f, SEEN_AT(sides->from[side]), AT(sides->to[side]));
}

/* ---- products ---- */

SIMD_INLINE void kernel_products(const struct product *product, real *slots, const uint32_t *from, const uint32_t *to,
                                 const int count) {
    const uint32_t *s = product->stream;
    for (uint32_t j = 0; j < product->count; j++) {
        simd sums[2][LANE_PARTS];
        for (int v = 0; v < count; v++)
            for (int i = 0; i < LANE_PARTS; i++)
                sums[v][i] = simd_all(0);
        uint32_t pairs = *s++;
        simd_prefetch(s, 1024);
        if (pairs > 0)
            do { /* most results have one pair: the first is peeled off the loop */
                for (int i = 0; i < LANE_PARTS; i++) {
                    simd a = AT(s[0])[i];
                    for (int v = 0; v < count; v++)
                        sums[v][i] += a * AT(from[v] + s[1])[i];
                }
                s += 2;
            } while (--pairs > 0);
        for (int v = 0; v < count; v++)
            for (int i = 0; i < LANE_PARTS; i++)
                AT(to[v] + j * OFFSET_STEP)[i] = sums[v][i];
    }
}

/* to = A from, or A' from; for one vector or two. */
static void kernel_multiply(const struct product *product, real *slots, uint32_t from, uint32_t to) {
    kernel_products(product, slots, &from, &to, 1);
}

static void kernel_multiply_two(const struct product *product, real *slots, const uint32_t from[2],
                                const uint32_t to[2]) {
    kernel_products(product, slots, from, to, 2);
}

/* to = to - A from, or A' from */
static void kernel_multiply_subtract(const struct product *product, real *slots, uint32_t from, uint32_t to) {
    const uint32_t *s = product->stream;
    for (uint32_t j = 0; j < product->count; j++) {
        simd sums[LANE_PARTS], *out = AT(to + j * OFFSET_STEP);
        for (int i = 0; i < LANE_PARTS; i++)
            sums[i] = out[i];
        uint32_t pairs = *s++;
        for (uint32_t k = 0; k < pairs; k++, s += 2)
            for (int i = 0; i < LANE_PARTS; i++)
                sums[i] -= AT(s[0])[i] * AT(from + s[1])[i];
        for (int i = 0; i < LANE_PARTS; i++)
            out[i] = sums[i];
    }
}

/* ---- all kinds ---- */

/* The unknowns of a system with added ones are in its storage; the others are copied to the solution. */
static void kernel_copy_own(const struct damped *system, real *slots, uint32_t from, uint32_t to) {
    for (size_t j = 0; j < (system->order - system->added) * SLOT_STEP; j += SLOT_STEP)
        for (size_t i = 0; i < LANE_PARTS; i++)
            AT(to)[j + i] = SEEN_AT(from)[j + i];
}

static void kernel_solve(const struct damped *system, real *slots, const struct damped_sides *sides) {
    struct damped_sides all = *sides;
    if (system->kind == FACTOR_DENSE) {
        kernel_solve_dense(system, slots, sides);
        return;
    }
    for (int side = 0; system->added > 0 && side < sides->count; side++)
        all.to[side] = (uint32_t)(system->solution + (size_t)side * system->order * OFFSET_STEP);
    if (system->kind == FACTOR_WALKED)
        kernel_factor_walked(system, slots, &all);
    else if (system->added > 0)
        kernel_factor_bordered(system, slots, &all);
    else
        kernel_factor_listed(system, slots, &all);
    kernel_backward(system, slots, &all);
    for (int side = 0; system->added > 0 && side < sides->count; side++)
        kernel_copy_own(system, slots, all.to[side], sides->to[side]);
}

#undef AT
#undef SEEN_AT

#endif
