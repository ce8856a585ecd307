/* mask.h - a flag in a slot: a number whose bits are all ones or all zeros.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_MASK_H
#define HN_CORE_MASK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool mask_read(const double *at) {
    int64_t bits;
    memcpy(&bits, at, sizeof bits);
    return bits != 0;
}

static inline void mask_write(double *at, bool value) {
    int64_t bits = -(int64_t)value;
    memcpy(at, &bits, sizeof bits);
}

#endif
