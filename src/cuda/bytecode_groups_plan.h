/* bytecode_groups_plan.h - listed statements in groups: those of one function that do not depend on each other, so that a
 * thread reads the arguments of several before it waits for any (kernels/bytecode_run.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_BYTECODE_GROUPS_PLAN_H
#define HN_CUDA_BYTECODE_GROUPS_PLAN_H

#include "codegen/ir/lower.h"
#include "codegen/print/text.h"

/* Orders statements by level, those of a level by function. Each reads the values that it would have read before. False
 * when out of memory; nothing has changed then. */
bool bytecode_order(struct statements *s, size_t slots);

/* Moves temporaries from the slots below `slots`, which they share, to slots from *next on; kept: per slot, that it is not
 * temporary. Before the order. False when out of memory; nothing has changed then. */
bool bytecode_rename(struct statements *s, const bool *kept, size_t slots, uint32_t *next);

/* The number of statements from statement i on that are one group; 1: none. */
size_t bytecode_group_count(const struct statements *s, size_t i);

/* The function of a group's word (functions are fewer), and the text of the functions used in groups. */
enum { BYTECODE_GROUP = 255 };
void bytecode_print_group_functions(struct text *text, const bool *used);

#endif
