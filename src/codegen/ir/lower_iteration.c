/* lower_iteration.c - a whole round as one list of statements: evaluation, residuals, step, judgement; and a whole step of the adjoint.
 *
 * The statements are those of the entries, one after the other; what one entry leaves for the next stays in local variables where the
 * round is one function. For methods that take every finite step (paper, hardnet): what is decided in between is whether a sample
 * may go on, and whether its iterate is the best one so far. Whether outputs are finite is asked after many rounds
 * (codegen/kernel/fused_fixed_kernel.h): an output that is not stays so.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/lower.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Statements of another entry from `first` up to the first one that writes an output; returns its number. */
static size_t repeat(struct ir_module *ir, enum kernel_entry entry, size_t first, bool outputs) {
    const struct statements *from = &ir->entry[entry];
    struct statements *s = &ir->entry[KERNEL_ROUND];
    size_t i = first;
    for (; i < from->count; i++) {
        if (!outputs && statements_in_window(s, from->operands[from->list[i].first]))
            break;
        if (from->operands[from->list[i].first] != ir->own + OWN_LOST) /* outputs are looked at later */
            statements_repeat(s, from, i);
    }
    return i;
}

static bool all_are_generated(const struct ir_module *ir) {
    return ir->solves && ir->entry[KERNEL_EVALUATE].count > 0 && ir->entry[KERNEL_RESIDUAL].count > 0 &&
           ir->entry[KERNEL_STEP_BEGIN].count > 0;
}

/* Rows in the order in which the step asks for their residuals. */
static void order_rows(const struct ir_module *ir, uint32_t *order, bool *taken) {
    const struct statements *step = &ir->entry[KERNEL_STEP_BEGIN];
    uint32_t count = 0, rows = ir->plan->rows;
    memset(taken, 0, rows * sizeof *taken);
    for (size_t k = 0; k < step->operand_count; k++) {
        uint32_t row = step->operands[k] - ir->plan->right;
        if (row < rows && !taken[row])
            order[count++] = row;
        if (row < rows)
            taken[row] = true;
    }
    for (uint32_t row = 0; row < rows; row++)
        if (!taken[row])
            order[count++] = row;
}

static bool add_rows(struct ir_module *ir, bool *asks) {
    uint32_t *order = base_allocate((size_t)ir->plan->rows * sizeof *order + 1);
    bool *taken = base_allocate((size_t)ir->plan->rows * sizeof *taken + 1), done = order && taken;
    if (done) {
        order_rows(ir, order, taken);
        *asks = ir_round_rows(ir, &ir->entry[KERNEL_ROUND], order);
    }
    base_release(order);
    base_release(taken);
    return done;
}

/* The judgement stands before the first output moves: it may still ask for the outputs of the round before, which lie there. */
static void add_step(struct ir_module *ir, bool asks) {
    struct statements *s = &ir->entry[KERNEL_ROUND];
    const struct plan *plan = ir->plan;
    uint32_t nobody = ir->own + OWN_NOW, pivots = plan->system.pivot_range;
    size_t rest = repeat(ir, KERNEL_STEP_BEGIN, 0, false);
    if (asks)
        PUT(ir, s, ROW_LEAVE, nobody, plan->summary + SUMMARY_FINITE);
    PUT(ir, s, ROW_JUDGE, nobody, plan->summary + SUMMARY_WORST);
    repeat(ir, KERNEL_STEP_BEGIN, rest, true);
    if (sample_asks_pivots(&plan->options))
        PUT(ir, s, ROW_LEAVE_SINGULAR, nobody, pivots, pivots + 1);
}

/* What an entry keeps: vectors. */
struct spill_slots {
    uint32_t first[2], count[2];
    size_t vectors;
};

static bool drop_zeros(struct ir_module *ir, struct statements *s, const struct spill_slots *vectors) {
    bool *kept = base_allocate((size_t)ir->slots * sizeof *kept);
    if (!kept)
        return false;
    memset(kept, 0, ir->slots * sizeof *kept);
    for (size_t v = 0; v < vectors->vectors; v++)
        memset(kept + vectors->first[v], true, vectors->count[v] * sizeof *kept);
    bool done = ir_drop_zeros(ir, s, kept, true);
    base_release(kept);
    return done;
}

hn_status ir_round(struct ir_module *ir, hn_error *error) {
    const struct plan *plan = ir->plan;
    struct statements *s = &ir->entry[KERNEL_ROUND];
    bool asks = false;
    if (plan->options.stops || !all_are_generated(ir))
        return HN_OK;
    s->window = plan->y;
    s->window_slots = plan->outputs;
    s->round = true;
    repeat(ir, KERNEL_EVALUATE, 0, true);
    bool done = add_rows(ir, &asks);
    s->late = s->count;
    if (done)
        add_step(ir, asks);
    if (done && ir->loops && !s->failed)
        done = ir_weave(ir, s);
    const struct spill_slots y = {{plan->y}, {plan->outputs}, 1};
    done = done && drop_zeros(ir, s, &y);
    return done ? HN_OK : error_no_memory(error, "generated code");
}

/* ---- the way back ---- */

static bool adjoint_is_generated(const struct ir_module *ir) {
    const uint32_t *first = ir->plan->program.first;
    return ir->entry[KERNEL_BACK_BEGIN].count > 0 && ir->entry[KERNEL_BACK_ROWS].count > 0 &&
           (ir->entry[KERNEL_BACK_PROGRAM].count > 0 || first[3] == first[2]);
}

hn_status ir_back_round(struct ir_module *ir, hn_error *error) {
    static const enum kernel_entry entries[] = {KERNEL_EVALUATE,  KERNEL_RESIDUAL_BRIEF, KERNEL_BACK_BEGIN,
                                                KERNEL_BACK_ROWS, KERNEL_BACK_PROGRAM,   KERNEL_BACK_END};
    const struct plan *plan = ir->plan;
    struct statements *s = &ir->entry[KERNEL_BACK_ROUND];
    const struct spill_slots gradients = {{plan->gradient, plan->grad_x}, {plan->outputs, plan->inputs}, 2};
    if (!ir_has_rounds(ir) || !adjoint_is_generated(ir))
        return HN_OK;
    s->round = true;
    for (size_t e = 0; e < sizeof entries / sizeof entries[0]; e++) {
        for (size_t i = 0; i < ir->entry[entries[e]].count; i++)
            statements_repeat(s, &ir->entry[entries[e]], i);
        if (entries[e] == KERNEL_RESIDUAL_BRIEF)
            s->late = s->count;
    }
    return drop_zeros(ir, s, &gradients) ? HN_OK : error_no_memory(error, "generated code");
}
