/* npy.c - see npy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "io/npy.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/size.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the header: a Python dictionary with three known keys, read without Python ----
 *
 * The file starts with \x93NUMPY, two bytes of version and the header's length (2 bytes in version 1, 4 in 2 and 3,
 * little-endian). The header is {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } with the keys in any order.
 */

enum { MAGIC_BYTES = 6, MOST_HEADER = 64 * 1024, KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, ALL_KEYS = 7 };

/* Like json_refuse. */
__attribute__((format(printf, 3, 4))) static hn_status refuse(struct json_cursor *c, hn_status status,
                                                              const char *format, ...) {
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    error_format(text, sizeof text, format, arguments);
    va_end(arguments);
    if (c->status == HN_OK)
        c->status = error_in_file(c->error, status, c->name, "%s", text);
    c->at = c->end;
    return c->status;
}

/* A quoted string without escapes, or NULL. */
static const char *quoted(struct json_cursor *c, int *length) {
    if (!json_mark(c, '\'') && !json_mark(c, '"'))
        return NULL;
    const unsigned char *text = c->at, *close = memchr(text, text[-1], (size_t)(c->end - text));
    if (!close)
        return NULL;
    *length = (int)(close - text);
    c->at = close + 1;
    return (const char *)text;
}

static bool is_type(const char *type) {
    static const char known[][3] = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (memcmp(type, known[i], 2) == 0)
            return true;
    return false;
}

/* A byte order, a letter and the size in bytes. */
static void parse_descr(struct json_cursor *c, struct npy_header *header) {
    int length;
    const char *text = quoted(c, &length);
    if (!text) {
        refuse(c, HN_UNSUPPORTED, "structured dtypes are not supported");
        return;
    }
    int shown = length < 40 ? length : 40;
    if (memchr(text, 'O', (size_t)length))
        refuse(c, HN_UNSUPPORTED, "object arrays (dtype '%.*s') are refused", shown, text);
    else if (length != 3 || !memchr("<>=|", text[0], 4) || !is_type(text + 1))
        refuse(c, HN_UNSUPPORTED, "unsupported dtype '%.*s'; expected floats, integers or booleans", shown, text);
    else if ((text[0] == '|' || text[0] == '=') && text[2] != '1')
        refuse(c, HN_SYNTAX, "dtype '%.3s' does not specify a byte order", text);
    else {
        header->big_endian = text[0] == '>';
        header->kind = text[1];
        header->item = (size_t)(text[2] - '0');
    }
}

static void parse_order(struct json_cursor *c, struct npy_header *header) {
    header->fortran_order = json_word(c, "True");
    if (!header->fortran_order && !json_word(c, "False"))
        refuse(c, HN_SYNTAX, "fortran_order is neither True nor False");
}

static bool parse_extent(struct json_cursor *c, size_t *extent) {
    const unsigned char *start = c->at;
    *extent = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (!size_multiply(*extent, 10, extent) || !size_add(*extent, (size_t)(*c->at - '0'), extent))
            return false;
    bool any = c->at > start;
    json_mark(c, 'L'); /* written by Python 2 */
    return any;
}

static void parse_shape(struct json_cursor *c, struct npy_header *header) {
    size_t extent;
    if (!json_mark(c, '('))
        refuse(c, HN_SYNTAX, "shape is not a tuple");
    while (c->status == HN_OK && !json_mark(c, ')')) {
        if (!parse_extent(c, &extent))
            refuse(c, HN_SYNTAX, "an extent in shape is invalid or too large");
        else if (header->dimensions == 2)
            refuse(c, HN_UNSUPPORTED, "the array has more than two dimensions");
        else
            header->shape[header->dimensions++] = extent;
        if (json_mark(c, ','))
            continue;
        if (!json_mark(c, ')'))
            refuse(c, HN_SYNTAX, "unterminated shape");
        break;
    }
    if (header->dimensions == 0)
        refuse(c, HN_UNSUPPORTED, "the array has no dimensions");
}

static unsigned which_key(const char *key, int length) {
    if (length == 5 && memcmp(key, "descr", 5) == 0)
        return KEY_DESCR;
    if (length == 13 && memcmp(key, "fortran_order", 13) == 0)
        return KEY_ORDER;
    return length == 5 && memcmp(key, "shape", 5) == 0 ? KEY_SHAPE : 0;
}

static void parse_entry(struct json_cursor *c, struct npy_header *header, unsigned *seen) {
    int length;
    const char *key = quoted(c, &length);
    if (!key || !json_mark(c, ':')) {
        refuse(c, HN_SYNTAX, "the header is not a dictionary");
        return;
    }
    unsigned which = which_key(key, length);
    if (which == 0 || (*seen & which))
        refuse(c, HN_SYNTAX, "key '%.*s' %s in the header", length < 40 ? length : 40, key,
               which ? "occurs twice" : "is not allowed");
    *seen |= which;
    if (which == KEY_DESCR)
        parse_descr(c, header);
    else if (which == KEY_ORDER)
        parse_order(c, header);
    else
        parse_shape(c, header);
}

static hn_status parse_dictionary(struct json_cursor *c, struct npy_header *header) {
    unsigned seen = 0;
    if (!json_mark(c, '{'))
        refuse(c, HN_SYNTAX, "the header is not a dictionary");
    while (c->status == HN_OK && !json_mark(c, '}')) {
        parse_entry(c, header, &seen);
        if (json_mark(c, ','))
            continue;
        if (!json_mark(c, '}'))
            refuse(c, HN_SYNTAX, "unterminated dictionary in the header");
        break;
    }
    json_mark(c, ' '); /* blanks may follow */
    if (c->at < c->end)
        refuse(c, HN_SYNTAX, "unexpected data after the header's dictionary");
    if (seen != ALL_KEYS)
        refuse(c, HN_SYNTAX, "the header lacks descr, fortran_order or shape");
    size_t values = 0;
    if (!size_multiply(header->shape[0], header->shape[1], &values) ||
        !size_multiply(values, header->item, &header->bytes))
        refuse(c, HN_SYNTAX, "the shape is too large");
    return c->status;
}

static bool has_magic(const unsigned char *bytes, size_t count) {
    return memcmp(bytes, "\x93NUMPY", count < MAGIC_BYTES ? count : MAGIC_BYTES) == 0;
}

/* Bytes before the dictionary, including its length. */
static size_t prefix_bytes(const unsigned char *bytes) {
    return MAGIC_BYTES + 2 + (bytes[MAGIC_BYTES] == 1 ? 2 : 4);
}

static size_t dictionary_bytes(const unsigned char *bytes) {
    return (size_t)bytes_integer(bytes + MAGIC_BYTES + 2, bytes[MAGIC_BYTES] == 1 ? 2 : 4, false);
}

/* Whether these bytes contain the whole header. Also true if they are not a header: reading more would not help. */
static bool header_is_whole(const unsigned char *bytes, size_t count) {
    if (!has_magic(bytes, count))
        return true;
    if (count <= MAGIC_BYTES || count < prefix_bytes(bytes))
        return false;
    size_t length = dictionary_bytes(bytes);
    return length > MOST_HEADER || count - prefix_bytes(bytes) >= length;
}

hn_status npy_header_parse(struct npy_header *header, const char *name, const unsigned char *bytes, size_t count,
                           hn_error *error) {
    *header = (struct npy_header){.shape = {1, 1}};
    if (count < MAGIC_BYTES + 4 || !has_magic(bytes, count))
        return error_in_file(error, HN_SYNTAX, name, "not a .npy file");
    unsigned major = bytes[MAGIC_BYTES], minor = bytes[MAGIC_BYTES + 1];
    if (major < 1 || major > 3 || minor != 0)
        return error_in_file(error, HN_UNSUPPORTED, name, "unsupported format version %u.%u", major, minor);
    size_t prefix = prefix_bytes(bytes), length = count < prefix ? 0 : dictionary_bytes(bytes);
    if (length > MOST_HEADER)
        return error_in_file(error, HN_LIMIT, name, "the header has %zu bytes, more than the limit of %d", length,
                             MOST_HEADER);
    if (count < prefix || count - prefix < length)
        return error_in_file(error, HN_SYNTAX, name, "the file ends within its header");
    header->data = prefix + length;
    struct json_cursor c = {bytes, bytes + prefix, bytes + header->data, name, error, HN_OK};
    return parse_dictionary(&c, header);
}

/* ---- values ---- */

/* Integers up to 2^53, and booleans, as doubles; false for larger ones. */
static bool from_integer(uint64_t bits, const struct npy_header *header, double *value) {
    uint64_t sign = UINT64_C(1) << ((8 * header->item - 1) & 63);
    bool negative = header->kind == 'i' && (bits & sign);
    uint64_t size = negative ? (~bits + 1) & (sign | (sign - 1)) : bits; /* two's complement of this size */
    if (header->kind == 'b')
        size = bits != 0;
    *value = negative ? -(double)size : (double)size;
    return size <= UINT64_C(1) << 53;
}

static bool read_value(const unsigned char *bytes, const struct npy_header *header, double *value) {
    uint64_t bits = bytes_integer(bytes, header->item, header->big_endian);
    if (header->kind != 'f')
        return from_integer(bits, header, value);
    *value = bytes_real(bits, header->item);
    return true;
}

bool npy_numbers(const struct npy_header *header, const unsigned char *bytes, size_t count, double *out,
                 size_t *culprit) {
    if (header->kind == 'f' && header->item == sizeof(double) && !header->big_endian) {
        for (size_t i = 0; i < count; i++) /* the common case, without a call per number */
            memcpy(&out[i], &(uint64_t){bytes_eight(bytes + i * sizeof *out)}, sizeof *out);
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        *culprit = i;
        if (!read_value(bytes + i * header->item, header, &out[i]))
            return false;
    }
    return true;
}

/* False at an integer that a double cannot represent; sets its row. */
static bool copy_values(const hn_array *array, const struct npy_header *header, const unsigned char *bytes,
                        size_t *culprit) {
    if (!header->fortran_order) {
        bool good = npy_numbers(header, bytes, array->rows * array->columns, array->values, culprit);
        *culprit /= array->columns;
        return good;
    }
    for (size_t i = 0; i < array->rows; i++)
        for (size_t j = 0; j < array->columns; j++) {
            size_t from = j * array->rows + i;
            *culprit = i;
            if (!read_value(bytes + from * header->item, header, &array->values[i * array->columns + j]))
                return false;
        }
    return true;
}

/* ---- reading ---- */

hn_status npy_refuse_integer(const char *name, size_t row, hn_error *error) {
    return error_in_file(error, HN_UNSUPPORTED, name,
                         "an integer in row %zu, counted from 0, exceeds 2^53 and may not be exact in float64", row);
}

hn_status npy_begins(const char *name, const struct file_bytes *begun, size_t *most, hn_error *error) {
    struct npy_header header;
    if (!header_is_whole(begun->data, begun->count))
        return HN_OK;
    hn_status status = npy_header_parse(&header, name, begun->data, begun->count, error);
    if (status == HN_OK && !size_add(header.bytes, header.data, most))
        status = error_in_file(error, HN_SYNTAX, name, "the shape is too large");
    return status;
}

hn_status npy_check_size(const struct npy_header *header, const char *name, size_t data, hn_error *error) {
    if (data > header->bytes) /* for a pipe the excess is unknown */
        return error_in_file(error, HN_SYNTAX, name, "more data than the %zu bytes in the header", header->bytes);
    if (data < header->bytes)
        return error_in_file(error, HN_SYNTAX, name, "%zu bytes of data, but the header specifies %zu", data,
                             header->bytes);
    return HN_OK;
}

hn_status npy_parse(hn_array *array, const char *name, const void *bytes, size_t count, hn_error *error) {
    struct npy_header header;
    size_t culprit = 0;
    *array = (hn_array){.values = NULL};
    hn_status status = npy_header_parse(&header, name, bytes, count, error);
    if (status == HN_OK)
        status = npy_check_size(&header, name, count - header.data, error);
    if (status != HN_OK)
        return status;
    status = hn_array_create(array, header.shape[0], header.shape[1], error);
    if (status != HN_OK)
        return error_no_memory(error, name);
    array->dimensions = header.dimensions;
    if (array->rows == 0 || array->columns == 0) /* no work if rows or columns are 0 */
        return HN_OK;
    if (copy_values(array, &header, (const unsigned char *)bytes + header.data, &culprit))
        return HN_OK;
    hn_array_release(array);
    return npy_refuse_integer(name, culprit, error);
}

/* ---- writing ---- */

enum { HEADER_BYTES = 128 }; /* a multiple of 64, as in NumPy; the longest dictionary here needs 95 */

static void write_header(unsigned char *bytes, size_t rows, size_t columns) {
    char text[HEADER_BYTES];
    int used =
        snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }", rows, columns);
    memset(bytes, ' ', HEADER_BYTES);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = HEADER_BYTES - 10;
    bytes[9] = 0;
    memcpy(bytes + 10, text, (size_t)used);
    bytes[HEADER_BYTES - 1] = '\n';
}

hn_status hn_array_write(const char *path, size_t rows, size_t columns, const double *values, hn_error *error) {
    size_t count = size_product(rows, columns), total = size_sum(size_product(count, sizeof *values), HEADER_BYTES);
    if (!path || !values)
        return error_missing(error, "hn_array_write", path ? "values" : "path");
    unsigned char *bytes = base_allocate(total);
    if (!bytes)
        return error_no_memory(error, path);
    write_header(bytes, rows, columns);
    for (size_t i = 0; i < count; i++)
        bytes_put_real(bytes + HEADER_BYTES + i * sizeof *values, values[i]);
    hn_status status = file_write(path, bytes, total, error);
    base_release(bytes);
    return status;
}
