/* print_parts.h - declarations shared by the files that print statements.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_PRINT_PARTS_H
#define HN_CODEGEN_PRINT_PARTS_H

#include "codegen/passes/call_batching.h"
#include "codegen/passes/load_schedule.h"
#include "codegen/print/print.h"

struct printer {
    struct text *text;
    const struct ir_module *ir;
    const struct statements *s;
    const struct liveness *liveness;
    const struct region *region;
    const struct hoisted_loads *hoisted; /* or NULL: slots are loaded at their use */
    const struct call_loop *calls;       /* or NULL: elementary functions are called at their use */
    const struct slp_pairs *pairs;       /* or NULL: single statements */
    bool quick;                          /* reciprocals of pivots report whether they are exact (print_chain) */
    bool keeps; /* slots are loaded into local variables, which may be assigned again (spill.h) */
};

/* Prints statement i of a region; for a pair both statements, i is the first. */
void print_statement(const struct printer *p, size_t i);
void print_meaning(const struct printer *p, size_t i);

/* Slots by which operand k of statement i advances per round. */
int64_t stride_of(const struct printer *p, size_t i, uint32_t k);
void print_slot(const struct printer *p, size_t i, uint32_t k, bool mask);

/* The value of a load, for the statements of its round. */
void print_load_value(const struct printer *p, uint32_t n);

#endif
