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

void emission_print_entries(const struct emission *e, struct text *out) {
    struct text printed = {.bytes = NULL};
    print_calls(&printed, &e->walk);
    bool *kept = print_kept(&e->walk, false);
    for (int i = 0; i < (e->options.adjoint ? ENTRIES : FORWARD_ENTRIES) && kept; i++)
        if (e->walk.entry[entries[i]].count == 0)
            print_none(&printed, entries[i]);
        else if (!print_entry(&printed, &e->walk, entries[i], kept))
            printed.failed = true;
    out->failed = out->failed || printed.failed || !kept;
    if (!out->failed)
        amalgamate(out, printed.bytes, e->options.single);
    base_release(kept);
    text_drop(&printed);
}
