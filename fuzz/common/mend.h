/* mend.h - makes the checksum of a safetensors file right, so that a fuzzer reaches what lies behind it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_FUZZ_COMMON_MEND_H
#define HN_FUZZ_COMMON_MEND_H

#include <stddef.h>
#include <stdint.h>

/* The bytes with the right checksum, to be released with free; NULL when they have none. */
uint8_t *mend_checksum(const uint8_t *data, size_t size);

#endif
