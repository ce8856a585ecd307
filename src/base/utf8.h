/* utf8.h - characters of more than one byte (RFC 3629), and names from files in printable form.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_UTF8_H
#define HN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 character that begins here, 1 to 4; 0 when it is invalid: overlong forms, surrogates and codes
 * beyond U+10FFFF. In a text that ends with a 0, left may be anything larger. */
size_t utf8_bytes(const unsigned char *at, size_t left);

/* Whether these bytes, one character, are a control character: C0, DEL or C1. */
bool utf8_is_control(const unsigned char *at, size_t bytes);

/* A name from a file in printable form: truncated, and with '?' for anything but printable ASCII. */
struct shown_name {
    char text[48];
};
struct shown_name show_name(const char *name);

#endif
