/* row_functions_kernel.h - row functions of values, called by generated statements in addition to
 * cpu/row_values_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_ROW_FUNCTIONS_KERNEL_H
#define HN_CODEGEN_ROW_FUNCTIONS_KERNEL_H

#include "cpu/row_values_kernel.h"

SIMD_INLINE simd row_residual(simd c, simd lower, simd upper) {
    simd unused;
    return kernel_row(c, lower, upper, 0, &unused);
}

SIMD_INLINE simd row_relative(simd c, simd lower, simd upper) {
    simd size;
    kernel_row(c, lower, upper, 1, &size);
    return size;
}

/* max(most, |a|); a NaN in a is ignored. most is never NaN. */
SIMD_INLINE simd row_most(simd most, simd a) {
#ifdef ROW_GREATER /* a target's maximum */
    return ROW_GREATER(simd_abs(a), most);
#else
    return simd_greater(simd_abs(a), most);
#endif
}

#ifndef ROUNDED_DIFFERENCE /* as in core/number.h */
#define ROUNDED_DIFFERENCE(a, b) ((a) - (b))
#endif

/* a - a is 0 for finite a, else NaN; the signs of zeros do not matter. */
SIMD_INLINE simd_bits row_lost(simd a) {
    return simd_to_bits(ROUNDED_DIFFERENCE(a, a));
}

/* Whether a or an earlier value was non-finite. May use a fused multiply-add: 0 a + 0 is 0 or NaN; NaN propagates. */
SIMD_INLINE simd_bits row_lose(simd_bits lost, simd a) {
#ifdef ROW_FUSED
    return simd_to_bits(ROW_FUSED(simd_all(0), a, simd_of_bits(lost)));
#else
    return lost | row_lost(a);
#endif
}

SIMD_INLINE simd_bits row_all_finite(simd_bits lost) {
    return SIMD_MASK(simd_bits_left(lost, 1) == simd_bits_all(0));
}

SIMD_INLINE simd row_add_square(simd sum, simd scale, simd r) {
    simd own = scale * r;
    return sum + own * own;
}

/* kernel_active for a lower bound of -infinity, or an upper bound of infinity: such a bound is never violated and never
 * close. */
SIMD_INLINE simd_bits row_active_upper(simd c, simd upper, simd scale, simd hold) {
    return simd_not_less_equal(c, upper) | simd_less(scale * (upper - c), hold);
}

SIMD_INLINE simd_bits row_active_lower(simd c, simd lower, simd scale, simd hold) {
    return simd_not_less_equal(lower, c) | simd_less(scale * (c - lower), hold);
}

SIMD_INLINE simd row_take(simd_bits take, simd_bits active, simd scale, simd a, simd old) {
    return simd_select(take, simd_keep(active, scale * a), old);
}

#endif
