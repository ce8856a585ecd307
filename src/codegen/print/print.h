/* print.h - statements as C text over SIMD vectors (base/simd.h); the macros that it uses are in codegen/kernel/generated_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_PRINT_H
#define HN_CODEGEN_PRINT_H

#include "codegen/passes/slp_vectorize.h"
#include "codegen/print/text.h"

/* One entry: its functions, and `entry_NAME`, which runs them for all samples. kept: as for liveness_find. early: slots are read as early
 * as possible (load_schedule.h). False when memory is out. */
bool print_entry(struct text *text, const struct ir_module *ir, enum kernel_entry entry, const bool *kept,
                 bool hoisted);

/* The same where two numbers are computed at once: one sample's statements in pairs (slp_vectorize.h). Beside what print_entry needs: `two`, a
 * vector of two numbers, and what is named simd2_... for it. */
void print_entry_paired(struct text *text, const struct ir_module *ir, enum kernel_entry entry,
                        const struct slp_regions *paired);

/* Several entries as one straight line of statements, whose values stay in local variables from one entry to the next; no function
 * is printed around it. What stands before and behind each entry is the caller's text; where that changes a slot that the entry has
 * written, others read the slot.
 *
 * There are no branches for what is rare. Sines and cosines of slots come first, all at once: sincos_near(), which says whether the angle
 * was small enough, and sincos_any() for all of them where one was not. Reciprocals of pivots tell the caller where they are wrong. */
enum print_late {
    PRINT_IN_ORDER,
    PRINT_LATE,           /* a statement that writes no slot stands right before the first one that needs it */
    PRINT_LATE_BEFORE_SUM /* the same of those before the first sum */
};

struct print_link {
    const struct statements *statements; /* whose constants are among the walk's */
    const char *before, *after;
    uint32_t changed; /* 0: none */
    enum print_late late;
};
enum { PRINT_LINKS = 8 }; /* at most */

/* Statements that are wanted sometimes: those that write these slots, which nobody else does. They stand together, behind their entry,
 * in a block that begins with the text. */
struct print_seldom {
    uint32_t first, count; /* 0: none */
    const char *text;
};

struct print_chain {
    const struct print_link *links;
    size_t count;
    const bool *kept; /* as for liveness_find */
    const char
        *unsafe; /* stands behind the last reciprocal, before the step has changed a slot that was there before it */
    struct print_seldom seldom;
    const bool *steady; /* per slot: no text changes it for those that go on behind the text; with a limit only: */
    size_t most; /* values that are local variables at once; the others wait in an array: see spill.h. 0: no limit */
    uint32_t *places;              /* of that array; NULL without a limit */
    uint32_t pinned, pinned_count; /* slots that have the first places of it: the caller sees to it that they agree */
};

/* False when memory is out. */
bool print_chain(struct text *text, const struct ir_module *ir, const struct print_chain *wanted);

/* The entry KERNEL_NEAR of ir_create_near's walk, and `entry_near_if`, which looks whether it may run. False when memory is out. */
bool print_near(struct text *text, const struct ir_module *ir);

const char *entry_text(enum kernel_entry entry);

/* The elementary functions that the statements call, as call_NAME; of pairs as simd2_call_NAME, over simd2_elementary_NAME or over
 * call_NAME, one half after the other. */
enum print_calls { CALLS_ONE, CALLS_TWO, CALLS_HALVES };
void print_calls(struct text *text, const struct ir_module *ir, enum print_calls kind);

/* What entries must leave in its slot; everything: for code that reads more than the walk's entries do. Per slot, from base_allocate;
 * NULL when memory is out. */
bool *print_kept(const struct ir_module *ir, bool everything);

#endif
