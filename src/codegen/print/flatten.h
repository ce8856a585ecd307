/* flatten.h - replaces includes by the included files.
 *
 * The input is C text with lines #include "folder/file.h". The output replaces the first such line of each file by the
 * file, recursively, and the first one after an #undef of its include guard. The build embeds the files in the library
 * (cmake/texts.cmake lists them). Other lines are copied, except for those between #ifndef FREESTANDING and #endif:
 * includes that emitted texts do not need.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_FLATTEN_H
#define HN_CODEGEN_FLATTEN_H

#include "codegen/print/text.h"

/* Name (below src/), 0, text, 0, name, 0, ... */
extern const char emit_texts[];
extern const size_t emit_texts_length;

void flatten(struct text *out, const struct text *root);

/* Keeps the lines between #ifndef FREESTANDING and #endif, for a text that is compiled with the headers of the C
 * library. */
void flatten_hosted(struct text *out, const struct text *root);

#endif
