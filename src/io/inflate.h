/* inflate.h - decompresses DEFLATE data (RFC 1951).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_IO_INFLATE_H
#define HN_IO_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

/* Decompresses to exactly `room` bytes; false if the data are damaged or have another size. */
bool inflate_bytes(unsigned char *out, size_t room, const unsigned char *packed, size_t count);

#endif
