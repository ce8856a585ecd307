/* print.h - statements as C text over SIMD vectors (base/wide.h); the macros that it uses are in generate/generated_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_GENERATE_PRINT_H
#define HN_GENERATE_PRINT_H

#include "generate/regions.h"
#include "generate/text.h"
#include "generate/walk.h"

/* One entry: its functions, and `entry_NAME`, which runs them for all samples. kept: as for flow_find. False when memory is out. */
bool print_entry(struct text *text, const struct walk *walk, enum kernel_entry entry, const bool *kept);

const char *entry_text(enum kernel_entry entry);

#endif
