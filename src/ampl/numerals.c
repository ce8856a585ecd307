/* numerals.c - see numerals.h.
 *
 * Up to 15 digits with a power of ten up to 22 are one exact multiplication or division (Clinger 1990). Other numerals
 * use exact decimal arithmetic: the digits are a decimal fraction 0.d1d2d3... x 10^point, which is shifted by powers of
 * two into [1/2, 1); then 53 bits are extracted and rounded by the exact remainder. 800 digits decide every case;
 * further nonzero digits are recorded, since they can only break a tie.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/numerals.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    MOST_DIGITS = 800,
    MOST_SHIFT = 59, /* bits per step: 10 * 2^59 fits 64 bits */
    MOST_EXPONENT = 99999,
    EXACT_DIGITS = 15, /* 10^15 < 2^53 */
    EXACT_POWER = 22,  /* 10^22 is a double */
    MANTISSA_BITS = 53,
    FULL_EXPONENT = -1021 /* least e such that 0.1xxx(binary) x 2^e has all its bits */
};

struct decimal {
    uint8_t digits[MOST_DIGITS];
    int count;
    int64_t point; /* value = 0.digits x 10^point */
    bool more;     /* nonzero digits were truncated */
};

/* ---- reading ---- */

static bool numerals_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void add_digit(struct decimal *d, char c, bool after_point) {
    if (d->count == 0 && c == '0') {
        d->point -= after_point;
        return;
    }
    if (d->count < MOST_DIGITS)
        d->digits[d->count++] = (uint8_t)(c - '0');
    else
        d->more |= c != '0';
    d->point += !after_point;
}

/* Reads the exponent part, if it has digits; returns its length. */
static size_t read_exponent(const char *text, size_t length, int *exponent) {
    size_t i = 0;
    bool negative = false;
    *exponent = 0;
    if (length == 0 || !strchr("eEdD", text[0]) || text[0] == '\0')
        return 0;
    i++;
    if (i < length && (text[i] == '+' || text[i] == '-'))
        negative = text[i++] == '-';
    if (i == length || !numerals_is_digit(text[i]))
        return 0;
    for (; i < length && numerals_is_digit(text[i]); i++)
        if (*exponent < MOST_EXPONENT)
            *exponent = 10 * *exponent + (text[i] - '0');
    if (negative)
        *exponent = -*exponent;
    return i;
}

static size_t read_decimal(const char *text, size_t length, struct decimal *d) {
    size_t i = 0, digits = 0;
    int exponent;
    for (; i < length && numerals_is_digit(text[i]); i++, digits++)
        add_digit(d, text[i], false);
    if (i < length && text[i] == '.' && !(i + 1 < length && text[i + 1] == '.')) {
        size_t before = i++;
        for (; i < length && numerals_is_digit(text[i]); i++, digits++)
            add_digit(d, text[i], true);
        if (digits == 0)
            i = before;
    }
    if (digits == 0)
        return 0;
    i += read_exponent(text + i, length - i, &exponent);
    d->point += exponent;
    return i;
}

/* ---- fast path ---- */

static bool convert_exactly(const struct decimal *d, double *value) {
    static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int64_t power = d->point - d->count;
    uint64_t digits = 0;
    if (d->count > EXACT_DIGITS || power > EXACT_POWER || power < -EXACT_POWER)
        return false;
    for (int i = 0; i < d->count; i++)
        digits = 10 * digits + d->digits[i];
    *value = power >= 0 ? (double)digits * powers[power] : (double)digits / powers[-power];
    return true;
}

/* ---- exact decimal arithmetic ---- */

static void trim(struct decimal *d) {
    while (d->count > 0 && d->digits[d->count - 1] == 0)
        d->count--;
    if (d->count == 0)
        d->point = 0;
}

/* d x 2^bits: digits from last to first, with carry. */
static void shift_left(struct decimal *d, int bits) {
    uint8_t spill[20] = {0};
    uint64_t carry = 0;
    int extra = 0;
    for (int i = d->count; i-- > 0;) {
        carry += (uint64_t)d->digits[i] << bits;
        d->digits[i] = (uint8_t)(carry % 10);
        carry /= 10;
    }
    for (; carry > 0; carry /= 10)
        spill[extra++] = (uint8_t)(carry % 10);
    int kept = d->count + extra <= MOST_DIGITS ? d->count : MOST_DIGITS - extra;
    for (int i = kept; i < d->count; i++)
        d->more |= d->digits[i] != 0;
    memmove(d->digits + extra, d->digits, (size_t)kept);
    for (int i = 0; i < extra; i++)
        d->digits[i] = spill[extra - 1 - i];
    d->count = kept + extra;
    d->point += extra;
    trim(d);
}

/* d / 2^bits: long division, digit by digit, until the remainder is 0. */
static void shift_right(struct decimal *d, int bits) {
    uint64_t rest = 0, mask = (UINT64_C(1) << bits) - 1;
    int from = 0, to = 0, skipped = 0;
    while (from < d->count || rest != 0) {
        rest = 10 * rest + (from < d->count ? d->digits[from] : 0);
        from++;
        uint8_t digit = (uint8_t)(rest >> bits);
        rest &= mask;
        if (to == 0 && digit == 0)
            skipped++;
        else if (to < MOST_DIGITS)
            d->digits[to++] = digit;
        else
            d->more |= digit != 0;
    }
    d->count = to;
    d->point -= skipped;
    trim(d);
}

/* Shifts by at most MOST_SHIFT bits in either direction. */
static void shift(struct decimal *d, int bits) {
    if (bits > 0)
        shift_left(d, bits);
    else if (bits < 0)
        shift_right(d, -bits);
}

/* The integer part, rounded by the fraction. It fits 64 bits. */
static uint64_t round_whole(const struct decimal *d) {
    uint64_t whole = 0;
    if (d->point < 0) /* below 0.1 */
        return 0;
    for (int i = 0; i < d->point; i++)
        whole = 10 * whole + (i < d->count ? d->digits[i] : 0);
    if (d->point >= d->count)
        return whole;
    int next = d->digits[d->point];
    bool beyond = d->point + 1 < d->count || d->more;
    bool up = next > 5 || (next == 5 && (beyond || whole % 2 == 1));
    return whole + up;
}

static double convert_surely(struct decimal *d) {
    /* 2^step is at most 10^digits for these pairs, so that a step never skips [1/2, 1). */
    static const int8_t steps[] = {0, 3, 6, 9, 13, 16, 19, 23, 26, 29, 33, 36, 39, 43, 46, 49, 53, 56, 59};
    const int last = (int)sizeof steps - 1;
    int exponent = 0;
    if (d->point > 310)
        return HUGE_VAL;
    if (d->point < -330)
        return 0;
    while (d->point > 0) {
        int step = d->point <= last ? steps[d->point] : MOST_SHIFT;
        shift(d, -step);
        exponent += step;
    }
    while (d->point < 0 || d->digits[0] < 5) {
        int step = d->point == 0 ? 1 : -d->point <= last ? steps[-d->point] : MOST_SHIFT;
        shift(d, step);
        exponent -= step;
    }
    int bits = exponent >= FULL_EXPONENT ? MANTISSA_BITS : MANTISSA_BITS - (FULL_EXPONENT - exponent);
    if (bits < 0)
        return 0;
    shift(d, bits);
    return ldexp((double)round_whole(d), exponent - bits);
}

size_t ampl_numeral(const char *text, size_t length, double *value) {
    struct decimal d; /* digits need not be zeroed */
    d.count = 0;
    d.point = 0;
    d.more = false;
    size_t used = read_decimal(text, length, &d);
    if (used == 0)
        return 0;
    trim(&d);
    if (d.count == 0)
        *value = 0;
    else if (!convert_exactly(&d, value))
        *value = convert_surely(&d);
    return used;
}
