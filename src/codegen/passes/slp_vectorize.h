/* slp_vectorize.h - superword-level parallelism: pairs statements of a region with the same function, so that one
 * instruction over two numbers computes both, and schedules the pairs.
 *
 * The stages of a model repeat the same statements, and a factor that eliminates a chain from both ends repeats them,
 * too. Operands of a pair are cheapest if they are pairs: groups of pairs grow from a seed along arguments and users;
 * the largest groups are selected first.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SLP_VECTORIZE_H
#define HN_CODEGEN_SLP_VECTORIZE_H

#include "codegen/passes/loop_reroll.h"

/* Statements of one straight-line region, numbered within the region. */
struct slp_pairs {
    struct buffers lists;
    size_t count;
    uint32_t *mate;  /* per statement: its mate, or itself */
    bool *high;      /* per statement: it is the second of its pair */
    uint32_t *order; /* of the statements to print; a pair is represented by its first */
    size_t ordered;
    size_t tried; /* pairs that were considered */
};

/* region: not a loop; sums have at most one product. loose: bits collected in a mask do not depend on each other, and
 * statements are not scheduled; the result has no pairs if there are no such bits. False when out of memory. */
bool slp_find(struct slp_pairs *pairs, const struct statements *s, const struct liveness *liveness,
              const struct region *region, bool loose);
void slp_release(struct slp_pairs *pairs);

/* The statements of an entry, split into regions, with the pairs of each region. */
struct slp_regions {
    struct statements s;
    struct regions regions;
    struct liveness liveness;
    uint32_t slots;          /* those of the module, then additional ones that are never stored */
    struct slp_pairs *pairs; /* per region; empty for loops */
};

/* kept: per slot of the module, as for liveness_find. False when out of memory. */
bool slp_regions_create(struct slp_regions *out, const struct ir_module *ir, enum kernel_entry entry, const bool *kept);
void slp_regions_release(struct slp_regions *paired);

/* Whether the statement adds bits to the mask that is its first argument, in any order. */
static inline bool slp_collects(const struct statement *at, const uint32_t *operands) {
    return (at->function == ROW_LOSE_FINITE || at->function == ROW_MOVES) &&
           operands[at->first] == operands[at->first + 1];
}

static inline bool slp_has(const struct slp_pairs *pairs, uint32_t i) {
    return pairs->mate[i] != i;
}

#endif
