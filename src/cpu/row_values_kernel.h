/* row_values_kernel.h - rows as functions of values: what the listed kernels (rows_kernel.h) and generated code (generate/) compute of
 * one row, in one text.
 *
 *     r = c - bu above, c - bl below, 0 between; on an equality c - bu, whatever its sign
 *
 * Comparisons are such that a NaN never counts as held.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_ROW_VALUES_KERNEL_H
#define HN_CPU_ROW_VALUES_KERNEL_H

#include "base/simd.h"

#include <float.h>
#include <stdbool.h>

WIDE_INLINE wide_bits kernel_finite(wide a) {
    return wide_less_equal(wide_abs(a), wide_all(DBL_MAX));
}

/* r of one row, and |r| against 1 or against the bound that it is measured from. */
WIDE_INLINE wide kernel_row(wide c, wide lower, wide upper, const bool relative, wide *size) {
    wide_bits above = ~wide_less_equal(c, upper), below = ~wide_less_equal(lower, c);
    wide r = wide_select(above, c - upper, wide_keep(below, c - lower));
    *size = wide_abs(r);
    if (relative) {
        wide bound = wide_abs(wide_select(above, upper, lower));
        wide unit = wide_select(wide_less(wide_all(1), bound), bound, wide_all(1));
        *size = wide_keep(above | below, *size / unit);
    }
    return r;
}

#ifndef ROW_HUGE
#define ROW_HUGE 0x1p1021 /* 1 / ROW_HUGE is a normal number */
#endif

/* 2^-e for a = 1.f 2^e >= 1, and 1 below: exact, and the same over a whole octave. */
WIDE_INLINE wide kernel_scale_for(wide a) {
    wide_bits exponent = wide_bits_right(wide_to_bits(a), WIDE_FRACTION_BITS);
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): 2 biases are small
    wide_bits turned = wide_bits_subtract(wide_bits_all(2 * WIDE_EXPONENT_BIAS), exponent);
    wide scale = wide_of_bits(wide_bits_left(turned, WIDE_FRACTION_BITS));
    wide_bits huge = wide_less(wide_all(ROW_HUGE), a);
    scale = wide_select(huge, wide_all(1 / ROW_HUGE), scale);
    return wide_select(wide_less(a, wide_all(1)), wide_all(1), scale);
}

/* Equalities, violated rows, and rows that are to be held because they are close to a bound; but for equalities, none of those that
 * are left out. */
WIDE_INLINE wide_bits kernel_active(wide c, wide lower, wide upper, wide scale, wide hold, wide_bits left_out) {
    wide_bits out = wide_not_less_equal(lower, c) | wide_not_less_equal(c, upper);
    wide_bits close = wide_less(scale * (c - lower), hold) | wide_less(scale * (upper - c), hold);
    return ((out | close) & ~left_out) | wide_equal(lower, upper);
}

#endif
