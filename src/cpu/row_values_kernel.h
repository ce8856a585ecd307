/* row_values_kernel.h - functions of a single row, shared by the interpreting kernels (rows_kernel.h) and generated
 * code (codegen/).
 *
 *     r = c - bu above, c - bl below, 0 between; on an equality c - bu, whatever its sign
 *
 * Comparisons treat a NaN as violated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_ROW_VALUES_KERNEL_H
#define HN_CPU_ROW_VALUES_KERNEL_H

#include "base/real.h"

#ifndef FREESTANDING
#include "base/simd.h"
#endif

SIMD_INLINE simd_bits kernel_finite(simd a) {
    return simd_less_equal(simd_abs(a), simd_all(REAL_MAX));
}

/* r of one row, and |r|, absolute or relative to its bound. */
SIMD_INLINE simd kernel_row(simd c, simd lower, simd upper, const bool relative, simd *size) {
    simd_bits above = ~simd_less_equal(c, upper), below = ~simd_less_equal(lower, c);
    simd r = simd_select(above, c - upper, simd_keep(below, c - lower));
    *size = simd_abs(r);
    if (relative) {
        simd bound = simd_abs(simd_select(above, upper, lower));
        simd unit = simd_select(simd_less(simd_all(1), bound), bound, simd_all(1));
        *size = simd_keep(above | below, *size / unit);
    }
    return r;
}

#ifndef ROW_HUGE
#define ROW_HUGE REAL(0x1p1021) /* 1 / ROW_HUGE is a normal number */
#endif

/* 2^-e for a = 1.f 2^e >= 1, else 1: exact, and constant on each binade. */
SIMD_INLINE simd kernel_scale_for(simd a) {
    simd_bits exponent = simd_bits_right(simd_to_bits(a), SIMD_FRACTION_BITS);
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): 2 biases are small
    simd_bits turned = simd_bits_subtract(simd_bits_all(2 * SIMD_EXPONENT_BIAS), exponent);
    simd scale = simd_of_bits(simd_bits_left(turned, SIMD_FRACTION_BITS));
    simd_bits huge = simd_less(simd_all(ROW_HUGE), a);
    scale = simd_select(huge, simd_all(1 / ROW_HUGE), scale);
    return simd_select(simd_less(a, simd_all(1)), simd_all(1), scale);
}

/* Active rows: equalities, violated rows, and rows within `hold` of a bound; inequalities that are left out are
 * inactive. */
SIMD_INLINE simd_bits kernel_active(simd c, simd lower, simd upper, simd scale, simd hold, simd_bits left_out) {
    simd_bits out = simd_not_less_equal(lower, c) | simd_not_less_equal(c, upper);
    simd_bits close = simd_less(scale * (c - lower), hold) | simd_less(scale * (upper - c), hold);
    return ((out | close) & ~left_out) | simd_equal(lower, upper);
}

#endif
