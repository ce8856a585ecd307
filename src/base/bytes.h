/* bytes.h - binary and exact text formats of numbers, and a checksum.
 *
 * Independent of the machine's byte order and of the locale.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_BYTES_H
#define HN_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An unsigned integer of at most 8 bytes. */
uint64_t bytes_integer(const unsigned char *bytes, size_t count, bool big_endian);

/* Four and eight bytes, little-endian; compilers emit one load for each. */
static inline uint32_t bytes_four(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t bytes_eight(const unsigned char *at) {
    return bytes_four(at) | (uint64_t)bytes_four(at + 4) << 32;
}

/* An IEEE number of 2, 4 or 8 bytes, from the bits of such an integer. */
double bytes_real(uint64_t bits, size_t count);

/* 8 bytes, little-endian: an integer, and a double. */
void bytes_put_integer(unsigned char *bytes, uint64_t value);
void bytes_put_real(unsigned char *bytes, double value);

/* A double as text: 0x1.3333333333333p-2, as Python's float.hex writes and float.fromhex reads; always 13 digits, 0 is
 * 0x0.0p+0; inf, -inf and nan for non-finite values. hexadecimal_read accepts exactly the text of finite numbers. */
struct hexadecimal {
    char text[32];
};
struct hexadecimal hexadecimal_write(double value);
bool hexadecimal_read(const char *text, double *value);

/* Continues a CRC-32 (0 at first) over these bytes, with zlib's polynomial (x^32 + x^26 + x^23 + ... + 1, reflected), as
 * Python's zlib.crc32. It detects every single wrong bit, every burst of up to 32 bits and all but one in 2^32 of other
 * accidental errors. It does not protect against deliberate changes. */
uint32_t checksum_add(uint32_t before, const void *bytes, size_t count);

#endif
