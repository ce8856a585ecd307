/* hosted.c - put_text where there is a C library.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

void put_text(const char *text);

void put_text(const char *text) {
    fputs(text, stdout);
}
