/* arrays.c - see hardnet/arrays.h. The formats are those of npy.h and npz.h.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/arrays.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "io/npy.h"
#include "io/npz.h"

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

/* For FILE.npz:NAME the length of FILE.npz; else that of the whole path. */
static size_t file_length(const char *path) {
    static const char mark[] = ".npz:";
    const char *last = NULL;
    for (const char *at = strstr(path, mark); at; at = strstr(at + 1, mark))
        last = at;
    return last ? (size_t)(last - path) + strlen(mark) - 1 : strlen(path);
}

static hn_status refuse_archive(const char *file, hn_error *error) {
    return error_about(error, HN_SYNTAX, error_file(file), "%s: not a .npz file", file);
}

static hn_status parse(hn_array *out, const char *file, const char *name, const struct file_bytes *bytes,
                       size_t max_bytes, hn_error *error) {
    if (npz_begins(bytes->data, bytes->count))
        return npz_parse(out, file, name, bytes, max_bytes, error);
    if (name)
        return refuse_archive(file, error);
    return npy_parse(out, file, bytes->data, bytes->count, error);
}

/* Whether it is, or may become, an archive. Its content is bounded by the limit on its bytes and by the sizes of its
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
