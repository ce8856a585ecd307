/* size_limits.h - which parts of a kernel are generated: those whose text stays small.
 *
 * A part is what the executor can leave to the listed kernels as a whole: an entry, or several that belong together. The text of a
 * part is predicted from its statements, loops counted once, before anything is printed. One that would be too large keeps a
 * compiler busy for minutes and is no faster than the listed kernels, which are loops: it loses its statements.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SIZE_LIMITS_H
#define HN_CODEGEN_SIZE_LIMITS_H

#include "codegen/ir/lower.h"

/* Bytes of text that a part may have. Code for one sample at a time earns less: an eighth of it. */
enum { PART_MOST = 1500000, PART_MOST_ALONE = PART_MOST / 8 };

/* Empties the entries of the parts that are too large. left: the bytes that these would have had. HN_UNSUPPORTED when neither values
 * nor weights nor the step are left to generate; the error says how large they would be. */
hn_status parts_choose(struct ir_module *ir, size_t *left, hn_error *error);

/* The same for an entry that repeats other parts. */
hn_status parts_limit(struct ir_module *ir, enum kernel_entry entry, hn_error *error);

/* About as many bytes as the entry will have as text; false when memory is out. */
bool parts_predict(const struct ir_module *ir, enum kernel_entry entry, size_t *bytes);

#endif
