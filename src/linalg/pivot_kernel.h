/* pivot_kernel.h - one pivot as a function of values, shared by the listed kernels and generated code (codegen/).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_PIVOT_KERNEL_H
#define HN_LINALG_PIVOT_KERNEL_H

#include "base/real.h"

#ifndef FREESTANDING
#include "base/simd.h"
#endif

#ifndef PIVOT_LOST
#define PIVOT_LOST REAL(0x1p-50) /* of double: a few units in the last place */
#endif

/* 1/d, or 0 for a pivot lost to rounding of its h_jj, `whole`. */
SIMD_INLINE simd kernel_pivot_inverse(simd whole, simd d) {
    return simd_keep(simd_less(whole * simd_all(PIVOT_LOST), d), simd_all(1) / d);
}

/* 1/d of an added unknown, whose pivot is at most -1. */
SIMD_INLINE simd kernel_pivot_added_inverse(simd whole, simd d) {
    return simd_keep(simd_less(d, whole * simd_all(REAL(0x1p-50))), simd_all(1) / d);
}

#endif
