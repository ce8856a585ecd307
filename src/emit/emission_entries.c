/* emission_entries.c - the statements of the layer as functions over slots: one sample at a time, forward and, where asked for, back.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "emit/emission.h"
#include "generate/print.h"

static const enum kernel_entry entries[] = {KERNEL_PREPARE,          KERNEL_EVALUATE,     KERNEL_RESIDUAL,
                                            KERNEL_RESCALE,          KERNEL_WEIGH_ALL,    KERNEL_LARGEST,
                                            KERNEL_STEP_BEGIN,       KERNEL_STEP_END,     KERNEL_BACK_BEGIN,
                                            KERNEL_BACK_ROWS_BOUNDS, KERNEL_BACK_PROGRAM, KERNEL_BACK_END};
enum { FORWARD_ENTRIES = 8, ENTRIES = sizeof entries / sizeof entries[0] };

/* What a method has no use for does nothing. */
static void print_none(struct text *out, enum kernel_entry entry) {
    text_add(out, "\nstatic void entry_%s(const double *slots) {\n    (void)slots;\n}\n", entry_text(entry));
}

/* ---- what nobody asks for ---- */

/* The range of pivots is hardnet's. Where the driver judges steps (DRIVE_JUDGES) it takes their vectors, instead of sums that most
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
    drop_unasked(e, &e->walk.entry[KERNEL_STEP_BEGIN]);
    drop_unasked(e, &e->walk.entry[KERNEL_STEP_END]);
    drop_unasked(e, &e->walk.entry[KERNEL_BACK_BEGIN]);
}

static void keep_judged(const struct emission *e, bool *kept) {
    const struct plan *p = e->plan;
    for (uint32_t i = 0; i < p->rows && emission_drive_judges(e) && !p->options.outputs_side; i++)
        kept[p->unknown + i] = true;
}

/* ---- all of it ---- */

void emission_print_entries(const struct emission *e, struct text *out) {
    struct text printed = {.bytes = NULL};
    print_calls(&printed, &e->walk);
    bool *kept = print_kept(&e->walk, false);
    if (kept)
        keep_judged(e, kept);
    for (int i = 0; i < (e->options.adjoint ? ENTRIES : FORWARD_ENTRIES) && kept; i++)
        if (e->walk.entry[entries[i]].count == 0)
            print_none(&printed, entries[i]);
        else if (e->lists && e->lists->entry[entries[i]])
            e->lists->print(e->lists->own, &printed, entries[i]);
        else if (!print_entry(&printed, &e->walk, entries[i], kept, e->early))
            printed.failed = true;
    out->failed = out->failed || printed.failed || !kept;
    if (!out->failed)
        amalgamate(out, printed.bytes, e->options.single);
    base_release(kept);
    text_drop(&printed);
}
