/* emission_entries.c - the statements of the layer as functions over slots: one sample at a time, forward and, where asked for, back.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "codegen/emit/emission.h"
#include "codegen/print/print.h"

static const enum kernel_entry entries[] = {KERNEL_PREPARE,          KERNEL_EVALUATE,     KERNEL_RESIDUAL,
                                            KERNEL_RESCALE,          KERNEL_WEIGH_ALL,    KERNEL_LARGEST,
                                            KERNEL_STEP_BEGIN,       KERNEL_STEP_END,     KERNEL_BACK_BEGIN,
                                            KERNEL_BACK_ROWS_BOUNDS, KERNEL_BACK_PROGRAM, KERNEL_BACK_END};
enum { FORWARD_ENTRIES = 8, ENTRIES = sizeof entries / sizeof entries[0] };

/* What a method has no use for does nothing. */
static void print_none(struct text *out, enum kernel_entry entry) {
    text_add(out, "\nstatic void entry_%s(const real *slots) {\n    (void)slots;\n}\n", entry_text(entry));
}

/* ---- what nobody asks for ---- */

/* The range of pivots is hardnet's. Where the driver judges steps (SOLVER_JUDGES) it takes their vectors, instead of sums that most
 * steps have no use for. */
static bool is_unasked(const struct emission *e, uint32_t slot) {
    const struct plan *p = e->plan;
    bool range = slot == p->system.pivot_range || slot == p->system.pivot_range + 1;
    bool judged = slot == p->step_gain || slot == p->step_squares;
    return (range && !sample_asks_pivots(&p->options)) || (judged && emission_drive_judges(e));
}

static void drop_unasked(const struct emission *e, struct statements *s) {
    size_t left = 0;
    for (size_t i = 0; i < s->count; i++)
        if (!is_unasked(e, s->operands[s->list[i].first]))
            s->list[left++] = s->list[i];
    s->count = left;
}

void emission_drop_unasked(struct emission *e) {
    drop_unasked(e, &e->ir.entry[KERNEL_STEP_BEGIN]);
    drop_unasked(e, &e->ir.entry[KERNEL_STEP_END]);
    drop_unasked(e, &e->ir.entry[KERNEL_BACK_BEGIN]);
}

static void keep_judged(const struct emission *e, bool *kept) {
    const struct plan *p = e->plan;
    for (uint32_t i = 0; i < p->rows && emission_drive_judges(e) && !p->options.outputs_side; i++)
        kept[p->unknown + i] = true;
}

/* On the rows' side: the unknowns' zeros may have either sign, for all sums over them begin with 0, the driver's, too. On the other
 * the solution is the step, and y - 0 is not y + 0 where y is -0. */
bool emission_drop_zeros(struct emission *e) {
    if (e->plan->options.outputs_side)
        return true;
    bool *kept = print_kept(&e->ir, false), done = kept != NULL;
    for (uint32_t i = 0; i < e->plan->rows && kept; i++)
        kept[e->plan->unknown + i] = false;
    done = done && ir_drop_zeros(&e->ir, &e->ir.entry[KERNEL_STEP_BEGIN], kept, false);
    base_release(kept);
    return done;
}

/* ---- all of it ---- */

static int entry_count(const struct emission *e) {
    return e->options.adjoint ? ENTRIES : FORWARD_ENTRIES;
}

static bool *find_kept(const struct emission *e) {
    bool *kept = print_kept(&e->ir, false);
    if (kept)
        keep_judged(e, kept);
    for (uint32_t j = 0; j < e->plan->outputs && kept && e->back_alone; j++)
        kept[e->plan->leaf_s + j] = true; /* solver_unclip */
    return kept;
}

bool emission_pair(struct emission *e) {
    bool *kept = find_kept(e), done = kept != NULL;
    for (int i = 0; i < entry_count(e) && done && e->paired; i++)
        done = slp_regions_create(&e->pairs[entries[i]], &e->ir, entries[i], kept);
    base_release(kept);
    return done;
}

void emission_release_pairs(struct emission *e) {
    for (int i = 0; i < KERNEL_ENTRIES; i++)
        slp_regions_release(&e->pairs[i]);
}

static void print_pairs(const struct emission *e, struct text *out) {
    text_add(out, "\n#ifdef PAIRS\n");
    print_calls(out, &e->ir, e->options.libm ? CALLS_HALVES : CALLS_TWO);
    for (int i = 0; i < entry_count(e); i++)
        if (e->ir.entry[entries[i]].count == 0)
            print_none(out, entries[i]);
        else
            print_entry_paired(out, &e->ir, entries[i], &e->pairs[entries[i]]);
    text_add(out, "\n#else\n");
}

static void print_plain(const struct emission *e, struct text *out, const bool *kept) {
    for (int i = 0; i < entry_count(e); i++)
        if (e->ir.entry[entries[i]].count == 0)
            print_none(out, entries[i]);
        else if (e->lists && e->lists->entry[entries[i]])
            e->lists->print(e->lists->own, out, entries[i]);
        else if (!print_entry(out, &e->ir, entries[i], kept, e->hoisted))
            out->failed = true;
}

/* Behind a system that is solved between statements of the way back: loops of somebody else's. */
static void print_middle(const struct emission *e, struct text *out, const bool *kept) {
    if (e->ir.entry[KERNEL_BACK_MIDDLE].count == 0)
        return;
    if (e->lists && e->lists->entry[KERNEL_BACK_MIDDLE])
        e->lists->print(e->lists->own, out, KERNEL_BACK_MIDDLE);
    else if (!print_entry(out, &e->ir, KERNEL_BACK_MIDDLE, kept, e->hoisted))
        out->failed = true;
}

void emission_print_entries(const struct emission *e, struct text *out) {
    struct text printed = {.bytes = NULL};
    bool *kept = find_kept(e);
    if (kept) {
        print_calls(&printed, &e->ir, CALLS_ONE);
        if (e->paired)
            print_pairs(e, &printed);
        print_plain(e, &printed, kept);
        print_middle(e, &printed, kept);
        if (e->paired)
            text_add(&printed, "#endif /* PAIRS */\n\n");
    }
    if (!kept || printed.failed)
        text_fail_with(out, &printed);
    else
        text_add_bytes(out, printed.bytes, printed.length);
    base_release(kept);
    text_drop(&printed);
}
