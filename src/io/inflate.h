/* inflate.h - unpacks what was packed by DEFLATE (RFC 1951).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_IO_INFLATE_H
#define HN_IO_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

/* Unpacks to exactly `room` bytes; false when the packed bytes are damaged, or give more or fewer. */
bool inflate_bytes(unsigned char *out, size_t room, const unsigned char *packed, size_t count);

#endif
