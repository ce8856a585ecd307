/* npy.c - see npy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "io/npy.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "io/npy_header.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* The common case, without a call per number. */
static void copy_doubles(const unsigned char *at, size_t count, double *out) {
    for (size_t i = 0; i < count; i++, at += sizeof *out) {
        uint64_t bits = (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
                        (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
        memcpy(&out[i], &bits, sizeof bits);
    }
}

bool npy_numbers(const struct npy_header *header, const unsigned char *bytes, size_t count, double *out,
                 size_t *culprit) {
    if (header->kind == 'f' && header->item == sizeof(double) && !header->big_endian) {
        copy_doubles(bytes, count, out);
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
    return error_about(error, HN_UNSUPPORTED, error_file(name),
                       "%s: an integer in row %zu, counted from 0, exceeds 2^53 and may not be exact in float64", name,
                       row);
}

static bool data_bytes(const struct npy_header *header, size_t *bytes) {
    size_t values;
    return size_multiply(header->shape[0], header->shape[1], &values) && size_multiply(values, header->item, bytes);
}

hn_status npy_begins(const char *name, const struct file_bytes *begun, size_t *most, hn_error *error) {
    struct npy_header header = {.data = 0};
    size_t bytes;
    if (!npy_header_is_whole(begun->data, begun->count))
        return HN_OK;
    hn_status status = npy_header_parse(&header, name, begun->data, begun->count, error);
    if (status == HN_OK && (!data_bytes(&header, &bytes) || !size_add(bytes, header.data, most)))
        status = error_about(error, HN_SYNTAX, error_file(name), "%s: the shape is too large", name);
    return status;
}

hn_status npy_check_size(const struct npy_header *header, const char *name, size_t data, hn_error *error) {
    size_t wanted;
    if (!data_bytes(header, &wanted))
        return error_about(error, HN_SYNTAX, error_file(name), "%s: the shape is too large", name);
    if (data > wanted) /* for a pipe the excess is unknown */
        return error_about(error, HN_SYNTAX, error_file(name), "%s: more data than the %zu bytes in the header", name,
                           wanted);
    if (data < wanted)
        return error_about(error, HN_SYNTAX, error_file(name), "%s: %zu bytes of data, but the header specifies %zu",
                           name, data, wanted);
    return HN_OK;
}

static hn_status take_values(hn_array *array, const struct npy_header *header, const char *name,
                             const unsigned char *bytes, hn_error *error) {
    size_t culprit = 0;
    if (copy_values(array, header, bytes, &culprit))
        return HN_OK;
    hn_array_release(array);
    return npy_refuse_integer(name, culprit, error);
}

hn_status npy_parse(hn_array *array, const char *name, const void *bytes, size_t count, hn_error *error) {
    struct npy_header header = {.data = 0};
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
    return take_values(array, &header, name, (const unsigned char *)bytes + header.data, error);
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

static void write_value(unsigned char *bytes, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (size_t i = 0; i < sizeof bits; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
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
        write_value(bytes + HEADER_BYTES + i * sizeof *values, values[i]);
    hn_status status = file_write(path, bytes, total, error);
    base_release(bytes);
    return status;
}
