/* library_symbols.h - the functions of a library that was opened by dlopen, taken into a struct of pointers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_LIBRARY_SYMBOLS_H
#define HN_CUDA_LIBRARY_SYMBOLS_H

#include <stddef.h>

struct symbol_place {
    char name[48];
    size_t offset; /* of the pointer in the struct */
};

/* Fills the pointers of `out`. NULL, or the name of the first that the library does not have. */
const char *symbols_take(void *object, const struct symbol_place *places, size_t count, void *out);

#endif
