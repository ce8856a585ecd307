/* checksum.h - CRC-32 with zlib's polynomial (x^32 + x^26 + x^23 + ... + 1, reflected), as Python's zlib.crc32.
 *
 * It detects every single wrong bit, every burst of up to 32 bits and all but one in 2^32 of other accidental errors.
 * It does not protect against deliberate changes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_CHECKSUM_H
#define HN_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Continues the checksum `before` (0 at first) over these bytes. */
uint32_t checksum_add(uint32_t before, const void *bytes, size_t count);

#endif
