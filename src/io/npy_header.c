/* npy_header.c - see npy_header.h.
 *
 * The file starts with \x93NUMPY, two bytes of version and the header's length (2 bytes in version 1, 4 in 2 and 3,
 * little-endian). The header is {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } with the keys in any order.
 *
 * SPDX-License-Identifier: MIT */
#include "io/npy_header.h"

#include "base/error.h"
#include "base/size.h"

#include <string.h>

enum { MAGIC_BYTES = 6, MOST_HEADER = 64 * 1024, KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, ALL_KEYS = 7 };

struct cursor {
    const char *at, *end;
    const char *name; /* of the file, for messages */
    hn_error *error;
};

static hn_status npy_header_refuse(const struct cursor *c, const char *problem) {
    return error_about(c->error, HN_SYNTAX, error_file(c->name), "%s: %s", c->name, problem);
}

static void skip_blanks(struct cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

static bool take_mark(struct cursor *c, char mark) {
    skip_blanks(c);
    bool here = c->at < c->end && *c->at == mark;
    c->at += here;
    return here;
}

static bool take_word(struct cursor *c, const char *word) {
    size_t length = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* A quoted string without escapes. */
static bool quoted(struct cursor *c, const char **text, size_t *length) {
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    const char *close = memchr(c->at + 1, *c->at, (size_t)(c->end - c->at - 1));
    if (!close)
        return false;
    *text = c->at + 1;
    *length = (size_t)(close - *text);
    c->at = close + 1;
    return true;
}

/* ---- the three values ---- */

static hn_status refuse_type(const struct cursor *c, const char *text, size_t length) {
    int shown = length < 40 ? (int)length : 40;
    if (length > 0 && (text[length - 1] == 'O' || memchr(text, 'O', length)))
        return error_about(c->error, HN_UNSUPPORTED, error_file(c->name),
                           "%s: object arrays (dtype '%.*s') are refused", c->name, shown, text);
    return error_about(c->error, HN_UNSUPPORTED, error_file(c->name),
                       "%s: unsupported dtype '%.*s'; expected floats, integers or booleans", c->name, shown, text);
}

/* A letter and the size in bytes. */
static bool npy_header_is_known(const char *type) {
    static const char known[][3] = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (memcmp(type, known[i], 2) == 0)
            return true;
    return false;
}

static hn_status parse_descr(struct cursor *c, struct npy_header *header) {
    const char *text;
    size_t length;
    if (!quoted(c, &text, &length))
        return error_about(c->error, HN_UNSUPPORTED, error_file(c->name), "%s: structured dtypes are not supported",
                           c->name);
    if (length != 3 || !memchr("<>=|", text[0], 4) || !npy_header_is_known(text + 1))
        return refuse_type(c, text, length);
    if ((text[0] == '|' || text[0] == '=') && text[2] != '1')
        return error_about(c->error, HN_SYNTAX, error_file(c->name), "%s: dtype '%.3s' does not specify a byte order",
                           c->name, text);
    header->big_endian = text[0] == '>';
    header->kind = text[1];
    header->item = (size_t)(text[2] - '0');
    return HN_OK;
}

static hn_status parse_order(struct cursor *c, struct npy_header *header) {
    header->fortran_order = take_word(c, "True");
    if (header->fortran_order || take_word(c, "False"))
        return HN_OK;
    return npy_header_refuse(c, "fortran_order is neither True nor False");
}

static bool parse_extent(struct cursor *c, size_t *extent) {
    skip_blanks(c);
    const char *start = c->at;
    size_t value = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (!size_multiply(value, 10, &value) || !size_add(value, (size_t)(*c->at - '0'), &value))
            return false;
    bool any = c->at > start;
    take_mark(c, 'L'); /* written by Python 2 */
    *extent = value;
    return any;
}

static hn_status parse_shape(struct cursor *c, struct npy_header *header) {
    header->dimensions = 0;
    header->shape[0] = header->shape[1] = 1;
    if (!take_mark(c, '('))
        return npy_header_refuse(c, "shape is not a tuple");
    while (!take_mark(c, ')')) {
        size_t extent;
        if (!parse_extent(c, &extent))
            return npy_header_refuse(c, "an extent in shape is invalid or too large");
        if (header->dimensions == 2)
            return error_about(c->error, HN_UNSUPPORTED, error_file(c->name),
                               "%s: the array has more than two dimensions", c->name);
        header->shape[header->dimensions++] = extent;
        if (!take_mark(c, ',')) {
            if (!take_mark(c, ')'))
                return npy_header_refuse(c, "unterminated shape");
            break;
        }
    }
    if (header->dimensions == 0)
        return error_about(c->error, HN_UNSUPPORTED, error_file(c->name), "%s: the array has no dimensions", c->name);
    return HN_OK;
}

/* ---- the dictionary ---- */

static hn_status parse_entry(struct cursor *c, struct npy_header *header, unsigned *seen) {
    const char *key;
    size_t length;
    unsigned which = 0;
    if (!quoted(c, &key, &length) || !take_mark(c, ':'))
        return npy_header_refuse(c, "the header is not a dictionary");
    if (length == 5 && memcmp(key, "descr", length) == 0)
        which = KEY_DESCR;
    else if (length == 13 && memcmp(key, "fortran_order", length) == 0)
        which = KEY_ORDER;
    else if (length == 5 && memcmp(key, "shape", length) == 0)
        which = KEY_SHAPE;
    if (which == 0 || (*seen & which))
        return error_about(c->error, HN_SYNTAX, error_file(c->name), "%s: key '%.*s' %s in the header", c->name,
                           length < 40 ? (int)length : 40, key, which ? "occurs twice" : "is not allowed");
    *seen |= which;
    if (which == KEY_DESCR)
        return parse_descr(c, header);
    return which == KEY_ORDER ? parse_order(c, header) : parse_shape(c, header);
}

static hn_status parse_dictionary(struct cursor *c, struct npy_header *header) {
    unsigned seen = 0;
    if (!take_mark(c, '{'))
        return npy_header_refuse(c, "the header is not a dictionary");
    while (!take_mark(c, '}')) {
        hn_status status = parse_entry(c, header, &seen);
        if (status != HN_OK)
            return status;
        if (!take_mark(c, ',')) {
            if (!take_mark(c, '}'))
                return npy_header_refuse(c, "unterminated dictionary in the header");
            break;
        }
    }
    skip_blanks(c);
    if (c->at < c->end)
        return npy_header_refuse(c, "unexpected data after the header's dictionary");
    return seen == ALL_KEYS ? HN_OK : npy_header_refuse(c, "the header lacks descr, fortran_order or shape");
}

static bool has_magic(const unsigned char *bytes, size_t count) {
    return memcmp(bytes, "\x93NUMPY", count < MAGIC_BYTES ? count : MAGIC_BYTES) == 0;
}

/* Bytes before the dictionary, including its length. */
static size_t prefix_bytes(const unsigned char *bytes) {
    return MAGIC_BYTES + 2 + (bytes[MAGIC_BYTES] == 1 ? 2 : 4);
}

static size_t dictionary_bytes(const unsigned char *bytes) {
    size_t length = 0;
    for (size_t i = prefix_bytes(bytes); i-- > MAGIC_BYTES + 2;)
        length = length << 8 | bytes[i];
    return length;
}

bool npy_header_is_whole(const unsigned char *bytes, size_t count) {
    if (!has_magic(bytes, count))
        return true;
    if (count <= MAGIC_BYTES || count < prefix_bytes(bytes))
        return false;
    size_t length = dictionary_bytes(bytes);
    return length > MOST_HEADER || count - prefix_bytes(bytes) >= length;
}

hn_status npy_header_parse(struct npy_header *header, const char *name, const unsigned char *bytes, size_t count,
                           hn_error *error) {
    struct cursor c = {.name = name, .error = error};
    if (count < MAGIC_BYTES + 4 || !has_magic(bytes, count))
        return npy_header_refuse(&c, "not a .npy file");
    unsigned major = bytes[MAGIC_BYTES], minor = bytes[MAGIC_BYTES + 1];
    if (major < 1 || major > 3 || minor != 0)
        return error_about(error, HN_UNSUPPORTED, error_file(name), "%s: unsupported format version %u.%u", name, major,
                           minor);
    size_t prefix = prefix_bytes(bytes);
    if (count < prefix)
        return npy_header_refuse(&c, "the file ends within its header");
    size_t length = dictionary_bytes(bytes);
    if (length > MOST_HEADER)
        return error_about(error, HN_LIMIT, error_file(name), "%s: the header has %zu bytes, more than the limit of %d",
                           name, length, MOST_HEADER);
    if (count - prefix < length)
        return npy_header_refuse(&c, "the file ends within its header");
    c.at = (const char *)bytes + prefix;
    c.end = c.at + length;
    header->data = prefix + length;
    return parse_dictionary(&c, header);
}
