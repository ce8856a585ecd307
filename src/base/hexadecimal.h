/* hexadecimal.h - doubles as texts that come back bit by bit, in every locale.
 *
 *     0x1.3333333333333p-2        what Python's float.hex writes and float.fromhex reads: 13 digits always, 0x0.0p+0 for 0
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_HEXADECIMAL_H
#define HN_BASE_HEXADECIMAL_H

#include <stdbool.h>

struct hexadecimal {
    char text[32];
};

/* inf, -inf and nan for what is not finite. */
struct hexadecimal hexadecimal_write(double value);

/* Takes what hexadecimal_write gives for a finite number, and nothing else. */
bool hexadecimal_read(const char *text, double *value);

#endif
