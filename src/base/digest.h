/* digest.h - incremental SHA-256 (FIPS 180-4).
 *
 * Numbers are added in little-endian order and texts are preceded by their length, so that different lists of parts
 * have different encodings, the same on every machine.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_DIGEST_H
#define HN_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_BYTES = 32, DIGEST_BLOCK = 64, DIGEST_WORDS = 8, DIGEST_TEXT = 2 * DIGEST_BYTES + 1 };

struct digest {
    uint32_t state[DIGEST_WORDS];
    unsigned char block[DIGEST_BLOCK]; /* an incomplete block */
    uint64_t count;                    /* bytes so far */
};

struct digest digest_start(void);
void digest_add(struct digest *digest, const void *bytes, size_t count);
void digest_add_size(struct digest *digest, uint64_t value);
void digest_add_text(struct digest *digest, const char *text);

/* Adds the bits of the number, except that all NaN are equal: their signs and payloads vary between machines. */
void digest_add_number(struct digest *digest, double value);

/* Ends the digest. */
void digest_finish(struct digest *digest, unsigned char out[DIGEST_BYTES]);

/* Likewise, in hexadecimal, with a terminating 0. */
void digest_finish_text(struct digest *digest, char out[DIGEST_TEXT]);

#endif
