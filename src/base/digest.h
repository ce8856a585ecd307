/* digest.h - SHA-256 (FIPS 180-4): bytes in, as many at a time as one likes; 32 bytes out that tell them apart.
 *
 * Numbers go in with their least byte first, texts with their length before them, so that no two lists of parts make the same
 * bytes, on any machine.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_DIGEST_H
#define HN_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_BYTES = 32, DIGEST_BLOCK = 64, DIGEST_WORDS = 8, DIGEST_TEXT = 2 * DIGEST_BYTES + 1 };

struct digest {
    uint32_t state[DIGEST_WORDS];
    unsigned char block[DIGEST_BLOCK]; /* what waits for the block to be full */
    uint64_t count;                    /* bytes so far */
};

struct digest digest_start(void);
void digest_add(struct digest *digest, const void *bytes, size_t count);
void digest_add_size(struct digest *digest, uint64_t value);
void digest_add_text(struct digest *digest, const char *text);

/* By its bits, except that all NaN are one: their signs and payloads depend on who computed them. */
void digest_add_number(struct digest *digest, double value);

/* Ends the digest. */
void digest_finish(struct digest *digest, unsigned char out[DIGEST_BYTES]);

/* Likewise, in hexadecimal, with a 0 at the end. */
void digest_finish_text(struct digest *digest, char out[DIGEST_TEXT]);

#endif
