/* sqrt.h - the square root of one number in plain C99, that of <math.h> where REAL_LIBM is defined, or the
 * instruction of x86 where there is one, unless REAL_PLAIN is.
 *
 * Ours is rounded correctly, like that of the hardware: y near sqrt(a) by Newton's iteration for 1 / sqrt(a), then one step to a
 * neighbour where the remainder a - y^2, which is exact, asks for it. Its constants are those of scalar_double.h or scalar_float.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SQRT_H
#define HN_CORE_SQRT_H

#include "base/real.h"

#ifdef REAL_LIBM /* REAL_SQRT is that of <math.h> */
SIMD_INLINE simd simd_sqrt(simd a) {
    return REAL_SQRT(a);
}
#elif defined(__GNUC__) && defined(__SSE2__) && !defined(REAL_PLAIN)
/* The same bits as below, but for those of a NaN. */
SIMD_INLINE simd simd_sqrt(simd a) {
    simd y;
    __asm__(ROOT_INSTRUCTION " %1, %0" : "=x"(y) : "x"(a));
    return y;
}
#else
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
    simd remainder = root_remainder(a, y), place = y * ROOT_PLACE;
    simd_bits up = simd_less(place, remainder), down = simd_less_equal(remainder, -place);
    return simd_of_bits(
        (simd_bits)((simd_words)simd_to_bits(y) - (simd_words)up + (simd_words)down)); /* masks are -1 or 0 */
}

SIMD_INLINE simd simd_sqrt(simd a) {
    simd_bits tiny = simd_less(a, ROOT_LEAST);
    simd lifted = simd_select(tiny, a * ROOT_LIFT, a);
    simd_bits bits = simd_to_bits(lifted), exponent = (bits >> SIMD_FRACTION_BITS) - SIMD_EXPONENT_BIAS,
              odd = exponent & 1;
    simd inside = simd_of_bits((bits & (ROOT_UNIT - 1)) | ((SIMD_EXPONENT_BIAS + odd) << SIMD_FRACTION_BITS));
    simd_bits half = (exponent - odd) / 2 - (tiny & ROOT_LIFTED);
    simd y = simd_of_bits(
        (simd_bits)((simd_words)simd_to_bits(root_near(inside)) + (simd_words)half * (simd_words)ROOT_UNIT));
    if (!(a > 0 && a < REAL_INFINITY)) /* zeros, infinity, NaN; what is negative has no root */
        y = simd_select(simd_less(a, 0), REAL_NAN, a);
    return y;
}
#endif

#endif
