/* loop_reroll.h - statements in regions: what becomes one function of generated code each.
 *
 * A region is a stretch of statements. Where the same statements come again and again, over slots that move on by the same distance
 * each time, it is a loop: `period` statements, `repeats` times. Values live in local variables within a region (within one round of
 * a loop) and in slots from one region to the next, so that the time of a compiler grows with the text, not faster.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_LOOP_REROLL_H
#define HN_CODEGEN_LOOP_REROLL_H

#include "codegen/ir/ir.h"

struct region {
    size_t first;  /* statement */
    size_t period; /* statements of one round */
    size_t repeats;
};

struct regions {
    struct region *list;
    size_t count, capacity;
    size_t most; /* operands of one */
    bool failed;
};

/* loops: whether what repeats becomes a loop. constants: what operands from STATEMENT_CONSTANT on stand for. */
void regions_find(struct regions *regions, const struct statements *s, const double *constants, bool loops);
void regions_release(struct regions *regions);

/* The same in functions of at most so many operands, where a compiler's time counts more than theirs. */
void regions_find_short(struct regions *regions, const struct statements *s, const double *constants, bool loops,
                        size_t most);

/* The same of statements whose sums have one product each (slp_vectorize.h). */
void regions_find_split(struct regions *regions, const struct statements *s, const double *constants, bool loops);

/* ---- where the values of a statement come from and go to ---- */

/* For the statements of the first round of each region; those of later rounds are the same. */
struct liveness {
    uint32_t *
        source; /* per operand that is an argument: 0 a slot or a constant, else 1 + 2 (statement in its round) + destination */
    uint8_t *used;   /* per statement: bit d: its destination d is read as a local variable, */
    uint8_t *stored; /* its destination d must be in its slot afterwards */
};

/* kept: per slot, whether its value is needed after the entry. Returns false when memory is out. */
bool liveness_find(struct liveness *liveness, const struct statements *s, const struct regions *regions,
                   const bool *kept, size_t slots);
void liveness_release(struct liveness *liveness);

#endif
