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
static size_t repeat(struct walk *walk, enum kernel_entry entry, size_t first, bool outputs) {
    const struct statements *from = &walk->entry[entry];
    struct statements *s = &walk->entry[KERNEL_ROUND];
    size_t i = first;
    for (; i < from->count; i++) {
        if (!outputs && statements_in_window(s, from->operands[from->list[i].first]))
            break;
        if (from->operands[from->list[i].first] != walk->own + OWN_LOST) /* outputs are looked at later */
            statements_repeat(s, from, i);
    }
    return i;
}

static bool all_are_generated(const struct walk *walk) {
    return walk->solves && walk->entry[KERNEL_EVALUATE].count > 0 && walk->entry[KERNEL_RESIDUAL].count > 0 &&
           walk->entry[KERNEL_STEP_BEGIN].count > 0;
}

/* Rows in the order in which the step asks for their residuals. */
static void order_rows(const struct walk *walk, uint32_t *order, bool *taken) {
    const struct statements *step = &walk->entry[KERNEL_STEP_BEGIN];
    uint32_t count = 0, rows = walk->plan->rows;
    memset(taken, 0, rows * sizeof *taken);
    for (size_t k = 0; k < step->operand_count; k++) {
        uint32_t row = step->operands[k] - walk->plan->right;
        if (row < rows && !taken[row])
            order[count++] = row;
        if (row < rows)
            taken[row] = true;
    }
    for (uint32_t row = 0; row < rows; row++)
        if (!taken[row])
            order[count++] = row;
}

static bool add_rows(struct walk *walk, bool *asks) {
    uint32_t *order = base_allocate((size_t)walk->plan->rows * sizeof *order + 1);
    bool *taken = base_allocate((size_t)walk->plan->rows * sizeof *taken + 1), done = order && taken;
    if (done) {
        order_rows(walk, order, taken);
        *asks = walk_round_rows(walk, &walk->entry[KERNEL_ROUND], order);
    }
    base_release(order);
    base_release(taken);
    return done;
}

/* The judgement stands before the first output moves: it may still ask for the outputs of the round before, which lie there. */
static void add_step(struct walk *walk, bool asks) {
    struct statements *s = &walk->entry[KERNEL_ROUND];
    const struct plan *plan = walk->plan;
    uint32_t nobody = walk->own + OWN_NOW, pivots = plan->system.pivot_range;
    size_t rest = repeat(walk, KERNEL_STEP_BEGIN, 0, false);
    if (asks)
        PUT(walk, s, ROW_LEAVE, nobody, plan->summary + SUMMARY_FINITE);
    PUT(walk, s, ROW_JUDGE, nobody, plan->summary + SUMMARY_WORST);
    repeat(walk, KERNEL_STEP_BEGIN, rest, true);
    if (sample_asks_pivots(&plan->options))
        PUT(walk, s, ROW_LEAVE_SINGULAR, nobody, pivots, pivots + 1);
}

/* What an entry keeps: vectors. */
struct kept_slots {
    uint32_t first[2], count[2];
    size_t vectors;
};

static bool drop_zeros(struct walk *walk, struct statements *s, const struct kept_slots *vectors) {
    bool *kept = base_allocate((size_t)walk->slots * sizeof *kept);
    if (!kept)
        return false;
    memset(kept, 0, walk->slots * sizeof *kept);
    for (size_t v = 0; v < vectors->vectors; v++)
        memset(kept + vectors->first[v], true, vectors->count[v] * sizeof *kept);
    bool done = walk_drop_zeros(walk, s, kept, true);
    base_release(kept);
    return done;
}

hn_status walk_round(struct walk *walk, hn_error *error) {
    const struct plan *plan = walk->plan;
    struct statements *s = &walk->entry[KERNEL_ROUND];
    bool asks = false;
    if (plan->options.stops || !all_are_generated(walk))
        return HN_OK;
    s->window = plan->y;
    s->window_slots = plan->outputs;
    s->round = true;
    repeat(walk, KERNEL_EVALUATE, 0, true);
    bool done = add_rows(walk, &asks);
    s->late = s->count;
    if (done)
        add_step(walk, asks);
    if (done && walk->loops && !s->failed)
        done = walk_weave(walk, s);
    const struct kept_slots y = {{plan->y}, {plan->outputs}, 1};
    done = done && drop_zeros(walk, s, &y);
    return done ? HN_OK : error_no_memory(error, "generated code");
}

/* ---- the way back ---- */

static bool adjoint_is_generated(const struct walk *walk) {
    const uint32_t *first = walk->plan->program.first;
    return walk->entry[KERNEL_BACK_BEGIN].count > 0 && walk->entry[KERNEL_BACK_ROWS].count > 0 &&
           (walk->entry[KERNEL_BACK_PROGRAM].count > 0 || first[3] == first[2]);
}

hn_status walk_back_round(struct walk *walk, hn_error *error) {
    static const enum kernel_entry entries[] = {KERNEL_EVALUATE,  KERNEL_RESIDUAL_BRIEF, KERNEL_BACK_BEGIN,
                                                KERNEL_BACK_ROWS, KERNEL_BACK_PROGRAM,   KERNEL_BACK_END};
    const struct plan *plan = walk->plan;
    struct statements *s = &walk->entry[KERNEL_BACK_ROUND];
    const struct kept_slots gradients = {{plan->gradient, plan->grad_x}, {plan->outputs, plan->inputs}, 2};
    if (!walk_has_rounds(walk) || !adjoint_is_generated(walk))
        return HN_OK;
    s->round = true;
    for (size_t e = 0; e < sizeof entries / sizeof entries[0]; e++) {
        for (size_t i = 0; i < walk->entry[entries[e]].count; i++)
            statements_repeat(s, &walk->entry[entries[e]], i);
        if (entries[e] == KERNEL_RESIDUAL_BRIEF)
            s->late = s->count;
    }
    return drop_zeros(walk, s, &gradients) ? HN_OK : error_no_memory(error, "generated code");
}
