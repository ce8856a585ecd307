/* float_arc.h - asin, acos, atan and atan2 of one float; base/elementary_arc.h says how.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_FLOAT_ARC_H
#define HN_CORE_FLOAT_ARC_H

#include "base/real.h"
#include "base/simd_pair.h"

SHARED_CONSTANT float HALF_PI_HIGH = 0x1.921fb6p+0f; /* pi/2 = HALF_PI_HIGH + HALF_PI_LOW to 2^-50 */
SHARED_CONSTANT float HALF_PI_LOW = -0x1.777a5cp-25f;
SHARED_CONSTANT float TAN_EIGHTH_PI = 0x1.a8279ap-2f; /* tan(pi/8) = sqrt(2) - 1 */

/* (asin s - s) / s^3 as a polynomial in z = s^2 for s <= 1/2; the error is below 2^-31 / z. */
SIMD_INLINE float arcsine_polynomial(float z) {
    float p = 0x1.34433ap-5f * z + 0x1.d66858p-7f;
    p = p * z + 0x1.04c116p-5f;
    p = p * z + 0x1.6ca8eap-5f;
    p = p * z + 0x1.3338a6p-4f;
    return p * z + 0x1.55554cp-3f;
}

/* asin s = s + rest, where s is |a| or, for |a| > 1/2, sqrt((1 - |a|)/2); NaN for |a| > 1. */
typedef struct {
    float s, rest;
    simd_bits beyond; /* |a| > 1/2 */
} arcsine_parts;

SIMD_INLINE arcsine_parts arcsine_split(float size) {
    arcsine_parts parts;
    parts.beyond = simd_less(0.5f, size);
    float z = simd_select(parts.beyond, 0.5f - 0.5f * size, size * size);
    parts.s = simd_select(parts.beyond, simd_sqrt(z), size);
    parts.rest = parts.s * z * arcsine_polynomial(z);
    return parts;
}

SIMD_INLINE float elementary_asin(float a) {
    arcsine_parts parts = arcsine_split(simd_abs(a));
    float within = parts.s + parts.rest;
    simd_pair turned = pair_quick_sum(HALF_PI_HIGH, -2.0f * parts.s);
    float beyond = turned.high - ((2.0f * parts.rest - HALF_PI_LOW) - turned.low);
    return simd_copy_sign(simd_select(parts.beyond, beyond, within), a);
}

SIMD_INLINE float elementary_acos(float a) {
    arcsine_parts parts = arcsine_split(simd_abs(a));
    float s = simd_copy_sign(parts.s, a), rest = simd_copy_sign(parts.rest, a);
    float within = HALF_PI_HIGH - (s + (rest - HALF_PI_LOW));
    float right = 2.0f * parts.s + 2.0f * parts.rest;
    float left = (2.0f * HALF_PI_HIGH - 2.0f * parts.s) - (2.0f * parts.rest - 2.0f * HALF_PI_LOW);
    float beyond = simd_select(simd_less(a, 0.0f), left, right);
    return simd_select(parts.beyond, beyond, within);
}

/* (atan t - t) / t^3 as a polynomial in z = t^2 for |t| <= tan(pi/8); the error is below 2^-30 / z. */
SIMD_INLINE float arctangent_polynomial(float z) {
    float p = -0x1.f2f1cap-5f * z + 0x1.b2271p-4f;
    p = p * z - 0x1.23b9d2p-3f;
    p = p * z + 0x1.9991e4p-3f;
    return p * z - 0x1.55554ap-2f;
}

/* atan(v/u) = base + (t + rest) */
typedef struct {
    simd_pair base;
    float t, rest;
} arctangent_parts;

/* v, u >= 0, not both zero or infinite */
SIMD_INLINE arctangent_parts arctangent_split(float v, float u) {
    simd_bits steep = simd_less(u, v * TAN_EIGHTH_PI);
    simd_bits middle = simd_less(u * TAN_EIGHTH_PI, v) & ~steep;
    simd_pair difference = pair_sum(v, -u), sum = pair_sum(v, u), upper, lower;
    upper.high = simd_select(steep, -u, simd_select(middle, difference.high, v));
    upper.low = simd_keep(middle, difference.low);
    lower.high = simd_select(steep, v, simd_select(middle, sum.high, u));
    lower.low = simd_keep(middle, sum.low);
    simd_pair t = pair_divide(upper, lower);
    /* Where upper is too small or lower too large for the exact remainder, t needs none: it is tiny. */
    simd_bits exact = simd_less(0x1p-60f, simd_abs(upper.high)) & simd_less(lower.high, 0x1p+60f);
    float quotient = simd_select(exact, t.high, upper.high / lower.high), z = quotient * quotient;
    arctangent_parts parts;
    parts.base.high = simd_select(steep, HALF_PI_HIGH, simd_keep(middle, 0.5f * HALF_PI_HIGH)); /* 0, pi/4, pi/2 */
    parts.base.low = simd_select(steep, HALF_PI_LOW, simd_keep(middle, 0.5f * HALF_PI_LOW));
    parts.t = quotient;
    parts.rest = quotient * z * arctangent_polynomial(z) + simd_keep(exact, t.low);
    return parts;
}

SIMD_INLINE float elementary_atan(float a) {
    arctangent_parts parts = arctangent_split(simd_abs(a), 1.0f);
    return simd_copy_sign(parts.base.high + (parts.t + (parts.rest + parts.base.low)), a);
}

/* Brings the larger of v and u near 1; their quotient's angle stays the same. */
SIMD_INLINE void arctangent_rescale(float *v, float *u) {
    float larger = simd_select(simd_less(*v, *u), *u, *v);
    simd_bits infinite = simd_equal(*v, REAL_INFINITY) & simd_equal(*u, REAL_INFINITY);
    simd_bits origin = simd_equal(*v, 0.0f) & simd_equal(*u, 0.0f);
    int32_t exponent = simd_to_bits(larger) / (INT32_C(1) << 23);
    float scale = simd_of_bits((exponent < 253 ? 254 - exponent : 1) * (INT32_C(1) << 23));
    *v = simd_select(infinite, 1.0f, *v * simd_select(origin, 1.0f, scale));
    *u = simd_select(infinite | origin, 1.0f, *u * scale);
}

SIMD_INLINE float elementary_atan2(float y, float x) {
    float v = simd_abs(y), u = simd_abs(x);
    arctangent_rescale(&v, &u);
    arctangent_parts parts = arctangent_split(v, u);
    /* Left of the origin the angle is pi - (base + t + rest). */
    simd_bits left = simd_less(simd_copy_sign(1.0f, x), 0.0f);
    simd_pair other = pair_quick_sum(2.0f * HALF_PI_HIGH, -parts.base.high);
    other.low = other.low + (2.0f * HALF_PI_LOW - parts.base.low);
    float high = simd_select(left, other.high, parts.base.high), low = simd_select(left, other.low, parts.base.low);
    float t = simd_select(left, -parts.t, parts.t), rest = simd_select(left, -parts.rest, parts.rest);
    return simd_copy_sign(high + (t + (rest + low)), y);
}

#endif
