/* pivot_kernel.h - one pivot as a function of values: the text that the listed kernels and generated code (generate/) share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_PIVOT_KERNEL_H
#define HN_LINALG_PIVOT_KERNEL_H

#include "base/simd.h"

#ifndef PIVOT_LOST
#define PIVOT_LOST 0x1p-50 /* of double: a few units in the last place */
#endif

/* 1/d, or 0 for a pivot that is lost in the rounding of its whole, h_jj. */
WIDE_INLINE wide kernel_pivot_inverse(wide whole, wide d) {
    return wide_keep(wide_less(whole * wide_all(PIVOT_LOST), d), wide_all(1) / d);
}

/* 1/d of an added unknown, whose pivot is at most -1. */
WIDE_INLINE wide kernel_pivot_added_inverse(wide whole, wide d) {
    return wide_keep(wide_less(d, whole * wide_all(0x1p-50)), wide_all(1) / d);
}

#endif
