/* walk_round.c - a whole round as one list of statements: evaluation, residuals, judgement, step.
 *
 * The statements are those of the entries, one after the other; what one entry leaves for the next stays in local variables where the
 * round is one function. For methods that take every finite step (paper, hardnet): what is decided in between is whether a sample
 * may go on, and whether its iterate is the best one so far.
 *
 * SPDX-License-Identifier: MIT */
#include "generate/walk.h"

#include "base/error.h"

static void repeat(struct walk *walk, enum kernel_entry entry) {
    const struct statements *from = &walk->entry[entry];
    struct statements *s = &walk->entry[KERNEL_ROUND];
    for (size_t i = 0; i < from->count; i++) {
        uint32_t last = from->operands[from->list[i].first + from->list[i].count - 1];
        if (from->list[i].function == ROW_LOSE_FINITE && statements_in_window(s, last))
            continue; /* outputs are finite, or there would be no round */
        statements_repeat(s, from, i);
    }
}

static bool all_are_generated(const struct walk *walk) {
    return walk->solves && walk->entry[KERNEL_EVALUATE].count > 0 && walk->entry[KERNEL_RESIDUAL].count > 0 &&
           walk->entry[KERNEL_STEP_BEGIN].count > 0;
}

hn_status walk_round(struct walk *walk, hn_error *error) {
    const struct plan *plan = walk->plan;
    struct statements *s = &walk->entry[KERNEL_ROUND];
    uint32_t nobody = walk->own + OWN_NOW, summary = plan->summary, pivots = plan->system.pivot_range;
    if (plan->options.stops || !all_are_generated(walk))
        return HN_OK;
    s->window = plan->y;
    s->window_slots = plan->outputs;
    repeat(walk, KERNEL_EVALUATE);
    repeat(walk, KERNEL_RESIDUAL);
    PUT(walk, s, ROW_LEAVE, nobody, summary + SUMMARY_FINITE);
    PUT(walk, s, ROW_JUDGE, nobody, summary + SUMMARY_WORST);
    repeat(walk, KERNEL_STEP_BEGIN);
    PUT(walk, s, ROW_LEAVE, nobody, summary + SUMMARY_USABLE);
    if (sample_asks_pivots(&plan->options))
        PUT(walk, s, ROW_LEAVE_SINGULAR, nobody, pivots, pivots + 1);
    return s->failed ? error_no_memory(error, "generated code") : HN_OK;
}
