/* npy.c - see npy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "files/npy.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "files/npy_header.h"

#include <stdio.h>
#include <string.h>

/* ---- values ---- */

static double read_value(const unsigned char *bytes, const struct npy_header *header) {
    uint64_t bits = 0;
    for (size_t i = 0; i < header->item; i++)
        bits = bits << 8 | bytes[header->big_endian ? i : header->item - 1 - i];
    if (header->item == sizeof(float)) {
        uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, sizeof single);
        return (double)single;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void copy_values(const struct npy_array *array, const struct npy_header *header, const unsigned char *bytes) {
    for (size_t i = 0; i < array->rows; i++)
        for (size_t j = 0; j < array->columns; j++) {
            size_t from = header->fortran_order ? j * array->rows + i : i * array->columns + j;
            array->values[i * array->columns + j] = read_value(bytes + from * header->item, header);
        }
}

/* ---- reading ---- */

hn_status npy_parse(struct npy_array *array, const char *name, const void *bytes, size_t count, hn_error *error) {
    struct npy_header header = {.data = 0};
    size_t values, data;
    *array = (struct npy_array){.values = NULL};
    hn_status status = npy_header_parse(&header, name, bytes, count, error);
    if (status != HN_OK)
        return status;
    if (!size_multiply(header.shape[0], header.shape[1], &values) || !size_multiply(values, header.item, &data))
        return error_about(error, HN_SYNTAX, error_file(name), "%s: its shape is too large", name);
    if (count - header.data != data)
        return error_about(error, HN_SYNTAX, error_file(name), "%s: %zu bytes of data, and the header says %zu", name,
                           count - header.data, data);
    struct npy_array filled = {header.dimensions, header.shape[0], header.shape[1], NULL};
    size_t room;
    if (size_multiply(values > 0 ? values : 1, sizeof *filled.values, &room))
        filled.values = base_allocate(room);
    if (!filled.values)
        return error_no_memory(error, name);
    if (values > 0) /* no rows of any number of columns, or any number of rows of none, are no work */
        copy_values(&filled, &header, (const unsigned char *)bytes + header.data);
    *array = filled;
    return HN_OK;
}

hn_status npy_read(struct npy_array *array, const char *path, size_t max_bytes, hn_error *error) {
    struct file_bytes bytes;
    *array = (struct npy_array){.values = NULL};
    hn_status status = file_read(&bytes, path, max_bytes, error);
    if (status != HN_OK)
        return status;
    status = npy_parse(array, path, bytes.data, bytes.count, error);
    base_release(bytes.data);
    return status;
}

void npy_release(struct npy_array *array) {
    base_release(array->values);
    *array = (struct npy_array){.values = NULL};
}

/* ---- writing ---- */

enum { HEADER_BYTES = 128 }; /* a multiple of 64, as NumPy aligns it; the longest dictionary here needs 95 */

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

hn_status npy_write(const char *path, size_t rows, size_t columns, const double *values, hn_error *error) {
    size_t count, data, total;
    unsigned char *bytes = NULL;
    if (size_multiply(rows, columns, &count) && size_multiply(count, sizeof *values, &data) &&
        size_add(data, HEADER_BYTES, &total))
        bytes = base_allocate(total);
    if (!bytes)
        return error_no_memory(error, path);
    write_header(bytes, rows, columns);
    for (size_t i = 0; i < count; i++)
        write_value(bytes + HEADER_BYTES + i * sizeof *values, values[i]);
    hn_status status = file_write(path, bytes, total, error);
    base_release(bytes);
    return status;
}
