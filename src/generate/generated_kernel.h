/* generated_kernel.h - the text that every generated kernel begins with, behind the small functions of the kernels: how a slot is
 * reached, and rows as functions of values.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_GENERATE_GENERATED_KERNEL_H
#define HN_GENERATE_GENERATED_KERNEL_H

#include "backends/row_values_kernel.h"
#include "base/elementary.h"
#include "sparse/pivot_kernel.h"

#include <stddef.h>

#if FLT_EVAL_METHOD != 0
#error "numbers must be rounded to double after every operation: FLT_EVAL_METHOD must be 0"
#endif

/* A slot by its number, as a number or as a mask; in a loop a distance in doubles is added. */
#define S(slot)           (*(wide *)(void *)(slots + (size_t)(slot)*LANES_HERE))
#define M(slot)           (*(wide_bits *)(void *)(slots + (size_t)(slot)*LANES_HERE))
#define S_AT(moved, slot) (*(wide *)(void *)(slots + ((moved) + (ptrdiff_t)(slot)*LANES_HERE)))
#define M_AT(moved, slot) (*(wide_bits *)(void *)(slots + ((moved) + (ptrdiff_t)(slot)*LANES_HERE)))

/* A function of its own: compilers would otherwise make one of them all, which takes them longer than linear time. */
#define GENERATED __attribute__((noinline))

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
    wide size = wide_abs(a);
    return wide_select(wide_less(most, size), size, most);
}

/* a - a is 0 for a finite a and NaN for another one; the signs of zeros do not matter. */
WIDE_INLINE wide_bits row_all_finite(wide_bits lost) {
    return WIDE_MASK(wide_bits_left(lost, 1) == wide_bits_all(0));
}

WIDE_INLINE wide row_add_square(wide sum, wide scale, wide r) {
    wide own = scale * r;
    return sum + own * own;
}

WIDE_INLINE wide row_take(wide_bits take, wide_bits active, wide scale, wide a, wide old) {
    return wide_select(take, wide_keep(active, scale * a), old);
}

#endif
