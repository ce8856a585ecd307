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

struct ir_module {
    const struct plan *plan;
    uint32_t own;          /* the first of these slots */
    uint32_t slots;        /* of one sample, the executor's own included */
    uint32_t *constant_of; /* per slot: 1 + which number it holds for ever, or 0 */
    double *constants;     /* those numbers */
    uint32_t constant_count;
    bool loops;          /* statements that repeat are rolled up */
    uint32_t shortened;  /* operands of a function, at most; 0: as many as serve its speed */
    bool rolled;         /* loops say that a device must not unroll them */
    bool local;          /* functions say that slots are an array of a device's thread */
    uint32_t rows_of_ld; /* slots of L D, one per entry; where loops are made */
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

hn_status ir_create(struct ir_module *ir, const struct plan *plan, bool adjoint, hn_error *error);
void ir_release(struct ir_module *ir);

/* The same with every statement, however long the sums and the factor's stream are; for whoever reads statements from lists. Where tiles
 * solve: everything but weights, products with A and the system itself, whose memory is not here either. */
hn_status ir_create_whole(struct ir_module *ir, const struct plan *plan, bool adjoint, hn_error *error);

/* A walk whose entry KERNEL_NEAR alone is there: weights and step at once, empty where the method or the model has none. The weights of
 * rows with a constant entry are taken to be what that entry makes them; constant_of has them. */
hn_status ir_create_near(struct ir_module *ir, const struct plan *plan, hn_error *error);

/* The same with the entries KERNEL_RESIDUAL and KERNEL_WEIGH_ALL and, with adjoint, those of the way back, which take them for granted,
 * too; empty where KERNEL_NEAR is. */
hn_status ir_create_assumed(struct ir_module *ir, const struct plan *plan, bool adjoint, hn_error *error);

/* The entry KERNEL_ROUND, of the entries that there are; empty where the method or the model has no such rounds. */
hn_status ir_round(struct ir_module *ir, hn_error *error);

/* Takes the leading 0 from sums of the entry whose zeros may have either sign: no number that is kept sees which. again: the statements
 * read what is kept when they run again; it must be no -0 at the beginning. False when memory is out. */
bool ir_drop_zeros(struct ir_module *ir, struct statements *s, const bool *kept, bool again);

/* The late statements of a round where the others ask for them, if that changes nothing. False when memory is out. */
bool ir_weave(struct ir_module *ir, struct statements *s);

/* The entry KERNEL_BACK_ROUND: a whole step of the adjoint, where there are rounds and all of the adjoint is generated. */
hn_status ir_back_round(struct ir_module *ir, hn_error *error);

static inline bool ir_has_rounds(const struct ir_module *ir) {
    return ir->entry[KERNEL_ROUND].count > 0;
}

/* ---- parts ---- */

/* One phase, unless its sums are so long that loops over lists are better: the entry stays empty then. */
void ir_program(struct ir_module *ir, enum kernel_entry entry, int phase);
void ir_rows(struct ir_module *ir);
bool ir_round_rows(struct ir_module *ir, struct statements *s, const uint32_t *order);
void ir_assume_weights(struct ir_module *ir);
void ir_residual(struct ir_module *ir);
void ir_weigh_every(struct ir_module *ir, enum kernel_entry entry);
void ir_step(struct ir_module *ir);
void ir_adjoint(struct ir_module *ir);
void ir_around_tiles(struct ir_module *ir, bool adjoint);
void ir_adjoint_rows(struct ir_module *ir, enum kernel_entry entry, bool bounds);

/* ---- small things ---- */

void ir_note_constant(struct ir_module *ir, uint32_t slot, double value);

/* The slot, or the number that it holds for ever. */
static inline uint32_t ir_operand(const struct ir_module *ir, uint32_t slot) {
    uint32_t constant = ir->constant_of[slot];
    return constant ? STATEMENT_CONSTANT + (constant - 1) : slot;
}

/* The number that the slot holds for ever; NaN: none, or no number. */
static inline double ir_number(const struct ir_module *ir, uint32_t slot) {
    uint32_t constant = ir->constant_of[slot];
    return constant ? ir->constants[constant - 1] : NAN;
}

/* PUT(walk, statements, function, destination, argument slots...) */
#define PUT(ir, s, function, destination, ...)                                                                         \
    ir_put(ir, s, function, destination, (const uint32_t[]){__VA_ARGS__},                                              \
           sizeof(const uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))
void ir_put(const struct ir_module *ir, struct statements *s, enum function function, uint32_t destination,
            const uint32_t *slots, size_t count);

static inline bool operand_is_constant(uint32_t operand) {
    return operand >= STATEMENT_CONSTANT;
}

#endif
