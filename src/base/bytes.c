/* bytes.c - see bytes.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/bytes.h"

#include <math.h>
#include <string.h>

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
