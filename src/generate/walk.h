/* walk.h - one walk over a plan that writes what each entry computes as statements.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_GENERATE_WALK_H
#define HN_GENERATE_WALK_H

#include "generate/kernel_table.h"
#include "generate/statements.h"
#include "plan/plan.h"

struct walk {
    const struct plan *plan;
    uint32_t slots;        /* of one sample, the executor's own included */
    uint32_t *constant_of; /* per slot: 1 + which number it holds for ever, or 0 */
    double *constants;     /* those numbers */
    uint32_t constant_count;
    bool solves; /* the linear system is among the statements */
    struct statements entry[KERNEL_ENTRIES];
    const char *unknown; /* what is not generated, or NULL */
};

hn_status walk_create(struct walk *walk, const struct plan *plan, bool adjoint, hn_error *error);
void walk_release(struct walk *walk);

/* ---- parts ---- */

/* One phase, unless its sums are so long that loops over lists are better: the entry stays empty then. */
void walk_program(struct walk *walk, enum kernel_entry entry, int phase);

/* ---- small things ---- */

/* The slot, or the number that it holds for ever. */
static inline uint32_t walk_operand(const struct walk *walk, uint32_t slot) {
    uint32_t constant = walk->constant_of[slot];
    return constant ? STATEMENT_CONSTANT + (constant - 1) : slot;
}

static inline bool operand_is_constant(uint32_t operand) {
    return operand >= STATEMENT_CONSTANT;
}

#endif
