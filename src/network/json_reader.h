/* json_reader.h - the pieces of JSON that a safetensors header is made of, read strictly and one at a time.
 *
 * Blanks, marks, texts and whole numbers that are not negative. Nothing here calls itself: how deep a text is nested is
 * decided by the caller's code. What is refused is refused with the file's name and the byte where it happened.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NETWORK_JSON_READER_H
#define HN_NETWORK_JSON_READER_H

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

/* Bytes of the UTF-8 character that begins here, 1 to 4; 0 when there is none. Longer forms than needed, surrogates and what
 * lies beyond U+10FFFF are none. */
size_t utf8_bytes(const unsigned char *at, size_t left);

/* A name from a file as it may be shown: cut short, and with '?' for what is not printable ASCII. */
struct shown_name {
    char text[48];
};
struct shown_name show_name(const char *name);

#endif
