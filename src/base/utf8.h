/* utf8.h - characters of more than one byte (RFC 3629), and text in printable form, safe for a terminal and for
 * messages.
 *
 * Names, paths and headers may contain any bytes: escape sequences that move the cursor or rename the window, control
 * characters of one byte (C0) or two (C1), marks that change the writing direction, invalid UTF-8. These are printed as
 * \n, \x1b or \u009b; everything else is unchanged.
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

enum { PRINTABLE_PIECE = 8 }; /* size of the longest piece, with its 0 */

/* Consumes one character (or one invalid byte) of *text and writes its printable form; returns the number of bytes
 * written. */
size_t printable_piece(const char **text, char piece[PRINTABLE_PIECE]);

/* Copies as much as fits; ends with "..." if the text was truncated. */
void printable_copy(char *out, size_t room, const char *text);

/* Whether it can be printed unchanged. */
bool printable_is_safe(const char *text);

#endif
