/* json_reader.h - the pieces of JSON, read strictly and one at a time.
 *
 * Blanks, marks, words, texts, and numbers. Nothing here calls itself: how deep a text is nested is
 * decided by the caller's code. What is refused is refused with the file's name and the byte where it happened.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_JSON_READER_H
#define HN_BASE_JSON_READER_H

#include "hardnet/base.h"

struct json_cursor {
    const unsigned char *file, *at, *end;
    const char *name; /* of the file */
    hn_error *error;
};

hn_status json_refuse(const struct json_cursor *c, const char *problem);

/* Blanks and then this mark, if it is there. */
bool json_mark(struct json_cursor *c, char mark);

/* Blanks and then a quoted text: decoded into out, with a 0 after it; room counts the 0. A text with a 0 inside, with
 * control characters or with anything but UTF-8 is refused. The bytes between the quotes, as they stand in the file,
 * are at *raw. A decoded text and its 0 take fewer bytes than the text with its quotes. */
struct json_text {
    const unsigned char *raw;
    size_t raw_bytes, length;
};
hn_status json_read_text(struct json_cursor *c, struct json_text *text, char *out, size_t room);

/* Blanks and then a whole number without sign, leading zeros, fraction or exponent. */
hn_status json_size(struct json_cursor *c, size_t *value);

/* Blanks and then a number as JSON has it; the bytes behind the last are a 0 or no part of a number. Read in the present locale. */
hn_status json_read_number(struct json_cursor *c, double *value);

/* Blanks and then this word (null, true, false), if it is there. */
bool json_word(struct json_cursor *c, const char *word);

#endif
