/* spill.h - straight code with a limited number of local variables: other values are spilled to an array until their
 * next use.
 *
 * Compilers spill registers, too, but in such long code they know neither that a value can be rematerialised from a
 * slot and a constant, nor its next use. This pass spills the value with the farthest next use:
 *
 *     a slot        loaded again, from its place in the array if it has one; a store to such a slot stores to the place, too
 *     short         recomputed, from slots that have not changed and from sines and cosines that came first
 *     any other     stored to a place in the array once, and loaded from there
 *
 * Recomputation repeats the same operations on the same numbers: the results are bit-identical.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SPILL_H
#define HN_CODEGEN_SPILL_H

#include "codegen/print/print_parts.h"

enum act_kind {
    ACT_STATEMENT,
    ACT_TEXT,   /* may change slots, except for steady ones */
    ACT_QUIET,  /* text that has no effect on samples that continue */
    ACT_AHEAD,  /* sines and cosines that are computed first */
    ACT_SELDOM, /* a block of statements: the next `statement` acts belong to it */
};

struct act {
    enum act_kind kind;
    uint32_t statement;
    const char *text;
};

struct acts {
    struct act *list;
    size_t count, capacity;
    bool failed;
    const bool *ahead;             /* per statement: ACT_AHEAD computes its values */
    const bool *steady;            /* per slot: no text changes it */
    uint32_t pinned, pinned_count; /* these slots have the first places */
};

/* Prints the acts with at most `most` live local variables; *places: size of the spill array. ahead: prints the
 * ACT_AHEAD part. False when out of memory. */
bool spill_print(const struct printer *p, const struct acts *acts, size_t most, uint32_t *places,
                 void (*ahead)(const struct printer *p, const bool *which));

/* ---- the plan: uses of values, and values that are cheap to recompute (spill_plan.c) ---- */

#define SPILL_NEVER (UINT32_MAX / 2)

struct keeper {
    struct buffers lists;
    const struct printer *p;
    const struct acts *acts;
    size_t most;
    uint32_t statements, slots, values;
    /* per value */
    uint32_t *uses; /* current and first index in use_at */
    uint32_t *next;
    uint32_t *last;   /* time of the last use, including rematerialisation of other values */
    uint32_t *place;  /* 1 + its place in the spill array, or 0 */
    uint32_t *stamp;  /* 1 + the time of the statement that uses it now */
    uint32_t *shadow; /* the last block that has loaded its own copy */
    bool *local;      /* it is in its local variable */
    uint32_t *use_at; /* times */
    uint32_t *held;   /* values in local variables */
    size_t held_count;
    uint32_t *free; /* free places */
    size_t free_count;
    uint32_t places, block;
    bool *declared; /* per slot as a number, and as a mask: its variable is declared */
    /* for the plan */
    uint32_t *born;    /* per statement: its time */
    bool *again;       /* per statement: rematerialised */
    uint32_t *written; /* per slot: time of its first store */
    uint32_t *texts;   /* per time: number of earlier texts that may change slots */
};

/* False when out of memory; buffers_release(&k->lists) follows. */
bool keeper_create(struct keeper *k, const struct printer *p, const struct acts *acts, size_t most);

/* The value read by argument a of a statement; SPILL_NEVER: a constant. */
uint32_t spill_value(const struct keeper *k, uint32_t statement, uint32_t a);

/* The time of its next use after now. */
uint32_t spill_next(struct keeper *k, uint32_t value, uint32_t now);

#endif
