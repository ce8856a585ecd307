/* texts.h - texts of the library's own files, by name: what emitted files are made of.
 *
 * The build makes them of the files themselves (cmake/texts.cmake has their list), so that the library needs none of them later.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_TEXTS_H
#define HN_CODEGEN_TEXTS_H

#include <stddef.h>

/* Name (below src/), 0, text, 0, name, 0, ... */
extern const char emit_texts[];
extern const size_t emit_texts_length;

#endif
