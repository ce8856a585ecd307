/* lanes_number_kernel.h - decisions that are arithmetic (core/number.h), over SIMD lanes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_LANES_NUMBER_KERNEL_H
#define HN_CODEGEN_LANES_NUMBER_KERNEL_H

#include "base/simd.h"

#define SAMPLE_CONSTANT           static const
#define NUMBER                    wide
#define NUMBER_FLAG               wide_bits
#define NUMBER_FUNCTION           WIDE_INLINE
#define NUMBER_ALL(value)         wide_all(value)
#define NUMBER_LESS(a, b)         wide_less(a, b)
#define NUMBER_LESS_EQUAL(a, b)   wide_less_equal(a, b)
#define NUMBER_SELECT(flag, a, b) wide_select(flag, a, b)
#define NUMBER_SQUARE_ROOT(a)     wide_sqrt(a)

#endif
