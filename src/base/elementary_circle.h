/* elementary_circle.h - sin, cos and tan over SIMD vectors.
 *
 *     |a| = n pi/2 + y + low,  |y| <= pi/4;  n mod 4 selects one of +-sin(y), +-cos(y)
 *     sin(y + low) = y + (y^3 S(y^2) + low)
 *     cos(y + low) = 1 - y^2/2 + (y^4 C(y^2) - y low)
 *     tan          = sine / cosine, both as pairs
 *
 * Up to |a| = 2^14 the multiple of pi/2 is subtracted in three parts (Cody and Waite, "Software Manual for the
 * Elementary Functions", 1980), the first two so short that their products with n are exact; beyond, reduce.c does it
 * element by element. Floats: the three parts are rounded to float, their products with n are pairs; beyond, the fraction
 * of a quarter turn is computed in integers (Payne and Hanek 1983, as in reduce.c). Coefficients are minimax (Remez).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ELEMENTARY_CIRCLE_H
#define HN_BASE_ELEMENTARY_CIRCLE_H

#include "base/elementary_round.h"
#include "base/real.h"
#include "base/simd_pair.h"

typedef struct {
    simd y, low;
    simd_bits turn; /* n mod 4 in bits ROUND_PLACES and ROUND_PLACES + 1 */
} circle_angle;

#ifdef REAL_SINGLE
SHARED_CONSTANT real TWO_OVER_PI = 0x1.45f306p-1f;
SHARED_CONSTANT real HALF_PI_FIRST = 0x1.921fb6p+0f; /* pi/2 is the sum of the three to 2^-74 */
SHARED_CONSTANT real HALF_PI_SECOND = -0x1.777a5cp-25f;
SHARED_CONSTANT real HALF_PI_THIRD = -0x1.ee59dap-50f;
SHARED_CONSTANT real CIRCLE_LIMIT = 0x1p+14f;

/* 2/pi in 32-bit words, after two zero words: the weight of word j is 2^(32 - 32 j). */
SHARED_CONSTANT uint32_t circle_words[] = {0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                           0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

/* For 2^14 < size < infinity. With size = m 2^e the words before the first, times m 2^e, are multiples of 4. */
SHARED_SELDOM circle_angle circle_reduce_far(simd size) {
    int32_t bits = simd_to_bits(size), e = bits / (INT32_C(1) << 23) - 127 - 23;
    uint32_t m = ((uint32_t)bits & ((UINT32_C(1) << 23) - 1)) | UINT32_C(1) << 23;
    uint32_t place = (uint32_t)(e + 62) % 167; /* already below 167; bounds the reads for compilers */
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
    simd unit = simd_of_bits((127 - 62 - shift) * (INT32_C(1) << 23));
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
SIMD_INLINE circle_angle circle_reduce_near(simd size) {
    circle_angle angle;
    angle.turn = round_count(size * TWO_OVER_PI);
    simd n = round_value(angle.turn);
    simd_pair first = pair_product(n, HALF_PI_FIRST), second = pair_product(n, HALF_PI_SECOND);
    simd_pair near = pair_sum(size - first.high, -first.low); /* the difference is exact */
    simd_pair sum = pair_sum(near.high, -second.high);
    simd rest = (near.low + sum.low) - (second.low + n * HALF_PI_THIRD);
    angle.y = sum.high + rest;
    angle.low = (sum.high - angle.y) + rest;
    return angle;
}

SIMD_INLINE circle_angle circle_reduce(simd size) {
    if (!(size <= CIRCLE_LIMIT) && size < REAL_INFINITY)
        return circle_reduce_far(size);
    return circle_reduce_near(size);
}

/* (sin y - y) / y^3 as a polynomial in z = y^2 for |y| <= pi/4; the error is below 2^-32 sin(y) / y^3. */
SIMD_INLINE simd sine_polynomial(simd z) {
    simd p = 0x1.7cd84ap-19f * z - 0x1.a05bbap-13f;
    p = p * z + 0x1.111176p-7f;
    return p * z - 0x1.555556p-3f;
}

/* (cos y - 1 + y^2/2) / y^4 as a polynomial in z = y^2 for |y| <= pi/4; the error is below 2^-33 / z^2. */
SIMD_INLINE simd cosine_polynomial(simd z) {
    simd p = 0x1.99e0e4p-16f * z - 0x1.6c0c1ap-10f;
    return p * z + 0x1.55554ap-5f;
}

#else
#include "base/reduce.h"

SHARED_CONSTANT real TWO_OVER_PI = 0x1.45f306dc9c883p-1;
SHARED_CONSTANT real HALF_PI_FIRST = 0x1.921fb5444p+0;      /* 39 bits: n HALF_PI_FIRST is exact for n < 2^14 */
SHARED_CONSTANT real HALF_PI_SECOND = 0x1.68c234c4c4p-39;   /* the next 39 bits */
SHARED_CONSTANT real HALF_PI_THIRD = 0x1.3145c06e0e689p-78; /* pi/2 - HALF_PI_FIRST - HALF_PI_SECOND */
SHARED_CONSTANT real CIRCLE_LIMIT = 0x1p+14;

/* Reduces the elements beyond the limit one by one; the others keep their bits. */
SIMD_INLINE circle_angle circle_reduce_far(simd size, circle_angle angle) {
    SHARED_LOOP
    for (int i = 0; i < WIDTH; i++)
        if (!(SIMD_AT(size, i) <= CIRCLE_LIMIT)) {
            reduced_angle far = reduce_angle(SIMD_AT(size, i));
            SIMD_AT(angle.y, i) = far.high;
            SIMD_AT(angle.low, i) = far.low;
            SIMD_AT(angle.turn, i) = (int64_t)far.quadrant << ROUND_PLACES;
        }
    return angle;
}

/* Up to the limit. No double there except 0 is closer to a multiple of pi/2 than 2^-61; the error is below 2^-117. */
SIMD_INLINE circle_angle circle_reduce_near(simd size) {
    circle_angle angle;
    angle.turn = round_count(size * TWO_OVER_PI);
    simd n = round_value(angle.turn);
    simd far = size - n * HALF_PI_FIRST; /* exact */
    simd second = n * HALF_PI_SECOND;    /* exact */
    simd near = far - second;
    simd rest = n * HALF_PI_THIRD - ((far - near) - second);
    angle.y = near - rest;
    angle.low = (near - angle.y) - rest;
    return angle;
}

SIMD_INLINE circle_angle circle_reduce(simd size) {
    circle_angle angle = circle_reduce_near(size);
    if (simd_seldom(~simd_less_equal(size, simd_all(CIRCLE_LIMIT))))
        return circle_reduce_far(size, angle);
    return angle;
}

/* (sin y - y) / y^3 as a polynomial in z = y^2 for |y| <= pi/4; the error is below 2^-56 sin(y) / y^3. */
SIMD_INLINE simd sine_polynomial(simd z) {
    simd p = 0x1.5d8fd5a889965p-33 * z - 0x1.ae5e5aa0fe07ap-26; /* 1/13!, -1/11! */
    p = p * z + 0x1.71de3567e9258p-19;                          /*  1/9! */
    p = p * z - 0x1.a01a019bfe0a4p-13;                          /* -1/7! */
    p = p * z + 0x1.111111110f7d1p-7;                           /*  1/5! */
    return p * z - 0x1.5555555555548p-3;                        /* -1/3! */
}

/* (cos y - 1 + y^2/2) / y^4 as a polynomial in z = y^2 for |y| <= pi/4; the error is below 2^-58 / z^2. */
SIMD_INLINE simd cosine_polynomial(simd z) {
    simd p = -0x1.8fc5cc4cb59f9p-37 * z + 0x1.1eea1e20c65c0p-29; /* -1/14!, 1/12! */
    p = p * z - 0x1.27e4f85e32c4bp-22;                           /* -1/10! */
    p = p * z + 0x1.a01a019d39b97p-16;                           /*  1/8! */
    p = p * z - 0x1.6c16c16c15807p-10;                           /* -1/6! */
    return p * z + 0x1.555555555554fp-5;                         /*  1/4! */
}

#endif

/* sin(y + low) and cos(y + low), high and low parts not yet added */
SIMD_INLINE void circle_pairs(circle_angle angle, simd_pair *sine, simd_pair *cosine) {
    simd z = angle.y * angle.y;
    *sine = LITERAL(simd_pair){angle.y, angle.y * z * sine_polynomial(z) + angle.low};
    simd half = REAL(0.5) * z;
    simd most = REAL(1.0) - half;
    simd rest = ((REAL(1.0) - most) - half) + (z * z * cosine_polynomial(z) - angle.y * angle.low);
    *cosine = LITERAL(simd_pair){most, rest};
}

/* All ones if n is odd: sine and cosine are swapped. */
SIMD_INLINE simd_bits circle_odd(simd_bits turn) {
    return simd_bits_test(turn, ROUND_PLACES);
}

/* v with the sign of quadrants 2 and 3, times the sign of `sign` */
SIMD_INLINE simd circle_sign(simd v, simd_bits turn, simd sign) {
    simd_bits flip = simd_bits_left(turn, 8 * (int)sizeof(real) - 2 - ROUND_PLACES) ^ simd_to_bits(sign);
    return simd_of_bits(simd_to_bits(v) ^ (flip & simd_bits_all(SIMD_BITS_MIN)));
}

/* Sine and cosine of a, where the angle is |a|. */
SIMD_INLINE void circle_values(circle_angle angle, simd a, simd *sine, simd *cosine) {
    simd_pair s, c;
    circle_pairs(angle, &s, &c);
    simd s_value = s.high + s.low, c_value = c.high + c.low;
    simd_bits odd = circle_odd(angle.turn);
    simd_bits next = simd_bits_add(angle.turn, simd_bits_all(1 << ROUND_PLACES)); /* cos v = sin(v + pi/2) */
    *sine = circle_sign(simd_select(odd, c_value, s_value), angle.turn, a);
    *cosine = circle_sign(simd_select(odd, s_value, c_value), next, simd_all(0));
}

SIMD_INLINE void elementary_sincos(simd a, simd *sine, simd *cosine) {
    circle_values(circle_reduce(simd_abs(a)), a, sine, cosine);
}

SIMD_INLINE simd elementary_sin(simd a) {
    simd sine, cosine;
    elementary_sincos(a, &sine, &cosine);
    return sine;
}

SIMD_INLINE simd elementary_cos(simd a) {
    simd sine, cosine;
    elementary_sincos(a, &sine, &cosine);
    return cosine;
}

SIMD_INLINE simd elementary_tan(simd a) {
    circle_angle angle = circle_reduce(simd_abs(a));
    simd_pair s, c, upper, lower;
    circle_pairs(angle, &s, &c);
    s = pair_quick_sum(s.high, s.low);
    c = pair_quick_sum(c.high, c.low);
    simd_bits odd = circle_odd(angle.turn); /* tan(v + pi/2) = -cos v / sin v */
    upper = LITERAL(simd_pair){simd_select(odd, c.high, s.high), simd_select(odd, c.low, s.low)};
    lower = LITERAL(simd_pair){simd_select(odd, s.high, c.high), simd_select(odd, s.low, c.low)};
    simd_pair ratio = pair_divide(upper, lower);
    simd value = ratio.high + ratio.low;
#ifdef REAL_SINGLE
    if (upper.high == 0 || simd_abs(upper.high) < 0x1p-100f) /* the remainder of a denormal number is not exact */
        value = upper.high;
#endif
    return circle_sign(value, simd_bits_left(angle.turn, 1), a);
}

#endif
