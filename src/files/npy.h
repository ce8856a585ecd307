/* npy.h - NumPy's .npy files: bytes in, an array of doubles in row-major order out (hardnet/arrays.h says what is read).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_FILES_NPY_H
#define HN_FILES_NPY_H

#include "hardnet/arrays.h"

/* On failure the array is empty and its values are NULL. The name is for messages. */
hn_status npy_parse(hn_array *array, const char *name, const void *bytes, size_t count, hn_error *error);

#endif
