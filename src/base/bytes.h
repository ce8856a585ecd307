/* bytes.h - numbers as bytes of a file, independent of the machine's byte order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_BYTES_H
#define HN_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An unsigned integer of at most 8 bytes. */
uint64_t bytes_integer(const unsigned char *bytes, size_t count, bool big_endian);

/* An IEEE number of 2, 4 or 8 bytes, from the bits of such an integer. */
double bytes_real(uint64_t bits, size_t count);

/* 8 bytes, least significant first: an integer, and a double. */
void bytes_put_integer(unsigned char *bytes, uint64_t value);
void bytes_put_real(unsigned char *bytes, double value);

#endif
