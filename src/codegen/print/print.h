/* print.h - prints statements as C text over SIMD vectors (base/simd.h), with the macros of
 * codegen/kernel/generated_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_PRINT_H
#define HN_CODEGEN_PRINT_H

#include "codegen/passes/slp_vectorize.h"
#include "codegen/print/text.h"

/* One entry: its functions, and `entry_NAME`, which runs them for all samples. kept: as for liveness_find. hoisted:
 * load slots as early as possible (load_schedule.h). False when out of memory. */
bool print_entry(struct text *text, const struct ir_module *ir, enum kernel_entry entry, const bool *kept,
                 bool hoisted);

/* The same with the statements of one sample in pairs (slp_vectorize.h). The text also needs simd2, a vector of two
 * numbers, and its functions simd2_... */
void print_entry_paired(struct text *text, const struct ir_module *ir, enum kernel_entry entry,
                        const struct slp_regions *paired);

/* Several entries as straight-line code without an enclosing function; values stay in local variables across entries.
 * The caller's text precedes and follows each entry; if it changes a slot that the entry has written, later entries
 * reload the slot.
 *
 * The code has no branches for rare cases. Sines and cosines of slots are computed first: sincos_near(), which returns
 * whether the angle is small enough, and sincos_any() for all angles if one is too large. Reciprocals of pivots report
 * whether they are inexact. */
enum print_late {
    PRINT_IN_ORDER,
    PRINT_LATE,           /* statements without a store are printed right before their first use */
    PRINT_LATE_BEFORE_SUM /* the same for statements before the first sum */
};

struct print_link {
    const struct statements *statements; /* their constants are constants of the module */
    const char *before, *after;
    uint32_t changed; /* 0: none */
    enum print_late late;
};
enum { PRINT_LINKS = 8 }; /* maximum number */

/* Statements that run rarely, the only writers of these slots. They form a block after their entry; the block begins
 * with the text. */
struct print_seldom {
    uint32_t first, count; /* 0: none */
    const char *text;
};

struct print_chain {
    const struct print_link *links;
    size_t count;
    const bool *kept;   /* as for liveness_find */
    const char *unsafe; /* text after the last reciprocal, before the step overwrites a slot with an earlier value */
    struct print_seldom seldom;
    const bool *steady;            /* per slot: no text changes it for samples that continue; only used with a limit: */
    size_t most;                   /* maximum local variables; other values are spilled (spill.h). 0: no limit */
    uint32_t *places;              /* length of that array; NULL without a limit */
    uint32_t pinned, pinned_count; /* slots in the first elements of the array, initialised by the caller */
};

/* False when out of memory. */
bool print_chain(struct text *text, const struct ir_module *ir, const struct print_chain *wanted);

const char *entry_text(enum kernel_entry entry);

/* The elementary functions called by the statements, as call_NAME; for pairs as simd2_call_NAME, which calls
 * simd2_elementary_NAME, or call_NAME for each half. */
enum print_calls { CALLS_ONE, CALLS_TWO, CALLS_HALVES };
void print_calls(struct text *text, const struct ir_module *ir, enum print_calls kind);

/* Per slot, whether entries must store it; everything: for code that reads more slots than the entries do. Allocated by
 * base_allocate; NULL when out of memory. */
bool *print_kept(const struct ir_module *ir, bool everything);

#endif
