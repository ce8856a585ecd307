/* blocked_step_kernel.h - the entries of a layer whose system is solved in blocks: evaluation, weights, steps and their
 * adjoint. They replace the generated entries of the same names, and call them for the rest. Included after the
 * entries. Lists are words and numbers of the bytecode: all threads of a warp read the same. plan_values is the plan, with
 * offsets that are constants.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_BLOCKED_STEP_KERNEL_H
#define HN_CODEGEN_BLOCKED_STEP_KERNEL_H

#include "codegen/cuda/bytecode_kernel.h"
#include "core/point.h"
#include "cpu/row_values_kernel.h"
#include "linalg/blocked_ldl.h"

/* ---- lists ---- */

SIMD_INLINE const uint32_t *tiled_words(size_t list) {
    return hardnet_bytecode.words + list;
}

SIMD_INLINE const real *tiled_numbers(size_t list) {
    return hardnet_bytecode.numbers + list;
}

SIMD_INLINE const real *tiled_numbers_if(bool any, size_t list) {
    return any ? tiled_numbers(list) : 0;
}

/* Same as on the host, except for E, which is one slot. */
SIMD_INLINE void tiled_place(struct tiled *task) {
    const struct plan *plan = &layer_plan;
    task->rows = TILED_ROWS;
    task->columns = TILED_COLUMNS;
    task->outputs_side = TILED_OUTPUTS_SIDE;
    task->every_row = !TILED_WEIGHTED;
    task->first = plan_words(plan, plan->jacobian.first);
    task->column = plan_words(plan, plan->jacobian.column);
    task->entry = plan_words(plan, plan->jacobian.slot);
    task->matrix = plan_values.matrix;
    task->scale = plan_values.scale;
    task->known = tiled_words(TILED_KNOWN);
    task->gram = tiled_numbers_if(TILED_HAS_GRAM, TILED_GRAM);
    task->gram_leading = TILED_GRAMS;
    task->active = plan_values.active;
    task->stretched = plan_values.summary + SUMMARY_STRETCHED;
    task->shift = plan_values.eps;
    task->fixed_shift = simd_of_bits(TILED_FIXED_SHIFT);
    task->pivot_range = plan_values.system.pivot_range;
    task->block.rows = TILED_BLOCK_ROWS;
    task->block.number = tiled_words(TILED_NUMBER);
    task->block.by_columns = tiled_numbers(TILED_BLOCK);
    task->block.down = TILED_BLOCK_ROWS;
    task->block.values = TILED_VALUES;
    task->block.valued = tiled_words(TILED_VALUED);
    task->block.value = tiled_words(TILED_VALUE);
}

#include "linalg/blocked_thread_kernel.h"
#ifdef TILED_REDUCES
#include "linalg/tridiagonal_thread_kernel.h"
#endif

/* ---- weights ---- */

SIMD_INLINE bool tiled_is_known(size_t row) {
    return tiled_words(TILED_KNOWN)[row] != TILED_NONE;
}

/* 1 / max(1, largest entry of the row), a power of two. */
static void tiled_rescale(real *slots) {
    const uint32_t *slot = plan_words(&layer_plan, layer_plan.jacobian.slot),
                   *first = plan_words(&layer_plan, layer_plan.jacobian.first);
    LOOP_ROLLED
    for (size_t i = 0; i < TILED_ROWS; i++) {
        real most = 0;
        LOOP_UNROLL_EIGHT
        for (size_t e = first[i]; e < first[i + 1] && !tiled_is_known(i); e++) {
            real size = simd_abs(*SLOT_AT(slots, slot[e]));
            most = most < size ? size : most;
        }
        *SLOT_AT(slots, plan_values.scale + i) =
            tiled_is_known(i) ? tiled_numbers(TILED_KNOWN_SCALE)[i] : kernel_scale_for(most);
    }
}

/* Computes A of a row that is not known. */
static void tiled_weigh_entries(real *slots, size_t row, simd_bits now, real scale) {
    const uint32_t *slot = plan_words(&layer_plan, layer_plan.jacobian.slot),
                   *first = plan_words(&layer_plan, layer_plan.jacobian.first);
    LOOP_ROLLED
    for (size_t e = first[row]; e < first[row + 1]; e += ROWS_AHEAD) {
        real block[ROWS_AHEAD];
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++)
            block[k] = *SLOT_AT(slots, slot[tiled_least(e + k, first[row + 1] - 1)]);
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++)
            if (e + k < first[row + 1])
                *SLOT_AT(slots, plan_values.matrix + e + k) = simd_keep(now, scale * block[k]);
    }
}

/* A, W r and the active rows, at the present y. */
static void tiled_weigh(real *slots) {
    const uint32_t *value = plan_words(&layer_plan, layer_plan.value),
                   *first = plan_words(&layer_plan, layer_plan.jacobian.first);
    const uint32_t *lower = plan_words(&layer_plan, layer_plan.lower);
    const uint32_t *upper = plan_words(&layer_plan, layer_plan.upper);
    real hold = *SLOT_AT(slots, LAYER_HOLD);
    simd_bits leads = simd_to_bits(*SLOT_AT(slots, LAYER_LEADS));
    LOOP_ROLLED
    for (size_t i = 0; i < TILED_ROWS; i++) {
        real scale = *SLOT_AT(slots, plan_values.scale + i), r = *SLOT_AT(slots, plan_values.residual + i);
        simd_bits left_out = first[i + 1] - first[i] > 1 ? leads : 0;
        simd_bits now = kernel_active(*SLOT_AT(slots, value[i]), *SLOT_AT(slots, lower[i]), *SLOT_AT(slots, upper[i]),
                                      scale, hold, left_out);
        *SLOT_AT(slots, plan_values.active + i) = simd_of_bits(now);
        *SLOT_AT(slots, plan_values.right + i) = simd_keep(now, scale * r);
        if (!tiled_is_known(i))
            tiled_weigh_entries(slots, i, now, scale);
    }
}

/* The largest sum of squares of a row of A. */
static void tiled_largest(real *slots) {
    const uint32_t *first = plan_words(&layer_plan, layer_plan.jacobian.first);
    real most = 0;
    LOOP_ROLLED
    for (size_t i = 0; i < TILED_ROWS; i++) {
        real sum = 0;
        if (tiled_is_known(i) && tiles_mask(slots, plan_values.active + i))
            sum = tiled_numbers(TILED_KNOWN_SQUARES)[i];
        LOOP_UNROLL_EIGHT
        for (size_t e = first[i]; e < first[i + 1] && !tiled_is_known(i); e++) {
            real a = *SLOT_AT(slots, plan_values.matrix + e);
            sum += a * a;
        }
        most = most < sum ? sum : most;
    }
    *SLOT_AT(slots, plan_values.largest) = most;
}

/* ---- entries ---- */

static void tiled_solve(real *slots, const struct damped_sides *sides) {
#ifdef TILED_REDUCES
    if (!TILED_WEIGHTED || !tiles_mask(slots, plan_values.summary + SUMMARY_STRETCHED)) {
        reduced_solve(slots, sides);
        return;
    }
#endif
    tiled_solve_plain(slots, sides);
}

static GENERATED void tiled_values(real *slots) {
    struct tiled task;
    struct tiles t;
    tiles_place(&t, &task, slots);
    tiles_multiply_block(&t, plan_values.y, true);
    tiles_values(&t);
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
    const struct damped_sides sides = {1,
                                       {TILED_OUTPUTS_SIDE ? TILED_SLOPE : plan_values.right},
                                       {TILED_OUTPUTS_SIDE ? plan_values.step : plan_values.unknown}};
    if (TILED_OUTPUTS_SIDE)
        tiled_columns(slots, plan_values.right, TILED_SLOPE, false);
    tiled_solve(slots, &sides);
    if (!TILED_OUTPUTS_SIDE)
        tiled_columns(slots, plan_values.unknown, plan_values.step, false);
}

/* Activates bounds that y is at and that a step along -A' W r would violate. The driver's function would read all of A,
 * whose constant rows are not stored. */
static bool tiled_holds_bounds(const struct sample *s, const struct point *p) {
    const struct plan *plan = p->plan;
    const uint32_t *row = plan_words(plan, plan->clip.slot), *output = plan_words(plan, plan->clip.entry);
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *slot = plan_words(plan, plan->jacobian.slot);
    if (!sample_holds_bounds(s))
        return false;
    tiled_columns(p->slots, plan_values.right, plan_values.step, false); /* the step follows later */
    LOOP_ROLLED
    for (size_t k = 0; k < plan->clip.slot.count; k++) {
        uint32_t i = row[k], e = first[i];
        real y = *point_at(p, plan_words(plan, plan->value)[i]), down = *point_at(p, plan_values.step + output[k]);
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
        const struct damped_sides sides = {2, {plan_values.step, plan_values.gradient}, {TILED_LEAF_S, TILED_LEAF_T}};
        tiled_columns(slots, plan_values.right, plan_values.step, false);
        tiled_solve(slots, &sides);
        tiled_rows(slots, TILED_LEAF_T, TILED_Q);
        tiled_rows(slots, TILED_LEAF_S, TILED_WORK);
    } else {
        const struct damped_sides sides = {2, {plan_values.right, TILED_WORK}, {TILED_V, TILED_Q}};
        tiled_rows(slots, plan_values.gradient, TILED_WORK);
        tiled_solve(slots, &sides);
        tiled_columns(slots, TILED_Q, plan_values.step, false);
        tiled_columns(slots, TILED_V, TILED_LEAF_S, false);
    }
    entry_back_middle(slots);
}

static void tiled_back_end(real *slots) {
    tiled_columns(slots, TILED_KEPT_Q, plan_values.gradient, true); /* J' g = -A' D q */
    entry_back_end(slots);
}
#define entry_back_begin tiled_back_begin
#define entry_back_end   tiled_back_end
#endif

#endif
