/* float_circle.h - sin, cos and tan of one float; base/elementary_circle.h says how.
 *
 * Up to |a| = 2^14 a multiple of pi/2 is subtracted in three parts, their products with n as pairs; beyond, the fraction of a quarter
 * turn is found by integers (Payne and Hanek 1983; base/reduce.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_FLOAT_CIRCLE_H
#define HN_CORE_FLOAT_CIRCLE_H

#include "base/real.h"
#include "base/simd_pair.h"

SHARED_CONSTANT float TWO_OVER_PI = 0x1.45f306p-1f;
SHARED_CONSTANT float HALF_PI_FIRST = 0x1.921fb6p+0f; /* pi/2 is the sum of the three to 2^-74 */
SHARED_CONSTANT float HALF_PI_SECOND = -0x1.777a5cp-25f;
SHARED_CONSTANT float HALF_PI_THIRD = -0x1.ee59dap-50f;
SHARED_CONSTANT float CIRCLE_ZERO = 0x1.8p+23f; /* adding it rounds to integers, which then are the low bits */
SHARED_CONSTANT float CIRCLE_LIMIT = 0x1p+14f;

typedef struct {
    float y, low;
    int32_t turn; /* n, of which the last two bits count */
} circle_angle;

/* 2/pi in words of 32 bits, behind two words of zeros: word j counts 2^(32 - 32 j). */
SHARED_CONSTANT uint32_t circle_words[] = {0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                           0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

/* For 2^14 < size < infinity. With size = m 2^e the words before the first, times m 2^e, are multiples of 4. */
SHARED_SELDOM circle_angle circle_reduce_far(float size) {
    int32_t bits = simd_to_bits(size), e = bits / (INT32_C(1) << 23) - 127 - 23;
    uint32_t m = ((uint32_t)bits & ((UINT32_C(1) << 23) - 1)) | UINT32_C(1) << 23;
    uint32_t place = (uint32_t)(e + 62) % 167; /* it is below: what may be read is certain, too */
    int32_t first = (int32_t)(place / 32), offset = (int32_t)(place % 32);
    uint64_t low = (uint64_t)circle_words[first + 3] * m, middle = (uint64_t)circle_words[first + 2] * m + (low >> 32);
    uint64_t high = (uint64_t)circle_words[first + 1] * m + (middle >> 32);
    uint32_t top = circle_words[first] * m + (uint32_t)(high >> 32); /* 128 bits: top, high, middle, low */
    uint64_t upper = (uint64_t)top << 32 | (uint32_t)high, lower = middle << 32 | (uint32_t)low;
    uint64_t turns = offset == 0 ? upper : upper << offset | lower >> (64 - offset); /* size 2/pi modulo 4, in 2^-62 */
    circle_angle angle;
    bool negative = (turns >> 61 & 1) != 0; /* beyond half a quarter turn: counted from the next quarter */
    uint64_t left = (negative ? ~turns : turns) & ((UINT64_C(1) << 61) - 1);
    int32_t shift = 0;
    SHARED_LOOP
    for (; shift < 40 && left < UINT64_C(1) << 60; shift++)
        left <<= 1;
    float unit = simd_of_bits((127 - 62 - shift) * (INT32_C(1) << 23));
    simd_pair part = {(float)(int32_t)(left >> 38) * 0x1p+38f * unit, /* 23 bits, and the next 24 */
                      (float)(int32_t)(left >> 14 & 0xffffff) * 0x1p+14f * unit};
    simd_pair half_pi = {HALF_PI_FIRST, HALF_PI_SECOND};
    part = pair_multiply(part, half_pi);
    angle.y = part.high + part.low;
    angle.low = (part.high - angle.y) + part.low;
    angle.turn = (int32_t)(turns >> 62) + (negative ? 1 : 0);
    angle.y = negative ? -angle.y : angle.y;
    angle.low = negative ? -angle.low : angle.low;
    return angle;
}

/* Up to the limit. No float there but 0 is closer to a multiple of pi/2 than 2^-30; the error here is below 2^-57. */
SIMD_INLINE circle_angle circle_reduce_near(float size) {
    circle_angle angle;
    float shifted = size * TWO_OVER_PI + CIRCLE_ZERO, n = shifted - CIRCLE_ZERO;
    simd_pair first = pair_product(n, HALF_PI_FIRST), second = pair_product(n, HALF_PI_SECOND);
    simd_pair near = pair_sum(size - first.high, -first.low); /* the difference is exact */
    simd_pair sum = pair_sum(near.high, -second.high);
    float rest = (near.low + sum.low) - (second.low + n * HALF_PI_THIRD);
    angle.turn = simd_bits_subtract(simd_to_bits(shifted), simd_to_bits(CIRCLE_ZERO));
    angle.y = sum.high + rest;
    angle.low = (sum.high - angle.y) + rest;
    return angle;
}

SIMD_INLINE circle_angle circle_reduce(float size) {
    if (!(size <= CIRCLE_LIMIT) && size < REAL_INFINITY)
        return circle_reduce_far(size);
    return circle_reduce_near(size);
}

/* (sin y - y) / y^3 as a polynomial in z = y^2 for |y| <= pi/4; the error is below 2^-32 sin(y) / y^3. */
SIMD_INLINE float sine_polynomial(float z) {
    float p = 0x1.7cd84ap-19f * z - 0x1.a05bbap-13f;
    p = p * z + 0x1.111176p-7f;
    return p * z - 0x1.555556p-3f;
}

/* (cos y - 1 + y^2/2) / y^4 as a polynomial in z = y^2 for |y| <= pi/4; the error is below 2^-33 / z^2. */
SIMD_INLINE float cosine_polynomial(float z) {
    float p = 0x1.99e0e4p-16f * z - 0x1.6c0c1ap-10f;
    return p * z + 0x1.55554ap-5f;
}

/* sin(y + low) and cos(y + low), high and low parts not yet added */
SIMD_INLINE void circle_pairs(circle_angle angle, simd_pair *sine, simd_pair *cosine) {
    float z = angle.y * angle.y, half = 0.5f * z, most = 1.0f - half;
    sine->high = angle.y;
    sine->low = angle.y * z * sine_polynomial(z) + angle.low;
    cosine->high = most;
    cosine->low = ((1.0f - most) - half) + (z * z * cosine_polynomial(z) - angle.y * angle.low);
}

/* All ones where n is odd: there sine and cosine change places. */
SIMD_INLINE simd_bits circle_odd(int32_t turn) {
    return -(turn & 1);
}

/* v with the sign that quadrants 2 and 3 bring, times the sign of sign */
SIMD_INLINE float circle_sign(float v, int32_t turn, float sign) {
    simd_bits flip = simd_bits_left(turn, 30) ^ simd_to_bits(sign);
    return simd_of_bits(simd_to_bits(v) ^ (flip & INT32_MIN));
}

/* Of a, whose size is the angle. */
SIMD_INLINE void circle_values(circle_angle angle, float a, float *sine, float *cosine) {
    simd_pair s, c;
    circle_pairs(angle, &s, &c);
    float s_value = s.high + s.low, c_value = c.high + c.low;
    simd_bits odd = circle_odd(angle.turn), next = simd_bits_add(angle.turn, 1); /* cos v = sin(v + pi/2) */
    *sine = circle_sign(simd_select(odd, c_value, s_value), angle.turn, a);
    *cosine = circle_sign(simd_select(odd, s_value, c_value), next, 0.0f);
}

SIMD_INLINE void elementary_sincos(float a, float *sine, float *cosine) {
    circle_values(circle_reduce(simd_abs(a)), a, sine, cosine);
}

SIMD_INLINE float elementary_sin(float a) {
    float sine, cosine;
    elementary_sincos(a, &sine, &cosine);
    return sine;
}

SIMD_INLINE float elementary_cos(float a) {
    float sine, cosine;
    elementary_sincos(a, &sine, &cosine);
    return cosine;
}

SIMD_INLINE float elementary_tan(float a) {
    circle_angle angle = circle_reduce(simd_abs(a));
    simd_pair s, c, upper, lower;
    circle_pairs(angle, &s, &c);
    s = pair_quick_sum(s.high, s.low);
    c = pair_quick_sum(c.high, c.low);
    simd_bits odd = circle_odd(angle.turn); /* tan(v + pi/2) = -cos v / sin v */
    upper.high = simd_select(odd, c.high, s.high);
    upper.low = simd_select(odd, c.low, s.low);
    lower.high = simd_select(odd, s.high, c.high);
    lower.low = simd_select(odd, s.low, c.low);
    simd_pair ratio = pair_divide(upper, lower);
    float value = ratio.high + ratio.low;
    if (upper.high == 0.0f || simd_abs(upper.high) < 0x1p-100f) /* the remainder of a denormal number is not exact */
        value = upper.high;
    return circle_sign(value, simd_bits_left(angle.turn, 1), a);
}

#endif
