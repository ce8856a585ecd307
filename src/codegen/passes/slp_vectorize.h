/* slp_vectorize.h - superword-level parallelism: pairs of statements of a region that compute the same function of different values, so
 * that one instruction over two numbers does both, and an order in which pairs can be computed.
 *
 * The stages of a model repeat the same statements, and a factor that goes over a chain from both ends computes the same twice. Operands
 * of a pair are cheapest if they are pairs, too: pairs grow from a seed along arguments and users, largest groups first.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SLP_VECTORIZE_H
#define HN_CODEGEN_SLP_VECTORIZE_H

#include "codegen/passes/loop_reroll.h"

/* Statements of one straight region; numbers are those within the region. */
struct slp_pairs {
    struct buffers lists;
    size_t count;
    uint32_t *mate;  /* per statement: the other one of its pair; itself: none */
    bool *high;      /* per statement: it is the second of its pair */
    uint32_t *order; /* of the statements to print: of a pair its first */
    size_t ordered;
    size_t tried; /* pairs that were considered */
};

/* region: without repetition, of statements whose sums have one product at most. loose: bits that are collected in a mask, in any order,
 * do not depend on each other, and no order is found; without such bits there are no pairs then. False when out of memory. */
bool slp_find(struct slp_pairs *pairs, const struct statements *s, const struct liveness *liveness,
              const struct region *region, bool loose);
void slp_release(struct slp_pairs *pairs);

/* An entry's statements, cut into regions, with those of each region in pairs. */
struct slp_regions {
    struct statements s;
    struct regions regions;
    struct liveness liveness;
    uint32_t slots;          /* those of the module, and behind them some that are never stored */
    struct slp_pairs *pairs; /* per region; empty for loops */
};

/* kept: per slot of the module, as for liveness_find. False when out of memory. */
bool slp_regions_create(struct slp_regions *out, const struct ir_module *ir, enum kernel_entry entry, const bool *kept);
void slp_regions_release(struct slp_regions *paired);

/* The statement adds bits to the mask that is its first argument; the order does not matter. */
static inline bool slp_collects(const struct statement *at, const uint32_t *operands) {
    return (at->function == ROW_LOSE_FINITE || at->function == ROW_MOVES) &&
           operands[at->first] == operands[at->first + 1];
}

static inline bool slp_has(const struct slp_pairs *pairs, uint32_t i) {
    return pairs->mate[i] != i;
}

#endif
