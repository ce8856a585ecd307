/* hardnet/arrays.h - arrays of numbers in files: NumPy's .npy and .npz in, rows of doubles out, and
 * back to .npy.
 *
 * This header is still moving: a minor version may change it.
 *
 * What is read: float16, float32 and float64, integers and booleans whose every value a double can
 * hold, either byte order, C and Fortran order, one or two dimensions. Anything else in a file
 * (objects above all) is refused by name, and so is a file that is shorter or longer than its
 * header says. Nothing in a file is ever executed.
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

/* The struct is the caller's, its values are the library's and go with hn_array_release. One thread
 * at a time fills or releases it. */
typedef struct hn_array {
    int dimensions;       /* 1 or 2 */
    size_t rows, columns; /* of one dimension: rows entries in 1 column */
    double *values;       /* rows x columns; NULL: there is no array */
} hn_array;

/* Zeros. On failure the array is empty, here and below. */
hn_status hn_array_create(hn_array *out, size_t rows, size_t columns, hn_error *error);

/* A .npy file, or the only array of a .npz file; FILE.npz:NAME is the array of that name. Its first
 * bytes are checked first, so that of another file, or of a pipe, no more is read. Devices are HN_IO. A file
 * that is larger than max_bytes, packed or unpacked, is refused with HN_LIMIT; 0 is 4 GiB, or what
 * fits into a quarter of the address space. */
hn_status hn_array_read(hn_array *out, const char *path, size_t max_bytes, hn_error *error);

/* Writes rows x columns doubles as .npy, whole or not at all. */
hn_status hn_array_write(const char *path, size_t rows, size_t columns, const double *values, hn_error *error);

void hn_array_release(hn_array *array); /* NULL and empty arrays are fine */

/* ---- arrays larger than the memory ---- */

/* An array in a file, read row by row: a .npy file in C order stays where it is, however large. What
 * cannot be read so (.npz, Fortran order, a pipe) is read whole, as hn_array_read does. The numbers
 * are the same. One thread at a time. */
typedef struct hn_array_rows hn_array_rows;

hn_status hn_array_rows_open(hn_array_rows **out, const char *path, hn_error *error);
void hn_array_rows_close(hn_array_rows *rows); /* NULL is fine */

/* Its dimensions, rows and columns; values is NULL. All 0 without one. */
void hn_array_rows_get_shape(const hn_array_rows *rows, hn_array *out);

/* count rows from row `first` on. A file that has become shorter meanwhile is HN_IO. */
hn_status hn_array_rows_read(const hn_array_rows *rows, size_t first, size_t count, double *out, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
