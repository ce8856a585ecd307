/* lower.h - one walk over a plan that writes what each entry computes as statements.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_LOWER_H
#define HN_CODEGEN_LOWER_H

#include "codegen/ir/ir.h"
#include "core/plan.h"
#include "cpu/kernel_table.h"
#include "cpu/lanes_executor.h"

#include <math.h>

/* Slots of generated code's own, behind those of the listed executor. Each has several meanings, at different times. */
enum {
    OWN_CHAINS = 4,
    OWN_WORST = 0,                     /* the largest violation so far, in turns */
    OWN_LOST = OWN_WORST + OWN_CHAINS, /* bits of a - a: NaN once something is not finite */
    OWN_SIZE,
    OWN_WEIGHED,
    OWN_PIVOT,
    OWN_INVERSE, /* numbers */
    OWN_NOW,
    OWN_EQUALITY,
    OWN_BELOW, /* masks */
    OWN_COUNT
};

struct walk {
    const struct plan *plan;
    uint32_t own;          /* the first of these slots */
    uint32_t slots;        /* of one sample, the executor's own included */
    uint32_t *constant_of; /* per slot: 1 + which number it holds for ever, or 0 */
    double *constants;     /* those numbers */
    uint32_t constant_count;
    bool loops;                    /* statements that repeat are rolled up */
    uint32_t shortened;            /* operands of a function, at most; 0: as many as serve its speed */
    const struct dialect *dialect; /* of functions that it can print whole; NULL: all are C */
    uint32_t rows_of_ld;           /* slots of L D, one per entry; where loops are made */
    uint32_t *entry_of;  /* per slot of the plan's own L D, which are used again: the entry that it holds now */
    uint32_t scaled;     /* slots of z / d of a second right-hand side; the first's are where 1/d was */
    uint32_t *result_at; /* per result of the product that is woven in: where its pairs begin in the stream */
    bool solves;         /* the linear system is among the statements */
    bool whole;          /* nothing is left to loops over lists because it is long */
    bool near;           /* for the entry KERNEL_NEAR only: some weights are taken for granted */
    size_t left;         /* about as many bytes of text have phases whose sums are too long to be walked */
    struct statements entry[KERNEL_ENTRIES];
    const char *unknown; /* what is not generated, or NULL */
};

hn_status walk_create(struct walk *walk, const struct plan *plan, bool adjoint, hn_error *error);
void walk_release(struct walk *walk);

/* The same with every statement, however long the sums and the factor's stream are; for whoever reads statements from lists. Where tiles
 * solve: everything but weights, products with A and the system itself, whose memory is not here either. */
hn_status walk_create_whole(struct walk *walk, const struct plan *plan, bool adjoint, hn_error *error);

/* A walk whose entry KERNEL_NEAR alone is there: weights and step at once, empty where the method or the model has none. The weights of
 * rows with a constant entry are taken to be what that entry makes them; constant_of has them. */
hn_status walk_create_near(struct walk *walk, const struct plan *plan, hn_error *error);

/* The same with the entries KERNEL_RESIDUAL and KERNEL_WEIGH_ALL and, with adjoint, those of the way back, which take them for granted,
 * too; empty where KERNEL_NEAR is. */
hn_status walk_create_assumed(struct walk *walk, const struct plan *plan, bool adjoint, hn_error *error);

/* The entry KERNEL_ROUND, of the entries that there are; empty where the method or the model has no such rounds. */
hn_status walk_round(struct walk *walk, hn_error *error);

/* Takes the leading 0 from sums of the entry whose zeros may have either sign: no number that is kept sees which. again: the statements
 * read what is kept when they run again; it must be no -0 at the beginning. False when memory is out. */
bool walk_drop_zeros(struct walk *walk, struct statements *s, const bool *kept, bool again);

/* The late statements of a round where the others ask for them, if that changes nothing. False when memory is out. */
bool walk_weave(struct walk *walk, struct statements *s);

/* The entry KERNEL_BACK_ROUND: a whole step of the adjoint, where there are rounds and all of the adjoint is generated. */
hn_status walk_back_round(struct walk *walk, hn_error *error);

static inline bool walk_has_rounds(const struct walk *walk) {
    return walk->entry[KERNEL_ROUND].count > 0;
}

/* ---- parts ---- */

/* One phase, unless its sums are so long that loops over lists are better: the entry stays empty then. */
void walk_program(struct walk *walk, enum kernel_entry entry, int phase);
void walk_rows(struct walk *walk);
bool walk_round_rows(struct walk *walk, struct statements *s, const uint32_t *order);
void walk_assume_weights(struct walk *walk);
void walk_residual(struct walk *walk);
void walk_weigh_every(struct walk *walk, enum kernel_entry entry);
void walk_step(struct walk *walk);
void walk_adjoint(struct walk *walk);
void walk_around_tiles(struct walk *walk, bool adjoint);
void walk_adjoint_rows(struct walk *walk, enum kernel_entry entry, bool bounds);

/* ---- small things ---- */

void walk_note_constant(struct walk *walk, uint32_t slot, double value);

/* The slot, or the number that it holds for ever. */
static inline uint32_t walk_operand(const struct walk *walk, uint32_t slot) {
    uint32_t constant = walk->constant_of[slot];
    return constant ? STATEMENT_CONSTANT + (constant - 1) : slot;
}

/* The number that the slot holds for ever; NaN: none, or no number. */
static inline double walk_number(const struct walk *walk, uint32_t slot) {
    uint32_t constant = walk->constant_of[slot];
    return constant ? walk->constants[constant - 1] : NAN;
}

/* PUT(walk, statements, function, destination, argument slots...) */
#define PUT(walk, s, function, destination, ...)                                                                       \
    walk_put(walk, s, function, destination, (const uint32_t[]){__VA_ARGS__},                                          \
             sizeof(const uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))
void walk_put(const struct walk *walk, struct statements *s, enum function function, uint32_t destination,
              const uint32_t *slots, size_t count);

static inline bool operand_is_constant(uint32_t operand) {
    return operand >= STATEMENT_CONSTANT;
}

#endif
