/* root_float.h - the square root of one float: see root_double.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_EMIT_ROOT_FLOAT_H
#define HN_EMIT_ROOT_FLOAT_H

#ifdef REAL_LIBM /* REAL_SQRT is that of <math.h> */
WIDE_INLINE wide wide_sqrt(wide a) {
    return REAL_SQRT(a);
}
#elif defined(__GNUC__) && defined(__SSE2__) && !defined(REAL_PLAIN)
WIDE_INLINE wide wide_sqrt(wide a) {
    wide y;
    __asm__("sqrtss %1, %0" : "=x"(y) : "x"(a)); /* the instruction; the same bits as below, but for those of a NaN */
    return y;
}
#else
/* a - y^2, for a y within a unit in the last place of sqrt(a): exact. */
WIDE_INLINE wide root_remainder(wide a, wide y) {
    wide square = y * y;
    wide head = wide_of_bits(wide_to_bits(y) & PAIR_HEAD), rest = y - head;
    wide error = ((head * head - square) + 2.0f * (head * rest)) + rest * rest;
    return (a - square) - error;
}

/* For 1 <= a < 4. */
WIDE_INLINE wide root_near(wide a) {
    wide inverse = wide_of_bits(INT32_C(0x5f3759df) - (wide_to_bits(a) >> 1)), half = 0.5f * a;
    for (int i = 0; i < 3; i++)
        inverse = inverse * (1.5f - half * inverse * inverse);
    wide y = a * inverse;
    y = y + 0.5f * inverse * root_remainder(a, y);
    wide remainder = root_remainder(a, y), place = y * 0x1p-23f;
    wide_bits up = wide_less(place, remainder), down = wide_less_equal(remainder, -place);
    return wide_of_bits(wide_to_bits(y) - up + down); /* masks are -1 or 0 */
}

WIDE_INLINE wide wide_sqrt(wide a) {
    wide_bits tiny = wide_less(a, 0x1p-126f);
    wide lifted = wide_select(tiny, a * 0x1p48f, a);
    wide_bits bits = wide_to_bits(lifted), exponent = (bits >> 23) - 127, odd = exponent & 1;
    wide inside = wide_of_bits((bits & ((INT32_C(1) << 23) - 1)) | ((127 + odd) << 23));
    wide_bits half = (exponent - odd) / 2 - (tiny & 24);
    wide y = wide_of_bits(wide_to_bits(root_near(inside)) + half * (INT32_C(1) << 23));
    if (!(a > 0.0f && a < REAL_INFINITY)) /* zeros, infinity, NaN; what is negative has no root */
        y = wide_select(wide_less(a, 0.0f), REAL_NAN, a);
    return y;
}
#endif

#endif
