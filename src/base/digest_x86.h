/* digest_x86.h - blocks of SHA-256 by instructions that some processors have for it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_DIGEST_X86_H
#define HN_BASE_DIGEST_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether this processor has them. Asking takes as long as some kilobytes do. */
bool digest_x86_is_there(void);

/* state: a to h; constants: the 64 of the rounds. Where they are there only. */
void digest_x86_blocks(uint32_t *state, const uint32_t *constants, const unsigned char *blocks, size_t count);

#endif
