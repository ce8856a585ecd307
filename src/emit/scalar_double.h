/* scalar_double.h - what base/wide.h offers, for one double in plain C99: what the texts of an emitted file stand on.
 *
 * The names are those of base/wide.h at WIDTH 1 and so are the bits. Nothing of the C library is called: bits are looked at through a
 * union, and the square root is our own unless REAL_LIBM is defined. It is rounded correctly, like that of the hardware: y near
 * sqrt(a) by Newton's iteration for 1 / sqrt(a), then one step to a neighbour where the remainder a - y^2, which is exact, asks for it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_EMIT_SCALAR_DOUBLE_H
#define HN_EMIT_SCALAR_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef WIDE_INLINE
#define WIDE_INLINE static inline
#endif

#define WIDTH                1
#define WIDE_MASK(condition) (-(int64_t)(condition))
#define WIDE_AT(v, i)        (v)

enum { WIDE_FRACTION_BITS = 52, WIDE_EXPONENT_BIAS = 1023 };

typedef double wide;
typedef int64_t wide_bits;
typedef uint64_t wide_words;

union wide_view {
    double number;
    int64_t bits;
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

#define REAL_INFINITY wide_of_bits(INT64_C(0x7ff0000000000000))
#define REAL_NAN      wide_of_bits(INT64_C(0x7ff8000000000000))

WIDE_INLINE wide wide_all(double value) {
    return value;
}

WIDE_INLINE wide_bits wide_bits_all(int64_t value) {
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
    return wide_of_bits(wide_to_bits(a) & INT64_MAX);
}

WIDE_INLINE wide wide_copy_sign(wide size, wide sign) {
    return wide_of_bits((wide_to_bits(size) & INT64_MAX) | (wide_to_bits(sign) & INT64_MIN));
}

WIDE_INLINE int wide_any(wide_bits mask) {
    return mask != 0;
}

WIDE_INLINE int wide_seldom(wide_bits mask) {
    return mask != 0;
}

/* A flag in a slot: a number whose bits are all ones or all zeros. */
WIDE_INLINE bool mask_read(const double *at) {
    return wide_to_bits(*at) != 0;
}

WIDE_INLINE void mask_write(double *at, bool value) {
    *at = wide_of_bits(-(int64_t)value);
}

#ifdef REAL_LIBM /* REAL_SQRT is that of <math.h> */
WIDE_INLINE wide wide_sqrt(wide a) {
    return REAL_SQRT(a);
}
#else
/* a - y^2, for a y within a unit in the last place of sqrt(a): exact. */
WIDE_INLINE wide root_remainder(wide a, wide y) {
    wide square = y * y;
    wide head = wide_of_bits(wide_to_bits(y) & -(INT64_C(1) << 27)), rest = y - head;
    wide error = ((head * head - square) + 2 * (head * rest)) + rest * rest;
    return (a - square) - error;
}

/* For 1 <= a < 4. */
WIDE_INLINE wide root_near(wide a) {
    wide inverse = wide_of_bits(INT64_C(0x5fe6eb50c7b537a9) - (wide_to_bits(a) >> 1)), half = 0.5 * a;
    for (int i = 0; i < 4; i++)
        inverse = inverse * (1.5 - half * inverse * inverse);
    wide y = a * inverse;
    y = y + 0.5 * inverse * root_remainder(a, y);
    wide remainder = root_remainder(a, y), place = y * 0x1p-52;
    wide_bits up = wide_less(place, remainder), down = wide_less_equal(remainder, -place);
    return wide_of_bits(wide_to_bits(y) - up + down); /* masks are -1 or 0 */
}

WIDE_INLINE wide wide_sqrt(wide a) {
    wide_bits tiny = wide_less(a, 0x1p-1022);
    wide lifted = wide_select(tiny, a * 0x1p108, a);
    wide_bits bits = wide_to_bits(lifted), exponent = (bits >> 52) - 1023, odd = exponent & 1;
    wide inside = wide_of_bits((bits & ((INT64_C(1) << 52) - 1)) | ((1023 + odd) << 52));
    wide_bits half = (exponent - odd) / 2 - (tiny & 54);
    wide y = wide_of_bits(wide_to_bits(root_near(inside)) + half * (INT64_C(1) << 52));
    if (!(a > 0 && a < REAL_INFINITY)) /* zeros, infinity, NaN; what is negative has no root */
        y = wide_select(wide_less(a, 0), REAL_NAN, a);
    return y;
}
#endif

#endif
