/* elementary_hyperbolic.h - sinh, cosh, tanh and their inverses over SIMD vectors.
 *
 *     e^|a| = 2^n w,  w in [sqrt(1/2), sqrt(2)] a pair
 *     cosh a = 2^(n-1) (w + 4^-n / w)
 *     sinh a = 2^(n-1) (w - 4^-n / w),    a + a^3 H(a^2) for |a| < 1
 *     tanh a = m / (m + 2),               m = e^(2|a|) - 1 as a pair
 *     asinh a = log(|a| + sqrt(a^2 + 1)),  acosh a = log(a + sqrt(a^2 - 1)),  atanh a = 1/2 log((1 + |a|) / (1 - |a|))
 *
 * Odd functions get the sign of a. The arguments of the logarithms are pairs, so that arguments close to 1 keep their
 * distance from 1. The coefficients are minimax (Remez) and rounded to double.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ELEMENTARY_HYPERBOLIC_H
#define HN_BASE_ELEMENTARY_HYPERBOLIC_H

#include "base/elementary_exponential.h"
#include "base/real.h"

/* min(a, limit); a NaN stays. */
SIMD_INLINE simd hyperbolic_limit(simd a, double limit) {
    return simd_select(simd_less(simd_all(limit), a), simd_all(limit), a);
}

/* e^size = 2^n w; inverse is 4^-n / w up to size 64 and 0 beyond. */
typedef struct {
    simd_pair w;
    simd inverse;
    simd_bits count; /* of n */
} hyperbolic_parts;

SIMD_INLINE hyperbolic_parts hyperbolic_split(simd size) {
    exponential_parts e = exponential_split(size, simd_all(0.0));
    simd_pair w = pair_quick_sum(simd_all(1.0), e.r);
    w.low = w.low + e.tail;
    simd_bits minus_twice = simd_bits_left(simd_bits_subtract(simd_bits_all(0), round_exponent(e.count)), 1);
    simd inverse = round_power(minus_twice) / (w.high + w.low);
    inverse = simd_keep(simd_less(size, simd_all(64.0)), inverse);
    return LITERAL(hyperbolic_parts){w, inverse, e.count};
}

SIMD_INLINE simd elementary_cosh(simd a) {
    hyperbolic_parts parts = hyperbolic_split(hyperbolic_limit(simd_abs(a), 800.0));
    return round_scale(0.5 * (parts.w.high + (parts.w.low + parts.inverse)), parts.count);
}

/* (sinh a - a) / a^3 as a polynomial in z = a^2 for |a| <= 1; the error is below 2^-56 / z. */
SIMD_INLINE simd hyperbolic_polynomial(simd z) {
    simd p = 0x1.b4cf78d24ba00p-41 * z + 0x1.611a3a203c492p-33; /* 1/15!, 1/13! */
    p = p * z + 0x1.ae64676689f51p-26;                          /* 1/11! */
    p = p * z + 0x1.71de3a45f722ep-19;                          /* 1/9! */
    p = p * z + 0x1.a01a01a0291fcp-13;                          /* 1/7! */
    p = p * z + 0x1.11111111110a1p-7;                           /* 1/5! */
    return p * z + 0x1.5555555555556p-3;                        /* 1/3! */
}

SIMD_INLINE simd elementary_sinh(simd a) {
    simd size = simd_abs(a);
    hyperbolic_parts parts = hyperbolic_split(hyperbolic_limit(size, 800.0));
    simd large = round_scale(0.5 * (parts.w.high - (parts.inverse - parts.w.low)), parts.count);
    simd z = size * size;
    simd small = size + size * z * hyperbolic_polynomial(z);
    return simd_copy_sign(simd_select(simd_less(size, simd_all(1.0)), small, large), a);
}

SIMD_INLINE simd elementary_tanh(simd a) {
    simd size = hyperbolic_limit(simd_abs(a), 22.0); /* tanh 22 rounds to 1 */
    exponential_parts e = exponential_split(2.0 * size, simd_all(0.0));
    simd power = round_power(round_exponent(e.count)); /* 2^n */
    simd_pair m = pair_sum(power - 1.0, power * e.r);
    m = pair_quick_sum(m.high, m.low + power * e.tail);
    simd_pair above = pair_sum(m.high, simd_all(2.0));
    above.low = above.low + m.low;
    simd_pair ratio = pair_divide(m, above);
    return simd_copy_sign(ratio.high + ratio.low, a);
}

/* log of a pair that is at least 1 and below 2^1022, plus extra ln 2 */
SIMD_INLINE simd hyperbolic_logarithm(simd_pair a, simd extra) {
    logarithm_parts parts = logarithm_split(a.high, 1023.0 - extra);
    simd_bits exponent = simd_bits_subtract(simd_bits_all(2046), parts.exponent);
    simd scale = simd_of_bits(simd_bits_left(exponent, 52)); /* 2^-k, without extra */
    simd_pair f = pair_quick_sum(parts.f, a.low * scale);
    return logarithm_sum(parts.k, f.high, f.low);
}

/* log(size + sqrt(size^2 + one)), one = +-1; beyond 2^28 that is log(2 size) = log(size / 4) + 3 ln 2. */
SIMD_INLINE simd hyperbolic_area(simd size, double one) {
    simd_bits large = simd_less(simd_all(0x1p+28), size);
    simd_pair square = pair_product(size, size);
    simd_pair shifted = pair_sum(square.high, simd_all(one));
    shifted = pair_quick_sum(shifted.high, shifted.low + square.low);
    simd_pair root = pair_root(shifted);
    simd_pair sum = pair_sum(size, root.high);
    sum.low = sum.low + root.low;
    sum.high = simd_select(large, 0.25 * size, sum.high);
    sum.low = simd_keep(~large, sum.low);
    return hyperbolic_logarithm(sum, simd_keep(large, simd_all(3.0)));
}

/* Below 2^-26 only the first correction to size matters: cubic = -1/6 for asinh, 1/3 for atanh. */
SIMD_INLINE simd hyperbolic_tiny(simd size, double cubic, simd value) {
    simd tiny = size + cubic * size * size * size;
    return simd_select(simd_less(size, simd_all(0x1p-26)), tiny, value);
}

SIMD_INLINE simd elementary_asinh(simd a) {
    simd size = simd_abs(a);
    simd value = hyperbolic_tiny(size, -1.0 / 6.0, hyperbolic_area(size, 1.0));
    return simd_select(simd_less(size, simd_all(REAL_INFINITY)), simd_copy_sign(value, a), a); /* infinities and NaN */
}

SIMD_INLINE simd elementary_acosh(simd a) {
    simd value = hyperbolic_area(a, -1.0);
    value = simd_select(simd_less(simd_all(1.0), a), value, simd_all(REAL_NAN));
    value = simd_select(simd_equal(a, simd_all(1.0)), simd_all(0.0), value);
    return simd_select(simd_equal(a, simd_all(REAL_INFINITY)), a, value);
}

SIMD_INLINE simd elementary_atanh(simd a) {
    simd size = simd_abs(a);
    simd_pair ratio = pair_divide(pair_quick_sum(simd_all(1.0), size), pair_quick_sum(simd_all(1.0), -size));
    simd value = 0.5 * hyperbolic_logarithm(pair_quick_sum(ratio.high, ratio.low), simd_all(0.0));
    value = hyperbolic_tiny(size, 1.0 / 3.0, value);
    value = simd_select(simd_less(size, simd_all(1.0)), value, simd_all(REAL_NAN));
    value = simd_select(simd_equal(size, simd_all(1.0)), simd_all(REAL_INFINITY), value);
    return simd_copy_sign(value, a);
}

#endif
