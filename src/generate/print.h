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

/* The elementary functions that the statements call, as call_NAME. */
void print_calls(struct text *text, const struct walk *walk);

/* What entries must leave in its slot; everything: for code that reads more than the walk's entries do. Per slot, from base_allocate;
 * NULL when memory is out. */
bool *print_kept(const struct walk *walk, bool everything);

#endif
