/* flatten.h - replaces includes by the included files.
 *
 * The input is C text with lines #include "folder/file.h"; the output is the same text with each of these files, and what they include, in
 * place of the first such line, and again after an #undef of its include guard. The build embeds the files in the library
 * (cmake/texts.cmake has their list). Other lines are copied, except for those between #ifndef FREESTANDING and #endif: includes of
 * files that no emitted text needs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_FLATTEN_H
#define HN_CODEGEN_FLATTEN_H

#include "codegen/print/text.h"

/* Name (below src/), 0, text, 0, name, 0, ... */
extern const char emit_texts[];
extern const size_t emit_texts_length;

void flatten(struct text *out, const struct text *root);

/* For a text that is compiled with the headers of the C library: with the lines between #ifndef FREESTANDING and #endif. */
void flatten_hosted(struct text *out, const struct text *root);

#endif
