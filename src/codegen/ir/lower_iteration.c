/* lower_iteration.c - a whole round (iteration) as one list of statements: evaluation, residuals, step, test of the
 * iterate; and a whole step of the adjoint.
 *
 * The statements are those of the entries in sequence; values pass from one entry to the next in local variables if the
 * round is one function. For methods that accept every finite step (paper, hardnet): a round only decides whether a
 * sample may continue, and whether its iterate is the best so far. Outputs are tested to be finite only after many
 * rounds (codegen/kernel/fused_fixed_kernel.h): a non-finite output remains non-finite.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/lower.h"

#include "base/error.h"

#include <string.h>

/* Appends the statements of another entry from `first` up to the first that writes an output; returns its index. */
static size_t repeat(struct ir_module *ir, enum kernel_entry entry, size_t first, bool outputs) {
    const struct statements *from = &ir->entry[entry];
    struct statements *s = &ir->entry[KERNEL_ROUND];
    size_t i = first;
    for (; i < from->count; i++) {
        if (!outputs && statements_in_window(s, from->operands[from->list[i].first]))
            break;
        if (from->operands[from->list[i].first] != ir->own + OWN_LOST) /* outputs are tested later */
            statements_repeat(s, from, i);
    }
    return i;
}

static bool all_are_generated(const struct ir_module *ir) {
    return ir->solves && ir->entry[KERNEL_EVALUATE].count > 0 && ir->entry[KERNEL_RESIDUAL].count > 0 &&
           ir->entry[KERNEL_STEP_BEGIN].count > 0;
}

/* Adds the residuals of a round in the order in which the step reads them. False when out of memory. */
static bool add_rows(struct ir_module *ir, bool *asks) {
    const struct statements *step = &ir->entry[KERNEL_STEP_BEGIN];
    struct buffers buffers = {.count = 0};
    uint32_t count = 0, rows = ir->plan->rows;
    uint32_t *order = buffers_take(&buffers, rows, sizeof *order);
    bool *taken = buffers_take(&buffers, rows, sizeof *taken);
    for (size_t k = 0; k < step->operand_count + rows && !buffers.failed; k++) {
        uint32_t row = k < step->operand_count ? step->operands[k] - ir->plan->right
                                               : (uint32_t)(k - step->operand_count); /* rows not read by it */
        if (row < rows && !taken[row])
            order[count++] = row;
        if (row < rows)
            taken[row] = true;
    }
    if (!buffers.failed)
        *asks = ir_round_rows(ir, &ir->entry[KERNEL_ROUND], order);
    buffers_release(&buffers);
    return !buffers.failed;
}

/* The test precedes the first update of an output: it may still need the outputs of the previous round. */
static void add_step(struct ir_module *ir, bool asks) {
    struct statements *s = &ir->entry[KERNEL_ROUND];
    const struct plan *plan = ir->plan;
    uint32_t unused = ir->own + OWN_NOW, pivots = plan->system.pivot_range;
    size_t rest = repeat(ir, KERNEL_STEP_BEGIN, 0, false);
    if (asks)
        PUT(ir, s, ROW_LEAVE, unused, plan->summary + SUMMARY_FINITE);
    PUT(ir, s, ROW_JUDGE, unused, plan->summary + SUMMARY_WORST);
    repeat(ir, KERNEL_STEP_BEGIN, rest, true);
    if (sample_asks_pivots(&plan->options))
        PUT(ir, s, ROW_LEAVE_SINGULAR, unused, pivots, pivots + 1);
}

/* The entry keeps one or two vectors. */
static bool drop_zeros(struct ir_module *ir, struct statements *s, const uint32_t (*vectors)[2], size_t count) {
    struct buffers buffers = {.count = 0};
    bool *kept = buffers_take(&buffers, ir->slots, sizeof *kept);
    for (size_t v = 0; v < count && kept; v++)
        memset(kept + vectors[v][0], true, vectors[v][1] * sizeof *kept);
    bool done = kept && ir_drop_zeros(ir, s, kept, true);
    buffers_release(&buffers);
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
    const uint32_t y[][2] = {{plan->y, plan->outputs}};
    done = done && drop_zeros(ir, s, y, 1);
    return done ? HN_OK : error_no_memory(error, "generated code");
}

/* ---- the adjoint ---- */

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
    const uint32_t gradients[][2] = {{plan->gradient, plan->outputs}, {plan->grad_x, plan->inputs}};
    if (!ir_has_rounds(ir) || !adjoint_is_generated(ir))
        return HN_OK;
    s->round = true;
    for (size_t e = 0; e < sizeof entries / sizeof entries[0]; e++) {
        statements_append(s, &ir->entry[entries[e]]);
        if (entries[e] == KERNEL_RESIDUAL_BRIEF)
            s->late = s->count;
    }
    return drop_zeros(ir, s, gradients, 2) ? HN_OK : error_no_memory(error, "generated code");
}
