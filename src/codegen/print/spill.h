/* spill.h - straight code with a limited number of local variables: other values are spilled to an array until their next use.
 *
 * Compilers spill registers, too, but they know neither that a value can be recomputed from a slot and a constant, nor its next use in
 * such long code; here the value with the last next use is spilled. It is
 *
 *     a slot        loaded again, from its place in the array if it has one; a store to such a slot stores to the place, too
 *     short         recomputed, from slots that have not changed and from sines and cosines that came first
 *     any other     stored to a place in the array once, and loaded from there
 *
 * The same operations on the same numbers: no bit changes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SPILL_H
#define HN_CODEGEN_SPILL_H

#include "codegen/print/print_parts.h"

enum act_kind {
    ACT_STATEMENT,
    ACT_TEXT,   /* that may change slots, except for steady ones */
    ACT_QUIET,  /* text that changes nothing for samples that continue */
    ACT_AHEAD,  /* sines and cosines that come first */
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
    const bool *ahead;             /* per statement: its values come from ACT_AHEAD */
    const bool *steady;            /* per slot: no text changes it */
    uint32_t pinned, pinned_count; /* these slots have the first places */
};

/* Prints them, at most so many values in local variables at once; *places: of the array. ahead: prints what comes first. False when
 * out of memory. */
bool spill_print(const struct printer *p, const struct acts *acts, size_t most, uint32_t *places,
                 void (*ahead)(const struct printer *p, const bool *which));

/* ---- the plan: when values are needed, and which of them are short enough to be recomputed (spill_plan.c) ---- */

#define SPILL_NEVER (UINT32_MAX / 2)

struct keeper {
    struct buffers lists;
    const struct printer *p;
    const struct acts *acts;
    size_t most;
    uint32_t statements, slots, values;
    /* per value */
    uint32_t *uses; /* where its uses begin in use_at, and where the next one is */
    uint32_t *next;
    uint32_t *last;   /* the last time it is needed, for others that are computed again, too */
    uint32_t *place;  /* 1 + its place in the array, or 0 */
    uint32_t *stamp;  /* 1 + the time of the statement that needs it now */
    uint32_t *shadow; /* the last block that has loaded it for itself */
    bool *local;      /* it is in its variable */
    uint32_t *use_at; /* times */
    uint32_t *held;   /* values in variables */
    size_t held_count;
    uint32_t *free; /* places, as in `place` */
    size_t free_count;
    uint32_t places, block;
    bool *declared; /* per slot read as a number, and as a mask: it has a variable */
    /* for the plan */
    uint32_t *born;    /* per statement: its time */
    bool *again;       /* per statement: it is computed again */
    uint32_t *written; /* per slot: the first time that a statement writes it */
    uint32_t *texts;   /* per time: texts before it that may change slots */
};

/* False when out of memory; buffers_release(&k->lists) follows. */
bool keeper_create(struct keeper *k, const struct printer *p, const struct acts *acts, size_t most);

/* The value that argument a of a statement reads; SPILL_NEVER: it is a constant. */
uint32_t spill_value(const struct keeper *k, uint32_t statement, uint32_t a);

/* When it is needed next, after now. */
uint32_t spill_next(struct keeper *k, uint32_t value, uint32_t now);

#endif
