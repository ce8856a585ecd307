/* slp_vectorize.h - statements in pairs: which two of a region compute the same function of other values, so that one instruction over two
 * numbers does both, and an order in which they can stand together.
 *
 * The stages of a model repeat the same statements, and a factor that goes over a chain from both ends computes the same twice. A
 * pair's operands are best where they are pairs, too: pairs grow from a first one along arguments and users, largest groups first.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SLP_VECTORIZE_H
#define HN_CODEGEN_SLP_VECTORIZE_H

#include "codegen/ir/lower.h"
#include "codegen/passes/loop_reroll.h"

/* Statements of one straight region; numbers are those within the region. */
struct slp_pairs {
    size_t count;
    uint32_t *mate;  /* per statement: the one it stands with; itself: none */
    bool *high;      /* per statement: it is the second of the two */
    uint32_t *order; /* of what is left to print: of a pair its first */
    size_t ordered;
    size_t tried; /* pairs that were looked at to choose these */
};

/* A copy of an entry's statements in which a sum has one product at most. */
void slp_split(struct statements *out, const struct ir_module *ir, const struct statements *s);

/* region: without repetition, of split statements. loose: for slp_collect; what is collected in a mask, which may be in any order,
 * does not wait, and no order is found. Where nothing is collected there are no pairs then. False when memory is out. */
bool slp_find(struct slp_pairs *pairs, const struct statements *s, const struct liveness *liveness,
              const struct region *region, bool loose);

/* A copy of the statements, which are all one region, in which what pairs collect is collected in two halves, until it is needed.
 * Returns how many slots there are then; those behind the others are never stored. */
uint32_t slp_collect(struct statements *out, const struct statements *s, const struct liveness *liveness,
                     const struct slp_pairs *pairs, uint32_t slots);

void slp_release(struct slp_pairs *pairs);

/* Bits of all are collected in the first argument; the order does not matter. */
static inline bool slp_collects(const struct statement *at, const uint32_t *operands) {
    return (at->function == ROW_LOSE_FINITE || at->function == ROW_MOVES) &&
           operands[at->first] == operands[at->first + 1];
}

static inline bool slp_has(const struct slp_pairs *pairs, uint32_t i) {
    return pairs->mate[i] != i;
}

#endif
