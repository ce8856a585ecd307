/* printable.h - texts from files and command lines, made safe for a terminal and for messages.
 *
 * Names, paths and headers may contain anything: escape sequences that move the cursor or rename the window, control characters of one
 * byte (C0) or two (C1), marks that turn the direction of writing, bytes that are no UTF-8. Printed, these are shown as \n, \x1b or
 * \u009b; everything else stays as it is.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_PRINTABLE_H
#define HN_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { PRINTABLE_PIECE = 8 }; /* room for the longest piece, with its 0 */

/* Takes one character (or one byte that is none) off *text, and writes how it is shown; the number of bytes written. */
size_t printable_piece(const char **text, char piece[PRINTABLE_PIECE]);

/* As much of it as fits; "..." at the end when something had to be left out. */
void printable_copy(char *out, size_t room, const char *text);

/* Whether it can be printed as it is. */
bool printable_is_safe(const char *text);

#endif
