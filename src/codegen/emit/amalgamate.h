/* amalgamate.h - texts of the library as parts of one file that stands alone.
 *
 * In goes a header's text; out goes the same text without include lines and include guards, with `double` as `real`, the constants of
 * <math.h> and its sqrt under names of ours, and, where numbers are floats, every floating constant with an f behind it. Comments stay:
 * whoever reads the file knows what it does.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_AMALGAMATE_H
#define HN_CODEGEN_AMALGAMATE_H

#include "codegen/print/text.h"

void amalgamate(struct text *out, const char *text, bool single);

/* The text of a file under src/ that the library carries. */
void amalgamate_file(struct text *out, const char *name, bool single);

/* As it is, with a 0 behind it; NULL: there is none. */
const char *amalgamate_find(const char *name);

/* The text that is to be made needs one that is not there: it fails with that reason. */
void amalgamate_lacks(struct text *out, const char *name);

#endif
