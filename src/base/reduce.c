/* reduce.c - x modulo pi/2 for any x, by integer arithmetic.
 *
 * With x = m 2^e, m a 53-bit integer, x 2/pi is m times the binary expansion of 2/pi shifted by e places. Bits of 2/pi
 * whose product with m is a multiple of 4 do not affect the quadrant and are omitted; the next 224 bits suffice: 2 for
 * the quadrant, at most 31 for starting at a word boundary, 53 lost to truncation, and of the other 138 at most 62
 * cancel when x is close to a multiple of pi/2. The rest, a fraction of a quarter turn, times pi/2 is the angle. The
 * method is that of Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18 (1983).
 *
 * SPDX-License-Identifier: MIT */
#include "base/reduce.h"

#ifndef WIDTH /* generated code contains this file among kernels of another width */
#define WIDTH 1
#endif
#include "base/real.h"
#include "base/simd_pair.h"

enum { WORDS = 7, WORD_BITS = 32, FRACTION_BITS = 52, EXPONENT_BIAS = 1023, PLACES = 1034 };

/* 2/pi in 32-bit words, after two zero words: the weight of word j is 2^(32 - 32 j). */
SHARED_CONSTANT uint32_t two_over_pi[] = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046,
};

/* product <- product + factor words 2^(32 shift), modulo 2^224; the most significant word comes first. */
SHARED_SELDOM void add_product(uint32_t product[WORDS], const uint32_t words[WORDS], uint32_t factor, int shift) {
    uint64_t carry = 0;
    SHARED_LOOP
    for (int i = WORDS - 1 - shift; i >= 0; i--) {
        carry += (uint64_t)words[i + shift] * factor + product[i]; /* at most 2^64 - 1 */
        product[i] = (uint32_t)carry;
        carry >>= WORD_BITS;
    }
}

/* 64 bits of the number from the given bit on; zeros beyond its end. */
SHARED_SELDOM uint64_t bits_from(const uint32_t number[WORDS], int start) {
    uint64_t bits = 0;
    SHARED_LOOP
    for (int i = 0; i < 3; i++) { /* 64 bits overlap at most three words */
        int word = start / WORD_BITS + i, place = WORD_BITS - i * WORD_BITS + start % WORD_BITS;
        uint64_t value = word < WORDS ? number[word] : 0;
        bits |= place >= 0 ? value << place : value >> -place;
    }
    return bits;
}

/* 2^exponent, a normal number */
static double power_of_two(int exponent) {
    int64_t bits = (int64_t)(EXPONENT_BIAS + exponent) << FRACTION_BITS;
    return SIMD_AT(simd_of_bits(simd_bits_all(bits)), 0);
}

/* number / 2^224, below 1/2, in two parts of 53 bits; both are exact. */
static simd_pair to_pair(const uint32_t number[WORDS]) {
    int zeros = 1;
    while (zeros < 64 && bits_from(number, zeros) >> 63 == 0)
        zeros++;
    double high = (double)(bits_from(number, zeros) >> 11), low = (double)(bits_from(number, zeros + 53) >> 11);
    return LITERAL(simd_pair){simd_all(high * power_of_two(-zeros - 53)), simd_all(low * power_of_two(-zeros - 106))};
}

REDUCE_FUNCTION reduced_angle reduce_angle(double x) {
    if (!(x < REAL_INFINITY))
        return LITERAL(reduced_angle){REAL_NAN, REAL_NAN, 0};
    uint64_t bits = (uint64_t)SIMD_AT(simd_to_bits(simd_all(x)), 0);
    int e = (int)(bits >> FRACTION_BITS) - EXPONENT_BIAS - FRACTION_BITS;
    uint64_t m = (bits & ((UINT64_C(1) << FRACTION_BITS) - 1)) | UINT64_C(1) << FRACTION_BITS;

    /* Words before the first, times m 2^e, are multiples of 4; m 2^(offset) words / 2^222 is x 2/pi modulo 4. */
    unsigned place = (unsigned)(e + 62) % PLACES; /* the remainder only proves to compilers that reads stay in bounds */
    int first = (int)(place / WORD_BITS), offset = (int)(place % WORD_BITS);
    uint32_t turns[WORDS] = {0};
    add_product(turns, two_over_pi + first, (uint32_t)m, 0);
    add_product(turns, two_over_pi + first, (uint32_t)(m >> WORD_BITS), 1);

    int quadrant = (int)(bits_from(turns, offset) >> 62);
    uint32_t fraction[WORDS]; /* of a quarter turn, rounded to nearest: the sign is the leading bit */
    SHARED_LOOP
    for (int i = 0; i < WORDS; i++)
        fraction[i] = (uint32_t)(bits_from(turns, offset + 2 + i * WORD_BITS) >> 32);
    int negative = (int)(fraction[0] >> (WORD_BITS - 1));
    SHARED_LOOP
    for (int i = 0; i < WORDS; i++)
        fraction[i] ^= negative ? UINT32_MAX : 0; /* -v up to one unit of 2^-224 */

    simd_pair half_pi = {simd_all(0x1.921fb54442d18p+0), simd_all(0x1.1a62633145c07p-54)};
    simd_pair angle = pair_multiply(to_pair(fraction), half_pi); /* all elements are the same */
    double first_high = SIMD_AT(angle.high, 0), first_low = SIMD_AT(angle.low, 0), sign = negative ? -1.0 : 1.0;
    double high = first_high + first_low, low = (first_high - high) + first_low;
    return LITERAL(reduced_angle){sign * high, sign * low, (quadrant + negative) & 3};
}
