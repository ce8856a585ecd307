/* library_print.h - what texts of kernels that run programs have in common: the library's functions of numbers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_LIBRARY_PRINT_H
#define HN_DEVICE_LIBRARY_PRINT_H

#include "emit/emission.h"

/* Texts of our own files, in this order; cmake/texts.cmake lists them. */
void library_print_files(struct text *out, const char (*names)[32], size_t count);

#define LIBRARY_PRINT_FILES(out, names) library_print_files(out, names, sizeof(names) / sizeof(names)[0])

/* Numbers and elementary functions. */
void library_print_functions(struct text *out);

#endif
