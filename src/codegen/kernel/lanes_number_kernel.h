/* lanes_number_kernel.h - decisions that are arithmetic (core/number.h), over SIMD lanes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_LANES_NUMBER_KERNEL_H
#define HN_CODEGEN_LANES_NUMBER_KERNEL_H

#include "base/simd.h"

#define SAMPLE_CONSTANT           static const
#define NUMBER                    simd
#define NUMBER_FLAG               simd_bits
#define NUMBER_FUNCTION           SIMD_INLINE
#define NUMBER_ALL(value)         simd_all(value)
#define NUMBER_LESS(a, b)         simd_less(a, b)
#define NUMBER_LESS_EQUAL(a, b)   simd_less_equal(a, b)
#define NUMBER_SELECT(flag, a, b) simd_select(flag, a, b)
#define NUMBER_SQUARE_ROOT(a)     simd_sqrt(a)

#endif
