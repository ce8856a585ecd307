/* elementary_exponential.h - exp, log, log10 and pow over SIMD vectors.
 *
 *     exp    a = n ln 2 + r,  |r| <= ln(2)/2,          e^a   = 2^n (1 + r + r^2 q(r))
 *     log    a = 2^k (1 + f),  s = f / (2 + f),        log a = k ln 2 + 2 artanh(s)
 *                                                      2 artanh(s) = log(1 + f) = f - s (f - s^2 Q(s^2))
 *     log10  the logarithm as a pair, times log10(e) as a pair
 *     pow    b^e = exp(e log b), the logarithm and the product as pairs
 *
 * with 1 + f in [sqrt(1/2), sqrt(2)). ln 2 is subtracted in two parts, the first so short that n times it is exact:
 * Cody and Waite, "Software Manual for the Elementary Functions", 1980. Coefficients are minimax (Remez) and rounded to
 * double, or to float.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ELEMENTARY_EXPONENTIAL_H
#define HN_BASE_ELEMENTARY_EXPONENTIAL_H

#include "base/elementary_round.h"
#include "base/real.h"
#include "base/simd_pair.h"

#ifdef REAL_SINGLE
SHARED_CONSTANT real LN2_HIGH = 0x1.62e4p-1f;       /* 15 bits: n LN2_HIGH is exact for |n| < 2^9 */
SHARED_CONSTANT real LN2_LOW = 0x1.7f7d1cp-20f;     /* ln 2 - LN2_HIGH */
SHARED_CONSTANT real LOG2_E = 0x1.715476p+0f;       /* 1 / ln 2 */
SHARED_CONSTANT real LOG10_E_HIGH = 0x1.bcb7b2p-2f; /* 1 / ln 10 */
SHARED_CONSTANT real LOG10_E_LOW = -0x1.5b235ep-27f;
SHARED_CONSTANT real TWO_THIRDS_HIGH = 0x1.555556p-1f;
SHARED_CONSTANT real TWO_THIRDS_LOW = -0x1.555556p-26f;
SHARED_CONSTANT real SQRT_HALF = 0x1.6a09e6p-1f;
SHARED_CONSTANT real WHOLE_NUMBERS = 0x1p+23f; /* and larger numbers are integers */

/* (e^r - 1 - r) / r^2 on |r| <= ln(2)/2; the error is below 2^-33 / r^2. */
SIMD_INLINE simd exponential_polynomial(simd r) {
    simd z = r * r;
    simd even = 0x1.6d4cc8p-10f * z + 0x1.5554e8p-5f;
    simd odd = 0x1.a2551cp-13f * z + 0x1.110ffcp-7f;
    return (even * z + 0x1p-1f) + r * (odd * z + 0x1.555556p-3f);
}

/* (2 artanh(s) - 2 s) / s^3 as a polynomial in z = s^2 for |s| <= 0.1716; the error is below 2^-34 / z. */
SIMD_INLINE simd logarithm_polynomial(simd z) {
    simd p = 0x1.f13da8p-3f * z + 0x1.23d3d8p-2f;
    p = p * z + 0x1.999c26p-2f;
    return p * z + 0x1.555554p-1f;
}

/* (2 artanh(s) - 2 s - 2/3 s^3) / s^5 as a polynomial in z = s^2 for |s| <= 0.1716; the error is below 2^-42 / z^2. */
SIMD_INLINE simd logarithm_pair_polynomial(simd z) {
    simd p = 0x1.908a7p-3f * z + 0x1.c63d84p-3f;
    p = p * z + 0x1.2493b6p-2f;
    return p * z + 0x1.999998p-2f;
}

#else
SHARED_CONSTANT real LN2_HIGH = 0x1.62e42fefa38p-1;       /* 42 bits: n LN2_HIGH is exact for |n| < 2^11 */
SHARED_CONSTANT real LN2_LOW = 0x1.ef35793c7673p-45;      /* ln 2 - LN2_HIGH */
SHARED_CONSTANT real LOG2_E = 0x1.71547652b82fep+0;       /* 1 / ln 2 */
SHARED_CONSTANT real LOG10_E_HIGH = 0x1.bcb7b1526e50ep-2; /* 1 / ln 10 */
SHARED_CONSTANT real LOG10_E_LOW = 0x1.95355baaafad3p-57;
SHARED_CONSTANT real TWO_THIRDS_HIGH = 0x1.5555555555555p-1;
SHARED_CONSTANT real TWO_THIRDS_LOW = 0x1.5555555555555p-55;
SHARED_CONSTANT real SQRT_HALF = 0x1.6a09e667f3bcdp-1;
SHARED_CONSTANT real WHOLE_NUMBERS = 0x1p+52; /* and larger numbers are integers */

/* (e^r - 1 - r) / r^2 on |r| <= ln(2)/2; the error is below 2^-56 e^r / r^2. */
SIMD_INLINE simd exponential_polynomial(simd r) {
    simd z = r * r;
    simd even = 0x1.28ad759f2383ap-22 * z + 0x1.a0199a0874976p-16; /* 1/10!, 1/8! */
    simd odd = 0x1.ad7e0419df411p-26 * z + 0x1.71df2676c48d7p-19;  /* 1/11!, 1/9! */
    even = even * z + 0x1.6c16c1842bd4fp-10;                       /* 1/6! */
    odd = odd * z + 0x1.a01a0129aed8fp-13;                         /* 1/7! */
    even = even * z + 0x1.5555555550873p-5;                        /* 1/4! */
    odd = odd * z + 0x1.1111111127e6ap-7;                          /* 1/5! */
    even = even * z + 0x1.000000000000ap-1;                        /* 1/2! */
    odd = odd * z + 0x1.55555555554f9p-3;                          /* 1/3! */
    return even + r * odd;
}

/* (2 artanh(s) - 2 s) / s^3 as a polynomial in z = s^2 for |s| <= 0.1716; the error is below 2^-58 / z. */
SIMD_INLINE simd logarithm_polynomial(simd z) {
    simd p = 0x1.2f0571a6103eep-3 * z + 0x1.39a1b96ba1261p-3; /* about 2/15, 2/13 */
    p = p * z + 0x1.74663ef48d42fp-3;                         /* 2/11 */
    p = p * z + 0x1.c71c520921febp-3;                         /* 2/9 */
    p = p * z + 0x1.24924941f1771p-2;                         /* 2/7 */
    p = p * z + 0x1.999999997fdb0p-2;                         /* 2/5 */
    return p * z + 0x1.5555555555592p-1;                      /* 2/3 */
}

/* (2 artanh(s) - 2 s - 2/3 s^3) / s^5 as a polynomial in z = s^2 for |s| <= 0.1716; except for the rounding of 2/5 the
 * error is below 2^-64 / z^2. */
SIMD_INLINE simd logarithm_pair_polynomial(simd z) {
    simd p = 0x1.0a3e2737fafe8p-3 * z + 0x1.0ff12f90bd13cp-3; /* about 2/17, 2/15 */
    p = p * z + 0x1.3b19f9b09d76dp-3;                         /* 2/13 */
    p = p * z + 0x1.745d05943bbf5p-3;                         /* 2/11 */
    p = p * z + 0x1.c71c71dd4357dp-3;                         /* 2/9 */
    p = p * z + 0x1.249249248e927p-2;                         /* 2/7 */
    return p * z + 0x1.999999999999ap-2;                      /* 2/5 */
}

#endif

/* e^(a + low) = 2^n (1 + r + tail) */
typedef struct {
    simd r, tail;
    simd_bits count; /* of n */
} exponential_parts;

/* Floats: |a| at most 2^9. */
SIMD_INLINE exponential_parts exponential_split(simd a, simd low) {
    exponential_parts parts;
    parts.count = round_count(a * LOG2_E);
    simd n = round_value(parts.count);
    simd near = a - n * LN2_HIGH; /* exact */
    simd rest = n * LN2_LOW - low;
    parts.r = near - rest;
    parts.tail = ((near - parts.r) - rest) + parts.r * parts.r * exponential_polynomial(parts.r);
    return parts;
}

#ifdef REAL_SINGLE
/* a limited to -limit and limit; NaN becomes the limit. */
SIMD_INLINE simd exponential_limit(simd a, real limit) {
    return simd_select(simd_less_equal(simd_abs(a), limit), a, simd_copy_sign(limit, a));
}

SIMD_INLINE simd elementary_exp(simd a) {
    exponential_parts parts = exponential_split(exponential_limit(a, 150), 0);
    simd value = round_scale(1 + (parts.r + parts.tail), parts.count);
    return simd_select(simd_not_equal(a, a), a, value);
}
#else
/* e^a from its parts for any a, NaN included: overflow and underflow depend on a only. */
SIMD_INLINE simd exponential_extreme(exponential_parts parts, simd a) {
    simd value = round_scale(1.0 + (parts.r + parts.tail), parts.count);
    value = simd_select(simd_less(simd_all(800.0), a), simd_all(REAL_INFINITY), value);
    return simd_select(simd_less(a, simd_all(-800.0)), simd_all(0.0), value);
}

/* If 2^n (1 + r + tail) is a normal number, n can be added to the exponent. */
SHARED_CONSTANT double EXPONENTIAL_LIMIT = 708.0;

SIMD_INLINE simd exponential_normal(exponential_parts parts) {
    simd value = 1.0 + (parts.r + parts.tail);
    return simd_of_bits(simd_bits_add(simd_to_bits(value), round_exponent(parts.count)));
}

SIMD_INLINE simd elementary_exp(simd a) {
    exponential_parts parts = exponential_split(a, simd_all(0.0));
    simd value = exponential_normal(parts);
    simd_bits extreme = ~simd_less_equal(simd_abs(a), simd_all(EXPONENTIAL_LIMIT));
    if (simd_seldom(extreme))
        value = simd_select(extreme, exponential_extreme(parts, a), value);
    return value;
}
#endif

/* a = 2^k (1 + f) for a normal a > 0, with 1 + f in [sqrt(1/2), sqrt(2)); f is exact. */
typedef struct {
    simd k, f;
    simd_bits exponent; /* k + SIMD_EXPONENT_BIAS */
} logarithm_parts;

/* bias is SIMD_EXPONENT_BIAS, plus the power of two that a has been multiplied by. */
SIMD_INLINE logarithm_parts logarithm_split(simd a, simd bias) {
    simd_bits low_end = simd_to_bits(simd_all(SQRT_HALF));
    simd_bits shifted = simd_bits_add(simd_to_bits(a), simd_bits_subtract(simd_to_bits(simd_all(1)), low_end));
    simd_bits fraction = shifted & simd_bits_all((SIMD_WORD(1) << SIMD_FRACTION_BITS) - 1);
    logarithm_parts parts;
    parts.exponent = simd_bits_right(shifted, SIMD_FRACTION_BITS);
    parts.f = simd_of_bits(simd_bits_add(fraction, low_end)) - REAL(1.0);
    simd biased = simd_of_bits(parts.exponent | simd_to_bits(simd_all(WHOLE_NUMBERS))); /* WHOLE_NUMBERS + exponent */
    parts.k = biased - (WHOLE_NUMBERS + bias);
    return parts;
}

/* k ln 2 + log(1 + f + low), |low| far below |f| or 1 */
SIMD_INLINE simd logarithm_sum(simd k, simd f, simd low) {
    simd s = f / (REAL(2.0) + f);
    simd z = s * s;
    simd correction = s * (f - z * logarithm_polynomial(z)); /* f - log(1 + f) */
    return k * LN2_HIGH - (((correction - k * LN2_LOW) - low) - f);
}

/* Results for arguments that the kernel does not handle: 0, infinity, negative numbers, NaN. */
SIMD_INLINE simd logarithm_special(simd a, simd value) {
    value = simd_select(simd_less_equal(simd_all(0), a), value, simd_all(REAL_NAN));
    value = simd_select(simd_equal(a, simd_all(0)), simd_all(-REAL_INFINITY), value);
    return simd_select(simd_equal(a, simd_all(REAL_INFINITY)), a, value);
}

#ifdef REAL_SINGLE
/* Replaces denormal elements by scaled ones and adjusts their bias; other elements without a logarithm become 1. */
SIMD_INLINE bool logarithm_lift(simd *a, simd *bias) {
    simd_bits tiny = simd_less(*a, REAL_MIN), usable = simd_less(0, *a) & simd_less(*a, REAL_INFINITY);
    *bias = *bias + simd_keep(tiny, 24);
    *a = simd_select(usable, simd_select(tiny, *a * 0x1p+24f, *a), 1);
    return true;
}
#else
/* Elements that are not positive normal numbers. */
SIMD_INLINE simd_bits logarithm_rare(simd a) {
    return ~(simd_less_equal(simd_all(REAL_MIN), a) & simd_less_equal(a, simd_all(REAL_MAX)));
}

/* Scales denormal elements to normal ones and adjusts their bias; whether some elements are rare. */
SIMD_INLINE bool logarithm_lift(simd *a, simd *bias) {
    if (!simd_seldom(logarithm_rare(*a)))
        return false;
    simd_bits tiny = simd_less(*a, simd_all(REAL_MIN));
    *bias = simd_select(tiny, simd_all(1023.0 + 54.0), *bias);
    *a = simd_select(tiny, *a * 0x1p+54, *a);
    return true;
}
#endif

SIMD_INLINE simd elementary_log(simd a) {
    simd lifted = a, bias = simd_all(SIMD_EXPONENT_BIAS);
    bool rare = logarithm_lift(&lifted, &bias);
    logarithm_parts parts = logarithm_split(lifted, bias);
    simd value = logarithm_sum(parts.k, parts.f, simd_all(0));
    return rare ? logarithm_special(a, value) : value;
}

/* log a for a normal a > 0, with relative error about 2^-64, of floats 2^-38: k ln 2 + 2 s + s^3 (2/3 + s^2 ...) */
SIMD_INLINE simd_pair logarithm_pair(simd a, simd bias) {
    logarithm_parts parts = logarithm_split(a, bias);
    simd_pair s = pair_divide(LITERAL(simd_pair){parts.f, simd_all(0)}, pair_quick_sum(simd_all(2), parts.f));
    simd_pair z = pair_multiply(s, s);
    simd_pair series = pair_quick_sum(simd_all(TWO_THIRDS_HIGH), z.high * logarithm_pair_polynomial(z.high));
    series.low = series.low + TWO_THIRDS_LOW;
    simd_pair cubic = pair_multiply(s, pair_multiply(z, series));
    simd_pair sum = pair_sum(parts.k * LN2_HIGH, REAL(2.0) * s.high);
    simd_pair total = pair_sum(sum.high, cubic.high);
    simd low = parts.k * LN2_LOW + (REAL(2.0) * s.low + cubic.low);
    return pair_quick_sum(total.high, (sum.low + total.low) + low);
}

SIMD_INLINE simd elementary_log10(simd a) {
    simd lifted = a, bias = simd_all(SIMD_EXPONENT_BIAS);
    bool rare = logarithm_lift(&lifted, &bias);
    simd_pair log10_e = {simd_all(LOG10_E_HIGH), simd_all(LOG10_E_LOW)};
    simd_pair product = pair_multiply(logarithm_pair(lifted, bias), log10_e);
    simd value = product.high + product.low;
    return rare ? logarithm_special(a, value) : value;
}

/* Masks of the elements that are integers (infinities among them) and of those that are odd integers. */
SIMD_INLINE simd_bits power_integer(simd a, simd_bits *odd) {
    simd size = simd_abs(a);
    simd lift = simd_keep(simd_less(size, simd_all(WHOLE_NUMBERS)), simd_all(WHOLE_NUMBERS));
    simd lifted = size + lift; /* its last bit counts ones if a has any fractional bits */
    simd_bits last = simd_to_bits(lifted) & simd_bits_all(1);
    simd_bits integer = simd_equal(lifted - lift, size);
    *odd = integer & simd_less(size, simd_all(2 * WHOLE_NUMBERS)) & simd_bits_subtract(simd_bits_all(0), last);
    return integer;
}

#ifdef REAL_SINGLE
/* Cases not covered by exp(exponent log |base|): zero, infinite and negative bases, NaN. */
SIMD_INLINE simd power_special(simd base, simd exponent, simd value) {
    simd size = simd_abs(base), none = 0;
    simd_bits odd, integer = power_integer(exponent, &odd);
    simd_bits grows = simd_less(none, exponent), ends = simd_equal(size, none) | simd_equal(size, REAL_INFINITY);
    simd_bits zero = SIMD_MASK((simd_equal(size, none) != 0) == (grows != 0)); /* 0^+ and inf^- */
    value = simd_select(ends, simd_select(zero, none, REAL_INFINITY), value);
    simd_bits infinite = simd_equal(simd_abs(exponent), REAL_INFINITY);
    zero = SIMD_MASK((simd_less(size, 1) != 0) == (grows != 0));
    value = simd_select(infinite, simd_select(zero, none, REAL_INFINITY), value);
    value = simd_select(simd_equal(size, 1), 1, value);
    simd_bits finite = simd_less(base, none) & simd_less(size, REAL_INFINITY);
    value = simd_select(finite & ~integer, REAL_NAN, value);
    value = simd_select(simd_less(simd_copy_sign(1, base), none) & odd, -value, value);
    value = simd_select(simd_not_equal(base, base), base, value);
    value = simd_select(simd_not_equal(exponent, exponent), exponent, value);
    return simd_select(simd_equal(base, 1) | simd_equal(exponent, none), 1, value);
}

SIMD_INLINE simd elementary_pow(simd base, simd exponent) {
    simd size = simd_abs(base), bias = SIMD_EXPONENT_BIAS;
    logarithm_lift(&size, &bias);
    simd_pair logarithm = logarithm_pair(size, bias);
    simd_pair factor = {exponential_limit(exponent, 0x1p+100f), 0};
    simd_pair product = pair_multiply(factor, logarithm);
    simd limited = exponential_limit(product.high, 150);
    simd_bits usual = simd_equal(limited, product.high);
    exponential_parts parts = exponential_split(limited, simd_keep(usual, product.low));
    return power_special(base, exponent, round_scale(1 + (parts.r + parts.tail), parts.count));
}
#else
/* Cases not covered by exp(exponent log |base|): zero, infinite and negative bases, infinite products, NaN. */
SIMD_INLINE simd power_special(simd base, simd exponent, simd logarithm, exponential_parts parts) {
    simd size = simd_abs(base);
    logarithm = simd_select(simd_equal(size, simd_all(0.0)), simd_all(-REAL_INFINITY), logarithm);
    logarithm = simd_select(simd_equal(size, simd_all(REAL_INFINITY)), size, logarithm);
    simd value = exponential_extreme(parts, exponent * logarithm);
    value = simd_select(simd_not_equal(base, base), base, value);
    value = simd_select(simd_equal(size, simd_all(1.0)), simd_all(1.0), value);

    simd_bits odd, integer = power_integer(exponent, &odd);
    simd_bits negative = simd_less(simd_copy_sign(simd_all(1.0), base), simd_all(0.0));
    simd_bits finite = simd_less(base, simd_all(0.0)) & simd_less(size, simd_all(REAL_INFINITY));
    value = simd_select(finite & ~integer, simd_all(REAL_NAN), value);
    value = simd_select(negative & odd, -value, value);

    value = simd_select(simd_not_equal(exponent, exponent), exponent, value);
    simd_bits one = simd_equal(base, simd_all(1.0)) | simd_equal(exponent, simd_all(0.0));
    return simd_select(one, simd_all(1.0), value);
}

SIMD_INLINE simd elementary_pow(simd base, simd exponent) {
    simd size = simd_abs(base), bias = simd_all(SIMD_EXPONENT_BIAS);
    simd_bits rare = logarithm_rare(base);
    if (simd_seldom(rare))
        logarithm_lift(&size, &bias);
    simd_pair logarithm = logarithm_pair(size, bias);
    simd_pair product = pair_multiply(LITERAL(simd_pair){exponent, simd_all(0.0)}, logarithm);
    exponential_parts parts = exponential_split(product.high, product.low);
    simd value = exponential_normal(parts);
    rare |= ~simd_less_equal(simd_abs(product.high), simd_all(EXPONENTIAL_LIMIT));
    if (simd_seldom(rare))
        value = simd_select(rare, power_special(base, exponent, logarithm.high, parts), value);
    return value;
}
#endif

#endif
