/* flatten.h - a text with its includes in place.
 *
 * In goes a text of C with lines #include "folder/file.h"; out goes the same text with each of these files, and what they include, in
 * place of the first such line, and once more behind a line that takes its include guard away (#undef). Files come from the library itself (texts.h). Other lines stay as they are, but for those between
 * #ifndef FREESTANDING and #endif, which are for the library alone: includes of files that no emitted text needs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_FLATTEN_H
#define HN_CODEGEN_FLATTEN_H

#include "codegen/print/text.h"

void flatten(struct text *out, const struct text *root);

/* For a text that is compiled with the headers of the C library: with the lines between #ifndef FREESTANDING and #endif. */
void flatten_hosted(struct text *out, const struct text *root);

#endif
