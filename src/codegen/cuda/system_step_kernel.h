/* system_step_kernel.h - the linear system of the plan, solved between two entries of statements by linalg/damped_kernel.h,
 * for factors that are too dense for a list of statements. Included after the entries, before the driver.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SYSTEM_STEP_KERNEL_H
#define HN_CODEGEN_SYSTEM_STEP_KERNEL_H

#include "codegen/cuda/bytecode_kernel.h"
#include "linalg/damped_kernel.h"

/* The lists are words of the bytecode. */
static GENERATED void system_solve(real *slots, const struct damped_sides *sides) {
    const uint32_t *words = hardnet_bytecode.words;
    struct damped system;
    system.kind = (enum factor_kind)SYSTEM_KIND;
    system.order = SYSTEM_ORDER;
    system.added = SYSTEM_ADDED;
    system.lower = SYSTEM_LOWER;
    system.negated = SYSTEM_STRIP;
    system.inverse = SYSTEM_INVERSE;
    system.pivot_range = SYSTEM_PIVOTS;
    system.solution = SYSTEM_SOLUTION;
    system.stream = words + SYSTEM_STREAM;
    system.permutation = words + SYSTEM_PERMUTATION;
    system.column_first = words + SYSTEM_COLUMN_FIRST;
    system.row_offset = words + SYSTEM_ROW_UNKNOWN;
    system.row_number = words + SYSTEM_ROW_NUMBER;
    system.row_first = words + SYSTEM_ROW_FIRST;
    system.row_column = words + SYSTEM_ROW_COLUMN;
    system.row_entry = words + SYSTEM_ROW_ENTRY;
    kernel_solve(&system, slots, sides);
}

static void system_step_end(real *slots) {
    const struct damped_sides sides = {1, {SYSTEM_STEP_FROM}, {SYSTEM_STEP_TO}};
    system_solve(slots, &sides);
    entry_step_end(slots);
}
#define entry_step_end system_step_end

#ifdef DEVICE_GRADIENTS
static void system_back_begin(real *slots) {
    const struct damped_sides sides = {
        2, {SYSTEM_BACK_FROM, SYSTEM_BACK_FROM_TOO}, {SYSTEM_BACK_TO, SYSTEM_BACK_TO_TOO}};
    entry_back_begin(slots);
    system_solve(slots, &sides);
    entry_back_middle(slots);
}
#define entry_back_begin system_back_begin
#endif

#endif
