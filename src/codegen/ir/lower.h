/* lower.h - lowers a plan to IR: one pass that appends the statements of each entry.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_LOWER_H
#define HN_CODEGEN_LOWER_H

#include "codegen/ir/ir.h"
#include "core/plan.h"
#include "cpu/kernel_table.h"
#include "cpu/lanes_executor.h"

#include <math.h>

/* Slots of generated code, after those of the listed executor; some are reused. */
enum {
    OWN_CHAINS = 4,
    OWN_WORST = 0,                     /* the largest violation so far, as several partial maxima */
    OWN_LOST = OWN_WORST + OWN_CHAINS, /* bits of a - a: NaN after a non-finite value */
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
    uint32_t slots;        /* per sample, including those of the executor */
    uint32_t *constant_of; /* per slot: 1 + the constant in it, or 0 */
    double *constants;
    uint32_t constant_count;
    bool loops;          /* repeated statements become loops */
    uint32_t shortened;  /* maximum operands per function; 0: the fastest size */
    bool rolled;         /* device compilers must not unroll loops */
    bool local;          /* slots are an array in local memory of a CUDA thread */
    uint32_t rows_of_ld; /* slots of L D, one per entry; with loops */
    uint32_t *entry_of;  /* per slot of L D in the plan, which are reused: the current entry */
    uint32_t scaled;     /* slots of z / d of a second right-hand side; the first uses the slots of 1/d */
    uint32_t *result_at; /* per result of the product interleaved with the factor: offset of its pairs in the stream */
    bool solves;         /* the statements include the linear solve */
    bool whole;          /* also lower long parts, instead of keeping loops over lists */
    bool near;           /* only the entry KERNEL_NEAR: some weights are assumed */
    size_t left;         /* approximate bytes of text of the phases that are too long to be lowered */
    struct statements entry[KERNEL_ENTRIES];
    const char *unknown; /* the unsupported part of the plan, or NULL */
};

hn_status ir_create(struct ir_module *ir, const struct plan *plan, bool adjoint, hn_error *error);
void ir_release(struct ir_module *ir);

/* The same with every statement, however long the sums and the factor's stream are; for kernels that interpret
 * statements. With a tiled factor: everything except weights, products with A and the system; their memory is not
 * counted. */
hn_status ir_create_whole(struct ir_module *ir, const struct plan *plan, bool adjoint, hn_error *error);

/* The entry KERNEL_NEAR only, weights and step together; empty if the method or the model does not use it. The weight
 * of a row with a constant entry is assumed to be determined by that entry; constant_of has it. */
hn_status ir_create_near(struct ir_module *ir, const struct plan *plan, hn_error *error);

/* The same with the entries KERNEL_RESIDUAL and KERNEL_WEIGH_ALL and, with adjoint, those of the adjoint, under the
 * same assumption; empty if KERNEL_NEAR is. */
hn_status ir_create_assumed(struct ir_module *ir, const struct plan *plan, bool adjoint, hn_error *error);

/* The entry KERNEL_ROUND, composed of the other entries; empty if the method or the model has no fused rounds. */
hn_status ir_round(struct ir_module *ir, hn_error *error);

/* The entry KERNEL_BACK_ROUND: a whole step of the adjoint, if there are fused rounds and the whole adjoint is
 * generated. */
hn_status ir_back_round(struct ir_module *ir, hn_error *error);

/* Removes the leading 0 from sums of the entry whose zeros may have either sign: no kept value depends on it. again:
 * the statements run repeatedly and read kept values, which must not be -0 at the start. False when out of memory. */
bool ir_drop_zeros(struct ir_module *ir, struct statements *s, const bool *kept, bool again);

/* Sinks the late statements of a round to their first use if that preserves the results. False when out of memory. */
bool ir_weave(struct ir_module *ir, struct statements *s);

static inline bool ir_has_rounds(const struct ir_module *ir) {
    return ir->entry[KERNEL_ROUND].count > 0;
}

/* ---- parts ---- */

/* One phase; the entry stays empty if its sums are so long that loops over lists are faster. */
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

/* The slot, or its constant. */
static inline uint32_t ir_operand(const struct ir_module *ir, uint32_t slot) {
    uint32_t constant = ir->constant_of[slot];
    return constant ? STATEMENT_CONSTANT + (constant - 1) : slot;
}

/* The constant in the slot, or NaN. */
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
