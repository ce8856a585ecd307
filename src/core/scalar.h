/* scalar.h - simd as one number in plain C99, for emitted files and kernels: the operations of base/simd.h at WIDTH 1, with the same
 * bits; the square root; masks in slots. No operation on floats is done in double.
 *
 * The C library is not called: bits are read through a union. The square root is that of <math.h> with REAL_LIBM, the
 * instruction of x86 unless REAL_PLAIN is defined, or else computed, correctly rounded as in hardware: y near sqrt(a)
 * by Newton's iteration for 1 / sqrt(a), then one step to a neighbour where the remainder a - y^2, which is exact,
 * requires it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SCALAR_H
#define HN_CORE_SCALAR_H

#include "base/real.h"

#ifndef SIMD_INLINE
#define SIMD_INLINE static inline
#endif

#ifdef REAL_SINGLE
typedef int32_t simd_bits;
typedef uint32_t simd_words;
enum { SIMD_FRACTION_BITS = 23, SIMD_EXPONENT_BIAS = 127, ROOT_ROUNDS = 3, ROOT_LIFTED = 24 };
#define SIMD_WORD(n)     INT32_C(n)
#define SIMD_BITS_MAX    INT32_MAX
#define SIMD_BITS_MIN    INT32_MIN
#define PAIR_HEAD        (-(1 << 12)) /* simd_pair.h: halves of 12 bits */
#define REAL_INFINITY    real_of_bits(INT32_C(0x7f800000))
#define REAL_NAN         real_of_bits(INT32_C(0x7fc00000))
#define ROOT_INSTRUCTION "sqrtss"
#define ROOT_GUESS       INT32_C(0x5f3759df)
#define ROOT_LIFT        0x1p48f
#define ROW_HUGE         0x1p125f /* of cpu/row_values_kernel.h */
#define PIVOT_LOST       0x1p-21f /* of linalg/pivot_kernel.h */
#else
typedef int64_t simd_bits;
typedef uint64_t simd_words;
enum { SIMD_FRACTION_BITS = 52, SIMD_EXPONENT_BIAS = 1023, ROOT_ROUNDS = 4, ROOT_LIFTED = 54 };
#define SIMD_WORD(n)     INT64_C(n)
#define SIMD_BITS_MAX    INT64_MAX
#define SIMD_BITS_MIN    INT64_MIN
#define PAIR_HEAD        (-(1 << 27)) /* a head of 26 bits, and a rest of 27 */
#define REAL_INFINITY    real_of_bits(INT64_C(0x7ff0000000000000))
#define REAL_NAN         real_of_bits(INT64_C(0x7ff8000000000000))
#define ROOT_INSTRUCTION "sqrtsd"
#define ROOT_GUESS       INT64_C(0x5fe6eb50c7b537a9) /* minus half of the bits: about those of 1 / sqrt */
#define ROOT_LIFT        0x1p108
#endif
typedef real simd;

#define WIDTH                1
#define SIMD_MASK(condition) (-(simd_bits)(condition))
#define SIMD_AT(v, i)        (v)
#define SIMD_LESSER(a, b)    (a < b ? a : b)
#define SIMD_GREATER(a, b)   (a > b ? a : b)

union simd_view {
    real number;
    simd_bits bits;
};

SIMD_INLINE simd_bits simd_to_bits(simd a) {
    union simd_view view;
    view.number = a;
    return view.bits;
}

SIMD_INLINE real real_of_bits(simd_bits bits) {
    union simd_view view;
    view.bits = bits;
    return view.number;
}

SIMD_INLINE simd simd_of_bits(simd_bits bits) {
    return real_of_bits(bits);
}

SIMD_INLINE simd simd_all(simd value) {
    return value;
}

SIMD_INLINE simd_bits simd_bits_all(simd_bits value) {
    return value;
}

#include "base/simd_operations.h"

SIMD_INLINE int simd_any(simd_bits mask) {
    return mask != 0;
}

SIMD_INLINE int simd_seldom(simd_bits mask) {
    return mask != 0;
}

/* A flag in a slot: a number whose bits are all ones or all zeros. */
SIMD_INLINE bool mask_read(const simd *at) {
    return simd_to_bits(*at) != 0;
}

SIMD_INLINE void mask_write(simd *at, bool value) {
    *at = simd_of_bits(SIMD_MASK(value));
}

/* ---- the square root ---- */

#ifdef REAL_LIBM /* REAL_SQRT is that of <math.h> */
SIMD_INLINE simd simd_sqrt(simd a) {
    return REAL_SQRT(a);
}
#elif defined(__GNUC__) && defined(__SSE2__) && !defined(REAL_PLAIN)
/* The same bits as below, except for NaN. */
SIMD_INLINE simd simd_sqrt(simd a) {
    simd y;
    __asm__(ROOT_INSTRUCTION " %1, %0" : "=x"(y) : "x"(a));
    return y;
}
#else
#define ROOT_UNIT (SIMD_WORD(1) << SIMD_FRACTION_BITS) /* one in the exponent */

/* a - y^2, for a y within a unit in the last place of sqrt(a): exact. */
SIMD_INLINE simd root_remainder(simd a, simd y) {
    simd square = y * y;
    simd head = simd_of_bits(simd_to_bits(y) & PAIR_HEAD), rest = y - head;
    simd error = ((head * head - square) + REAL(2.0) * (head * rest)) + rest * rest;
    return (a - square) - error;
}

/* For 1 <= a < 4. */
SIMD_INLINE simd root_near(simd a) {
    simd inverse = simd_of_bits(ROOT_GUESS - (simd_to_bits(a) >> 1)), half = REAL(0.5) * a;
    SHARED_LOOP
    for (int i = 0; i < ROOT_ROUNDS; i++)
        inverse = inverse * (REAL(1.5) - half * inverse * inverse);
    simd y = a * inverse;
    y = y + REAL(0.5) * inverse * root_remainder(a, y);
    simd remainder = root_remainder(a, y), place = y * (REAL(1.0) / ROOT_UNIT);
    simd_bits up = simd_less(place, remainder), down = simd_less_equal(remainder, -place);
    return simd_of_bits(
        (simd_bits)((simd_words)simd_to_bits(y) - (simd_words)up + (simd_words)down)); /* masks are -1 or 0 */
}

SIMD_INLINE simd simd_sqrt(simd a) {
    simd_bits tiny = simd_less(a, REAL_MIN);
    simd lifted = simd_select(tiny, a * ROOT_LIFT, a);
    simd_bits bits = simd_to_bits(lifted), exponent = (bits >> SIMD_FRACTION_BITS) - SIMD_EXPONENT_BIAS,
              odd = exponent & 1;
    simd inside = simd_of_bits((bits & (ROOT_UNIT - 1)) | ((SIMD_EXPONENT_BIAS + odd) << SIMD_FRACTION_BITS));
    simd_bits half = (exponent - odd) / 2 - (tiny & ROOT_LIFTED);
    simd y = simd_of_bits(
        (simd_bits)((simd_words)simd_to_bits(root_near(inside)) + (simd_words)half * (simd_words)ROOT_UNIT));
    if (!(a > 0 && a < REAL_INFINITY)) /* zeros, infinity, NaN; NaN for negative numbers */
        y = simd_select(simd_less(a, 0), REAL_NAN, a);
    return y;
}
#endif

#endif
