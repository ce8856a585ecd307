/* library_print.h - what the texts of kernels have in common that run programs: the library's functions of numbers, and its operators.
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

/* program_operator, and what program_text.h calls the instructions that are no operators. */
void library_print_operators(struct text *out);

#endif
