/* float_hyperbolic.h - sinh, cosh, tanh and their inverses of one float; base/elementary_hyperbolic.h says how.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_FLOAT_HYPERBOLIC_H
#define HN_CORE_FLOAT_HYPERBOLIC_H

#include "base/real.h"
#include "core/float_exponential.h"

/* min(a, limit); a NaN stays. */
SIMD_INLINE float hyperbolic_limit(float a, float limit) {
    return simd_select(simd_less(limit, a), limit, a);
}

/* e^size = 2^n w; inverse is 4^-n / w where it matters, up to size 40, and 0 beyond. */
typedef struct {
    simd_pair w;
    float inverse;
    int32_t n;
} hyperbolic_parts;

SIMD_INLINE hyperbolic_parts hyperbolic_split(float size) {
    hyperbolic_parts parts;
    exponential_parts e = exponential_split(exponential_limit(size, 120.0f), 0.0f);
    parts.w = pair_quick_sum(1.0f, e.r);
    parts.w.low = parts.w.low + e.tail;
    parts.n = e.n;
    simd_bits near = simd_less(size, 40.0f);
    parts.inverse = simd_keep(near, round_power(near & (-2 * e.n)) / (parts.w.high + parts.w.low));
    return parts;
}

SIMD_INLINE float elementary_cosh(float a) {
    hyperbolic_parts parts = hyperbolic_split(simd_abs(a));
    float value = round_scale(0.5f * (parts.w.high + (parts.w.low + parts.inverse)), parts.n);
    return simd_select(simd_not_equal(a, a), a, value);
}

/* (sinh a - a) / a^3 as a polynomial in z = a^2 for |a| <= 1; the error is below 2^-32 / z. */
SIMD_INLINE float hyperbolic_polynomial(float z) {
    float p = 0x1.9b552cp-24f * z + 0x1.5ac9fep-19f;
    p = p * z + 0x1.a067ap-13f;
    p = p * z + 0x1.1110aap-7f;
    return p * z + 0x1.555556p-3f;
}

SIMD_INLINE float elementary_sinh(float a) {
    float size = simd_abs(a);
    hyperbolic_parts parts = hyperbolic_split(size);
    float large = round_scale(0.5f * (parts.w.high - (parts.inverse - parts.w.low)), parts.n);
    float z = size * size, small = size + size * z * hyperbolic_polynomial(z);
    float value = simd_copy_sign(simd_select(simd_less(size, 1.0f), small, large), a);
    return simd_select(simd_not_equal(a, a), a, value);
}

SIMD_INLINE float elementary_tanh(float a) {
    float size = hyperbolic_limit(simd_abs(a), 10.0f); /* tanh 10 rounds to 1 */
    exponential_parts e = exponential_split(exponential_limit(2.0f * size, 20.0f), 0.0f);
    float power = round_power(e.n); /* 2^n */
    simd_pair m = pair_sum(power - 1.0f, power * e.r);
    m = pair_quick_sum(m.high, m.low + power * e.tail);
    simd_pair above = pair_sum(m.high, 2.0f);
    above.low = above.low + m.low;
    simd_pair ratio = pair_divide(m, above);
    float value = simd_select(simd_less(size, 0x1p-13f), size, ratio.high + ratio.low);
    return simd_select(simd_not_equal(a, a), a, simd_copy_sign(value, a));
}

/* log of a pair that is at least 1 and below 2^126, plus extra ln 2 */
SIMD_INLINE float hyperbolic_logarithm(simd_pair a, float extra) {
    logarithm_parts parts = logarithm_split(a.high, -extra);
    float scale = simd_of_bits((127 - parts.exponent) * (INT32_C(1) << 23)); /* 2^-k, without extra */
    simd_pair f = pair_quick_sum(parts.f, a.low * scale);
    return logarithm_sum(parts.k, f.high, f.low);
}

/* log(size + sqrt(size^2 + one)), one = +-1; beyond 2^14 that is log(2 size) = log(size / 4) + 3 ln 2. */
SIMD_INLINE float hyperbolic_area(float size, float one) {
    simd_bits large = simd_less(0x1p+14f, size);
    float within = simd_select(large, 2.0f, size);
    simd_pair square = pair_product(within, within), shifted = pair_sum(square.high, one);
    shifted = pair_quick_sum(shifted.high, shifted.low + square.low);
    simd_pair root = pair_root(shifted), sum = pair_sum(within, root.high);
    sum.low = sum.low + root.low;
    sum.high = simd_select(large, 0.25f * size, sum.high);
    sum.low = simd_keep(~large, sum.low);
    return hyperbolic_logarithm(sum, simd_keep(large, 3.0f));
}

/* Below 2^-12 the first correction to size is all there is: cubic = -1/6 for asinh, 1/3 for atanh. */
SIMD_INLINE float hyperbolic_tiny(float size, float cubic, float value) {
    float tiny = size + cubic * size * size * size;
    return simd_select(simd_less(size, 0x1p-12f), tiny, value);
}

SIMD_INLINE float elementary_asinh(float a) {
    float size = simd_abs(a), value = hyperbolic_tiny(size, -0x1.555556p-3f, hyperbolic_area(size, 1.0f));
    return simd_select(simd_less(size, REAL_INFINITY), simd_copy_sign(value, a), a); /* infinities and NaN */
}

SIMD_INLINE float elementary_acosh(float a) {
    simd_bits inside = simd_less(1.0f, a) & simd_less(a, REAL_INFINITY);
    float value = hyperbolic_area(simd_select(inside, a, 2.0f), -1.0f);
    value = simd_select(inside, value, REAL_NAN);
    value = simd_select(simd_equal(a, 1.0f), 0.0f, value);
    return simd_select(simd_equal(a, REAL_INFINITY), a, value);
}

SIMD_INLINE float elementary_atanh(float a) {
    float size = simd_abs(a), within = simd_select(simd_less(size, 1.0f), size, 0.5f);
    simd_pair ratio = pair_divide(pair_quick_sum(1.0f, within), pair_quick_sum(1.0f, -within));
    float value = 0.5f * hyperbolic_logarithm(pair_quick_sum(ratio.high, ratio.low), 0.0f);
    value = hyperbolic_tiny(size, 0x1.555556p-2f, value);
    value = simd_select(simd_less(size, 1.0f), value, REAL_NAN);
    value = simd_select(simd_equal(size, 1.0f), REAL_INFINITY, value);
    return simd_copy_sign(value, a);
}

#endif
