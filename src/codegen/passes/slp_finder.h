/* slp_finder.h - state shared by the files that find pairs: a region's statements, their arguments and users, and the
 * current mates.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SLP_FINDER_H
#define HN_CODEGEN_SLP_FINDER_H

#include "codegen/passes/slp_vectorize.h"

/* A use of a value: the statement and the index of its operand. */
struct use {
    uint32_t statement, operand;
    uint32_t destination; /* which value of the defining statement */
    bool astray;          /* a collected mask: the use does not depend on what was collected before */
};

/* An argument of a statement. */
struct read {
    uint32_t source;  /* as slp_source */
    uint32_t operand; /* a slot or a constant */
    bool constant, collected, astray;
};

/* Properties of a statement, cached because growing groups read them millions of times. */
struct outline {
    uint32_t kind;  /* equal for the same function with constants in the same positions; 0: dead statement */
    uint32_t level; /* length of the longest path to it; statements of the same level are independent */
    int weight;     /* approximate instructions */
    uint32_t read_first, reads;
};

struct slp_finder {
    const struct statements *s;
    const struct liveness *liveness;
    size_t first, count; /* statements of the region */
    size_t words;        /* words of a bit set of statements */
    uint64_t *before;    /* per statement: bit set of its transitive dependencies */
    uint64_t *colour;    /* per statement: RADIUS colours */
    uint32_t *mate;      /* per statement: its mate, or itself */
    bool *high;          /* per statement: it is the second of its pair */
    uint32_t *grown;     /* first statements of the group that is being grown */
    size_t grown_count;
    uint32_t *stack; /* of pairs */
    size_t stacked, stack_capacity;
    struct outline *outline;
    struct read *read;
    uint32_t *use_first; /* per statement, plus one */
    struct use *use;
    bool loose;   /* collected masks do not depend on what was collected before */
    size_t tried; /* pairs tried in all groups */
    bool failed;
};

/* ---- statements and their operands ---- */

static inline const struct statement *slp_at(const struct slp_finder *f, size_t i) {
    return &f->s->list[f->first + i];
}

static inline uint32_t slp_operand(const struct slp_finder *f, size_t i, uint32_t k) {
    return f->s->operands[slp_at(f, i)->first + k];
}

/* 0: a slot or a constant; else 1 + 2 (statement) + destination. With `loose`, a collected mask has no source. */
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

/* Schedules statements and pairs; a pair in a dependency cycle is dissolved. False when out of memory. */
bool slp_order(struct slp_finder *f, struct slp_pairs *pairs);

#endif
