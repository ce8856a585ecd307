/* npy.h - NumPy's .npy files: bytes in, an array of doubles in row-major order out, and back.
 *
 * Read: float32 and float64, either byte order, C and Fortran order, format versions 1.0 to 3.0, one or two
 * dimensions. Whatever else (objects above all), and files that are shorter or longer than their header says, are
 * refused by name. Written: float64, C order, all or nothing. Nothing in a file is ever executed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_FILES_NPY_H
#define HN_FILES_NPY_H

#include "hardnet/base.h"

struct npy_array {
    int dimensions;       /* 1 or 2 */
    size_t rows, columns; /* one dimension: rows entries in 1 column */
    double *values;       /* rows x columns, from base_allocate; never NULL, not even when empty */
};

/* On failure the array is empty and its values are NULL. The name is for messages. */
hn_status npy_parse(struct npy_array *array, const char *name, const void *bytes, size_t count, hn_error *error);
hn_status npy_read(struct npy_array *array, const char *path, size_t max_bytes, hn_error *error);
void npy_release(struct npy_array *array);

hn_status npy_write(const char *path, size_t rows, size_t columns, const double *values, hn_error *error);

#endif
