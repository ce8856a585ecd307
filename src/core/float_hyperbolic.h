/* float_hyperbolic.h - sinh, cosh, tanh and their inverses of one float; base/elementary_hyperbolic.h says how.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_FLOAT_HYPERBOLIC_H
#define HN_CORE_FLOAT_HYPERBOLIC_H

#include "core/float_exponential.h"

/* min(a, limit); a NaN stays. */
WIDE_INLINE float hyperbolic_limit(float a, float limit) {
    return wide_select(wide_less(limit, a), limit, a);
}

/* e^size = 2^n w; inverse is 4^-n / w where it matters, up to size 40, and 0 beyond. */
typedef struct {
    wide_pair w;
    float inverse;
    int32_t n;
} hyperbolic_parts;

WIDE_INLINE hyperbolic_parts hyperbolic_split(float size) {
    hyperbolic_parts parts;
    exponential_parts e = exponential_split(exponential_limit(size, 120.0f), 0.0f);
    parts.w = pair_quick_sum(1.0f, e.r);
    parts.w.low = parts.w.low + e.tail;
    parts.n = e.n;
    wide_bits near = wide_less(size, 40.0f);
    parts.inverse = wide_keep(near, round_power(near & (-2 * e.n)) / (parts.w.high + parts.w.low));
    return parts;
}

WIDE_INLINE float elementary_cosh(float a) {
    hyperbolic_parts parts = hyperbolic_split(wide_abs(a));
    float value = round_scale(0.5f * (parts.w.high + (parts.w.low + parts.inverse)), parts.n);
    return wide_select(wide_not_equal(a, a), a, value);
}

/* (sinh a - a) / a^3 as a polynomial in z = a^2 for |a| <= 1; the error is below 2^-32 / z. */
WIDE_INLINE float hyperbolic_polynomial(float z) {
    float p = 0x1.9b552cp-24f * z + 0x1.5ac9fep-19f;
    p = p * z + 0x1.a067ap-13f;
    p = p * z + 0x1.1110aap-7f;
    return p * z + 0x1.555556p-3f;
}

WIDE_INLINE float elementary_sinh(float a) {
    float size = wide_abs(a);
    hyperbolic_parts parts = hyperbolic_split(size);
    float large = round_scale(0.5f * (parts.w.high - (parts.inverse - parts.w.low)), parts.n);
    float z = size * size, small = size + size * z * hyperbolic_polynomial(z);
    float value = wide_copy_sign(wide_select(wide_less(size, 1.0f), small, large), a);
    return wide_select(wide_not_equal(a, a), a, value);
}

WIDE_INLINE float elementary_tanh(float a) {
    float size = hyperbolic_limit(wide_abs(a), 10.0f); /* tanh 10 rounds to 1 */
    exponential_parts e = exponential_split(exponential_limit(2.0f * size, 20.0f), 0.0f);
    float power = round_power(e.n); /* 2^n */
    wide_pair m = pair_sum(power - 1.0f, power * e.r);
    m = pair_quick_sum(m.high, m.low + power * e.tail);
    wide_pair above = pair_sum(m.high, 2.0f);
    above.low = above.low + m.low;
    wide_pair ratio = pair_divide(m, above);
    float value = wide_select(wide_less(size, 0x1p-13f), size, ratio.high + ratio.low);
    return wide_select(wide_not_equal(a, a), a, wide_copy_sign(value, a));
}

/* log of a pair that is at least 1 and below 2^126, plus extra ln 2 */
WIDE_INLINE float hyperbolic_logarithm(wide_pair a, float extra) {
    logarithm_parts parts = logarithm_split(a.high, -extra);
    float scale = wide_of_bits((127 - parts.exponent) * (INT32_C(1) << 23)); /* 2^-k, without extra */
    wide_pair f = pair_quick_sum(parts.f, a.low * scale);
    return logarithm_sum(parts.k, f.high, f.low);
}

/* log(size + sqrt(size^2 + one)), one = +-1; beyond 2^14 that is log(2 size) = log(size / 4) + 3 ln 2. */
WIDE_INLINE float hyperbolic_area(float size, float one) {
    wide_bits large = wide_less(0x1p+14f, size);
    float within = wide_select(large, 2.0f, size);
    wide_pair square = pair_product(within, within), shifted = pair_sum(square.high, one);
    shifted = pair_quick_sum(shifted.high, shifted.low + square.low);
    wide_pair root = pair_root(shifted), sum = pair_sum(within, root.high);
    sum.low = sum.low + root.low;
    sum.high = wide_select(large, 0.25f * size, sum.high);
    sum.low = wide_keep(~large, sum.low);
    return hyperbolic_logarithm(sum, wide_keep(large, 3.0f));
}

/* Below 2^-12 the first correction to size is all there is: cubic = -1/6 for asinh, 1/3 for atanh. */
WIDE_INLINE float hyperbolic_tiny(float size, float cubic, float value) {
    float tiny = size + cubic * size * size * size;
    return wide_select(wide_less(size, 0x1p-12f), tiny, value);
}

WIDE_INLINE float elementary_asinh(float a) {
    float size = wide_abs(a), value = hyperbolic_tiny(size, -0x1.555556p-3f, hyperbolic_area(size, 1.0f));
    return wide_select(wide_less(size, REAL_INFINITY), wide_copy_sign(value, a), a); /* infinities and NaN */
}

WIDE_INLINE float elementary_acosh(float a) {
    wide_bits inside = wide_less(1.0f, a) & wide_less(a, REAL_INFINITY);
    float value = hyperbolic_area(wide_select(inside, a, 2.0f), -1.0f);
    value = wide_select(inside, value, REAL_NAN);
    value = wide_select(wide_equal(a, 1.0f), 0.0f, value);
    return wide_select(wide_equal(a, REAL_INFINITY), a, value);
}

WIDE_INLINE float elementary_atanh(float a) {
    float size = wide_abs(a), within = wide_select(wide_less(size, 1.0f), size, 0.5f);
    wide_pair ratio = pair_divide(pair_quick_sum(1.0f, within), pair_quick_sum(1.0f, -within));
    float value = 0.5f * hyperbolic_logarithm(pair_quick_sum(ratio.high, ratio.low), 0.0f);
    value = hyperbolic_tiny(size, 0x1.555556p-2f, value);
    value = wide_select(wide_less(size, 1.0f), value, REAL_NAN);
    value = wide_select(wide_equal(size, 1.0f), REAL_INFINITY, value);
    return wide_copy_sign(value, a);
}

#endif
