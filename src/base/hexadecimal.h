/* hexadecimal.h - exact conversion of doubles to text and back, independent of the locale.
 *
 *     0x1.3333333333333p-2    as Python's float.hex writes and float.fromhex reads: always 13 digits, 0 is 0x0.0p+0
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_HEXADECIMAL_H
#define HN_BASE_HEXADECIMAL_H

#include <stdbool.h>

struct hexadecimal {
    char text[32];
};

/* inf, -inf and nan for non-finite values. */
struct hexadecimal hexadecimal_write(double value);

/* Accepts exactly the output of hexadecimal_write for finite numbers. */
bool hexadecimal_read(const char *text, double *value);

#endif
