/* console.h - standard output and standard error: colours, width of the terminal, format of messages.
 *
 * Reports go to stdout, everything else to stderr. Colours appear on a terminal only, and not when NO_COLOR is set or
 * TERM says dumb. Numbers are printed with '.' because no locale is ever set. No state is kept.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_CONSOLE_H
#define HN_TOOLS_CONSOLE_H

#include "hardnet/read.h"

#include <stdio.h>

enum tone { TONE_HEADING, TONE_GOOD, TONE_WARNING, TONE_ERROR, TONE_FAINT };

/* The escape sequence that starts or ends a tone on this stream; empty without colours. */
const char *console_tone(FILE *stream, enum tone tone);
const char *console_plain(FILE *stream);

bool console_is_terminal(FILE *stream);

/* Whether lines of this stream can be rewritten: a terminal, unless TERM says dumb or nothing. */
bool console_rewrites(FILE *stream);

/* The present width of the stream's terminal, or COLUMNS, or 80. */
size_t console_columns(FILE *stream);
size_t console_width(void); /* of stdout, for reports: at least 40 */

/* A text that may contain anything, made printable (base/utf8.h). */
void console_put(FILE *stream, const char *text);

/* "hardnet: ..." on stderr, made printable. */
__attribute__((format(printf, 1, 2))) void console_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void console_warning(const char *format, ...);
__attribute__((format(printf, 1, 2))) void console_remark(const char *format, ...);

/* file:line:column: error: sentence */
void console_note(const hn_message *note); /* errors with the source line and a suggestion */
void console_hint(const char *hint);

/* Flushes stdout. Returns the code, or VERB_FAILED with a message if output failed. */
int console_finish(int code);

/* SIGINT ends the program with VERB_INTERRUPTED; between hold and release it is deferred, so that files are written
 * completely. */
void console_catch_interrupt(void);
void console_hold_interrupt(void);
void console_release_interrupt(void);

#endif
