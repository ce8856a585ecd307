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
 * double.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ELEMENTARY_EXPONENTIAL_H
#define HN_BASE_ELEMENTARY_EXPONENTIAL_H

#include "base/elementary_round.h"
#include "base/real.h"
#include "base/simd_pair.h"

SHARED_CONSTANT double LN2_HIGH = 0x1.62e42fefa38p-1;       /* 42 bits: n LN2_HIGH is exact for |n| < 2^11 */
SHARED_CONSTANT double LN2_LOW = 0x1.ef35793c7673p-45;      /* ln 2 - LN2_HIGH */
SHARED_CONSTANT double LOG2_E = 0x1.71547652b82fep+0;       /* 1 / ln 2 */
SHARED_CONSTANT double LOG10_E_HIGH = 0x1.bcb7b1526e50ep-2; /* 1 / ln 10 */
SHARED_CONSTANT double LOG10_E_LOW = 0x1.95355baaafad3p-57;

/* e^(a + low) = 2^n (1 + r + tail) */
typedef struct {
    simd r, tail;
    simd_bits count; /* of n */
} exponential_parts;

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

/* a = 2^k (1 + f) for a normal a > 0, with 1 + f in [sqrt(1/2), sqrt(2)); f is exact. */
typedef struct {
    simd k, f;
    simd_bits exponent; /* k + 1023 */
} logarithm_parts;

/* bias is 1023, plus the power of two that a has been multiplied by. */
SIMD_INLINE logarithm_parts logarithm_split(simd a, simd bias) {
    simd_bits low_end = simd_to_bits(simd_all(0x1.6a09e667f3bcdp-1)); /* sqrt(1/2) */
    simd_bits shifted = simd_bits_add(simd_to_bits(a), simd_bits_subtract(simd_to_bits(simd_all(1.0)), low_end));
    simd_bits fraction = shifted & simd_bits_all((INT64_C(1) << 52) - 1);
    logarithm_parts parts;
    parts.exponent = simd_bits_right(shifted, 52);
    parts.f = simd_of_bits(simd_bits_add(fraction, low_end)) - 1.0;
    simd biased = simd_of_bits(parts.exponent | simd_to_bits(simd_all(0x1p+52))); /* 2^52 + exponent */
    parts.k = biased - (0x1p+52 + bias);
    return parts;
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

/* k ln 2 + log(1 + f + low), |low| far below |f| or 1 */
SIMD_INLINE simd logarithm_sum(simd k, simd f, simd low) {
    simd s = f / (2.0 + f);
    simd z = s * s;
    simd correction = s * (f - z * logarithm_polynomial(z)); /* f - log(1 + f) */
    return k * LN2_HIGH - (((correction - k * LN2_LOW) - low) - f);
}

/* Elements that are not positive normal numbers. */
SIMD_INLINE simd_bits logarithm_rare(simd a) {
    return ~(simd_less_equal(simd_all(REAL_MIN), a) & simd_less_equal(a, simd_all(REAL_MAX)));
}

/* Results for arguments that the kernel does not handle: 0, infinity, negative numbers, NaN. */
SIMD_INLINE simd logarithm_special(simd a, simd value) {
    value = simd_select(simd_less_equal(simd_all(0.0), a), value, simd_all(REAL_NAN));
    value = simd_select(simd_equal(a, simd_all(0.0)), simd_all(-REAL_INFINITY), value);
    return simd_select(simd_equal(a, simd_all(REAL_INFINITY)), a, value);
}

/* Scales denormal elements to normal ones and adjusts their bias. */
SIMD_INLINE void logarithm_lift(simd *a, simd *bias) {
    simd_bits tiny = simd_less(*a, simd_all(REAL_MIN));
    *bias = simd_select(tiny, simd_all(1023.0 + 54.0), *bias);
    *a = simd_select(tiny, *a * 0x1p+54, *a);
}

SIMD_INLINE simd elementary_log(simd a) {
    simd lifted = a, bias = simd_all(1023.0);
    int rare = simd_seldom(logarithm_rare(a));
    if (rare)
        logarithm_lift(&lifted, &bias);
    logarithm_parts parts = logarithm_split(lifted, bias);
    simd value = logarithm_sum(parts.k, parts.f, simd_all(0.0));
    return rare ? logarithm_special(a, value) : value;
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

/* log a for a normal a > 0, with relative error about 2^-64: k ln 2 + 2 s + s^3 (2/3 + s^2 ...) */
SIMD_INLINE simd_pair logarithm_pair(simd a, simd bias) {
    logarithm_parts parts = logarithm_split(a, bias);
    simd_pair s = pair_divide(LITERAL(simd_pair){parts.f, simd_all(0.0)}, pair_quick_sum(simd_all(2.0), parts.f));
    simd_pair z = pair_multiply(s, s);
    simd_pair series = pair_quick_sum(simd_all(0x1.5555555555555p-1), z.high * logarithm_pair_polynomial(z.high));
    series.low = series.low + 0x1.5555555555555p-55; /* 2/3 in two parts */
    simd_pair cubic = pair_multiply(s, pair_multiply(z, series));
    simd_pair sum = pair_sum(parts.k * LN2_HIGH, 2.0 * s.high);
    simd_pair total = pair_sum(sum.high, cubic.high);
    simd low = parts.k * LN2_LOW + (2.0 * s.low + cubic.low);
    return pair_quick_sum(total.high, (sum.low + total.low) + low);
}

SIMD_INLINE simd elementary_log10(simd a) {
    simd lifted = a, bias = simd_all(1023.0);
    int rare = simd_seldom(logarithm_rare(a));
    if (rare)
        logarithm_lift(&lifted, &bias);
    simd_pair log10_e = {simd_all(LOG10_E_HIGH), simd_all(LOG10_E_LOW)};
    simd_pair product = pair_multiply(logarithm_pair(lifted, bias), log10_e);
    simd value = product.high + product.low;
    return rare ? logarithm_special(a, value) : value;
}

/* Masks of the elements that are integers (infinities among them) and of those that are odd integers. */
SIMD_INLINE simd_bits power_integer(simd a, simd_bits *odd) {
    simd size = simd_abs(a);
    simd lift = simd_keep(simd_less(size, simd_all(0x1p+52)), simd_all(0x1p+52));
    simd lifted = size + lift; /* its last bit counts ones if a has any fractional bits */
    simd_bits last = simd_to_bits(lifted) & simd_bits_all(1);
    simd_bits integer = simd_equal(lifted - lift, size);
    *odd = integer & simd_less(size, simd_all(0x1p+53)) & simd_bits_subtract(simd_bits_all(0), last);
    return integer;
}

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
    simd size = simd_abs(base), bias = simd_all(1023.0);
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
