/* amalgamate.h - texts of the library as parts of one file that stands alone.
 *
 * In goes a header's text; out goes the same text without include lines and include guards.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_AMALGAMATE_H
#define HN_CODEGEN_AMALGAMATE_H

#include "codegen/print/text.h"

void amalgamate(struct text *out, const char *text);

/* The text of a file under src/ that the library carries. */
void amalgamate_file(struct text *out, const char *name);

/* As it is, with a 0 behind it; NULL: there is none. */
const char *amalgamate_find(const char *name);

/* The text that is to be made needs one that is not there: it fails with that reason. */
void amalgamate_lacks(struct text *out, const char *name);

#endif
