/* rows.c - row access of hardnet/arrays.h: an array in a file, read in chunks.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "io/npy.h"
#include "io/npy_header.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum {
    MOST_START = 1 << 17,
    STRIPE = 1 << 16
}; /* bytes that surely include a header; numbers per chunk, or one row if that is larger */

struct hn_array_rows {
    int dimensions;
    size_t rows, columns;
    bool open; /* `file` is open; otherwise the array is in memory */
    int file;
    struct npy_header header;
    unsigned char *bytes; /* of a chunk */
    hn_array whole;
    char path[]; /* for messages */
};

/* As many bytes as available, at most count; -1 with errno. */
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

/* ---- opening ---- */

/* Whether rows can be read separately: a regular file that begins as a .npy file in C order. */
static bool takes_turns(hn_array_rows *r, off_t size) {
    static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    ssize_t got = size >= 0 ? read_at(r->file, r->bytes, MOST_START, 0) : -1;
    if (got < (ssize_t)sizeof magic || memcmp(r->bytes, magic, sizeof magic) != 0)
        return false;
    bool known = npy_header_parse(&r->header, r->path, r->bytes, (size_t)got, NULL) == HN_OK;
    size_t rows = r->header.shape[0], columns = r->header.shape[1];
    return known && rows > 0 && columns > 0 && !(r->header.fortran_order && rows > 1 && columns > 1);
}

static hn_status take_file(hn_array_rows *r, off_t size, hn_error *error) {
    hn_status status = npy_check_size(&r->header, r->path, (size_t)size - r->header.data, error);
    if (status != HN_OK)
        return status;
    r->dimensions = r->header.dimensions;
    r->rows = r->header.shape[0];
    r->columns = r->header.shape[1];
    size_t numbers = r->columns > STRIPE ? r->columns : STRIPE;
    unsigned char *room =
        base_reallocate(r->bytes, numbers * r->header.item); /* at most the size of the file, roughly */
    if (!room)
        return error_no_memory(error, r->path);
    r->bytes = room;
    return HN_OK;
}

static hn_status take_whole(hn_array_rows *r, hn_error *error) {
    hn_status status = hn_array_read(&r->whole, r->path, 0, error);
    r->dimensions = r->whole.dimensions;
    r->rows = r->whole.rows;
    r->columns = r->whole.columns;
    return status;
}

/* A pipe is opened only once: its data cannot be read again. */
static hn_status take_rows(hn_array_rows *r, hn_error *error) {
    struct system_facts facts;
    if (system_look(r->path, &facts) == 0 && !system_is_regular(&facts))
        return take_whole(r, error);
    r->file = system_open_read(r->path);
    r->open = r->file >= 0;
    r->bytes = r->open ? base_allocate(MOST_START) : NULL;
    off_t size = r->open ? system_size(r->file) : -1;
    if (r->bytes && takes_turns(r, size))
        return take_file(r, size, error);
    if (r->open)
        system_close(r->file);
    r->open = false;
    return take_whole(r, error);
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
    hn_status status = take_rows(rows, error);
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
    hn_array_release(&rows->whole);
    base_release(rows);
}

void hn_array_rows_get_shape(const hn_array_rows *rows, hn_array *out) {
    if (out)
        *out = rows ? (hn_array){rows->dimensions, rows->rows, rows->columns, NULL} : (hn_array){.values = NULL};
}

/* ---- reading ---- */

static hn_status read_stripe(const hn_array_rows *r, size_t first, size_t count, double *out, hn_error *error) {
    size_t row = r->columns * r->header.item, bytes = count * row, culprit = 0;
    ssize_t got = read_at(r->file, r->bytes, bytes, (off_t)(r->header.data + first * row));
    if (got < 0)
        return file_error(error, r->path, "read", errno);
    if ((size_t)got < bytes)
        return error_about(error, HN_IO, error_file(r->path), "%s: the file was truncated while it was read", r->path);
    if (npy_numbers(&r->header, r->bytes, count * r->columns, out, &culprit))
        return HN_OK;
    return npy_refuse_integer(r->path, first + culprit / r->columns, error);
}

static hn_status read_rows(const hn_array_rows *r, size_t first, size_t count, double *out, hn_error *error) {
    size_t most = r->columns < STRIPE ? STRIPE / r->columns : 1;
    hn_status status = HN_OK;
    for (size_t i = 0; i < count && status == HN_OK; i += most) {
        size_t own = count - i < most ? count - i : most;
        status = read_stripe(r, first + i, own, out + i * r->columns, error);
    }
    return status;
}

hn_status hn_array_rows_read(const hn_array_rows *rows, size_t first, size_t count, double *out, hn_error *error) {
    if (!rows || (count > 0 && !out))
        return error_missing(error, "hn_array_rows_read", rows ? "out" : "rows");
    if (first > rows->rows || count > rows->rows - first)
        return error_about(error, HN_INVALID, error_argument("first"), "%s: no row %zu", rows->path,
                           first > rows->rows ? first : rows->rows);
    if (rows->open)
        return read_rows(rows, first, count, out, error);
    if (count * rows->columns > 0)
        memcpy(out, rows->whole.values + first * rows->columns, count * rows->columns * sizeof *out);
    return HN_OK;
}
