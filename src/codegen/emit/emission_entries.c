/* emission_entries.c - the statements of the layer as functions over slots: one sample at a time, forward and, if
 * requested, backward.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "codegen/emit/emission.h"
#include "codegen/print/print.h"

#include <string.h>

const struct emission_entry emission_entries[EMISSION_ENTRIES] = {
    {KERNEL_PREPARE, PART_PREPARE},       {KERNEL_EVALUATE, PART_EVALUATE}, {KERNEL_RESIDUAL, PART_EVALUATE},
    {KERNEL_RESCALE, PART_EVALUATE},      {KERNEL_WEIGH_ALL, PART_STEP},    {KERNEL_LARGEST, PART_STEP},
    {KERNEL_STEP_BEGIN, PART_STEP},       {KERNEL_STEP_END, PART_STEP},     {KERNEL_BACK_BEGIN, PART_BACK},
    {KERNEL_BACK_ROWS_BOUNDS, PART_BACK}, {KERNEL_BACK_PROGRAM, PART_BACK}, {KERNEL_BACK_END, PART_BACK}};

/* Number of entries in a file; the entries of the adjoint come last. */
static int entry_count(const struct emission *e) {
    int count = 0;
    while (count < EMISSION_ENTRIES && (e->options.adjoint || emission_entries[count].part != PART_BACK))
        count++;
    return count;
}

/* ---- unused results ---- */

/* Only some methods need the range of pivots. A driver that judges steps (SOLVER_JUDGES) reads the vectors instead of
 * sums that most steps do not use. */
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

/* In the space of the rows, zeros of the unknowns may have either sign: all sums over them begin with 0, in the driver
 * too. In the space of the outputs the solution is the step, and y - 0 differs from y + 0 for y = -0. */
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

/* ---- printing ---- */

static bool *find_kept(const struct emission *e) {
    const struct plan *p = e->plan;
    bool *kept = print_kept(&e->ir, false);
    if (kept && emission_drive_judges(e) && !p->options.outputs_side)
        memset(kept + p->unknown, true, p->rows * sizeof *kept);
    if (kept && e->back_alone)
        memset(kept + p->leaf_s, true, p->outputs * sizeof *kept); /* solver_unclip */
    return kept;
}

bool emission_pair(struct emission *e) {
    bool *kept = find_kept(e), done = kept != NULL;
    for (int i = 0; i < entry_count(e) && done && e->paired; i++)
        done = slp_regions_create(&e->pairs[emission_entries[i].entry], &e->ir, emission_entries[i].entry, kept);
    base_release(kept);
    return done;
}

void emission_release_pairs(struct emission *e) {
    for (int i = 0; i < KERNEL_ENTRIES; i++)
        slp_regions_release(&e->pairs[i]);
}

static void print_plain(const struct emission *e, struct text *out, enum kernel_entry entry, const bool *kept) {
    if (e->lists && e->lists->entry[entry])
        e->lists->print(e->lists->own, out, entry);
    else if (!print_entry(out, &e->ir, entry, kept, e->hoisted))
        out->failed = true;
}

/* Entries that the method does not need are empty functions. */
static void print_all(const struct emission *e, struct text *out, const bool *kept, bool paired) {
    for (int i = 0; i < entry_count(e); i++) {
        enum kernel_entry entry = emission_entries[i].entry;
        if (e->ir.entry[entry].count == 0)
            text_add(out, "\nstatic void entry_%s(const real *slots) {\n    (void)slots;\n}\n", entry_text(entry));
        else if (paired)
            print_entry_paired(out, &e->ir, entry, &e->pairs[entry]);
        else
            print_plain(e, out, entry, kept);
    }
}

void emission_print_entries(const struct emission *e, struct text *out) {
    bool *kept = find_kept(e);
    out->failed = out->failed || !kept;
    if (!kept)
        return;
    print_calls(out, &e->ir, CALLS_ONE);
    if (e->paired) {
        text_add(out, "\n#ifdef PAIRS\n");
        print_calls(out, &e->ir, e->options.libm ? CALLS_HALVES : CALLS_TWO);
        print_all(e, out, kept, true);
        text_add(out, "\n#else\n");
    }
    print_all(e, out, kept, false);
    if (e->ir.entry[KERNEL_BACK_MIDDLE].count > 0) /* runs after a system that the caller solves between two entries */
        print_plain(e, out, KERNEL_BACK_MIDDLE, kept);
    if (e->paired)
        text_add(out, "#endif /* PAIRS */\n\n");
    base_release(kept);
}
