/* npy.h - NumPy's .npy files: bytes in, an array of doubles in row-major order out (hardnet/arrays.h says what is read).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_IO_NPY_H
#define HN_IO_NPY_H

#include "base/file.h"
#include "hardnet/arrays.h"

/* On failure the array is empty and its values are NULL. The name is for messages. */
hn_status npy_parse(hn_array *array, const char *name, const void *bytes, size_t count, hn_error *error);

/* How many bytes a file has that begins like this (base/file.h). */
hn_status npy_begins(const char *name, const struct file_bytes *begun, size_t *most, hn_error *error);

/* ---- parts of it, for whoever reads a file piece by piece ---- */

struct npy_header;

/* Whether the data has as many bytes as the header says. */
hn_status npy_check_size(const struct npy_header *header, const char *name, size_t data, hn_error *error);

/* So many numbers in the file's order; false at an integer that is no double, whose place is the culprit. */
bool npy_numbers(const struct npy_header *header, const unsigned char *bytes, size_t count, double *out,
                 size_t *culprit);
hn_status npy_refuse_integer(const char *name, size_t row, hn_error *error);

#endif
