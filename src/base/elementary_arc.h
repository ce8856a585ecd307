/* elementary_arc.h - asin, acos, atan and atan2 over SIMD vectors.
 *
 *     asin, acos    s + s^3 A(s^2) with s = |a| up to 1/2, and s = sqrt((1 - |a|)/2) beyond:  asin a = pi/2 - 2 asin s
 *     atan(v/u)     base + atan(t),  atan(t) = t + t^3 T(t^2),  |t| <= tan(pi/8), where
 *                   base, t = 0, v/u    pi/4, (v - u)/(v + u)    pi/2, -u/v
 *
 * t and the base are pairs. Coefficients are minimax (Remez) and rounded to double, or to float.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ELEMENTARY_ARC_H
#define HN_BASE_ELEMENTARY_ARC_H

#include "base/real.h"
#include "base/simd_pair.h"

#ifdef REAL_SINGLE
SHARED_CONSTANT real HALF_PI_HIGH = 0x1.921fb6p+0f; /* pi/2 = HALF_PI_HIGH + HALF_PI_LOW to 2^-50 */
SHARED_CONSTANT real HALF_PI_LOW = -0x1.777a5cp-25f;
SHARED_CONSTANT real TAN_EIGHTH_PI = 0x1.a8279ap-2f; /* tan(pi/8) = sqrt(2) - 1 */
SHARED_CONSTANT real ARCTANGENT_LEAST = 0x1p-60f;    /* v and u at least and at most, for an exact remainder */
SHARED_CONSTANT real ARCTANGENT_MOST = 0x1p+60f;

/* (asin s - s) / s^3 as a polynomial in z = s^2 for s <= 1/2; the error is below 2^-31 / z. */
SIMD_INLINE simd arcsine_polynomial(simd z) {
    simd p = 0x1.34433ap-5f * z + 0x1.d66858p-7f;
    p = p * z + 0x1.04c116p-5f;
    p = p * z + 0x1.6ca8eap-5f;
    p = p * z + 0x1.3338a6p-4f;
    return p * z + 0x1.55554cp-3f;
}

/* (atan t - t) / t^3 as a polynomial in z = t^2 for |t| <= tan(pi/8); the error is below 2^-30 / z. */
SIMD_INLINE simd arctangent_polynomial(simd z) {
    simd p = -0x1.f2f1cap-5f * z + 0x1.b2271p-4f;
    p = p * z - 0x1.23b9d2p-3f;
    p = p * z + 0x1.9991e4p-3f;
    return p * z - 0x1.55554ap-2f;
}

/* Scales the larger of v and u to about 1; the angle of their quotient is unchanged. */
SIMD_INLINE void arctangent_rescale(simd *v, simd *u) {
    simd larger = simd_select(simd_less(*v, *u), *u, *v);
    simd_bits infinite = simd_equal(*v, REAL_INFINITY) & simd_equal(*u, REAL_INFINITY);
    simd_bits origin = simd_equal(*v, 0) & simd_equal(*u, 0);
    simd_bits exponent = simd_bits_right(simd_to_bits(larger), SIMD_FRACTION_BITS);
    simd scale = simd_of_bits(simd_bits_left(exponent < 253 ? 254 - exponent : 1, SIMD_FRACTION_BITS));
    *v = simd_select(infinite, 1, *v * simd_select(origin, 1, scale));
    *u = simd_select(infinite | origin, 1, *u * scale);
}

#else
SHARED_CONSTANT real HALF_PI_HIGH = 0x1.921fb54442d18p+0; /* pi/2 = HALF_PI_HIGH + HALF_PI_LOW to 2^-109 */
SHARED_CONSTANT real HALF_PI_LOW = 0x1.1a62633145c07p-54;
SHARED_CONSTANT real TAN_EIGHTH_PI = 0x1.a827999fcef32p-2; /* tan(pi/8) = sqrt(2) - 1 */
SHARED_CONSTANT real ARCTANGENT_LEAST = 0x1p-900;          /* v and u at least and at most, for an exact remainder */
SHARED_CONSTANT real ARCTANGENT_MOST = 0x1p+1000;

/* (asin s - s) / s^3 as a polynomial in z = s^2 for s <= 1/2; the error is below 2^-55 / z. */
SIMD_INLINE simd arcsine_polynomial(simd z) {
    simd square = z * z;
    simd even = -0x1.0af1dbd301860p-6 * square + 0x1.aab6818281cf8p-8; /* z^10, z^8 */
    simd odd = 0x1.05cd5afd8e71bp-5 * square + 0x1.40aff44058b8dp-6;   /* z^11, z^9 */
    even = even * square + 0x1.c6f88a01bbe82p-7;
    odd = odd * square + 0x1.8ee4536d3c04ap-7;
    even = even * square + 0x1.6e89ef8283563p-6;
    odd = odd * square + 0x1.1c6c2729b1540p-6;
    even = even * square + 0x1.6db6db41d44d6p-5;
    odd = odd * square + 0x1.f1c72c6d076b7p-6;
    even = even * square + 0x1.5555555555387p-3;
    odd = odd * square + 0x1.333333336f88fp-4;
    return even + z * odd;
}

/* (atan t - t) / t^3 as a polynomial in z = t^2 for |t| <= tan(pi/8); the error is below 2^-58 / z. */
SIMD_INLINE simd arctangent_polynomial(simd z) {
    simd square = z * z;
    simd even = -0x1.25a23879aacd6p-6 * square - 0x1.9cdcfbd9eee7ep-5; /* z^10, z^8 */
    simd odd = 0x1.37ef700104445p-5 * square + 0x1.df1194f6f89b3p-5;   /* z^9, z^7 */
    even = even * square - 0x1.10ebe09a5e9c3p-4;
    odd = odd * square + 0x1.3b111ca41c2bfp-4;
    even = even * square - 0x1.745cf90e6fa38p-4;
    odd = odd * square + 0x1.c71c70e7bd5c1p-4;
    even = even * square - 0x1.24924922b15dfp-3;
    odd = odd * square + 0x1.99999999958f4p-3;
    even = even * square - 0x1.555555555553dp-2;
    return even + z * odd;
}

/* Scales v and u so that arctangent_split can divide them; the angle of their quotient is unchanged. */
SIMD_INLINE void arctangent_rescale(simd *v, simd *u) {
    simd larger = simd_select(simd_less(*v, *u), *u, *v);
    simd_bits usual = simd_less_equal(simd_all(0x1p-500), larger) & simd_less_equal(larger, simd_all(0x1p+1000));
    if (!simd_seldom(~usual))
        return;
    simd_bits infinite = simd_equal(*v, simd_all(REAL_INFINITY)) & simd_equal(*u, simd_all(REAL_INFINITY));
    simd scale = simd_select(simd_less(larger, simd_all(0x1p-500)), simd_all(0x1p+600), simd_all(1.0));
    scale = simd_select(simd_less(simd_all(0x1p+1000), larger), simd_all(0x1p-100), scale);
    simd_bits origin = simd_equal(*v, simd_all(0.0)) & simd_equal(*u, simd_all(0.0)); /* false if either is NaN */
    *v = simd_select(infinite, simd_all(1.0), *v * scale);
    *u = simd_select(infinite | origin, simd_all(1.0), *u * scale);
}

#endif

/* asin s = s + rest, where s is |a| or, for |a| > 1/2, sqrt((1 - |a|)/2); NaN for |a| > 1. */
typedef struct {
    simd s, rest;
    simd_bits beyond; /* |a| > 1/2 */
} arcsine_parts;

SIMD_INLINE arcsine_parts arcsine_split(simd size) {
    arcsine_parts parts;
    parts.beyond = simd_less(simd_all(REAL(0.5)), size);
    simd z = simd_select(parts.beyond, REAL(0.5) - REAL(0.5) * size, size * size);
    parts.s = simd_select(parts.beyond, simd_sqrt(z), size);
    parts.rest = parts.s * z * arcsine_polynomial(z);
    return parts;
}

SIMD_INLINE simd elementary_asin(simd a) {
    arcsine_parts parts = arcsine_split(simd_abs(a));
    simd within = parts.s + parts.rest;
    simd_pair turned = pair_quick_sum(simd_all(HALF_PI_HIGH), -REAL(2.0) * parts.s);
    simd beyond = turned.high - ((REAL(2.0) * parts.rest - HALF_PI_LOW) - turned.low);
    return simd_copy_sign(simd_select(parts.beyond, beyond, within), a);
}

SIMD_INLINE simd elementary_acos(simd a) {
    arcsine_parts parts = arcsine_split(simd_abs(a));
    simd s = simd_copy_sign(parts.s, a), rest = simd_copy_sign(parts.rest, a);
    simd within = HALF_PI_HIGH - (s + (rest - HALF_PI_LOW));
    simd right = REAL(2.0) * parts.s + REAL(2.0) * parts.rest;
    simd left = (REAL(2.0) * HALF_PI_HIGH - REAL(2.0) * parts.s) - (REAL(2.0) * parts.rest - REAL(2.0) * HALF_PI_LOW);
    simd beyond = simd_select(simd_less(a, simd_all(0)), left, right);
    return simd_select(parts.beyond, beyond, within);
}

/* atan(v/u) = base + (t + rest) */
typedef struct {
    simd_pair base;
    simd t, rest;
} arctangent_parts;

/* v, u >= 0, not both zero or infinite */
SIMD_INLINE arctangent_parts arctangent_split(simd v, simd u) {
    simd_bits steep = simd_less(u, v * TAN_EIGHTH_PI);
    simd_bits middle = simd_less(u * TAN_EIGHTH_PI, v) & ~steep;
    simd_pair difference = pair_sum(v, -u), sum = pair_sum(v, u);
    simd_pair upper = {simd_select(steep, -u, simd_select(middle, difference.high, v)),
                       simd_keep(middle, difference.low)};
    simd_pair lower = {simd_select(steep, v, simd_select(middle, sum.high, u)), simd_keep(middle, sum.low)};
    simd_pair t = pair_divide(upper, lower);
    /* If upper is too small or lower too large for the exact remainder, t is tiny and needs no correction. */
    simd_bits exact =
        simd_less(simd_all(ARCTANGENT_LEAST), simd_abs(upper.high)) & simd_less(lower.high, simd_all(ARCTANGENT_MOST));
#ifdef REAL_SINGLE /* the quotient of pairs is not rounded correctly */
    t.high = simd_select(exact, t.high, upper.high / lower.high);
#endif
    simd z = t.high * t.high;
    simd_bits turned = steep | middle;
    simd_pair base = {simd_keep(turned, simd_all(REAL(0.5) * HALF_PI_HIGH)),
                      simd_keep(turned, simd_all(REAL(0.5) * HALF_PI_LOW))};
    base.high = base.high + simd_keep(steep, simd_all(REAL(0.5) * HALF_PI_HIGH)); /* 0, pi/4 or pi/2 */
    base.low = base.low + simd_keep(steep, simd_all(REAL(0.5) * HALF_PI_LOW));
    return LITERAL(arctangent_parts){base, t.high, t.high * z * arctangent_polynomial(z) + simd_keep(exact, t.low)};
}

SIMD_INLINE simd elementary_atan(simd a) {
    arctangent_parts parts = arctangent_split(simd_abs(a), simd_all(1));
    return simd_copy_sign(parts.base.high + (parts.t + (parts.rest + parts.base.low)), a);
}

SIMD_INLINE simd elementary_atan2(simd y, simd x) {
    simd v = simd_abs(y), u = simd_abs(x);
    arctangent_rescale(&v, &u);
    arctangent_parts parts = arctangent_split(v, u);

    /* Left of the origin the angle is pi - (base + t + rest). */
    simd_bits left = simd_less(simd_copy_sign(simd_all(1), x), simd_all(0));
    simd_pair other = pair_quick_sum(simd_all(REAL(2.0) * HALF_PI_HIGH), -parts.base.high);
    other.low = other.low + (REAL(2.0) * HALF_PI_LOW - parts.base.low);
    simd_pair base = {simd_select(left, other.high, parts.base.high), simd_select(left, other.low, parts.base.low)};
    simd t = simd_select(left, -parts.t, parts.t), rest = simd_select(left, -parts.rest, parts.rest);
    return simd_copy_sign(base.high + (t + (rest + base.low)), y);
}

#endif
