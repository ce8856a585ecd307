/* size_limits.h - which parts of a kernel are generated: those whose text stays small.
 *
 * A part is an entry, or several that belong together; the executor can run the listed kernels instead. The text of a part is predicted
 * from its statements, loops counted once, before anything is printed. A part that would be too large takes a compiler minutes and is
 * not faster than the listed kernels, which are loops: its statements are dropped.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SIZE_LIMITS_H
#define HN_CODEGEN_SIZE_LIMITS_H

#include "codegen/ir/lower.h"

/* Bytes of text of a part, at most. Code for one sample at a time gains less: an eighth of it. */
enum { PART_MOST = 1500000, PART_MOST_ALONE = PART_MOST / 8 };

/* Empties the entries of the parts that are too large. left: the bytes of their text. HN_UNSUPPORTED when neither values
 * nor weights nor the step are left to generate; the error says how large they would be. */
hn_status parts_choose(struct ir_module *ir, size_t *left, hn_error *error);

/* The same for an entry that repeats other parts. */
hn_status parts_limit(struct ir_module *ir, enum kernel_entry entry, hn_error *error);

/* The bytes of an entry as text, about; false when out of memory. */
bool parts_predict(const struct ir_module *ir, enum kernel_entry entry, size_t *bytes);

#endif
