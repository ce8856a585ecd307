/* scalar_float.h - what base/wide.h offers, for one float in plain C99: what the texts of an emitted file stand on.
 *
 * See scalar_double.h. No operation here or in the float_*.h is done in double.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_EMIT_SCALAR_FLOAT_H
#define HN_EMIT_SCALAR_FLOAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef WIDE_INLINE
#define WIDE_INLINE static inline
#endif

#define WIDTH                1
#define WIDE_MASK(condition) (-(int32_t)(condition))
#define WIDE_AT(v, i)        (v)
#define PAIR_HEAD            (-(INT32_C(1) << 12)) /* wide_pair.h: halves of 12 bits */
#define ROW_HUGE             0x1p125f
#define PIVOT_LOST           0x1p-21f

enum { WIDE_FRACTION_BITS = 23, WIDE_EXPONENT_BIAS = 127 };

typedef float wide;
typedef int32_t wide_bits;
typedef uint32_t wide_words;

union wide_view {
    float number;
    int32_t bits;
};

WIDE_INLINE wide_bits wide_to_bits(wide a) {
    union wide_view view;
    view.number = a;
    return view.bits;
}

WIDE_INLINE wide wide_of_bits(wide_bits bits) {
    union wide_view view;
    view.bits = bits;
    return view.number;
}

#define REAL_INFINITY wide_of_bits(INT32_C(0x7f800000))
#define REAL_NAN      wide_of_bits(INT32_C(0x7fc00000))

WIDE_INLINE wide wide_all(float value) {
    return value;
}

WIDE_INLINE wide_bits wide_bits_all(int32_t value) {
    return value;
}

WIDE_INLINE wide_bits wide_bits_add(wide_bits a, wide_bits b) {
    return (wide_bits)((wide_words)a + (wide_words)b);
}

WIDE_INLINE wide_bits wide_bits_subtract(wide_bits a, wide_bits b) {
    return (wide_bits)((wide_words)a - (wide_words)b);
}

WIDE_INLINE wide_bits wide_bits_left(wide_bits a, int places) {
    return (wide_bits)((wide_words)a << places);
}

WIDE_INLINE wide_bits wide_bits_right(wide_bits a, int places) {
    return (wide_bits)((wide_words)a >> places);
}

/* Comparisons that a NaN fails, except wide_not_equal. */
WIDE_INLINE wide_bits wide_less(wide a, wide b) {
    return WIDE_MASK(a < b);
}

WIDE_INLINE wide_bits wide_less_equal(wide a, wide b) {
    return WIDE_MASK(a <= b);
}

WIDE_INLINE wide_bits wide_equal(wide a, wide b) {
    return WIDE_MASK(a == b);
}

WIDE_INLINE wide_bits wide_not_equal(wide a, wide b) {
    return WIDE_MASK(a != b);
}

/* mask ? a : b, by bits: the element that is not chosen leaves no trace, NaN or not. */
WIDE_INLINE wide wide_select(wide_bits mask, wide a, wide b) {
    return wide_of_bits((mask & wide_to_bits(a)) | (~mask & wide_to_bits(b)));
}

/* The lesser and the greater of two; b where they are equal, or where one is no number. */
WIDE_INLINE wide wide_lesser(wide a, wide b) {
    return a < b ? a : b;
}

WIDE_INLINE wide wide_greater(wide a, wide b) {
    return a > b ? a : b;
}

/* mask ? a : 0 */
WIDE_INLINE wide wide_keep(wide_bits mask, wide a) {
    return wide_of_bits(mask & wide_to_bits(a));
}

WIDE_INLINE wide wide_abs(wide a) {
    return wide_of_bits(wide_to_bits(a) & INT32_MAX);
}

WIDE_INLINE wide wide_copy_sign(wide size, wide sign) {
    return wide_of_bits((wide_to_bits(size) & INT32_MAX) | (wide_to_bits(sign) & INT32_MIN));
}

WIDE_INLINE int wide_any(wide_bits mask) {
    return mask != 0;
}

WIDE_INLINE int wide_seldom(wide_bits mask) {
    return mask != 0;
}

/* A flag in a slot: a number whose bits are all ones or all zeros. */
WIDE_INLINE bool mask_read(const float *at) {
    return wide_to_bits(*at) != 0;
}

WIDE_INLINE void mask_write(float *at, bool value) {
    *at = wide_of_bits(-(int32_t)value);
}

#ifdef REAL_LIBM /* REAL_SQRT is that of <math.h> */
WIDE_INLINE wide wide_sqrt(wide a) {
    return REAL_SQRT(a);
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
