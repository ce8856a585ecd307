/* json_reader.h - a strict JSON reader, one token at a time.
 *
 * Punctuation, words, strings and numbers. No recursion: the caller limits the nesting depth. Errors name the file and
 * the byte offset.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_JSON_READER_H
#define HN_BASE_JSON_READER_H

#include "hardnet/base.h"

struct json_cursor {
    const unsigned char *file, *at, *end;
    const char *name; /* of the file, for messages */
    hn_error *error;
};

hn_status json_refuse(const struct json_cursor *c, const char *problem);

/* Skips blanks; consumes this punctuation mark if it follows. */
bool json_mark(struct json_cursor *c, char mark);

/* Skips blanks and reads a quoted string: decoded into out, with a terminating 0, which room includes. A string with a
 * 0 inside, with control characters or with invalid UTF-8 is refused. *raw points to the bytes between the quotes, as
 * in the file. A decoded string and its 0 take fewer bytes than the string with its quotes. */
struct json_text {
    const unsigned char *raw;
    size_t raw_bytes, length;
};
hn_status json_read_text(struct json_cursor *c, struct json_text *text, char *out, size_t room);

/* Skips blanks and reads a whole number without sign, leading zeros, fraction or exponent. */
hn_status json_size(struct json_cursor *c, size_t *value);

/* Skips blanks and reads a JSON number; the byte after the text must be a 0 or not part of a number. Uses the current
 * locale. */
hn_status json_read_number(struct json_cursor *c, double *value);

/* Skips blanks; consumes this word (null, true, false) if it follows. */
bool json_word(struct json_cursor *c, const char *word);

#endif
