/* slp_finder.h - what the files that find pairs share: a region's statements, their arguments and users, and their mates so far.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SLP_FINDER_H
#define HN_CODEGEN_SLP_FINDER_H

#include "codegen/passes/slp_vectorize.h"

/* A user of a value: the statement and which of its operands. */
struct use {
    uint32_t statement, operand;
    uint32_t destination; /* which of the values of the statement that is used */
    bool astray;          /* it collects: it has nothing to do with what was collected before */
};

/* What a statement reads. */
struct read {
    uint32_t source;  /* as slp_source */
    uint32_t operand; /* a slot or a constant */
    bool constant, collected, astray;
};

/* Properties of a statement that growing groups read millions of times. */
struct outline {
    uint32_t kind;  /* the same: the same function, with constants in the same places; 0: its value is not needed */
    uint32_t level; /* the longest way to it: statements of the same level do not need each other */
    int weight;     /* about how many instructions it takes */
    uint32_t read_first, reads;
};

struct slp_finder {
    const struct statements *s;
    const struct liveness *liveness;
    size_t first, count; /* statements of the region */
    size_t words;        /* of a set of statements */
    uint64_t *before;    /* per statement: the set of those that it needs, directly or not */
    uint64_t *colour;    /* per statement: RADIUS of them */
    uint32_t *mate;      /* per statement: its mate, itself: none */
    bool *high;          /* it is the second of the two */
    uint32_t *grown;     /* firsts of the group that grows */
    size_t grown_count;
    uint32_t *stack; /* two by two */
    size_t stacked, stack_capacity;
    struct outline *outline;
    struct read *read;
    uint32_t *use_first; /* per statement, and behind the last */
    struct use *use;
    bool loose;   /* what is collected in any order does not wait for what was collected before */
    size_t tried; /* pairs, in all groups */
    bool failed;
};

/* ---- statements and their operands ---- */

static inline const struct statement *slp_at(const struct slp_finder *f, size_t i) {
    return &f->s->list[f->first + i];
}

static inline uint32_t slp_operand(const struct slp_finder *f, size_t i, uint32_t k) {
    return f->s->operands[slp_at(f, i)->first + k];
}

/* 0: a slot or a constant, else 1 + 2 (statement) + destination. With `loose`, a mask that is collected has no source. */
static inline uint32_t slp_source(const struct slp_finder *f, size_t i, uint32_t k) {
    bool collected = f->loose && k == 1 && slp_collects(slp_at(f, i), f->s->operands);
    return collected ? 0 : f->liveness->source[slp_at(f, i)->first + k];
}

static inline bool slp_live(const struct slp_finder *f, size_t i) {
    return f->liveness->used[f->first + i] || f->liveness->stored[f->first + i];
}

static inline bool slp_taken(const struct slp_finder *f, uint32_t i) {
    return f->mate[i] != i;
}

static inline void slp_give_up(struct slp_finder *f, uint32_t a) {
    uint32_t b = f->mate[a];
    f->mate[a] = a;
    f->mate[b] = b;
    f->high[a] = f->high[b] = false;
}

/* The order in which the statements are computed, with their mates; pairs that wait for each other are given up. False when out of memory. */
bool slp_order(struct slp_finder *f, struct slp_pairs *pairs);

#endif
