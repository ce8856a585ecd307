/* scalar_double.h - what base/simd.h offers, for one double in plain C99: what the texts of an emitted file stand on.
 *
 * The names are those of base/simd.h at WIDTH 1 and so are the bits: the precision here, what is done with numbers in
 * scalar_operations.h, the square root in sqrt.h. Nothing of the C library is called: bits are looked at through a union.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SCALAR_DOUBLE_H
#define HN_CORE_SCALAR_DOUBLE_H

#include "base/real.h"

#ifndef SIMD_INLINE
#define SIMD_INLINE static inline
#endif

#define WIDTH                1
#define SIMD_MASK(condition) (-(int64_t)(condition))
#define SIMD_AT(v, i)        (v)
#define SIMD_BITS_MAX        INT64_MAX
#define SIMD_BITS_MIN        INT64_MIN
#define PAIR_HEAD            (-(INT64_C(1) << 27)) /* simd_pair.h: a head of 26 bits, and a rest of 27 */
#define ROOT_INSTRUCTION     "sqrtsd"
#define ROOT_GUESS           INT64_C(0x5fe6eb50c7b537a9) /* minus half of the bits: those of 1 / sqrt, about */
#define ROOT_UNIT            (INT64_C(1) << 52)
#define ROOT_PLACE           0x1p-52
#define ROOT_LEAST           0x1p-1022
#define ROOT_LIFT            0x1p108

enum { SIMD_FRACTION_BITS = 52, SIMD_EXPONENT_BIAS = 1023, ROOT_ROUNDS = 4, ROOT_LIFTED = 54 };

typedef double simd;
typedef int64_t simd_bits;
typedef uint64_t simd_words;

union simd_view {
    double number;
    int64_t bits;
};

SIMD_INLINE simd_bits simd_to_bits(simd a) {
    union simd_view view;
    view.number = a;
    return view.bits;
}

SIMD_INLINE real real_of_bits(int64_t bits) {
    union simd_view view;
    view.bits = bits;
    return view.number;
}

SIMD_INLINE simd simd_of_bits(simd_bits bits) {
    return real_of_bits(bits);
}

#define REAL_INFINITY real_of_bits(INT64_C(0x7ff0000000000000))
#define REAL_NAN      real_of_bits(INT64_C(0x7ff8000000000000))

#endif
