/* elementary_hyperbolic.h - sinh, cosh, tanh and their inverses over SIMD vectors.
 *
 *     e^|a| = 2^n w,  w in [sqrt(1/2), sqrt(2)] a pair
 *     cosh a = 2^(n-1) (w + 4^-n / w)
 *     sinh a = 2^(n-1) (w - 4^-n / w),    a + a^3 H(a^2) for |a| < 1
 *     tanh a = m / (m + 2),               m = e^(2|a|) - 1 as a pair
 *     asinh a = log(|a| + sqrt(a^2 + 1)),  acosh a = log(a + sqrt(a^2 - 1)),  atanh a = 1/2 log((1 + |a|) / (1 - |a|))
 *
 * Odd functions get the sign of a. The arguments of the logarithms are pairs, so that arguments close to 1 keep their
 * distance from 1. The coefficients are minimax (Remez) and rounded to double, or to
 * float.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ELEMENTARY_HYPERBOLIC_H
#define HN_BASE_ELEMENTARY_HYPERBOLIC_H

#include "base/elementary_exponential.h"
#include "base/real.h"

#ifdef REAL_SINGLE
SHARED_CONSTANT real HYPERBOLIC_MOST = 120;      /* sinh and cosh overflow */
SHARED_CONSTANT real HYPERBOLIC_FAR = 40;        /* 1 / w is negligible */
SHARED_CONSTANT real HYPERBOLIC_TINY = 0x1p-12f; /* inverses need one correction to their argument */
SHARED_CONSTANT real TANH_MOST = 10;             /* rounds to 1 */
SHARED_CONSTANT real AREA_LARGE = 0x1p+14f;      /* the square plus or minus 1 is the square */

/* (sinh a - a) / a^3 as a polynomial in z = a^2 for |a| <= 1; the error is below 2^-32 / z. */
SIMD_INLINE simd hyperbolic_polynomial(simd z) {
    simd p = 0x1.9b552cp-24f * z + 0x1.5ac9fep-19f;
    p = p * z + 0x1.a067ap-13f;
    p = p * z + 0x1.1110aap-7f;
    return p * z + 0x1.555556p-3f;
}

/* A NaN argument is returned unchanged. */
SIMD_INLINE simd hyperbolic_result(simd a, simd value) {
    return simd_select(simd_not_equal(a, a), a, value);
}
#else
SHARED_CONSTANT real HYPERBOLIC_MOST = 800;     /* sinh and cosh overflow */
SHARED_CONSTANT real HYPERBOLIC_FAR = 64;       /* 1 / w is negligible */
SHARED_CONSTANT real HYPERBOLIC_TINY = 0x1p-26; /* inverses need one correction to their argument */
SHARED_CONSTANT real TANH_MOST = 22;            /* rounds to 1 */
SHARED_CONSTANT real AREA_LARGE = 0x1p+28;      /* the square plus or minus 1 is the square */

/* (sinh a - a) / a^3 as a polynomial in z = a^2 for |a| <= 1; the error is below 2^-56 / z. */
SIMD_INLINE simd hyperbolic_polynomial(simd z) {
    simd p = 0x1.b4cf78d24ba00p-41 * z + 0x1.611a3a203c492p-33; /* 1/15!, 1/13! */
    p = p * z + 0x1.ae64676689f51p-26;                          /* 1/11! */
    p = p * z + 0x1.71de3a45f722ep-19;                          /* 1/9! */
    p = p * z + 0x1.a01a01a0291fcp-13;                          /* 1/7! */
    p = p * z + 0x1.11111111110a1p-7;                           /* 1/5! */
    return p * z + 0x1.5555555555556p-3;                        /* 1/3! */
}

SIMD_INLINE simd hyperbolic_result(simd a, simd value) {
    (void)a;
    return value;
}
#endif

/* min(a, limit); propagates NaN. */
SIMD_INLINE simd hyperbolic_limit(simd a, real limit) {
    return simd_select(simd_less(simd_all(limit), a), simd_all(limit), a);
}

/* e^size = 2^n w; inverse is 4^-n / w up to size HYPERBOLIC_FAR and 0 beyond. */
typedef struct {
    simd_pair w;
    simd inverse;
    simd_bits count; /* of n */
} hyperbolic_parts;

SIMD_INLINE hyperbolic_parts hyperbolic_split(simd size) {
    exponential_parts e = exponential_split(size, simd_all(0));
    simd_pair w = pair_quick_sum(simd_all(1), e.r);
    w.low = w.low + e.tail;
    simd_bits minus_twice = simd_bits_left(simd_bits_subtract(simd_bits_all(0), round_exponent(e.count)), 1);
    simd inverse = round_power(minus_twice) / (w.high + w.low);
    inverse = simd_keep(simd_less(size, simd_all(HYPERBOLIC_FAR)), inverse);
    return LITERAL(hyperbolic_parts){w, inverse, e.count};
}

SIMD_INLINE simd elementary_cosh(simd a) {
    hyperbolic_parts parts = hyperbolic_split(hyperbolic_limit(simd_abs(a), HYPERBOLIC_MOST));
    simd value = round_scale(REAL(0.5) * (parts.w.high + (parts.w.low + parts.inverse)), parts.count);
    return hyperbolic_result(a, value);
}

SIMD_INLINE simd elementary_sinh(simd a) {
    simd size = simd_abs(a);
    hyperbolic_parts parts = hyperbolic_split(hyperbolic_limit(size, HYPERBOLIC_MOST));
    simd large = round_scale(REAL(0.5) * (parts.w.high - (parts.inverse - parts.w.low)), parts.count);
    simd z = size * size;
    simd small = size + size * z * hyperbolic_polynomial(z);
    simd value = simd_select(simd_less(size, simd_all(1)), small, large);
    return hyperbolic_result(a, simd_copy_sign(value, a));
}

SIMD_INLINE simd elementary_tanh(simd a) {
    simd size = hyperbolic_limit(simd_abs(a), TANH_MOST);
    exponential_parts e = exponential_split(REAL(2.0) * size, simd_all(0));
    simd power = round_power(round_exponent(e.count)); /* 2^n */
    simd_pair m = pair_sum(power - REAL(1.0), power * e.r);
    m = pair_quick_sum(m.high, m.low + power * e.tail);
    simd_pair above = pair_sum(m.high, simd_all(2));
    above.low = above.low + m.low;
    simd_pair ratio = pair_divide(m, above);
    simd value = ratio.high + ratio.low;
#ifdef REAL_SINGLE /* the quotient of small pairs is not exact */
    value = simd_select(simd_less(size, 0x1p-13f), size, value);
#endif
    return hyperbolic_result(a, simd_copy_sign(value, a));
}

/* log of a pair that is at least 1 and below 2^1022, of floats 2^126, plus extra ln 2 */
SIMD_INLINE simd hyperbolic_logarithm(simd_pair a, simd extra) {
    logarithm_parts parts = logarithm_split(a.high, (real)SIMD_EXPONENT_BIAS - extra);
    simd_bits exponent = simd_bits_subtract(simd_bits_all(SIMD_EXPONENT_BIAS + SIMD_EXPONENT_BIAS), parts.exponent);
    simd scale = simd_of_bits(simd_bits_left(exponent, SIMD_FRACTION_BITS)); /* 2^-k, without extra */
    simd_pair f = pair_quick_sum(parts.f, a.low * scale);
    return logarithm_sum(parts.k, f.high, f.low);
}

/* log(size + sqrt(size^2 + one)), one = +-1; beyond AREA_LARGE that is log(2 size) = log(size / 4) + 3 ln 2. */
SIMD_INLINE simd hyperbolic_area(simd size, real one) {
    simd_bits large = simd_less(simd_all(AREA_LARGE), size);
    simd_pair square = pair_product(size, size);
    simd_pair shifted = pair_sum(square.high, simd_all(one));
    shifted = pair_quick_sum(shifted.high, shifted.low + square.low);
    simd_pair root = pair_root(shifted);
    simd_pair sum = pair_sum(size, root.high);
    sum.low = sum.low + root.low;
    sum.high = simd_select(large, REAL(0.25) * size, sum.high);
    sum.low = simd_keep(~large, sum.low);
    return hyperbolic_logarithm(sum, simd_keep(large, simd_all(3)));
}

/* Below HYPERBOLIC_TINY only the first correction to size matters: cubic = -1/6 for asinh, 1/3 for atanh. */
SIMD_INLINE simd hyperbolic_tiny(simd size, real cubic, simd value) {
    simd tiny = size + cubic * size * size * size;
    return simd_select(simd_less(size, simd_all(HYPERBOLIC_TINY)), tiny, value);
}

SIMD_INLINE simd elementary_asinh(simd a) {
    simd size = simd_abs(a);
    simd value = hyperbolic_tiny(size, -REAL(1.0) / REAL(6.0), hyperbolic_area(size, 1));
    return simd_select(simd_less(size, simd_all(REAL_INFINITY)), simd_copy_sign(value, a), a); /* infinities and NaN */
}

SIMD_INLINE simd elementary_acosh(simd a) {
    simd value = hyperbolic_area(a, -1);
    value = simd_select(simd_less(simd_all(1), a), value, simd_all(REAL_NAN));
    value = simd_select(simd_equal(a, simd_all(1)), simd_all(0), value);
    return simd_select(simd_equal(a, simd_all(REAL_INFINITY)), a, value);
}

SIMD_INLINE simd elementary_atanh(simd a) {
    simd size = simd_abs(a);
    simd_pair ratio = pair_divide(pair_quick_sum(simd_all(1), size), pair_quick_sum(simd_all(1), -size));
    simd value = REAL(0.5) * hyperbolic_logarithm(pair_quick_sum(ratio.high, ratio.low), simd_all(0));
    value = hyperbolic_tiny(size, REAL(1.0) / REAL(3.0), value);
    value = simd_select(simd_less(size, simd_all(1)), value, simd_all(REAL_NAN));
    value = simd_select(simd_equal(size, simd_all(1)), simd_all(REAL_INFINITY), value);
    return simd_copy_sign(value, a);
}

#endif
