/* blocked_ldl_step.h - the entries of a layer whose system is solved in tiles: evaluation, weights, steps and their
 * adjoint. They replace the generated entries of the same names, and call them for the rest. Included after the
 * entries.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_BLOCKED_LDL_STEP_H
#define HN_CUDA_BLOCKED_LDL_STEP_H

#include "core/point.h"
#include "cuda/kernels/blocked_ldl_thread.h"

#ifdef TILED_REDUCES
#include "cuda/kernels/tridiagonal_schur.h"
#endif

static void tiled_solve(real *slots, const struct damped_sides *sides) {
#ifdef TILED_REDUCES
    if (!TILED_WEIGHTED || !tiles_mask(slots, TILED_STRETCHED)) {
        reduced_solve(slots, sides);
        return;
    }
#endif
    tiled_solve_plain(slots, sides);
}

static void tiled_evaluate(real *slots) {
    if (TILED_VALUES > 0)
        tiled_values(slots);
    entry_evaluate(slots);
}
#define entry_evaluate   tiled_evaluate
#define entry_rescale    tiled_rescale
#define entry_weigh_all  tiled_weigh
#define entry_largest    tiled_largest
#define entry_step_begin tiled_step_begin

/* step = A' (A A' + E)^-1 W r, with one unknown per row or per output. */
static void tiled_step_begin(real *slots) {
    const struct damped_sides sides = {
        1, {TILED_OUTPUTS_SIDE ? TILED_SLOPE : TILED_RIGHT}, {TILED_OUTPUTS_SIDE ? TILED_STEP : TILED_UNKNOWN}};
    if (TILED_OUTPUTS_SIDE)
        tiled_columns(slots, TILED_RIGHT, TILED_SLOPE, false);
    tiled_solve(slots, &sides);
    if (!TILED_OUTPUTS_SIDE)
        tiled_columns(slots, TILED_UNKNOWN, TILED_STEP, false);
}

/* Activates bounds that y is at and that a step along -A' W r would violate. The driver's function would read all of A,
 * whose constant rows are not stored. */
static bool tiled_holds_bounds(const struct sample *s, const struct point *p) {
    const struct plan *plan = p->plan;
    const uint32_t *row = plan_words(plan, plan->clip.slot), *output = plan_words(plan, plan->clip.entry);
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *slot = plan_words(plan, plan->jacobian.slot);
    if (!sample_holds_bounds(s))
        return false;
    tiled_columns(p->slots, TILED_RIGHT, TILED_STEP, false); /* the step follows later */
    LOOP_ROLLED
    for (size_t k = 0; k < plan->clip.slot.count; k++) {
        uint32_t i = row[k], e = first[i];
        real y = *point_at(p, plan_words(plan, plan->value)[i]), down = *point_at(p, TILED_STEP + output[k]);
        bool below = y <= *point_at(p, plan_words(plan, plan->lower)[i]) && down > 0;
        bool above = *point_at(p, plan_words(plan, plan->upper)[i]) <= y && down < 0;
        if (point_mask(p, plan->active + i) || !(below || above))
            continue;
        if (!tiled_is_known(i))
            *point_at(p, plan->matrix + e) = *point_at(p, plan->scale + i) * *point_at(p, slot[e]);
        point_set_mask(p, plan->active + i, true);
    }
    return false; /* already done */
}
#define sample_holds_bounds(s) tiled_holds_bounds(s, p)

#ifdef DEVICE_GRADIENTS
/* q, v, t, s: see cpu/lanes_back.c. */
static void tiled_back_begin(real *slots) {
    if (TILED_OUTPUTS_SIDE) {
        const struct damped_sides sides = {2, {TILED_STEP, TILED_GRADIENT}, {TILED_LEAF_S, TILED_LEAF_T}};
        tiled_columns(slots, TILED_RIGHT, TILED_STEP, false);
        tiled_solve(slots, &sides);
        tiled_rows(slots, TILED_LEAF_T, TILED_Q);
        tiled_rows(slots, TILED_LEAF_S, TILED_WORK);
    } else {
        const struct damped_sides sides = {2, {TILED_RIGHT, TILED_WORK}, {TILED_V, TILED_Q}};
        tiled_rows(slots, TILED_GRADIENT, TILED_WORK);
        tiled_solve(slots, &sides);
        tiled_columns(slots, TILED_Q, TILED_STEP, false);
        tiled_columns(slots, TILED_V, TILED_LEAF_S, false);
    }
    entry_back_middle(slots);
}

static void tiled_back_end(real *slots) {
    tiled_columns(slots, TILED_KEPT_Q, TILED_GRADIENT, true); /* J' g = -A' D q */
    entry_back_end(slots);
}
#define entry_back_begin tiled_back_begin
#define entry_back_end   tiled_back_end
#endif

#endif
