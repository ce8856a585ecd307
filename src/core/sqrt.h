/* sqrt.h - the square root of one number in plain C99, that of <math.h> where REAL_LIBM is defined, or the
 * instruction of x86 where there is one, unless REAL_PLAIN is.
 *
 * Ours is rounded correctly, like that of the hardware: y near sqrt(a) by Newton's iteration for 1 / sqrt(a), then one step to a
 * neighbour where the remainder a - y^2, which is exact, asks for it. Its constants are those of scalar_double.h or scalar_float.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SQRT_H
#define HN_CORE_SQRT_H

#ifdef REAL_LIBM /* REAL_SQRT is that of <math.h> */
WIDE_INLINE wide wide_sqrt(wide a) {
    return REAL_SQRT(a);
}
#elif defined(__GNUC__) && defined(__SSE2__) && !defined(REAL_PLAIN)
/* The same bits as below, but for those of a NaN. */
WIDE_INLINE wide wide_sqrt(wide a) {
    wide y;
    __asm__(ROOT_INSTRUCTION " %1, %0" : "=x"(y) : "x"(a));
    return y;
}
#else
/* a - y^2, for a y within a unit in the last place of sqrt(a): exact. */
WIDE_INLINE wide root_remainder(wide a, wide y) {
    wide square = y * y;
    wide head = wide_of_bits(wide_to_bits(y) & PAIR_HEAD), rest = y - head;
    wide error = ((head * head - square) + 2.0 * (head * rest)) + rest * rest;
    return (a - square) - error;
}

/* For 1 <= a < 4. */
WIDE_INLINE wide root_near(wide a) {
    wide inverse = wide_of_bits(ROOT_GUESS - (wide_to_bits(a) >> 1)), half = 0.5 * a;
    for (int i = 0; i < ROOT_ROUNDS; i++)
        inverse = inverse * (1.5 - half * inverse * inverse);
    wide y = a * inverse;
    y = y + 0.5 * inverse * root_remainder(a, y);
    wide remainder = root_remainder(a, y), place = y * ROOT_PLACE;
    wide_bits up = wide_less(place, remainder), down = wide_less_equal(remainder, -place);
    return wide_of_bits(
        (wide_bits)((wide_words)wide_to_bits(y) - (wide_words)up + (wide_words)down)); /* masks are -1 or 0 */
}

WIDE_INLINE wide wide_sqrt(wide a) {
    wide_bits tiny = wide_less(a, ROOT_LEAST);
    wide lifted = wide_select(tiny, a * ROOT_LIFT, a);
    wide_bits bits = wide_to_bits(lifted), exponent = (bits >> WIDE_FRACTION_BITS) - WIDE_EXPONENT_BIAS,
              odd = exponent & 1;
    wide inside = wide_of_bits((bits & (ROOT_UNIT - 1)) | ((WIDE_EXPONENT_BIAS + odd) << WIDE_FRACTION_BITS));
    wide_bits half = (exponent - odd) / 2 - (tiny & ROOT_LIFTED);
    wide y = wide_of_bits(
        (wide_bits)((wide_words)wide_to_bits(root_near(inside)) + (wide_words)half * (wide_words)ROOT_UNIT));
    if (!(a > 0 && a < REAL_INFINITY)) /* zeros, infinity, NaN; what is negative has no root */
        y = wide_select(wide_less(a, 0), REAL_NAN, a);
    return y;
}
#endif

#endif
