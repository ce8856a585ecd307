/* lower.c - the order of the walk; programs.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/lower.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <string.h>

enum { WALK_TERMS = 50000, WALK_WORDS = 1000000, WALK_LOOPS_FROM = 6000, TERM_BYTES = 35 };

/* ---- numbers that stay ---- */

void walk_note_constant(struct walk *walk, uint32_t slot, double value) {
    walk->constants[walk->constant_count++] = value;
    walk->constant_of[slot] = walk->constant_count;
}

static void note_constants(struct walk *walk) {
    const struct plan *plan = walk->plan;
    const double *numbers = plan_numbers(plan, plan->program.constants);
    const uint32_t *slot = plan_words(plan, plan->system.constant_slot);
    const double *value = plan_numbers(plan, plan->system.constant_value);
    for (uint32_t i = 0; i < plan->program.constants.count; i++)
        walk_note_constant(walk, i, numbers[i]);
    for (uint32_t i = 0; i < plan->system.constant_slot.count; i++)
        walk_note_constant(walk, slot[i], value[i]);
}

/* Coefficients of the program come first: number i is coefficient i. */
static void note_coefficients(struct walk *walk) {
    const struct plan_list list = walk->plan->program.coefficients;
    if (list.count > 0)
        memcpy(walk->constants, plan_numbers(walk->plan, list), list.count * sizeof *walk->constants);
    walk->constant_count = list.count;
}

static bool take_lists(struct walk *walk) {
    const struct plan *plan = walk->plan;
    size_t count = (size_t)plan->program.constants.count + plan->system.constant_slot.count +
                   plan->program.coefficients.count + 4; /* 0, three times */
    count += walk->near ? (size_t)plan->rows + plan->entries : 0;
    walk->constant_of = base_allocate((size_t)walk->slots * sizeof *walk->constant_of);
    walk->constants = base_allocate(count * sizeof *walk->constants);
    walk->entry_of = base_allocate((size_t)walk->slots * sizeof *walk->entry_of);
    walk->result_at = base_allocate((size_t)walk->slots * sizeof *walk->result_at);
    if (walk->constant_of)
        memset(walk->constant_of, 0, (size_t)walk->slots * sizeof *walk->constant_of);
    return walk->constant_of && walk->constants && walk->entry_of && walk->result_at;
}

void walk_put(const struct walk *walk, struct statements *s, enum function function, uint32_t destination,
              const uint32_t *slots, size_t count) {
    statements_begin(s, function);
    statements_operand(s, destination);
    for (size_t i = 0; i < count; i++)
        statements_operand(s, walk_operand(walk, slots[i]));
}

/* ---- programs ---- */

static void walk_sum(struct walk *walk, struct statements *s, const struct instruction *at) {
    const uint32_t *pair = plan_words(walk->plan, walk->plan->program.pairs) + 2 * (size_t)at->a;
    statements_begin(s, SUM_FIRST);
    statements_operand(s, at->destination);
    for (uint32_t k = 0; k < 2 * at->b; k++)
        statements_operand(s, walk_operand(walk, pair[k]));
}

/* Numbers times slots. */
static void walk_linear(struct walk *walk, struct statements *s, const struct instruction *at) {
    const uint32_t *column = plan_words(walk->plan, walk->plan->program.columns) + at->c;
    statements_begin(s, SUM_FIRST);
    statements_operand(s, at->destination);
    for (uint32_t k = 0; k < at->b; k++) {
        statements_operand(s, STATEMENT_CONSTANT + at->a + k);
        statements_operand(s, walk_operand(walk, column[k]));
    }
}

static void walk_instruction(struct walk *walk, struct statements *s, const struct instruction *at) {
    const uint32_t arguments[] = {at->a, at->b, at->c};
    enum function function = (enum function)at->code;
    statements_begin(s, function);
    statements_operand(s, at->destination);
    for (int i = 0; i < function_shape(function).arguments; i++)
        statements_operand(s, walk_operand(walk, arguments[i])); // NOLINT(*CallAndMessage): programs know no fourth
}

static void walk_code(struct walk *walk, struct statements *s, const struct instruction *at) {
    switch (at->code) {
    case CODE_DOT:
        walk_sum(walk, s, at);
        break;
    case CODE_LINEAR:
        walk_linear(walk, s, at);
        break;
    case CODE_SINCOS:
        statements_begin(s, FUNCTION_SINCOS);
        statements_operand(s, at->destination);
        statements_operand(s, at->c);
        statements_operand(s, walk_operand(walk, at->a));
        break;
    default:
        if (function_shape((enum function)at->code).meaning && at->code < CODE_COUNT)
            walk_instruction(walk, s, at);
        else
            walk->unknown = "an instruction of the program";
    }
}

/* Terms of long sums: as text they would be larger than any cache. */
static bool is_too_long(struct walk *walk, int phase) {
    const struct plan_program *program = &walk->plan->program;
    size_t terms = 0;
    for (uint32_t i = program->first[phase]; i < program->first[phase + 1]; i++) {
        uint32_t code = plan_code(walk->plan)[i].code;
        terms += code == CODE_DOT || code == CODE_LINEAR ? plan_code(walk->plan)[i].b : 0;
    }
    bool longer = terms > WALK_TERMS && !walk->whole;
    walk->left += longer ? TERM_BYTES * terms : 0;
    return longer;
}

void walk_program(struct walk *walk, enum kernel_entry entry, int phase) {
    const struct plan_program *program = &walk->plan->program;
    if (is_too_long(walk, phase))
        return;
    for (uint32_t i = program->first[phase]; i < program->first[phase + 1]; i++)
        walk_code(walk, &walk->entry[entry], &plan_code(walk->plan)[i]);
}

/* ---- all of it ---- */

static void walk_entries(struct walk *walk, bool adjoint) {
    walk_program(walk, KERNEL_PREPARE, 0);
    walk_program(walk, KERNEL_EVALUATE, 1);
    walk_rows(walk);
    if (walk->plan->system.kind == FACTOR_TILED) { /* its kernels have A in forms of their own: the step is loops */
        if (walk->whole)
            walk_around_tiles(walk, adjoint);
        return;
    }
    walk_step(walk);
    if (adjoint)
        walk_adjoint(walk);
}

/* Statements of the weights, and then of the step. */
static void walk_near(struct walk *walk) {
    struct statements *s = &walk->entry[KERNEL_NEAR], *step = &walk->entry[KERNEL_STEP_BEGIN];
    if (!walk->plan->options.weighted || walk->plan->options.method != HN_METHOD_AUTO || !walk->solves)
        return;
    walk_assume_weights(walk);
    walk_weigh_every(walk, KERNEL_NEAR);
    walk_step(walk);
    for (size_t i = 0; i < step->count; i++)
        statements_repeat(s, step, i);
    s->failed = s->failed || step->failed;
    statements_release(step);
}

static void walk_assumed(struct walk *walk, bool adjoint) {
    walk_near(walk);
    if (walk->entry[KERNEL_NEAR].count == 0)
        return;
    walk_residual(walk);
    walk_weigh_every(walk, KERNEL_WEIGH_ALL);
    if (adjoint)
        walk_adjoint(walk);
}

static bool walk_failed(const struct walk *walk) {
    bool failed = false;
    for (int i = 0; i < KERNEL_ENTRIES; i++)
        failed = failed || walk->entry[i].failed;
    return failed;
}

/* Straight code fits into the caches of instructions up to a certain length only. */
static bool is_long(const struct plan *plan) {
    uint32_t code = plan->program.first[2] - plan->program.first[1];
    return (size_t)plan->system.stream.count + 4 * (size_t)code + 10 * (size_t)plan->rows > WALK_LOOPS_FROM;
}

/* What a walk is made for. */
enum walk_kind { WALK_USUAL, WALK_NEAR, WALK_ASSUMED, WALK_WHOLE };

static hn_status create(struct walk *walk, const struct plan *plan, bool adjoint, enum walk_kind kind,
                        hn_error *error) {
    bool near = kind == WALK_NEAR || kind == WALK_ASSUMED;
    const struct plan_system *system = &plan->system;
    *walk = (struct walk){.plan = plan, .near = near, .whole = kind == WALK_WHOLE};
    size_t tiles = system->kind == FACTOR_TILED && !walk->whole
                       ? tiled_workspace(plan->rows, plan->outputs, plan->options.outputs_side)
                       : 0;
    if (plan->slots + tiles >= STATEMENT_CONSTANT / 2)
        return error_set(error, HN_LIMIT, "generated code: the layer has %u slots, too many to number", plan->slots);
    walk->own = (uint32_t)(lanes_tiles_at(plan) + tiles);
    walk->loops = is_long(plan);
    walk->rows_of_ld = walk->own + OWN_COUNT;
    walk->solves = system->kind == FACTOR_LISTED && (walk->whole || system->stream.count <= WALK_WORDS);
    bool lists = walk->loops && (walk->solves || !walk->whole);
    walk->scaled = walk->rows_of_ld + (lists ? system->nonzeros : 0);
    walk->slots = walk->scaled + system->order;
    bool taken = take_lists(walk);
    if (taken) {
        note_coefficients(walk);
        note_constants(walk);
        if (kind == WALK_ASSUMED)
            walk_assumed(walk, adjoint);
        else if (near)
            walk_near(walk);
        else
            walk_entries(walk, adjoint);
    }
    if (!taken || walk_failed(walk)) {
        walk_release(walk);
        return error_no_memory(error, "generated code");
    }
    if (walk->unknown) {
        const char *unknown = walk->unknown;
        walk_release(walk);
        return error_set(error, HN_UNSUPPORTED, "generated code: %s has no generated form yet", unknown);
    }
    return HN_OK;
}

hn_status walk_create(struct walk *walk, const struct plan *plan, bool adjoint, hn_error *error) {
    return create(walk, plan, adjoint, WALK_USUAL, error);
}

hn_status walk_create_whole(struct walk *walk, const struct plan *plan, bool adjoint, hn_error *error) {
    return create(walk, plan, adjoint, WALK_WHOLE, error);
}

hn_status walk_create_near(struct walk *walk, const struct plan *plan, hn_error *error) {
    return create(walk, plan, false, WALK_NEAR, error);
}

hn_status walk_create_assumed(struct walk *walk, const struct plan *plan, bool adjoint, hn_error *error) {
    return create(walk, plan, adjoint, WALK_ASSUMED, error);
}

void walk_release(struct walk *walk) {
    base_release(walk->constant_of);
    base_release(walk->constants);
    base_release(walk->entry_of);
    base_release(walk->result_at);
    for (int i = 0; i < KERNEL_ENTRIES; i++)
        statements_release(&walk->entry[i]);
    *walk = (struct walk){.plan = NULL};
}
