/* npy.h - NumPy's .npy files: bytes in, an array of doubles in row-major order out (hardnet/arrays.h lists the
 * supported formats).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_IO_NPY_H
#define HN_IO_NPY_H

#include "base/file.h"
#include "hardnet/arrays.h"

/* On failure the array is empty and values is NULL. `name` is for messages. */
hn_status npy_parse(hn_array *array, const char *name, const void *bytes, size_t count, hn_error *error);

/* The number of bytes of a file with this beginning (base/file.h). */
hn_status npy_begins(const char *name, const struct file_bytes *begun, size_t *most, hn_error *error);

/* ---- for callers that read a file in pieces ---- */

struct npy_header;

/* Whether the size of the data matches the header. */
hn_status npy_check_size(const struct npy_header *header, const char *name, size_t data, hn_error *error);

/* Converts numbers, in file order; false at an integer that a double cannot represent, and sets its position. */
bool npy_numbers(const struct npy_header *header, const unsigned char *bytes, size_t count, double *out,
                 size_t *culprit);
hn_status npy_refuse_integer(const char *name, size_t row, hn_error *error);

#endif
