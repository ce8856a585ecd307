/* print.h - statements as C text over SIMD vectors (base/simd.h); the macros that it uses are in codegen/kernel/generated_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_PRINT_H
#define HN_CODEGEN_PRINT_H

#include "codegen/passes/slp_vectorize.h"
#include "codegen/print/text.h"

/* One entry: its functions, and `entry_NAME`, which runs them for all samples. kept: as for liveness_find. hoisted: slots are loaded as
 * early as possible (load_schedule.h). False when out of memory. */
bool print_entry(struct text *text, const struct ir_module *ir, enum kernel_entry entry, const bool *kept,
                 bool hoisted);

/* The same with the statements of one sample in pairs (slp_vectorize.h). The text needs simd2, a vector of two numbers, and its functions
 * simd2_..., too. */
void print_entry_paired(struct text *text, const struct ir_module *ir, enum kernel_entry entry,
                        const struct slp_regions *paired);

/* Several entries as straight code, whose values stay in local variables from one entry to the next; no function is printed around it.
 * The caller's text precedes and follows each entry; if it changes a slot that the entry has written, others read the slot.
 *
 * There are no branches for rare cases. Sines and cosines of slots come first, all at once: sincos_near(), which returns whether the angle
 * was small enough, and sincos_any() for all of them if one was not. Reciprocals of pivots report whether they are inexact. */
enum print_late {
    PRINT_IN_ORDER,
    PRINT_LATE,           /* a statement that stores nothing comes right before its first use */
    PRINT_LATE_BEFORE_SUM /* the same of those before the first sum */
};

struct print_link {
    const struct statements *statements; /* whose constants are among those of the module */
    const char *before, *after;
    uint32_t changed; /* 0: none */
    enum print_late late;
};
enum { PRINT_LINKS = 8 }; /* at most */

/* Statements that run rarely: the only writers of these slots. They form a block behind their entry, which begins with the text. */
struct print_seldom {
    uint32_t first, count; /* 0: none */
    const char *text;
};

struct print_chain {
    const struct print_link *links;
    size_t count;
    const bool *kept;   /* as for liveness_find */
    const char *unsafe; /* follows the last reciprocal, before the step changes a slot that was set before it */
    struct print_seldom seldom;
    const bool *steady;            /* per slot: no text changes it for samples that continue; only with a limit: */
    size_t most;                   /* local variables at once; others are spilled to an array (spill.h). 0: no limit */
    uint32_t *places;              /* of that array; NULL without a limit */
    uint32_t pinned, pinned_count; /* slots in the first places of the array: the caller initialises them */
};

/* False when out of memory. */
bool print_chain(struct text *text, const struct ir_module *ir, const struct print_chain *wanted);

const char *entry_text(enum kernel_entry entry);

/* The elementary functions that the statements call, as call_NAME; of pairs as simd2_call_NAME, over simd2_elementary_NAME or over
 * call_NAME, one half after the other. */
enum print_calls { CALLS_ONE, CALLS_TWO, CALLS_HALVES };
void print_calls(struct text *text, const struct ir_module *ir, enum print_calls kind);

/* Per slot, whether entries must store it; everything: for code that reads more than the entries do. From base_allocate; NULL when out of
 * memory. */
bool *print_kept(const struct ir_module *ir, bool everything);

#endif
