/* scalar_float.h - what base/simd.h offers, for one float in plain C99: what the texts of an emitted file stand on.
 *
 * See scalar_double.h. No operation here or in the float_*.h is done in double.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SCALAR_FLOAT_H
#define HN_CORE_SCALAR_FLOAT_H

#include "base/real.h"

#ifndef SIMD_INLINE
#define SIMD_INLINE static inline
#endif

#define WIDTH                1
#define SIMD_MASK(condition) (-(int32_t)(condition))
#define SIMD_AT(v, i)        (v)
#define SIMD_BITS_MAX        INT32_MAX
#define SIMD_BITS_MIN        INT32_MIN
#define PAIR_HEAD            (-(INT32_C(1) << 12)) /* simd_pair.h: halves of 12 bits */
#define ROOT_INSTRUCTION     "sqrtss"
#define ROOT_GUESS           INT32_C(0x5f3759df)
#define ROOT_UNIT            (INT32_C(1) << 23)
#define ROOT_PLACE           0x1p-23f
#define ROOT_LEAST           0x1p-126f
#define ROOT_LIFT            0x1p48f
#define ROW_HUGE             0x1p125f
#define PIVOT_LOST           0x1p-21f
#define BARRIER_TIGHTNESS    0x1p-14f
#define BARRIER_TIGHTEST     1e-30f

enum { SIMD_FRACTION_BITS = 23, SIMD_EXPONENT_BIAS = 127, ROOT_ROUNDS = 3, ROOT_LIFTED = 24 };

typedef float simd;
typedef int32_t simd_bits;
typedef uint32_t simd_words;

union simd_view {
    float number;
    int32_t bits;
};

SIMD_INLINE simd_bits simd_to_bits(simd a) {
    union simd_view view;
    view.number = a;
    return view.bits;
}

SIMD_INLINE real real_of_bits(int32_t bits) {
    union simd_view view;
    view.bits = bits;
    return view.number;
}

SIMD_INLINE simd simd_of_bits(simd_bits bits) {
    return real_of_bits(bits);
}

#define REAL_INFINITY real_of_bits(INT32_C(0x7f800000))
#define REAL_NAN      real_of_bits(INT32_C(0x7fc00000))

#endif
