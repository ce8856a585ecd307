/* digest_x86.h - SHA-256 blocks with the x86 SHA extensions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_DIGEST_X86_H
#define HN_BASE_DIGEST_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether this processor has the instructions. The test takes as long as hashing some kilobytes. */
bool digest_x86_is_there(void);

/* state: a to h; constants: the 64 round constants. Call only if digest_x86_is_there(). */
void digest_x86_blocks(uint32_t *state, const uint32_t *constants, const unsigned char *blocks, size_t count);

#endif
