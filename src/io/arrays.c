/* arrays.c - see hardnet/arrays.h: whole arrays, and rows of an array in a file, read in chunks.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/arrays.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/system.h"
#include "io/npy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

hn_status hn_array_create(hn_array *out, size_t rows, size_t columns, hn_error *error) {
    size_t bytes = size_product(size_product(rows, columns), sizeof *out->values);
    if (!out)
        return error_missing(error, "hn_array_create", "array");
    *out = (hn_array){.values = NULL};
    double *values = base_allocate(bytes > 0 ? bytes : 1);
    if (!values)
        return error_no_memory(error, "an array");
    if (bytes > 0)
        memset(values, 0, bytes);
    *out = (hn_array){.dimensions = 2, .rows = rows, .columns = columns, .values = values};
    return HN_OK;
}

void hn_array_release(hn_array *array) {
    if (!array)
        return;
    base_release(array->values);
    *array = (hn_array){.values = NULL};
}

/* ---- reading ---- */

enum { LONGEST = 4096 };

/* The length of FILE.npz in FILE.npz:NAME; else the length of the path. */
static size_t file_length(const char *path) {
    static const char mark[] = ".npz:";
    const char *last = NULL;
    for (const char *at = strstr(path, mark); at; at = strstr(at + 1, mark))
        last = at;
    return last ? (size_t)(last - path) + strlen(mark) - 1 : strlen(path);
}

static hn_status refuse_archive(const char *file, hn_error *error) {
    return error_in_file(error, HN_SYNTAX, file, "not a .npz file");
}

static hn_status parse(hn_array *out, const char *file, const char *name, const struct file_bytes *bytes,
                       size_t max_bytes, hn_error *error) {
    if (npz_begins(bytes->data, bytes->count))
        return npz_parse(out, file, name, bytes, max_bytes, error);
    if (name)
        return refuse_archive(file, error);
    return npy_parse(out, file, bytes->data, bytes->count, error);
}

/* Whether it is, or may become, an archive. Its size is limited by the caller's limit and by the sizes of its
 * members. */
static bool may_be_archive(const struct file_bytes *begun, size_t *most) {
    if (npz_begins(begun->data, begun->count))
        *most = FILE_ANY;
    return *most || (begun->count < 4 && memcmp(begun->data, "PK", begun->count < 2 ? begun->count : 2) == 0);
}

static hn_status begins_archive(const char *file, const struct file_bytes *begun, size_t *most, hn_error *error) {
    return may_be_archive(begun, most) ? HN_OK : refuse_archive(file, error);
}

static hn_status arrays_begins(const char *file, const struct file_bytes *begun, size_t *most, hn_error *error) {
    return may_be_archive(begun, most) ? HN_OK : npy_begins(file, begun, most, error);
}

hn_status hn_array_read(hn_array *out, const char *path, size_t max_bytes, hn_error *error) {
    char file[LONGEST];
    struct file_bytes bytes;
    if (!out || !path)
        return error_missing(error, "hn_array_read", out ? "path" : "array");
    *out = (hn_array){.values = NULL};
    size_t length = file_length(path);
    const char *name = path[length] == ':' ? path + length + 1 : NULL;
    if (length >= sizeof file)
        return error_about(error, HN_IO, error_file(path), "%.40s...: the file name is too long", path);
    snprintf(file, sizeof file, "%.*s", (int)length, path);
    if (max_bytes == 0)
        max_bytes = SIZE_MAX / 4 < UINT64_C(4) << 30 ? SIZE_MAX / 4 : (size_t)(UINT64_C(4) << 30);
    hn_status status = file_read_begun(&bytes, file, max_bytes, name ? begins_archive : arrays_begins, error);
    if (status != HN_OK)
        return status;
    status = parse(out, file, name, &bytes, max_bytes, error);
    base_release(bytes.data);
    return status;
}

enum {
    MOST_START = 1 << 17, /* bytes that always include a header */
    STRIPE = 1 << 16      /* numbers per chunk, or one row if that is larger */
};

struct hn_array_rows {
    hn_array array; /* the shape; values, unless the file is open */
    bool open;
    int file;
    struct npy_header header;
    unsigned char *bytes; /* of one chunk */
    char path[];          /* for messages */
};

/* Reads up to count bytes; -1 with errno. */
static ssize_t read_at(int file, unsigned char *bytes, size_t count, off_t from) {
    size_t done = 0;
    while (done < count) {
        ssize_t got = system_read_at(file, bytes + done, count - done, from + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* ---- opening rows ---- */

/* Whether rows can be read separately: a regular file that begins as a .npy file in C order. */
static bool has_separate_rows(hn_array_rows *r, off_t size) {
    ssize_t got = size >= 0 ? read_at(r->file, r->bytes, MOST_START, 0) : -1;
    bool known = got >= 0 && npy_header_parse(&r->header, r->path, r->bytes, (size_t)got, NULL) == HN_OK;
    size_t rows = r->header.shape[0], columns = r->header.shape[1];
    return known && rows > 0 && columns > 0 && !(r->header.fortran_order && rows > 1 && columns > 1);
}

static hn_status open_rows(hn_array_rows *r, off_t size, hn_error *error) {
    hn_status status = npy_check_size(&r->header, r->path, (size_t)size - r->header.data, error);
    if (status != HN_OK)
        return status;
    r->array = (hn_array){r->header.dimensions, r->header.shape[0], r->header.shape[1], NULL};
    size_t numbers = r->array.columns > STRIPE ? r->array.columns : STRIPE;
    unsigned char *room =
        base_reallocate(r->bytes, numbers * r->header.item); /* approximately at most the size of the file */
    if (!room)
        return error_no_memory(error, r->path);
    r->bytes = room;
    return HN_OK;
}

/* A pipe is opened only once: its data cannot be read again. */
static hn_status open_array(hn_array_rows *r, hn_error *error) {
    struct system_facts facts;
    if (system_look(r->path, &facts) == 0 && !system_is_regular(&facts))
        return hn_array_read(&r->array, r->path, 0, error);
    r->file = system_open_read(r->path);
    r->open = r->file >= 0;
    r->bytes = r->open ? base_allocate(MOST_START) : NULL;
    off_t size = r->open ? system_size(r->file) : -1;
    if (r->bytes && has_separate_rows(r, size))
        return open_rows(r, size, error);
    if (r->open)
        system_close(r->file);
    r->open = false;
    return hn_array_read(&r->array, r->path, 0, error);
}

hn_status hn_array_rows_open(hn_array_rows **out, const char *path, hn_error *error) {
    if (!out || !path)
        return error_missing(error, "hn_array_rows_open", out ? "path" : "rows");
    *out = NULL;
    size_t length = strlen(path) + 1;
    hn_array_rows *rows = base_allocate(sizeof *rows + length);
    if (!rows)
        return error_no_memory(error, path);
    *rows = (hn_array_rows){.open = false};
    memcpy(rows->path, path, length);
    hn_status status = open_array(rows, error);
    if (status == HN_OK)
        *out = rows;
    else
        hn_array_rows_close(rows);
    return status;
}

void hn_array_rows_close(hn_array_rows *rows) {
    if (!rows)
        return;
    if (rows->open)
        system_close(rows->file);
    base_release(rows->bytes);
    hn_array_release(&rows->array);
    base_release(rows);
}

void hn_array_rows_get_shape(const hn_array_rows *rows, hn_array *out) {
    if (out)
        *out = rows ? (hn_array){rows->array.dimensions, rows->array.rows, rows->array.columns, NULL}
                    : (hn_array){.values = NULL};
}

/* ---- reading rows ---- */

static hn_status read_stripe(const hn_array_rows *r, size_t first, size_t count, double *out, hn_error *error) {
    size_t row = r->array.columns * r->header.item, bytes = count * row, culprit = 0;
    ssize_t got = read_at(r->file, r->bytes, bytes, (off_t)(r->header.data + first * row));
    if (got < 0)
        return file_error(error, r->path, "read", errno);
    if ((size_t)got < bytes)
        return error_in_file(error, HN_IO, r->path, "the file was truncated while it was read");
    if (npy_numbers(&r->header, r->bytes, count * r->array.columns, out, &culprit))
        return HN_OK;
    return npy_refuse_integer(r->path, first + culprit / r->array.columns, error);
}

static hn_status read_rows(const hn_array_rows *r, size_t first, size_t count, double *out, hn_error *error) {
    size_t most = r->array.columns < STRIPE ? STRIPE / r->array.columns : 1;
    hn_status status = HN_OK;
    for (size_t i = 0; i < count && status == HN_OK; i += most) {
        size_t own = count - i < most ? count - i : most;
        status = read_stripe(r, first + i, own, out + i * r->array.columns, error);
    }
    return status;
}

hn_status hn_array_rows_read(const hn_array_rows *rows, size_t first, size_t count, double *out, hn_error *error) {
    if (!rows || (count > 0 && !out))
        return error_missing(error, "hn_array_rows_read", rows ? "out" : "rows");
    if (first > rows->array.rows || count > rows->array.rows - first)
        return error_about(error, HN_INVALID, error_argument("first"), "%s: no row %zu", rows->path,
                           first > rows->array.rows ? first : rows->array.rows);
    if (rows->open)
        return read_rows(rows, first, count, out, error);
    if (count * rows->array.columns > 0)
        memcpy(out, rows->array.values + first * rows->array.columns, count * rows->array.columns * sizeof *out);
    return HN_OK;
}
