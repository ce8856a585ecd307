/* hexadecimal.c - see hexadecimal.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/hexadecimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MANTISSA_DIGITS = 13, MANTISSA_BITS = 52, BIAS = 1023, LEAST_EXPONENT = -1022 };

struct hexadecimal hexadecimal_write(double value) {
    struct hexadecimal out;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const char *sign = bits >> 63 ? "-" : "";
    int biased = (int)(bits >> MANTISSA_BITS & 0x7ff), exponent = biased > 0 ? biased - BIAS : LEAST_EXPONENT;
    uint64_t mantissa = bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
    if (isnan(value))
        snprintf(out.text, sizeof out.text, "nan");
    else if (isinf(value))
        snprintf(out.text, sizeof out.text, "%sinf", sign);
    else if (value == 0)
        snprintf(out.text, sizeof out.text, "%s0x0.0p+0", sign);
    else
        snprintf(out.text, sizeof out.text, "%s0x%d.%013" PRIx64 "p%+d", sign, biased > 0, mantissa, exponent);
    return out;
}

static bool read_digits(const char **at, uint64_t *mantissa) {
    static const char digits[] = "0123456789abcdef";
    *mantissa = 0;
    for (int i = 0; i < MANTISSA_DIGITS; i++, (*at)++) {
        const char *digit = **at ? strchr(digits, **at) : NULL;
        if (!digit)
            return false;
        *mantissa = *mantissa << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

/* Reads p+12 up to the end, a number from 0 to 9999 with its sign. */
static bool read_exponent(const char *at, int *exponent) {
    int value = 0, count = 0;
    if (at[0] != 'p' || (at[1] != '+' && at[1] != '-'))
        return false;
    for (const char *digit = at + 2; *digit; digit++) {
        if (*digit < '0' || *digit > '9' || ++count > 4)
            return false;
        value = 10 * value + (*digit - '0');
    }
    *exponent = at[1] == '-' ? -value : value;
    return count > 0;
}

static bool read_positive(const char *text, double *value) {
    uint64_t mantissa;
    int exponent;
    bool normal = text[0] == '0' && text[1] == 'x' && text[2] == '1';
    *value = 0;
    if (strcmp(text, "0x0.0p+0") == 0)
        return true;
    if (strncmp(text, "0x0.", 4) != 0 && strncmp(text, "0x1.", 4) != 0)
        return false;
    text += 4;
    if (!read_digits(&text, &mantissa) || !read_exponent(text, &exponent))
        return false;
    *value = ldexp((double)(mantissa | (uint64_t)normal << MANTISSA_BITS), exponent - MANTISSA_BITS);
    return true;
}

/* Non-canonical forms are detected by writing the number again. */
bool hexadecimal_read(const char *text, double *value) {
    double found;
    bool negative = text[0] == '-';
    if (!read_positive(text + negative, &found))
        return false;
    found = negative ? -found : found;
    if (strcmp(hexadecimal_write(found).text, text) != 0)
        return false;
    *value = found;
    return true;
}
