/* json.c - see json.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"

#include "base/error.h"
#include "base/size.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- punctuation ---- */

hn_status json_refuse(struct json_cursor *c, const char *problem) {
    if (c->status == HN_OK)
        c->status =
            error_in_file(c->error, HN_SYNTAX, c->name, "header, byte %zu: %s", (size_t)(c->at - c->file), problem);
    c->at = c->end;
    return c->status;
}

static void skip_blanks(struct json_cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

bool json_mark(struct json_cursor *c, char mark) {
    skip_blanks(c);
    bool here = c->at < c->end && *c->at == (unsigned char)mark;
    c->at += here;
    return here;
}

bool json_expect(struct json_cursor *c, char mark) {
    char problem[] = "'?' is missing";
    bool here = json_mark(c, mark);
    problem[1] = mark;
    if (!here)
        json_refuse(c, problem);
    return here;
}

bool json_next(struct json_cursor *c, char end) {
    if (json_mark(c, ','))
        return true;
    if (!json_mark(c, end))
        json_refuse(c, end == '}' ? "',' or '}' is missing" : "',' or ']' is missing");
    return false;
}

bool json_word(struct json_cursor *c, const char *word) {
    size_t length = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* ---- texts ---- */

/* Encodes the code point as UTF-8; returns the number of bytes. */
static size_t encode(uint32_t code, char *out) {
    static const unsigned char lead[5] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = count; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead[count] | code);
    return count;
}

static bool take_hex4(struct json_cursor *c, uint32_t *code) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    *code = 0;
    for (int i = 0; i < 4; i++, c->at++) {
        const char *digit = c->at < c->end && *c->at ? strchr(digits, *c->at) : NULL;
        if (!digit)
            return false;
        *code = *code << 4 | (uint32_t)((digit - digits) & 15);
    }
    return true;
}

/* Reads the digits after \u: one unit, or a surrogate pair. */
static bool take_unicode(struct json_cursor *c, uint32_t *code) {
    uint32_t second;
    if (!take_hex4(c, code) || *code == 0 || (*code >= 0xdc00 && *code < 0xe000))
        return false;
    if (*code < 0xd800 || *code >= 0xe000)
        return true;
    if (c->end - c->at < 2 || c->at[0] != '\\' || c->at[1] != 'u')
        return false;
    c->at += 2;
    if (!take_hex4(c, &second) || second < 0xdc00 || second >= 0xe000)
        return false;
    *code = 0x10000 + ((*code - 0xd800) << 10 | (second - 0xdc00));
    return true;
}

/* Reads an escape sequence after the backslash. */
static bool take_escape(struct json_cursor *c, uint32_t *code) {
    static const char marks[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
    const char *mark = c->at < c->end && *c->at ? strchr(marks, *c->at) : NULL;
    if (mark) {
        c->at++;
        *code = (uint32_t)codes[mark - marks];
        return true;
    }
    if (c->at == c->end || *c->at != 'u')
        return false;
    c->at++;
    return take_unicode(c, code);
}

/* Decodes one character of a string into own; returns the number of bytes, 0 when it is invalid. */
static size_t take_character(struct json_cursor *c, char *own) {
    uint32_t code;
    if (*c->at == '\\') {
        c->at++;
        return take_escape(c, &code) ? encode(code, own) : 0;
    }
    size_t count = *c->at < 0x20 ? 0 : utf8_bytes(c->at, (size_t)(c->end - c->at));
    memcpy(own, c->at, count);
    c->at += count;
    return count;
}

hn_status json_read_text(struct json_cursor *c, struct json_text *text, char *out, size_t room) {
    bool quoted = json_mark(c, '"');
    *text = (struct json_text){.raw = c->at};
    out[0] = '\0';
    if (!quoted)
        return json_refuse(c, "expected a string");
    while (c->at < c->end && *c->at != '"') {
        char own[4];
        size_t count = take_character(c, own);
        if (count == 0)
            return json_refuse(c, "invalid character or escape in a string");
        if (room - text->length <= count)
            return json_refuse(c, "a name is too long");
        memcpy(out + text->length, own, count);
        text->length += count;
        out[text->length] = '\0';
    }
    if (c->at == c->end)
        return json_refuse(c, "unterminated string");
    text->raw_bytes = (size_t)(c->at - text->raw);
    c->at++;
    return HN_OK;
}

/* ---- numbers ---- */

static bool next_is_digit(const struct json_cursor *c) {
    return c->at < c->end && *c->at >= '0' && *c->at <= '9';
}

hn_status json_size(struct json_cursor *c, size_t *value) {
    skip_blanks(c);
    *value = 0;
    if (!next_is_digit(c))
        return json_refuse(c, "expected a whole number");
    const unsigned char *first = c->at;
    for (; next_is_digit(c); c->at++)
        if (!size_multiply(*value, 10, value) || !size_add(*value, (size_t)(*c->at - '0'), value))
            return json_refuse(c, "a number is too large");
    if (*first == '0' && c->at - first > 1)
        return json_refuse(c, "a number begins with 0");
    return HN_OK;
}

static const unsigned char *skip_digits(const struct json_cursor *c, const unsigned char *at) {
    while (at < c->end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

static bool is_one_of(const struct json_cursor *c, const unsigned char *at, const char *marks) {
    return at < c->end && *at && strchr(marks, *at);
}

/* The end of the number that begins here, or NULL. strtod alone would also accept 0x10, +1, .5 and inf. */
static const unsigned char *number_end(const struct json_cursor *c) {
    const unsigned char *at = c->at + is_one_of(c, c->at, "-"), *first = at;
    at = is_one_of(c, at, "0") ? at + 1 : skip_digits(c, at);
    if (at > first && is_one_of(c, at, "."))
        at = skip_digits(c, first = at + 1);
    if (at > first && is_one_of(c, at, "eE")) {
        first = at + 1 + is_one_of(c, at + 1, "+-");
        at = skip_digits(c, first);
    }
    return at > first ? at : NULL;
}

hn_status json_read_number(struct json_cursor *c, double *value) {
    skip_blanks(c);
    const unsigned char *end = number_end(c);
    if (!end)
        return json_refuse(c, "expected a value");
    *value = strtod((const char *)c->at, NULL);
    c->at = end;
    return HN_OK;
}

/* ---- quoting ---- */

/* Writes one character, or one invalid byte. */
static void put_character(json_put *put, void *to, const unsigned char *at, size_t bytes) {
    char escape[8] = "\\ufffd";
    if (bytes == 1 && (*at == '"' || *at == '\\'))
        snprintf(escape, sizeof escape, "\\%c", *at);
    else if (utf8_is_control(at, bytes))
        snprintf(escape, sizeof escape, "\\u%04x", at[bytes - 1]); /* the second byte of a C1 control equals its code */
    else if (bytes > 0) {
        put(to, (const char *)at, bytes);
        return;
    }
    put(to, escape, strlen(escape));
}

void json_quote(json_put *put, void *to, const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    put(to, "\"", 1);
    while (*at) {
        size_t bytes = utf8_bytes(at, SIZE_MAX);
        put_character(put, to, at, bytes);
        at += bytes > 0 ? bytes : 1;
    }
    put(to, "\"", 1);
}
