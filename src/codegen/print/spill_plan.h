/* spill_plan.h - when the values of a line of statements are needed, and which of them are short enough to be computed again: what spill.c
 * decides by.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SPILL_PLAN_H
#define HN_CODEGEN_SPILL_PLAN_H

#include "codegen/print/spill.h"

#define SPILL_NEVER (UINT32_MAX / 2)

struct keeper {
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

bool keeper_create(struct keeper *k, const struct printer *p, const struct acts *acts, size_t most);
void keeper_release(struct keeper *k);

/* The value that argument a of a statement reads; SPILL_NEVER: it is a constant. */
uint32_t spill_value(const struct keeper *k, uint32_t statement, uint32_t a);

/* When it is needed next, after now. */
uint32_t spill_next(struct keeper *k, uint32_t value, uint32_t now);

/* Whether a value that leaves its variable must go to a place. */
static inline bool spill_must_wait(struct keeper *k, uint32_t value, uint32_t now) {
    return value < 2 * k->statements && !k->place[value] && !k->again[value / 2] &&
           spill_next(k, value, now) != SPILL_NEVER;
}

#endif
