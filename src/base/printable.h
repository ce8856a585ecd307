/* printable.h - makes text from files and command lines safe for a terminal and for messages.
 *
 * Names, paths and headers may contain anything: escape sequences that move the cursor or rename the window, control
 * characters of one byte (C0) or two (C1), marks that change the writing direction, invalid UTF-8. These are printed as
 * \n, \x1b or \u009b; everything else is unchanged.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_PRINTABLE_H
#define HN_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { PRINTABLE_PIECE = 8 }; /* size of the longest piece, with its 0 */

/* Consumes one character (or one invalid byte) of *text and writes its printable form; returns the number of bytes
 * written. */
size_t printable_piece(const char **text, char piece[PRINTABLE_PIECE]);

/* Copies as much as fits; ends with "..." if the text was truncated. */
void printable_copy(char *out, size_t room, const char *text);

/* Whether it can be printed unchanged. */
bool printable_is_safe(const char *text);

#endif
