/* walk_round.c - a whole round as one list of statements: evaluation, residuals, step, judgement.
 *
 * The statements are those of the entries, one after the other; what one entry leaves for the next stays in local variables where the
 * round is one function. For methods that take every finite step (paper, hardnet): what is decided in between is whether a sample
 * may go on, and whether its iterate is the best one so far. Whether outputs are finite is asked after many rounds
 * (generate/rounds_kernel.h): an output that is not stays so.
 *
 * SPDX-License-Identifier: MIT */
#include "generate/walk.h"

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
        if (from->list[i].function != ROW_LOSE_FINITE)
            statements_repeat(s, from, i);
    }
    return i;
}

static bool all_are_generated(const struct walk *walk) {
    return walk->solves && walk->entry[KERNEL_EVALUATE].count > 0 && walk->entry[KERNEL_RESIDUAL].count > 0 &&
           walk->entry[KERNEL_STEP_BEGIN].count > 0;
}

/* Rows in the order in which the step asks for their residuals; where loops are made, as they are. */
static void order_rows(const struct walk *walk, uint32_t *order, bool *taken) {
    const struct statements *step = &walk->entry[KERNEL_STEP_BEGIN];
    uint32_t count = 0, rows = walk->plan->rows;
    memset(taken, 0, rows * sizeof *taken);
    for (size_t k = 0; k < step->operand_count && !walk->loops; k++) {
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

hn_status walk_round(struct walk *walk, hn_error *error) {
    const struct plan *plan = walk->plan;
    struct statements *s = &walk->entry[KERNEL_ROUND];
    bool asks = false;
    if (plan->options.stops || !all_are_generated(walk))
        return HN_OK;
    s->window = plan->y;
    s->window_slots = plan->outputs;
    repeat(walk, KERNEL_EVALUATE, 0, true);
    bool done = add_rows(walk, &asks);
    s->late = s->count;
    if (done)
        add_step(walk, asks);
    bool *kept = base_allocate((size_t)walk->slots * sizeof *kept);
    if (kept) {
        memset(kept, 0, walk->slots * sizeof *kept);
        memset(kept + plan->y, true, plan->outputs * sizeof *kept);
        done = walk_drop_zeros(walk, s, kept) && done;
        base_release(kept);
    }
    return done && kept && !s->failed ? HN_OK : error_no_memory(error, "generated code");
}
