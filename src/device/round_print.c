/* round_print.c - see round_print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device/round_print.h"

#include "base/memory.h"
#include "generate/print.h"

#include <string.h>

#define ROUND_BEGINS                                                                                                   \
    "\nWIDE_INLINE bool lane_round(struct lane *l, double *slots) {\n"                                                 \
    "    struct sample *s = &l->drive.state;\n    const struct sample_options o = layer_options;\n    bool safe = "    \
    "true;\n"
#define DECIDES                                                                                                        \
    "    enum lane_next next = lane_decide(l, slots, &o);\n    if (next == LANE_ENDS)\n        return false;\n"        \
    "    if (next == LANE_MOVED)\n        return true;\n"

static const char counted_begins[] = ROUND_BEGINS "    do {\n";
static const char counted_decides[] = DECIDES;
static const char counted_steps[] = "    s->used = s->eps;\n";
static const char counted_ends[] = "    } while (false);\n    lane_stepped(l, slots, &o);\n    return true;\n}\n";

/* The second pass is that of a step that is taken again, from the base. */
static const char judged_begins[] =
    ROUND_BEGINS "    if (sample_is_fresh(s))\n        lane_rescale(l);\n    for (int pass = 0;; pass++) {\n";
static const char judged_decides[] =
    "    if (pass == 0) {\n" DECIDES "    if (next == LANE_AGAIN)\n        continue;\n    }\n";
static const char judged_steps[] = "    s->used = s->eps;\n    slots[LAYER_EPS] = s->eps;\n";
static const char judged_ends[] = "    break;\n    }\n    lane_stepped(l, slots, &o);\n    return true;\n}\n";

/* A reciprocal is wrong: nothing of the step is in slots yet. */
static const char round_unsafe[] = "    if (!safe) {\n        lane_step_apart(l);\n        break;\n    }\n";
static const char back_unsafe[] = "    if (!safe) {\n        lane_back_apart(b);\n        return;\n    }\n";

static const char back_begins[] = "\nWIDE_INLINE void lane_back_round(struct lane_back *b, double *slots) {\n"
                                  "    const struct sample_options o = layer_options;\n    bool safe = true;\n"
                                  "    if (!lane_back_begin(b, slots, &o))\n        return;\n";
static const char back_weighs[] = "    lane_back_weigh(b, slots, &o);\n";
static const char back_damps[] = "    lane_back_damp(b, slots, &o);\n";
static const char back_ends[] = "}\n";

static void keep(bool *kept, uint32_t slot, uint32_t count) {
    memset(kept + slot, true, count * sizeof *kept);
}

/* What decisions and the next round read. */
static void keep_forward(bool *kept, const struct plan *p) {
    const uint32_t *joint = plan_words(p, p->joint);
    keep(kept, p->y, p->outputs);
    keep(kept, p->summary + SUMMARY_WORST, 1);
    keep(kept, p->summary + SUMMARY_FINITE, 1);
    keep(kept, p->summary + SUMMARY_USABLE, 1);
    if (sample_asks_pivots(&p->options))
        keep(kept, p->system.pivot_range, 2);
    if (!p->options.weighted)
        return;
    keep(kept, p->summary, SUMMARY_COUNT);
    keep(kept, p->scale, p->rows);
    keep(kept, p->largest, 1);
    if (p->options.method != HN_METHOD_AUTO) { /* near the projection nobody judges steps by them */
        keep(kept, p->step_squares, 1);
        keep(kept, p->step_gain, 1);
    }
    for (uint32_t k = 0; k < p->joint.count; k++)
        keep(kept, p->residual + joint[k], 1);
}

/* What the step before, and the end, read. */
static void keep_back(bool *kept, const struct plan *p) {
    keep(kept, p->gradient, p->outputs);
    keep(kept, p->grad_x, p->inputs);
    keep(kept, p->grad_lower, p->rows);
    keep(kept, p->grad_upper, p->rows);
    if (!p->options.weighted)
        return;
    keep(kept, p->summary + SUMMARY_SQUARES, 1);
    keep(kept, p->damped, 1);
}

static bool print_links(struct text *out, const struct walk *walk, const struct print_link *links, size_t count,
                        bool back) {
    bool *kept = base_allocate(walk->slots * sizeof *kept);
    if (!kept)
        return false;
    memset(kept, 0, walk->slots * sizeof *kept);
    if (back)
        keep_back(kept, walk->plan);
    else
        keep_forward(kept, walk->plan);
    bool late = walk->plan->options.weighted; /* else more registers were spilled, not fewer */
    const struct print_chain wanted = {links, count, kept, late, back ? back_unsafe : round_unsafe};
    bool done = print_chain(out, walk, &wanted);
    base_release(kept);
    return done;
}

bool round_print(struct text *out, const struct walk *walk, const struct walk *near) {
    const struct statements *s = walk->entry, *at_once = &near->entry[KERNEL_NEAR];
    const struct print_link counted[] = {{&s[KERNEL_EVALUATE], counted_begins, "", 0},
                                         {&s[KERNEL_RESIDUAL], "", counted_decides, 0},
                                         {&s[KERNEL_STEP_BEGIN], counted_steps, "", 0},
                                         {&s[KERNEL_STEP_END], "", counted_ends, 0}};
    const struct print_link judged[] = {{&s[KERNEL_EVALUATE], judged_begins, "", 0},
                                        {&s[KERNEL_RESIDUAL], "", judged_decides, 0},
                                        {&s[KERNEL_WEIGH_ALL], judged_steps, "", 0},
                                        {&s[KERNEL_STEP_BEGIN], "", "", 0},
                                        {&s[KERNEL_STEP_END], "", judged_ends, 0}};
    const struct print_link nearby[] = {{&s[KERNEL_EVALUATE], judged_begins, "", 0},
                                        {&s[KERNEL_RESIDUAL], "", judged_decides, 0},
                                        {at_once, judged_steps, judged_ends, 0}};
    if (!walk->plan->options.weighted)
        return print_links(out, walk, counted, sizeof counted / sizeof counted[0], false);
    if (at_once->count == 0)
        return print_links(out, walk, judged, sizeof judged / sizeof judged[0], false);
    return print_links(out, near, nearby, sizeof nearby / sizeof nearby[0], false);
}

bool round_print_back(struct text *out, const struct walk *walk) {
    const struct plan *p = walk->plan;
    const struct statements *s = walk->entry;
    const struct print_link counted[] = {
        {&s[KERNEL_EVALUATE], back_begins, "", 0}, {&s[KERNEL_RESIDUAL_BRIEF], "", "", 0},
        {&s[KERNEL_BACK_BEGIN], "", "", 0},        {&s[KERNEL_BACK_ROWS_BOUNDS], "", "", 0},
        {&s[KERNEL_BACK_PROGRAM], "", "", 0},      {&s[KERNEL_BACK_END], "", back_ends, 0}};
    const struct print_link judged[] = {
        {&s[KERNEL_EVALUATE], back_begins, "", 0}, {&s[KERNEL_RESIDUAL], "", back_weighs, 0},
        {&s[KERNEL_WEIGH_ALL], "", "", 0},         {&s[KERNEL_BACK_BEGIN], "", back_damps, p->damped},
        {&s[KERNEL_BACK_ROWS_BOUNDS], "", "", 0},  {&s[KERNEL_BACK_PROGRAM], "", "", 0},
        {&s[KERNEL_BACK_END], "", back_ends, 0}};
    return p->options.weighted ? print_links(out, walk, judged, sizeof judged / sizeof judged[0], true)
                               : print_links(out, walk, counted, sizeof counted / sizeof counted[0], true);
}
