/* print_near.c - the entry KERNEL_NEAR as text: whether the weights are those that its statements take for granted, and the statements.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "generate/print.h"

#include <string.h>

/* Slots of weights, and what they are taken to be. Only the samples that are flagged matter. */
static void print_fits(struct text *text, const struct walk *walk) {
    const struct plan *plan = walk->plan;
    text_add(text, "\nstatic int near_fits(double *slots) {\n    wide_bits other = wide_bits_all(0);\n");
    text_add(text, "    static const struct {\n        unsigned slot;\n        double weight;\n    } expected[] = {\n");
    for (uint32_t i = 0; i < plan->rows; i++)
        if (walk->constant_of[plan->scale + i])
            text_add(text, "        {%u, %a},\n", plan->scale + i, walk_number(walk, plan->scale + i));
    text_add(text, "        {%u, 0}};\n", plan->slots + LANES_FLAGS);
    text_add(text, "    for (size_t i = 0; i + 1 < sizeof expected / sizeof expected[0]; i++)\n"
                   "        other |= wide_not_equal(S(expected[i].slot), wide_all(expected[i].weight));\n");
    text_add(text, "    return !wide_any(other & M(%u));\n}\n", plan->slots + LANES_FLAGS);
}

bool print_near(struct text *text, const struct walk *walk) {
    const struct plan *plan = walk->plan;
    bool *kept = base_allocate((size_t)walk->slots * sizeof *kept);
    if (!kept)
        return false;
    memset(kept, 0, walk->slots * sizeof *kept);
    memset(kept + plan->y, true, plan->outputs * sizeof *kept);
    kept[plan->summary + SUMMARY_MOVED] = kept[plan->summary + SUMMARY_USABLE] = true;
    bool done = print_entry(text, walk, KERNEL_NEAR, kept);
    base_release(kept);
    print_fits(text, walk);
    text_add(text, "\nstatic int entry_near_if(double *slots) {\n"
                   "    for (int part = 0; part < LANE_PARTS; part++)\n"
                   "        if (!near_fits(slots + part * WIDTH))\n            return 0;\n"
                   "    entry_near(slots);\n    return 1;\n}\n");
    return done;
}
