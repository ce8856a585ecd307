/* print_library.h - what texts of kernels that run programs have in common: the library's functions of numbers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_PRINT_LIBRARY_H
#define HN_CUDA_PRINT_LIBRARY_H

#include "codegen/emit/emission.h"

/* Texts of our own files, in this order; cmake/texts.cmake lists them. */
void library_print_files(struct text *out, const char (*names)[48], size_t count);

#define LIBRARY_PRINT_FILES(out, names) library_print_files(out, names, sizeof(names) / sizeof(names)[0])

/* Numbers and elementary functions. */
void library_print_functions(struct text *out);

#endif
