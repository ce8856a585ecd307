/* elementary_arc.h - asin, acos, atan and atan2 over SIMD vectors.
 *
 *     asin, acos    s + s^3 A(s^2) with s = |a| up to 1/2, and s = sqrt((1 - |a|)/2) beyond:  asin a = pi/2 - 2 asin s
 *     atan(v/u)     base + atan(t),  atan(t) = t + t^3 T(t^2),  |t| <= tan(pi/8), where
 *                   base, t = 0, v/u    pi/4, (v - u)/(v + u)    pi/2, -u/v
 *
 * t and the base are pairs. Coefficients are minimax (Remez) and rounded to double.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ELEMENTARY_ARC_H
#define HN_BASE_ELEMENTARY_ARC_H

#include <math.h>

#include "base/simd_pair.h"

static const double HALF_PI_HIGH = 0x1.921fb54442d18p+0; /* pi/2 = HALF_PI_HIGH + HALF_PI_LOW to 2^-109 */
static const double HALF_PI_LOW = 0x1.1a62633145c07p-54;
static const double TAN_EIGHTH_PI = 0x1.a827999fcef32p-2; /* tan(pi/8) = sqrt(2) - 1 */

/* (asin s - s) / s^3 as a polynomial in z = s^2 for s <= 1/2; the error is below 2^-55 / z. */
WIDE_INLINE wide arcsine_polynomial(wide z) {
    wide square = z * z;
    wide even = -0x1.0af1dbd301860p-6 * square + 0x1.aab6818281cf8p-8; /* z^10, z^8 */
    wide odd = 0x1.05cd5afd8e71bp-5 * square + 0x1.40aff44058b8dp-6;   /* z^11, z^9 */
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

/* asin s = s + rest, where s is |a| or, for |a| > 1/2, sqrt((1 - |a|)/2); NaN for |a| > 1. */
typedef struct {
    wide s, rest;
    wide_bits beyond; /* |a| > 1/2 */
} arcsine_parts;

WIDE_INLINE arcsine_parts arcsine_split(wide size) {
    arcsine_parts parts;
    parts.beyond = wide_less(wide_all(0.5), size);
    wide z = wide_select(parts.beyond, 0.5 - 0.5 * size, size * size);
    parts.s = wide_select(parts.beyond, wide_sqrt(z), size);
    parts.rest = parts.s * z * arcsine_polynomial(z);
    return parts;
}

WIDE_INLINE wide elementary_asin(wide a) {
    arcsine_parts parts = arcsine_split(wide_abs(a));
    wide within = parts.s + parts.rest;
    wide_pair turned = pair_quick_sum(wide_all(HALF_PI_HIGH), -2.0 * parts.s);
    wide beyond = turned.high - ((2.0 * parts.rest - HALF_PI_LOW) - turned.low);
    return wide_copy_sign(wide_select(parts.beyond, beyond, within), a);
}

WIDE_INLINE wide elementary_acos(wide a) {
    arcsine_parts parts = arcsine_split(wide_abs(a));
    wide s = wide_copy_sign(parts.s, a), rest = wide_copy_sign(parts.rest, a);
    wide within = HALF_PI_HIGH - (s + (rest - HALF_PI_LOW));
    wide right = 2.0 * parts.s + 2.0 * parts.rest;
    wide left = (2.0 * HALF_PI_HIGH - 2.0 * parts.s) - (2.0 * parts.rest - 2.0 * HALF_PI_LOW);
    wide beyond = wide_select(wide_less(a, wide_all(0.0)), left, right);
    return wide_select(parts.beyond, beyond, within);
}

/* (atan t - t) / t^3 as a polynomial in z = t^2 for |t| <= tan(pi/8); the error is below 2^-58 / z. */
WIDE_INLINE wide arctangent_polynomial(wide z) {
    wide square = z * z;
    wide even = -0x1.25a23879aacd6p-6 * square - 0x1.9cdcfbd9eee7ep-5; /* z^10, z^8 */
    wide odd = 0x1.37ef700104445p-5 * square + 0x1.df1194f6f89b3p-5;   /* z^9, z^7 */
    even = even * square - 0x1.10ebe09a5e9c3p-4;
    odd = odd * square + 0x1.3b111ca41c2bfp-4;
    even = even * square - 0x1.745cf90e6fa38p-4;
    odd = odd * square + 0x1.c71c70e7bd5c1p-4;
    even = even * square - 0x1.24924922b15dfp-3;
    odd = odd * square + 0x1.99999999958f4p-3;
    even = even * square - 0x1.555555555553dp-2;
    return even + z * odd;
}

/* atan(v/u) = base + (t + rest) */
typedef struct {
    wide_pair base;
    wide t, rest;
} arctangent_parts;

/* v, u >= 0, not both zero or infinite */
WIDE_INLINE arctangent_parts arctangent_split(wide v, wide u) {
    wide_bits steep = wide_less(u, v * TAN_EIGHTH_PI);
    wide_bits middle = wide_less(u * TAN_EIGHTH_PI, v) & ~steep;
    wide_pair difference = pair_sum(v, -u), sum = pair_sum(v, u);
    wide_pair upper = {wide_select(steep, -u, wide_select(middle, difference.high, v)),
                       wide_keep(middle, difference.low)};
    wide_pair lower = {wide_select(steep, v, wide_select(middle, sum.high, u)), wide_keep(middle, sum.low)};
    wide_pair t = pair_divide(upper, lower);
    /* Where upper is too small or lower too large for the exact remainder, t needs none: it is tiny. */
    wide_bits exact = wide_less(wide_all(0x1p-900), wide_abs(upper.high)) & wide_less(lower.high, wide_all(0x1p+1000));
    wide z = t.high * t.high;
    wide_bits turned = steep | middle;
    wide_pair base = {wide_keep(turned, wide_all(0.5 * HALF_PI_HIGH)), wide_keep(turned, wide_all(0.5 * HALF_PI_LOW))};
    base.high = base.high + wide_keep(steep, wide_all(0.5 * HALF_PI_HIGH)); /* 0, pi/4 or pi/2 */
    base.low = base.low + wide_keep(steep, wide_all(0.5 * HALF_PI_LOW));
    return (arctangent_parts){base, t.high, t.high * z * arctangent_polynomial(z) + wide_keep(exact, t.low)};
}

WIDE_INLINE wide elementary_atan(wide a) {
    arctangent_parts parts = arctangent_split(wide_abs(a), wide_all(1.0));
    wide value = parts.base.high + (parts.t + (parts.rest + parts.base.low));
    return wide_copy_sign(value, a);
}

/* Brings v and u to a size that arctangent_split can divide; their quotient's angle stays the same. */
WIDE_INLINE void arctangent_rescale(wide *v, wide *u, wide larger) {
    wide_bits infinite = wide_equal(*v, wide_all(INFINITY)) & wide_equal(*u, wide_all(INFINITY));
    wide scale = wide_select(wide_less(larger, wide_all(0x1p-500)), wide_all(0x1p+600), wide_all(1.0));
    scale = wide_select(wide_less(wide_all(0x1p+1000), larger), wide_all(0x1p-100), scale);
    wide_bits origin = wide_equal(*v, wide_all(0.0)) & wide_equal(*u, wide_all(0.0)); /* a NaN beside a 0 is none */
    *v = wide_select(infinite, wide_all(1.0), *v * scale);
    *u = wide_select(infinite | origin, wide_all(1.0), *u * scale);
}

WIDE_INLINE wide elementary_atan2(wide y, wide x) {
    wide v = wide_abs(y), u = wide_abs(x);
    wide larger = wide_select(wide_less(v, u), u, v);
    wide_bits usual = wide_less_equal(wide_all(0x1p-500), larger) & wide_less_equal(larger, wide_all(0x1p+1000));
    if (wide_seldom(~usual))
        arctangent_rescale(&v, &u, larger);
    arctangent_parts parts = arctangent_split(v, u);

    /* Left of the origin the angle is pi - (base + t + rest). */
    wide_bits left = wide_less(wide_copy_sign(wide_all(1.0), x), wide_all(0.0));
    wide_pair other = pair_quick_sum(wide_all(2.0 * HALF_PI_HIGH), -parts.base.high);
    other.low = other.low + (2.0 * HALF_PI_LOW - parts.base.low);
    wide_pair base = {wide_select(left, other.high, parts.base.high), wide_select(left, other.low, parts.base.low)};
    wide t = wide_select(left, -parts.t, parts.t), rest = wide_select(left, -parts.rest, parts.rest);
    return wide_copy_sign(base.high + (t + (rest + base.low)), y);
}

#endif
