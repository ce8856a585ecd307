/* lower.c - lowers the phases of the program, and calls the other files in order.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/lower.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <string.h>

enum { IR_TERMS = 50000, IR_WORDS = 1000000, IR_LOOPS_FROM = 6000, TERM_BYTES = 35 };

/* ---- constants ---- */

void ir_note_constant(struct ir_module *ir, uint32_t slot, double value) {
    ir->constants[ir->constant_count++] = value;
    ir->constant_of[slot] = ir->constant_count;
}

static void note_constants(struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    const double *numbers = plan_numbers(plan, plan->program.constants);
    const uint32_t *slot = plan_words(plan, plan->system.constant_slot);
    const double *value = plan_numbers(plan, plan->system.constant_value);
    for (uint32_t i = 0; i < plan->program.constants.count; i++)
        ir_note_constant(ir, i, numbers[i]);
    for (uint32_t i = 0; i < plan->system.constant_slot.count; i++)
        ir_note_constant(ir, slot[i], value[i]);
}

/* The coefficients of the program come first: constant i is coefficient i. */
static void note_coefficients(struct ir_module *ir) {
    const struct plan_list list = ir->plan->program.coefficients;
    if (list.count > 0)
        memcpy(ir->constants, plan_numbers(ir->plan, list), list.count * sizeof *ir->constants);
    ir->constant_count = list.count;
}

static bool take_lists(struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    size_t count = (size_t)plan->program.constants.count + plan->system.constant_slot.count +
                   plan->program.coefficients.count + 4; /* 0, three times */
    count += ir->near ? (size_t)plan->rows + plan->entries : 0;
    ir->constant_of = base_allocate((size_t)ir->slots * sizeof *ir->constant_of);
    ir->constants = base_allocate(count * sizeof *ir->constants);
    ir->entry_of = base_allocate((size_t)ir->slots * sizeof *ir->entry_of);
    ir->result_at = base_allocate((size_t)ir->slots * sizeof *ir->result_at);
    if (ir->constant_of)
        memset(ir->constant_of, 0, (size_t)ir->slots * sizeof *ir->constant_of);
    return ir->constant_of && ir->constants && ir->entry_of && ir->result_at;
}

void ir_put(const struct ir_module *ir, struct statements *s, enum function function, uint32_t destination,
            const uint32_t *slots, size_t count) {
    statements_add(s, function, destination, NULL, 0);
    for (size_t i = 0; i < count; i++)
        statements_operand(s, ir_operand(ir, slots[i]));
}

/* ---- programs ---- */

static void ir_sum(struct ir_module *ir, struct statements *s, const struct instruction *at) {
    const uint32_t *pairs = plan_words(ir->plan, ir->plan->program.pairs) + 2 * (size_t)at->a;
    ir_put(ir, s, SUM_FIRST, at->destination, pairs, 2 * (size_t)at->b);
}

/* Linear combination of slots. */
static void ir_linear(struct ir_module *ir, struct statements *s, const struct instruction *at) {
    const uint32_t *column = plan_words(ir->plan, ir->plan->program.columns) + at->c;
    statements_add(s, SUM_FIRST, at->destination, NULL, 0);
    for (uint32_t k = 0; k < at->b; k++)
        statements_product(s, STATEMENT_CONSTANT + at->a + k, ir_operand(ir, column[k]));
}

static void ir_instruction(struct ir_module *ir, struct statements *s, const struct instruction *at) {
    const uint32_t arguments[] = {at->a, at->b, at->c};
    enum function function = (enum function)at->code;
    ir_put(ir, s, function, at->destination, arguments, function_shape(function).arguments);
}

static void ir_code(struct ir_module *ir, struct statements *s, const struct instruction *at) {
    switch (at->code) {
    case CODE_DOT:
        ir_sum(ir, s, at);
        break;
    case CODE_LINEAR:
        ir_linear(ir, s, at);
        break;
    case CODE_SINCOS:
        statements_add(s, FUNCTION_SINCOS, at->destination, (const uint32_t[]){at->c, ir_operand(ir, at->a)}, 2);
        break;
    default:
        if (function_shape((enum function)at->code).meaning && at->code < CODE_COUNT)
            ir_instruction(ir, s, at);
        else
            ir->unknown = "an instruction of the program";
    }
}

/* Code with this many terms would exceed any instruction cache. */
static bool is_too_long(struct ir_module *ir, int phase) {
    const struct plan_program *program = &ir->plan->program;
    size_t terms = 0;
    for (uint32_t i = program->first[phase]; i < program->first[phase + 1]; i++) {
        uint32_t code = plan_code(ir->plan)[i].code;
        terms += code == CODE_DOT || code == CODE_LINEAR ? plan_code(ir->plan)[i].b : 0;
    }
    bool longer = terms > IR_TERMS && !ir->whole;
    ir->left += longer ? TERM_BYTES * terms : 0;
    return longer;
}

void ir_program(struct ir_module *ir, enum kernel_entry entry, int phase) {
    const struct plan_program *program = &ir->plan->program;
    if (is_too_long(ir, phase))
        return;
    for (uint32_t i = program->first[phase]; i < program->first[phase + 1]; i++)
        ir_code(ir, &ir->entry[entry], &plan_code(ir->plan)[i]);
}

/* ---- lowering ---- */

static void ir_entries(struct ir_module *ir, bool adjoint) {
    ir_program(ir, KERNEL_PREPARE, 0);
    ir_program(ir, KERNEL_EVALUATE, 1);
    ir_rows(ir);
    if (ir->plan->system.kind == FACTOR_TILED) { /* tiled kernels store A in their own formats: the step stays a loop */
        if (ir->whole)
            ir_around_tiles(ir, adjoint);
        return;
    }
    ir_step(ir);
    if (adjoint)
        ir_adjoint(ir);
}

/* Statements of the weights, then of the step. */
static void ir_near(struct ir_module *ir) {
    struct statements *s = &ir->entry[KERNEL_NEAR], *step = &ir->entry[KERNEL_STEP_BEGIN];
    if (!ir->plan->options.weighted || ir->plan->options.method != HN_METHOD_AUTO || !ir->solves)
        return;
    ir_assume_weights(ir);
    ir_weigh_every(ir, KERNEL_NEAR);
    ir_step(ir);
    statements_append(s, step);
    statements_release(step);
}

static void ir_assumed(struct ir_module *ir, bool adjoint) {
    ir_near(ir);
    if (ir->entry[KERNEL_NEAR].count == 0)
        return;
    ir_residual(ir);
    ir_weigh_every(ir, KERNEL_WEIGH_ALL);
    if (adjoint)
        ir_adjoint(ir);
}

static bool ir_failed(const struct ir_module *ir) {
    for (int i = 0; i < KERNEL_ENTRIES; i++)
        if (ir->entry[i].failed)
            return true;
    return false;
}

/* Longer straight-line code does not fit into the instruction caches. */
static bool is_long(const struct plan *plan) {
    uint32_t code = plan->program.first[2] - plan->program.first[1];
    return (size_t)plan->system.stream.count + 4 * (size_t)code + 10 * (size_t)plan->rows > IR_LOOPS_FROM;
}

enum ir_kind { IR_USUAL, IR_NEAR, IR_ASSUMED, IR_WHOLE };

/* Assigns slots after those of the plan. */
static hn_status number_slots(struct ir_module *ir, hn_error *error) {
    const struct plan *plan = ir->plan;
    const struct plan_system *system = &plan->system;
    size_t tiles = system->kind == FACTOR_TILED && !ir->whole
                       ? tiled_workspace(plan->rows, plan->outputs, plan->options.outputs_side)
                       : 0;
    if (plan->slots + tiles >= STATEMENT_CONSTANT / 2)
        return error_set(error, HN_LIMIT, "generated code: the layer has %u slots, too many to number", plan->slots);
    ir->own = (uint32_t)(lanes_tiles_at(plan) + tiles);
    ir->rows_of_ld = ir->own + OWN_COUNT;
    ir->scaled = ir->rows_of_ld + (ir->loops && (ir->solves || !ir->whole) ? system->nonzeros : 0);
    ir->slots = ir->scaled + system->order;
    return HN_OK;
}

static void lower(struct ir_module *ir, bool adjoint, enum ir_kind kind) {
    const bool blocks = ir->plan->blocks.count > 0;
    note_coefficients(ir);
    note_constants(ir);
    if (kind == IR_ASSUMED && !blocks)
        ir_assumed(ir, adjoint);
    else if (kind == IR_NEAR && !blocks)
        ir_near(ir);
    else if (kind == IR_USUAL || kind == IR_WHOLE)
        ir_entries(ir, adjoint && !blocks);
}

static hn_status lower_create(struct ir_module *ir, const struct plan *plan, bool adjoint, enum ir_kind kind,
                              hn_error *error) {
    *ir = (struct ir_module){.plan = plan, .loops = is_long(plan)};
    ir->near = kind == IR_NEAR || kind == IR_ASSUMED;
    ir->whole = kind == IR_WHOLE;
    ir->solves = plan->system.kind == FACTOR_LISTED && (ir->whole || plan->system.stream.count <= IR_WORDS);
    hn_status status = number_slots(ir, error);
    if (status != HN_OK)
        return status;
    bool taken = take_lists(ir);
    if (taken)
        lower(ir, adjoint, kind);
    if (!taken || ir_failed(ir))
        status = error_no_memory(error, "generated code");
    else if (ir->unknown)
        status = error_set(error, HN_UNSUPPORTED, "generated code: %s has no generated form yet", ir->unknown);
    if (status != HN_OK)
        ir_release(ir);
    return status;
}

hn_status ir_create(struct ir_module *ir, const struct plan *plan, bool adjoint, hn_error *error) {
    return lower_create(ir, plan, adjoint, IR_USUAL, error);
}

hn_status ir_create_whole(struct ir_module *ir, const struct plan *plan, bool adjoint, hn_error *error) {
    return lower_create(ir, plan, adjoint, IR_WHOLE, error);
}

hn_status ir_create_near(struct ir_module *ir, const struct plan *plan, hn_error *error) {
    return lower_create(ir, plan, false, IR_NEAR, error);
}

hn_status ir_create_assumed(struct ir_module *ir, const struct plan *plan, bool adjoint, hn_error *error) {
    return lower_create(ir, plan, adjoint, IR_ASSUMED, error);
}

void ir_release(struct ir_module *ir) {
    base_release(ir->constant_of);
    base_release(ir->constants);
    base_release(ir->entry_of);
    base_release(ir->result_at);
    for (int i = 0; i < KERNEL_ENTRIES; i++)
        statements_release(&ir->entry[i]);
    *ir = (struct ir_module){.plan = NULL};
}
