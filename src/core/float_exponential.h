/* float_exponential.h - exp, log, log10 and pow of one float; base/elementary_exponential.h says how.
 *
 * Every result is within a unit in the last place or so (tests/emit/test_float.c); zeros, infinities and NaN follow annex F of C99.
 * Coefficients are minimax and rounded to float.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_FLOAT_EXPONENTIAL_H
#define HN_CORE_FLOAT_EXPONENTIAL_H

#include "base/real.h"
#include "base/simd_pair.h"

SHARED_CONSTANT float LN2_HIGH = 0x1.62e4p-1f;       /* 15 bits: n LN2_HIGH is exact for |n| < 2^9 */
SHARED_CONSTANT float LN2_LOW = 0x1.7f7d1cp-20f;     /* ln 2 - LN2_HIGH */
SHARED_CONSTANT float LOG2_E = 0x1.715476p+0f;       /* 1 / ln 2 */
SHARED_CONSTANT float ROUND_ZERO = 0x1.8p+23f;       /* adding it rounds to integers, which then are the low bits */
SHARED_CONSTANT float LOG10_E_HIGH = 0x1.bcb7b2p-2f; /* 1 / ln 10 */
SHARED_CONSTANT float LOG10_E_LOW = -0x1.5b235ep-27f;

/* e^(a + low) = 2^n (1 + r + tail) */
typedef struct {
    float r, tail;
    int32_t n;
} exponential_parts;

/* (e^r - 1 - r) / r^2 on |r| <= ln(2)/2; the error is below 2^-33 / r^2. */
SIMD_INLINE float exponential_polynomial(float r) {
    float z = r * r;
    float even = 0x1.6d4cc8p-10f * z + 0x1.5554e8p-5f;
    float odd = 0x1.a2551cp-13f * z + 0x1.110ffcp-7f;
    return (even * z + 0x1p-1f) + r * (odd * z + 0x1.555556p-3f);
}

/* |a| at most 2^9. */
SIMD_INLINE exponential_parts exponential_split(float a, float low) {
    exponential_parts parts;
    float shifted = a * LOG2_E + ROUND_ZERO, n = shifted - ROUND_ZERO;
    float near = a - n * LN2_HIGH; /* exact */
    float rest = n * LN2_LOW - low;
    parts.n = simd_bits_subtract(simd_to_bits(shifted), simd_to_bits(ROUND_ZERO));
    parts.r = near - rest;
    parts.tail = ((near - parts.r) - rest) + parts.r * parts.r * exponential_polynomial(parts.r);
    return parts;
}

/* 2^n, |n| < 127 */
SIMD_INLINE float round_power(int32_t n) {
    return simd_of_bits((n + 127) * (INT32_C(1) << 23));
}

/* v 2^n for |n| < 250, in two steps: denormal results round once, and the largest do not overflow on the way. */
SIMD_INLINE float round_scale(float v, int32_t n) {
    int32_t power = (int32_t)(((uint32_t)n + 512) % 1024) - 512, half = (power - (power & 1)) / 2; /* power is n */
    return v * round_power(half) * round_power(power - half);
}

/* a where it is at most `limit` in size, else that with a's sign; NaN becomes the limit. */
SIMD_INLINE float exponential_limit(float a, float limit) {
    return simd_select(simd_less_equal(simd_abs(a), limit), a, simd_copy_sign(limit, a));
}

SIMD_INLINE float elementary_exp(float a) {
    exponential_parts parts = exponential_split(exponential_limit(a, 150.0f), 0.0f);
    float value = round_scale(1.0f + (parts.r + parts.tail), parts.n);
    return simd_select(simd_not_equal(a, a), a, value);
}

/* a = 2^k (1 + f) for a normal a > 0, with 1 + f in [sqrt(1/2), sqrt(2)); f is exact. */
typedef struct {
    float k, f;
    int32_t exponent; /* of a */
} logarithm_parts;

/* The exponent of a is k + extra. */
SIMD_INLINE logarithm_parts logarithm_split(float a, float extra) {
    const int32_t low_end = INT32_C(0x3f3504f3); /* sqrt(1/2) */
    int32_t shifted = simd_to_bits(a) - low_end, fraction = shifted & ((INT32_C(1) << 23) - 1);
    logarithm_parts parts;
    parts.exponent = (shifted - fraction) / (INT32_C(1) << 23);
    parts.f = simd_of_bits(fraction + low_end) - 1.0f;
    parts.k = (float)parts.exponent - extra;
    return parts;
}

/* (2 artanh(s) - 2 s) / s^3 as a polynomial in z = s^2 for |s| <= 0.1716; the error is below 2^-34 / z. */
SIMD_INLINE float logarithm_polynomial(float z) {
    float p = 0x1.f13da8p-3f * z + 0x1.23d3d8p-2f;
    p = p * z + 0x1.999c26p-2f;
    return p * z + 0x1.555554p-1f;
}

/* k ln 2 + log(1 + f + low), |low| far below |f| or 1 */
SIMD_INLINE float logarithm_sum(float k, float f, float low) {
    float s = f / (2.0f + f), z = s * s;
    float correction = s * (f - z * logarithm_polynomial(z)); /* f - log(1 + f) */
    return k * LN2_HIGH - (((correction - k * LN2_LOW) - low) - f);
}

/* A normal number that stands for a > 0, and the power of two that it was multiplied by; for other a any normal number. */
SIMD_INLINE float logarithm_lift(float a, float *extra) {
    simd_bits tiny = simd_less(a, 0x1p-126f), usable = simd_less(0.0f, a) & simd_less(a, REAL_INFINITY);
    *extra = simd_keep(tiny, 24.0f);
    return simd_select(usable, simd_select(tiny, a * 0x1p+24f, a), 1.0f);
}

/* Where the kernel's result for a is not the logarithm: 0, infinity, negative numbers, NaN. */
SIMD_INLINE float logarithm_special(float a, float value) {
    value = simd_select(simd_less_equal(0.0f, a), value, REAL_NAN);
    value = simd_select(simd_equal(a, 0.0f), -REAL_INFINITY, value);
    return simd_select(simd_equal(a, REAL_INFINITY), a, value);
}

SIMD_INLINE float elementary_log(float a) {
    float extra, lifted = logarithm_lift(a, &extra);
    logarithm_parts parts = logarithm_split(lifted, extra);
    return logarithm_special(a, logarithm_sum(parts.k, parts.f, 0.0f));
}

/* (2 artanh(s) - 2 s - 2/3 s^3) / s^5 as a polynomial in z = s^2 for |s| <= 0.1716; the error is below 2^-42 / z^2. */
SIMD_INLINE float logarithm_pair_polynomial(float z) {
    float p = 0x1.908a7p-3f * z + 0x1.c63d84p-3f;
    p = p * z + 0x1.2493b6p-2f;
    return p * z + 0x1.999998p-2f;
}

/* log a for a normal a > 0, to about 2^-38 of itself:  k ln 2 + 2 s + s^3 (2/3 + s^2 ...) */
SIMD_INLINE simd_pair logarithm_pair(float a, float extra) {
    logarithm_parts parts = logarithm_split(a, extra);
    simd_pair above = {parts.f, 0.0f};
    simd_pair s = pair_divide(above, pair_quick_sum(2.0f, parts.f));
    simd_pair z = pair_multiply(s, s);
    simd_pair series = pair_quick_sum(0x1.555556p-1f, z.high * logarithm_pair_polynomial(z.high));
    series.low = series.low - 0x1.555556p-26f; /* 2/3 in two parts */
    simd_pair cubic = pair_multiply(s, pair_multiply(z, series));
    simd_pair sum = pair_sum(parts.k * LN2_HIGH, 2.0f * s.high);
    simd_pair total = pair_sum(sum.high, cubic.high);
    float low = parts.k * LN2_LOW + (2.0f * s.low + cubic.low);
    return pair_quick_sum(total.high, (sum.low + total.low) + low);
}

SIMD_INLINE float elementary_log10(float a) {
    float extra, lifted = logarithm_lift(a, &extra);
    simd_pair log10_e = {LOG10_E_HIGH, LOG10_E_LOW};
    simd_pair product = pair_multiply(logarithm_pair(lifted, extra), log10_e);
    return logarithm_special(a, product.high + product.low);
}

/* Whether a is an integer (infinities are), and whether an odd one. */
SIMD_INLINE simd_bits power_integer(float a, simd_bits *odd) {
    float size = simd_abs(a), lift = simd_keep(simd_less(size, 0x1p+23f), 0x1p+23f);
    float lifted = size + lift; /* its last bit counts ones wherever a has any */
    simd_bits integer = simd_equal(lifted - lift, size);
    *odd = integer & simd_less(size, 0x1p+24f) & -(simd_to_bits(lifted) & 1);
    return integer;
}

/* What exp(exponent log |base|) leaves open: zero, infinite and negative bases, NaN. */
SIMD_INLINE float power_special(float base, float exponent, float value) {
    float size = simd_abs(base), none = 0.0f;
    simd_bits odd, integer = power_integer(exponent, &odd);
    simd_bits grows = simd_less(none, exponent), ends = simd_equal(size, none) | simd_equal(size, REAL_INFINITY);
    simd_bits zero = SIMD_MASK((simd_equal(size, none) != 0) == (grows != 0)); /* 0^+ and inf^- */
    value = simd_select(ends, simd_select(zero, none, REAL_INFINITY), value);
    simd_bits infinite = simd_equal(simd_abs(exponent), REAL_INFINITY);
    zero = SIMD_MASK((simd_less(size, 1.0f) != 0) == (grows != 0));
    value = simd_select(infinite, simd_select(zero, none, REAL_INFINITY), value);
    value = simd_select(simd_equal(size, 1.0f), 1.0f, value);
    simd_bits finite = simd_less(base, none) & simd_less(size, REAL_INFINITY);
    value = simd_select(finite & ~integer, REAL_NAN, value);
    value = simd_select(simd_less(simd_copy_sign(1.0f, base), none) & odd, -value, value);
    value = simd_select(simd_not_equal(base, base), base, value);
    value = simd_select(simd_not_equal(exponent, exponent), exponent, value);
    return simd_select(simd_equal(base, 1.0f) | simd_equal(exponent, none), 1.0f, value);
}

SIMD_INLINE float elementary_pow(float base, float exponent) {
    float extra, size = logarithm_lift(simd_abs(base), &extra);
    simd_pair logarithm = logarithm_pair(size, extra);
    simd_pair factor = {exponential_limit(exponent, 0x1p+100f), 0.0f};
    simd_pair product = pair_multiply(factor, logarithm);
    float limited = exponential_limit(product.high, 150.0f);
    simd_bits usual = simd_equal(limited, product.high);
    exponential_parts parts = exponential_split(limited, simd_keep(usual, product.low));
    return power_special(base, exponent, round_scale(1.0f + (parts.r + parts.tail), parts.n));
}

#endif
