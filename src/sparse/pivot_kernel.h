/* pivot_kernel.h - one pivot as a function of values: the text that the listed kernels and generated code (generate/) share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_SPARSE_PIVOT_KERNEL_H
#define HN_SPARSE_PIVOT_KERNEL_H

#include "base/wide.h"

/* 1/d, or 0 for a pivot that is lost in the rounding of its whole, h_jj. */
WIDE_INLINE wide kernel_pivot_inverse(wide whole, wide d) {
    return wide_keep(wide_less(whole * wide_all(0x1p-50), d), wide_all(1) / d);
}

#endif
