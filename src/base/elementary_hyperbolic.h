/* elementary_hyperbolic.h - sinh, cosh, tanh and their inverses over SIMD vectors.
 *
 *     e^|a| = 2^n w,  w in [sqrt(1/2), sqrt(2)] a pair
 *     cosh a = 2^(n-1) (w + 4^-n / w)
 *     sinh a = 2^(n-1) (w - 4^-n / w),    a + a^3 H(a^2) for |a| < 1
 *     tanh a = m / (m + 2),               m = e^(2|a|) - 1 as a pair
 *     asinh a = log(|a| + sqrt(a^2 + 1)),  acosh a = log(a + sqrt(a^2 - 1)),  atanh a = 1/2 log((1 + |a|) / (1 - |a|))
 *
 * Odd functions take the sign of a. The arguments of the logarithms are pairs, so that what is close to 1 keeps its
 * distance from 1. The coefficients are minimax (Remez) and rounded to double.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ELEMENTARY_HYPERBOLIC_H
#define HN_BASE_ELEMENTARY_HYPERBOLIC_H

#include "base/elementary_exponential.h"

/* min(a, limit); a NaN stays. */
WIDE_INLINE wide hyperbolic_limit(wide a, double limit) {
    return wide_select(wide_less(wide_all(limit), a), wide_all(limit), a);
}

/* e^size = 2^n w; inverse is 4^-n / w where it matters, up to size 64, and 0 beyond. */
typedef struct {
    wide_pair w;
    wide inverse;
    wide_bits count; /* of n */
} hyperbolic_parts;

WIDE_INLINE hyperbolic_parts hyperbolic_split(wide size) {
    exponential_parts e = exponential_split(size, wide_all(0.0));
    wide_pair w = pair_quick_sum(wide_all(1.0), e.r);
    w.low = w.low + e.tail;
    wide_bits minus_twice = wide_bits_left(wide_bits_subtract(wide_bits_all(0), round_exponent(e.count)), 1);
    wide inverse = round_power(minus_twice) / (w.high + w.low);
    inverse = wide_keep(wide_less(size, wide_all(64.0)), inverse);
    return (hyperbolic_parts){w, inverse, e.count};
}

WIDE_INLINE wide elementary_cosh(wide a) {
    hyperbolic_parts parts = hyperbolic_split(hyperbolic_limit(wide_abs(a), 800.0));
    return round_scale(0.5 * (parts.w.high + (parts.w.low + parts.inverse)), parts.count);
}

/* (sinh a - a) / a^3 as a polynomial in z = a^2 for |a| <= 1; the error is below 2^-56 / z. */
WIDE_INLINE wide hyperbolic_polynomial(wide z) {
    wide p = 0x1.b4cf78d24ba00p-41 * z + 0x1.611a3a203c492p-33; /* 1/15!, 1/13! */
    p = p * z + 0x1.ae64676689f51p-26;                          /* 1/11! */
    p = p * z + 0x1.71de3a45f722ep-19;                          /* 1/9! */
    p = p * z + 0x1.a01a01a0291fcp-13;                          /* 1/7! */
    p = p * z + 0x1.11111111110a1p-7;                           /* 1/5! */
    return p * z + 0x1.5555555555556p-3;                        /* 1/3! */
}

WIDE_INLINE wide elementary_sinh(wide a) {
    wide size = wide_abs(a);
    hyperbolic_parts parts = hyperbolic_split(hyperbolic_limit(size, 800.0));
    wide large = round_scale(0.5 * (parts.w.high - (parts.inverse - parts.w.low)), parts.count);
    wide z = size * size;
    wide small = size + size * z * hyperbolic_polynomial(z);
    return wide_copy_sign(wide_select(wide_less(size, wide_all(1.0)), small, large), a);
}

WIDE_INLINE wide elementary_tanh(wide a) {
    wide size = hyperbolic_limit(wide_abs(a), 22.0); /* tanh 22 rounds to 1 */
    exponential_parts e = exponential_split(2.0 * size, wide_all(0.0));
    wide power = round_power(round_exponent(e.count)); /* 2^n */
    wide_pair m = pair_sum(power - 1.0, power * e.r);
    m = pair_quick_sum(m.high, m.low + power * e.tail);
    wide_pair above = pair_sum(m.high, wide_all(2.0));
    above.low = above.low + m.low;
    wide_pair ratio = pair_divide(m, above);
    return wide_copy_sign(ratio.high + ratio.low, a);
}

/* log of a pair that is at least 1 and below 2^1022, plus extra ln 2 */
WIDE_INLINE wide hyperbolic_logarithm(wide_pair a, wide extra) {
    logarithm_parts parts = logarithm_split(a.high, 1023.0 - extra);
    wide_bits exponent = wide_bits_subtract(wide_bits_all(2046), parts.exponent);
    wide scale = wide_of_bits(wide_bits_left(exponent, 52)); /* 2^-k, without extra */
    wide_pair f = pair_quick_sum(parts.f, a.low * scale);
    return logarithm_sum(parts.k, f.high, f.low);
}

/* log(size + sqrt(size^2 + one)), one = +-1; beyond 2^28 that is log(2 size) = log(size / 4) + 3 ln 2. */
WIDE_INLINE wide hyperbolic_area(wide size, double one) {
    wide_bits large = wide_less(wide_all(0x1p+28), size);
    wide_pair square = pair_product(size, size);
    wide_pair shifted = pair_sum(square.high, wide_all(one));
    shifted = pair_quick_sum(shifted.high, shifted.low + square.low);
    wide_pair root = pair_root(shifted);
    wide_pair sum = pair_sum(size, root.high);
    sum.low = sum.low + root.low;
    sum.high = wide_select(large, 0.25 * size, sum.high);
    sum.low = wide_keep(~large, sum.low);
    return hyperbolic_logarithm(sum, wide_keep(large, wide_all(3.0)));
}

/* Below 2^-26 the first correction to size is all there is: cubic = -1/6 for asinh, 1/3 for atanh. */
WIDE_INLINE wide hyperbolic_tiny(wide size, double cubic, wide value) {
    wide tiny = size + cubic * size * size * size;
    return wide_select(wide_less(size, wide_all(0x1p-26)), tiny, value);
}

WIDE_INLINE wide elementary_asinh(wide a) {
    wide size = wide_abs(a);
    wide value = hyperbolic_tiny(size, -1.0 / 6.0, hyperbolic_area(size, 1.0));
    return wide_select(wide_less(size, wide_all(INFINITY)), wide_copy_sign(value, a), a); /* infinities and NaN */
}

WIDE_INLINE wide elementary_acosh(wide a) {
    wide value = hyperbolic_area(a, -1.0);
    value = wide_select(wide_less(wide_all(1.0), a), value, wide_all(NAN));
    value = wide_select(wide_equal(a, wide_all(1.0)), wide_all(0.0), value);
    return wide_select(wide_equal(a, wide_all(INFINITY)), a, value);
}

WIDE_INLINE wide elementary_atanh(wide a) {
    wide size = wide_abs(a);
    wide_pair ratio = pair_divide(pair_quick_sum(wide_all(1.0), size), pair_quick_sum(wide_all(1.0), -size));
    wide value = 0.5 * hyperbolic_logarithm(pair_quick_sum(ratio.high, ratio.low), wide_all(0.0));
    value = hyperbolic_tiny(size, 1.0 / 3.0, value);
    value = wide_select(wide_less(size, wide_all(1.0)), value, wide_all(NAN));
    value = wide_select(wide_equal(size, wide_all(1.0)), wide_all(INFINITY), value);
    return wide_copy_sign(value, a);
}

#endif
