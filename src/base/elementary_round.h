/* elementary_round.h - the integer n nearest to each element, its bits, and 2^n, for argument reduction.
 *
 * v + ROUND_HALF holds v + 1/2 in fixed point, with ROUND_PLACES binary places, in its low bits; clearing those places
 * leaves ROUND_ZERO + floor(v + 1/2), whose bits count up from bit ROUND_PLACES. This needs no conversion between
 * integers and doubles, and |v - n| exceeds 1/2 by at most 2^-19 whatever the rounding mode. |v| must be below 2^30.
 * Floats have no bits for such places: v + ROUND_HALF is rounded to an integer, |v| must be below 2^22.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ELEMENTARY_ROUND_H
#define HN_BASE_ELEMENTARY_ROUND_H

#include "base/real.h"

#ifndef FREESTANDING
#include "base/simd.h"
#endif

#ifdef REAL_SINGLE
enum { ROUND_PLACES = 0 };
SHARED_CONSTANT real ROUND_ZERO = 0x1.8p+23f;
SHARED_CONSTANT real ROUND_HALF = 0x1.8p+23f;
#else
enum { ROUND_PLACES = 20 };
SHARED_CONSTANT real ROUND_ZERO = 0x1.8p+32;
SHARED_CONSTANT real ROUND_HALF = 0x1.8p+32 + 0.5;
#endif

/* The bits of ROUND_ZERO + n, here called the count of n. */
SIMD_INLINE simd_bits round_count(simd v) {
    return simd_to_bits(v + ROUND_HALF) & simd_bits_all(-(1 << ROUND_PLACES));
}

SIMD_INLINE simd round_value(simd_bits count) {
    return simd_of_bits(count) - ROUND_ZERO;
}

/* n 2^F with F fraction bits: the increment of a number's bits that multiplies it by 2^n */
SIMD_INLINE simd_bits round_exponent(simd_bits count) {
    return simd_bits_left(count, SIMD_FRACTION_BITS - ROUND_PLACES);
}

/* 2^n for an exponent n 2^F of a normal number */
SIMD_INLINE simd round_power(simd_bits exponent) {
    return simd_of_bits(simd_bits_add(simd_to_bits(simd_all(1)), exponent));
}

/* v 2^n in two steps, |n| < 2000, of floats 250: denormal results are rounded once, and large ones do not overflow in
 * between. */
SIMD_INLINE simd round_scale(simd v, simd_bits count) {
    simd_bits place = simd_bits_all(-(1 << ROUND_PLACES));
    simd_bits half = round_exponent(simd_bits_right(count, 1) & place); /* floor(n/2) 2^F */
    return v * round_power(half) * round_power(simd_bits_subtract(round_exponent(count), half));
}

#endif
