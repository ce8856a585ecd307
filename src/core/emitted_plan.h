/* emitted_plan.h - a layer's constant data as an emitted file has it: the part of core/plan.h that one sample reads on its
 * way forward and back.
 *
 * Lists are arrays of their own. The names are those of core/plan.h, so that core/point.h reads both.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_EMITTED_PLAN_H
#define HN_CORE_EMITTED_PLAN_H

#include "base/real.h"

struct plan_list {
    const uint32_t *words;
    uint32_t count;
};

struct plan_matrix {
    struct plan_list first, column, slot;
};

struct plan_entries {
    struct plan_list slot, entry;
};

/* Constants are the first slots. */
struct plan_program {
    struct plan_list constants;
};

struct plan_system {
    uint32_t pivot_range;
};

struct plan {
    struct sample_options options;
    uint32_t inputs, outputs, rows, entries;
    uint32_t
        slots; /* behind them: a mask of accepted samples, one of those that hold bounds, one of those that lead, a hold */
    struct plan_list value, lower, upper;
    struct plan_matrix jacobian;
    struct plan_list start;
    struct plan_matrix lower_x, upper_x, start_x, fixed_x; /* with the adjoint only */
    struct plan_entries fixed, bounds, clip;
    struct plan_list joint, bounded;
    struct plan_system system;
    struct plan_program program;
    uint32_t y, base, best, raw, step, residual, matrix, scale, active, right, x, summary, eps, largest;
    uint32_t step_squares, step_gain;
    uint32_t unknown, gradient, grad_x, grad_lower, grad_upper, damped;
    uint32_t slack_lower, slack_upper, force_lower, force_upper, reached, change, column_scale, along;
};

SHARED_FUNCTION const uint32_t *plan_words(const struct plan *plan, struct plan_list list) {
    (void)plan;
    return list.words;
}

/* Rows are never known in advance: that is for tiles (core/plan.h). */
SHARED_FUNCTION bool plan_knows(const struct plan *plan, size_t row) {
    (void)plan;
    (void)row;
    return false;
}

#endif
