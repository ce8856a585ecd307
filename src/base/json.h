/* json.h - a strict JSON reader, one token at a time, and quoting of text.
 *
 * Punctuation, words, strings and numbers. No recursion: the caller limits the nesting depth. Errors name the file and
 * the byte offset. The first failure stays in the cursor, which is at the end of the text from then on.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_JSON_H
#define HN_BASE_JSON_H

#include "hardnet/base.h"

struct json_cursor {
    const unsigned char *file, *at, *end;
    const char *name; /* of the file, for messages */
    hn_error *error;
    hn_status status;
};

hn_status json_refuse(struct json_cursor *c, const char *problem);

/* Skips blanks; consumes this punctuation mark if it follows. */
bool json_mark(struct json_cursor *c, char mark);

/* The same; it is an error if the mark does not follow. */
bool json_expect(struct json_cursor *c, char mark);

/* After an entry of a list or an object: whether another one follows. */
bool json_next(struct json_cursor *c, char end);

/* Skips blanks and reads a quoted string: decoded into out, with a terminating 0, which room includes. A string with a
 * 0 inside, with control characters or with invalid UTF-8 is refused. *raw points to the bytes between the quotes, as
 * in the file. A decoded string and its 0 take fewer bytes than the string with its quotes. */
struct json_text {
    const unsigned char *raw;
    size_t raw_bytes, length;
};
hn_status json_read_text(struct json_cursor *c, struct json_text *text, char *out, size_t room);

/* Skips blanks and reads an integer without sign, leading zeros, fraction or exponent. */
hn_status json_size(struct json_cursor *c, size_t *value);

/* Skips blanks and reads a JSON number; the byte after the text must be a 0 or not part of a number. Uses the current
 * locale. */
hn_status json_read_number(struct json_cursor *c, double *value);

/* Skips blanks; consumes this word (null, true, false) if it follows. */
bool json_word(struct json_cursor *c, const char *word);

/* Writes text as a JSON string, in pieces. Quotes, backslashes and control characters (including C1) are escaped; invalid
 * UTF-8 bytes become U+FFFD. */
typedef void json_put(void *to, const char *bytes, size_t count);
void json_quote(json_put *put, void *to, const char *text);

#endif
