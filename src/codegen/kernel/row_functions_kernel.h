/* row_functions_kernel.h - rows as functions of values: what statements of generated code call beside cpu/row_values_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_ROW_FUNCTIONS_KERNEL_H
#define HN_CODEGEN_ROW_FUNCTIONS_KERNEL_H

#include "cpu/row_values_kernel.h"

WIDE_INLINE wide row_residual(wide c, wide lower, wide upper) {
    wide unused;
    return kernel_row(c, lower, upper, 0, &unused);
}

WIDE_INLINE wide row_relative(wide c, wide lower, wide upper) {
    wide size;
    kernel_row(c, lower, upper, 1, &size);
    return size;
}

WIDE_INLINE wide row_most(wide most, wide a) {
    return wide_greater(wide_abs(a), most);
}

#ifndef ROUNDED_DIFFERENCE /* as in core/number.h */
#define ROUNDED_DIFFERENCE(a, b) ((a) - (b))
#endif

/* a - a is 0 for a finite a and NaN for another one; the signs of zeros do not matter. */
WIDE_INLINE wide_bits row_lost(wide a) {
    return wide_to_bits(ROUNDED_DIFFERENCE(a, a));
}

/* Whether a or one before it was lost. Where it costs nothing more, products are fused with sums: 0 a + 0 is 0 or NaN, and NaN stays. */
WIDE_INLINE wide_bits row_lose(wide_bits lost, wide a) {
#ifdef ROW_FUSED
    return wide_to_bits(ROW_FUSED(wide_all(0), a, wide_of_bits(lost)));
#else
    return lost | row_lost(a);
#endif
}

WIDE_INLINE wide_bits row_all_finite(wide_bits lost) {
    return WIDE_MASK(wide_bits_left(lost, 1) == wide_bits_all(0));
}

WIDE_INLINE wide row_add_square(wide sum, wide scale, wide r) {
    wide own = scale * r;
    return sum + own * own;
}

/* kernel_active for a lower bound of -infinity, and for an upper one of infinity, which are never crossed and never close. */
WIDE_INLINE wide_bits row_active_upper(wide c, wide upper, wide scale, wide hold) {
    return wide_not_less_equal(c, upper) | wide_less(scale * (upper - c), hold);
}

WIDE_INLINE wide_bits row_active_lower(wide c, wide lower, wide scale, wide hold) {
    return wide_not_less_equal(lower, c) | wide_less(scale * (c - lower), hold);
}

WIDE_INLINE wide row_take(wide_bits take, wide_bits active, wide scale, wide a, wide old) {
    return wide_select(take, wide_keep(active, scale * a), old);
}

#endif
