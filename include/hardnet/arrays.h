/* hardnet/arrays.h - arrays of numbers in files: reads NumPy's .npy and .npz as rows of doubles, writes .npy.
 *
 * Unstable: a minor version may change this header.
 *
 * Supported are float16, float32 and float64, integers and booleans whose values a double represents exactly, either
 * byte order, C and Fortran order, one or two dimensions. Other content (in particular Python objects) is refused with
 * an error that names it, and so is a file that is shorter or longer than its header specifies. Nothing in a file is
 * ever executed.
 *
 *     hn_array x;  hn_error e;
 *     if (hn_array_read(&x, "samples.npz:x", 0, &e)) puts(e.text);
 *     ...                                                                       (x.values[i * x.columns + j])
 *     hn_array_release(&x);
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_ARRAYS_H
#define HARDNET_ARRAYS_H

#include "hardnet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The caller owns the struct, the library the values; release them with hn_array_release. Not thread-safe while it is
 * filled or released. */
typedef struct hn_array {
    int dimensions;       /* 1 or 2 */
    size_t rows, columns; /* with one dimension: `rows` entries in 1 column */
    double *values;       /* rows x columns; NULL: empty */
} hn_array;

/* Filled with zeros. On failure the array is empty, here and below. */
hn_status hn_array_create(hn_array *out, size_t rows, size_t columns, hn_error *error);

/* Reads a .npy file, or the only array of a .npz file; FILE.npz:NAME is the array with that name. The first bytes are
 * checked first, so that files of other formats, or pipes, are not read further. Devices are HN_IO. A file larger than
 * max_bytes, compressed or decompressed, is refused with HN_LIMIT; 0 means 4 GiB, or a quarter of the address space if
 * that is less. */
hn_status hn_array_read(hn_array *out, const char *path, size_t max_bytes, hn_error *error);

/* Writes rows x columns doubles as .npy, atomically. */
hn_status hn_array_write(const char *path, size_t rows, size_t columns, const double *values, hn_error *error);

void hn_array_release(hn_array *array); /* accepts NULL and empty arrays */

/* ---- arrays larger than memory ---- */

/* An array in a file, read row by row: a .npy file in C order is not loaded, however large. Other files (.npz, Fortran
 * order, a pipe) are read whole, as by hn_array_read. The numbers are the same. One thread at a time. */
typedef struct hn_array_rows hn_array_rows;

hn_status hn_array_rows_open(hn_array_rows **out, const char *path, hn_error *error);
void hn_array_rows_close(hn_array_rows *rows); /* accepts NULL */

/* Dimensions, rows and columns; values is NULL. All 0 if rows is NULL. */
void hn_array_rows_get_shape(const hn_array_rows *rows, hn_array *out);

/* Reads count rows from row `first` on. HN_IO if the file has been truncated meanwhile. */
hn_status hn_array_rows_read(const hn_array_rows *rows, size_t first, size_t count, double *out, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
