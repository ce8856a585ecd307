/* numerals.c - see numerals.h.
 *
 * Up to 15 digits with a power of ten up to 22 are one exact multiplication or division (Clinger 1990). Other numerals
 * are converted by strtod, which rounds correctly, from digits and exponent without a point: the locale does not
 * matter. 800 digits suffice; whether further digits are nonzero is recorded, since they can only break a tie.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/numerals.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DIGITS = 800,
    MOST_EXPONENT = 99999,
    EXPONENT_TEXT = 32,
    EXACT_DIGITS = 15, /* 10^15 < 2^53 */
    EXACT_POWER = 22   /* 10^22 is a double */
};

struct decimal {
    char digits[MOST_DIGITS + EXPONENT_TEXT];
    int count;
    int64_t point; /* value = 0.digits x 10^point */
    bool more;     /* nonzero digits were truncated */
};

/* ---- reading ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void add_digit(struct decimal *d, char c, bool after_point) {
    if (d->count == 0 && c == '0') {
        d->point -= after_point;
        return;
    }
    if (d->count < MOST_DIGITS)
        d->digits[d->count++] = c;
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
    if (i == length || !is_digit(text[i]))
        return 0;
    for (; i < length && is_digit(text[i]); i++)
        if (*exponent < MOST_EXPONENT)
            *exponent = 10 * *exponent + (text[i] - '0');
    if (negative)
        *exponent = -*exponent;
    return i;
}

static size_t read_decimal(const char *text, size_t length, struct decimal *d) {
    size_t i = 0, digits = 0;
    int exponent;
    for (; i < length && is_digit(text[i]); i++, digits++)
        add_digit(d, text[i], false);
    if (i < length && text[i] == '.' && !(i + 1 < length && text[i + 1] == '.')) {
        size_t before = i++;
        for (; i < length && is_digit(text[i]); i++, digits++)
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
        digits = 10 * digits + (uint64_t)(d->digits[i] - '0');
    *value = power >= 0 ? (double)digits * powers[power] : (double)digits / powers[-power];
    return true;
}

/* ---- all other numerals ---- */

static double convert_rounded(struct decimal *d) {
    int code = errno; /* strtod sets it for overflow and denormal numbers */
    int64_t exponent = d->point - d->count - d->more;
    snprintf(d->digits + d->count, EXPONENT_TEXT, "%se%lld", d->more ? "1" : "", (long long)exponent);
    double value = strtod(d->digits, NULL);
    errno = code;
    return value;
}

size_t ampl_numeral(const char *text, size_t length, double *value) {
    struct decimal d; /* digits need not be zeroed */
    d.count = 0;
    d.point = 0;
    d.more = false;
    size_t used = read_decimal(text, length, &d);
    if (used == 0)
        return 0;
    while (d.count > 0 && d.digits[d.count - 1] == '0' && !d.more)
        d.count--;
    if (d.count == 0)
        *value = 0;
    else if (!convert_exactly(&d, value))
        *value = convert_rounded(&d);
    return used;
}
