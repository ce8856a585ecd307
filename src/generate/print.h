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

/* Several entries as one straight line of statements, whose values stay in local variables from one entry to the next; no function
 * is printed around it. What stands before and behind each is the caller's text. Where that is a condition, or changes a slot, other
 * entries read the slots that the entry has written, or that slot: no entry before it may write them. */
struct print_link {
    enum kernel_entry entry;
    const char *before, *after;
    bool conditional;
    uint32_t changed; /* 0: none */
};
enum { PRINT_LINKS = 8 }; /* at most */

/* False when memory is out. */
bool print_chain(struct text *text, const struct walk *walk, const struct print_link *links, size_t count,
                 const bool *kept);

/* The entry KERNEL_NEAR of walk_create_near's walk, and `entry_near_if`, which looks whether it may run. False when memory is out. */
bool print_near(struct text *text, const struct walk *walk);

const char *entry_text(enum kernel_entry entry);

/* The elementary functions that the statements call, as call_NAME. */
void print_calls(struct text *text, const struct walk *walk);

/* What entries must leave in its slot; everything: for code that reads more than the walk's entries do. Per slot, from base_allocate;
 * NULL when memory is out. */
bool *print_kept(const struct walk *walk, bool everything);

#endif
