/* bytes.c - see bytes.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/bytes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes ---- */

uint64_t bytes_integer(const unsigned char *bytes, size_t count, bool big_endian) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits = bits << 8 | bytes[big_endian ? i : count - 1 - i];
    return bits;
}

static double from_half(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 0x1f);
    double fraction = (double)(bits & 0x3ff), sign = bits >> 15 ? -1 : 1;
    if (exponent == 0x1f)
        return fraction > 0 ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25));
}

static double from_single(uint64_t bits) {
    uint32_t half = (uint32_t)bits;
    float single;
    memcpy(&single, &half, sizeof single);
    return (double)single;
}

double bytes_real(uint64_t bits, size_t count) {
    double value;
    if (count == 2)
        return from_half(bits);
    if (count == 4)
        return from_single(bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

void bytes_put_integer(unsigned char *bytes, uint64_t value) {
    for (size_t i = 0; i < sizeof value; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
}

void bytes_put_real(unsigned char *bytes, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bytes_put_integer(bytes, bits);
}

enum { MANTISSA_BITS = 52, BIAS = 1023, LEAST_EXPONENT = -1022 };

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

/* Rejects other spellings of a number: it must be equal to the number written again. */
bool hexadecimal_read(const char *text, double *value) {
    const char *size = text + (text[0] == '-');
    char *end;
    if (strncmp(size, "0x0.", 4) != 0 && strncmp(size, "0x1.", 4) != 0)
        return false;
    uint64_t mantissa = strtoull(size + 4, &end, 16) | (uint64_t)(size[2] - '0') << MANTISSA_BITS;
    long exponent = *end == 'p' ? strtol(end + 1, NULL, 10) : 0;
    if (exponent < -BIAS || exponent > BIAS)
        return false;
    double found = ldexp((double)mantissa, (int)exponent - MANTISSA_BITS);
    found = size > text ? -found : found;
    if (strcmp(hexadecimal_write(found).text, text) != 0)
        return false;
    *value = found;
    return true;
}

/* ---- the checksum ----
 *
 * Processes four bits at a time with a table of 64 bytes; long inputs eight bytes at a time with tables on the stack
 * (M. E. Kounavis, F. L. Berry, "A systematic approach to building high performance software-based CRC generators",
 * 2005). */

enum { AT_ONCE = 8, BYTES = 256, MUCH = 1 << 14 }; /* MUCH: length from which building the tables reduces the time */

/* The remainders of the sixteen 4-bit values. */
static const uint32_t remainders[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

static uint32_t add_byte(uint32_t rest, unsigned char byte) {
    rest ^= byte;
    rest = rest >> 4 ^ remainders[rest & 15];
    return rest >> 4 ^ remainders[rest & 15];
}

/* table[k][b]: the remainder of byte b followed by k zero bytes. */
static uint32_t add_many(uint32_t rest, const unsigned char *at, size_t eights) {
    uint32_t table[AT_ONCE][BYTES];
    for (unsigned b = 0; b < BYTES; b++) {
        table[0][b] = add_byte(0, (unsigned char)b);
        for (int k = 1; k < AT_ONCE; k++)
            table[k][b] = add_byte(table[k - 1][b], 0);
    }
    for (size_t i = 0; i < eights; i++, at += AT_ONCE) {
        uint32_t a = rest ^ bytes_four(at), b = bytes_four(at + 4);
        rest = table[7][a & 255] ^ table[6][a >> 8 & 255] ^ table[5][a >> 16 & 255] ^ table[4][a >> 24] ^
               table[3][b & 255] ^ table[2][b >> 8 & 255] ^ table[1][b >> 16 & 255] ^ table[0][b >> 24];
    }
    return rest;
}

uint32_t checksum_add(uint32_t before, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    uint32_t rest = ~before;
    size_t done = count >= MUCH ? count / AT_ONCE * AT_ONCE : 0;
    if (done > 0)
        rest = add_many(rest, at, done / AT_ONCE);
    for (size_t i = done; i < count; i++)
        rest = add_byte(rest, at[i]);
    return ~rest;
}
