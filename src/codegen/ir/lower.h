/* lower.h - lowers a plan: one walk that writes what each entry computes as statements.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_LOWER_H
#define HN_CODEGEN_LOWER_H

#include "codegen/ir/ir.h"
#include "core/plan.h"
#include "cpu/kernel_table.h"
#include "cpu/lanes_executor.h"

#include <math.h>

/* Slots of generated code, behind those of the listed executor; some are reused. */
enum {
    OWN_CHAINS = 4,
    OWN_WORST = 0,                     /* the largest violation so far, in several chains */
    OWN_LOST = OWN_WORST + OWN_CHAINS, /* bits of a - a: NaN after a value that is not finite */
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
    uint32_t slots;        /* of one sample, those of the executor included */
    uint32_t *constant_of; /* per slot: 1 + the constant in it, or 0 */
    double *constants;
    uint32_t constant_count;
    bool loops;          /* repeated statements become loops */
    uint32_t shortened;  /* operands of a function, at most; 0: as many as are best for its speed */
    bool rolled;         /* device compilers must not unroll the loops */
    bool local;          /* slots are an array of a device's thread */
    uint32_t rows_of_ld; /* slots of L D, one per entry; with loops */
    uint32_t *entry_of;  /* per slot of the plan's own L D, which are reused: the entry in it now */
    uint32_t scaled;     /* slots of z / d of a second right-hand side; the first uses those of 1/d */
    uint32_t *
        result_at; /* per result of the product that is interleaved with the factor: where its pairs begin in the stream */
    bool solves; /* the linear system is among the statements */
    bool whole;  /* long parts are lowered, too, instead of leaving them to loops over lists */
    bool near;   /* for the entry KERNEL_NEAR only: some weights are assumed */
    size_t left; /* bytes of text, about, of the phases whose sums are too long to be lowered */
    struct statements entry[KERNEL_ENTRIES];
    const char *unknown; /* what is not generated, or NULL */
};

hn_status ir_create(struct ir_module *ir, const struct plan *plan, bool adjoint, hn_error *error);
void ir_release(struct ir_module *ir);

/* The same with every statement, however long the sums and the factor's stream are; for kernels that read statements from lists. With a
 * tiled factor: everything but weights, products with A and the system itself, whose memory is not counted either. */
hn_status ir_create_whole(struct ir_module *ir, const struct plan *plan, bool adjoint, hn_error *error);

/* The entry KERNEL_NEAR only, weights and step together; empty if the method or the model has none. The weights of rows with a constant
 * entry are assumed to be what that entry makes them; constant_of has them. */
hn_status ir_create_near(struct ir_module *ir, const struct plan *plan, hn_error *error);

/* The same with the entries KERNEL_RESIDUAL and KERNEL_WEIGH_ALL and, with adjoint, those of the adjoint, which assume these weights,
 * too; empty if KERNEL_NEAR is. */
hn_status ir_create_assumed(struct ir_module *ir, const struct plan *plan, bool adjoint, hn_error *error);

/* The entry KERNEL_ROUND, made of the other entries; empty if the method or the model has no such rounds. */
hn_status ir_round(struct ir_module *ir, hn_error *error);

/* The entry KERNEL_BACK_ROUND: a whole step of the adjoint, if there are rounds and all of the adjoint is generated. */
hn_status ir_back_round(struct ir_module *ir, hn_error *error);

/* Removes the leading 0 from sums of the entry whose zeros may have either sign: no kept number depends on it. again: the statements
 * read what is kept when they run again; it must not be -0 at the beginning. False when out of memory. */
bool ir_drop_zeros(struct ir_module *ir, struct statements *s, const bool *kept, bool again);

/* Moves the late statements of a round to their first use, if that changes nothing. False when out of memory. */
bool ir_weave(struct ir_module *ir, struct statements *s);

static inline bool ir_has_rounds(const struct ir_module *ir) {
    return ir->entry[KERNEL_ROUND].count > 0;
}

/* ---- parts ---- */

/* One phase; the entry stays empty if its sums are so long that loops over lists are better. */
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

void ir_note_constant(struct ir_module *ir, uint32_t slot, double value);

/* The slot, or the constant in it. */
static inline uint32_t ir_operand(const struct ir_module *ir, uint32_t slot) {
    uint32_t constant = ir->constant_of[slot];
    return constant ? STATEMENT_CONSTANT + (constant - 1) : slot;
}

/* The constant in the slot; NaN: none. */
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

#endif
