/* bytecode_groups_plan.h - listed statements in groups: those of one function that do not depend on each other stand side by side, so that a thread reads
 * the arguments of several before it waits for any (bytecode_groups.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_BYTECODE_GROUPS_PLAN_H
#define HN_CUDA_BYTECODE_GROUPS_PLAN_H

#include "codegen/ir/lower.h"
#include "codegen/print/text.h"

/* Whether statements of this function make groups: at most three numbers in, one out, nothing long. */
bool batched_may(uint32_t function);

/* Orders statements by how many others they must follow, and those alike by their function. What each of them reads is what it would have
 * read before. False when memory is out, and nothing has changed. */
bool batched_order(struct statements *s, size_t slots);

/* Gives temporaries slots from *next on instead of those below `slots`, which they share; kept: per slot, that it is none. Before the
 * order. False when memory is out, and nothing has changed. */
bool batched_rename(struct statements *s, const bool *kept, size_t slots, uint32_t *next);

/* How many statements from number i on are one group; 1: none. */
size_t batched_count(const struct statements *s, size_t i);

/* The group's word of functions (they are fewer than that), and their functions, behind bytecode_groups.h. used: per function. */
enum { BATCHED_GROUP = 255 };
void batched_print_names(struct text *text);
void batched_print_functions(struct text *text, const bool *used);

#endif
