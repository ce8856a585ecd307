/* size_limits.h - selects the parts of a kernel to generate: those with a short text.
 *
 * A part is an entry, or several that belong together; the executor can run the listed kernels instead. The length of a
 * part's text is predicted from its statements before printing; loop bodies count once. Parts that are too large would
 * compile for minutes and would not be faster than the loops of the listed kernels: their statements are dropped.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SIZE_LIMITS_H
#define HN_CODEGEN_SIZE_LIMITS_H

#include "codegen/ir/lower.h"

/* Maximum bytes of text of a part. Code for one sample at a time gains less: its limit is an eighth. */
enum { PART_MOST = 1500000, PART_MOST_ALONE = PART_MOST / 8 };

/* Empties the entries of parts that are too large. left: the bytes of their text. HN_UNSUPPORTED if neither values nor
 * weights nor the step remain; the error has their size. */
hn_status parts_choose(struct ir_module *ir, size_t *left, hn_error *error);

/* The same for an entry that repeats other parts. */
hn_status parts_limit(struct ir_module *ir, enum kernel_entry entry, hn_error *error);

/* Approximate bytes of an entry as text; false when out of memory. */
bool parts_predict(const struct ir_module *ir, enum kernel_entry entry, size_t *bytes);

#endif
