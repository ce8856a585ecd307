/* lower_system.c - products, the listed factor and its solves, the step and its adjoint, as statements.
 *
 * The computation of damped_kernel.h from its streams. Rows of -L D are stored as L D and subtracted instead of added:
 * the same bits. Other kinds of factors stay loops over their own data: the listed kernels solve between two entries.
 * Nothing is generated for a tiled factor.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/lower.h"

/* Long sums are split into statements of this many products, so that they can become loops. */
enum { SUM_PIECE = 8 };

/* ---- products ---- */

/* Result j of a product whose pairs begin at `at`: to = A from, to = A' from, or to -= A' from. */
static void ir_result(struct ir_module *ir, struct statements *s, const uint32_t *at, uint32_t j,
                      const uint32_t *vectors, enum function function) {
    uint32_t from = vectors[0], to = vectors[1] + j;
    statements_add(s, function, to, &to, function == SUM_MINUS ? 1 : 0);
    for (uint32_t k = 0; k < at[0]; k++)
        statements_product(s, ir_operand(ir, at[1 + 2 * k]), from + at[2 + 2 * k]);
}

/* The whole product, for every vector. */
static void ir_product(struct ir_module *ir, struct statements *s, struct plan_list stream,
                       const uint32_t (*vectors)[2], size_t count, enum function function) {
    const uint32_t *at = plan_words(ir->plan, stream), *end = at + stream.count;
    for (uint32_t j = 0; at < end; j++, at += 1 + 2 * (size_t)at[0])
        for (size_t v = 0; v < count; v++)
            ir_result(ir, s, at, j, vectors[v], function);
}

static void ir_inner(struct ir_module *ir, struct statements *s, uint32_t a, uint32_t b, uint32_t count, uint32_t to) {
    statements_add(s, ROW_ZERO, to, NULL, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (i % SUM_PIECE == 0)
            statements_add(s, SUM_PLUS, to, &to, 1);
        statements_product(s, ir_operand(ir, a + i), ir_operand(ir, b + i));
    }
}

/* ---- the listed factor ---- */

/* Vectors of right-hand sides and solutions. */
struct sides {
    size_t count;
    uint32_t from[2], to[2];
    struct plan_list
        woven; /* the product that computes right-hand side `side`; each result is computed right before its use */
    uint32_t woven_from, woven_side;
    bool moves; /* the first solution is the step: each output is updated as soon as its step is known */
};

static void index_results(struct ir_module *ir, struct plan_list stream) {
    const uint32_t *words = plan_words(ir->plan, stream);
    for (uint32_t at = 0, j = 0; at < stream.count; at += 1 + 2 * words[at])
        ir->result_at[j++] = at;
}

/* An additional unknown (not a row or an output): its right-hand side is 0 and its pivot negative. */
static bool is_added(const struct ir_module *ir, uint32_t unknown) {
    return unknown >= ir->plan->system.order - ir->plan->system.added;
}

static bool is_factor(const struct ir_module *ir, uint32_t slot) {
    const struct plan_system *system = &ir->plan->system;
    return slot >= system->lower && slot < system->lower + system->nonzeros;
}

/* The slot of an entry of L D. The plan reuses slots as soon as they are free; loops need constant strides. */
static uint32_t ld_slot(const struct ir_module *ir, uint32_t slot) {
    return ir->loops ? ir->rows_of_ld + ir->entry_of[slot] : slot;
}

/* h - the sum over the factor, in the order of the stream. Returns the stream position after it. */
static const uint32_t *ir_entry_sum(struct ir_module *ir, struct statements *s, const uint32_t *at, uint32_t to) {
    const uint32_t first = at[0], count = at[1];
    const uint32_t *pair = at + 2;
    bool factor = false;
    PUT(ir, s, SUM_PLUS, to, first);
    for (uint32_t k = 0; k < count; k++, pair += 2) {
        if (is_factor(ir, pair[0]) != factor) {
            factor = !factor;
            statements_add(s, factor ? SUM_MINUS : SUM_PLUS, to, &to, 1);
        }
        statements_product(s, ir_operand(ir, pair[0]), factor ? ld_slot(ir, pair[1]) : ir_operand(ir, pair[1]));
    }
    return pair;
}

/* d = whole - sum of l n, z = b - sum of l z, over the entries of the row: three words each. */
static void ir_row(struct ir_module *ir, struct statements *s, const uint32_t *at, uint32_t entries, uint32_t unknown,
                   const struct sides *sides) {
    uint32_t whole = ir->own + OWN_SIZE, d = ir->own + OWN_PIVOT;
    statements_add(s, SUM_MINUS, d, &whole, 1);
    for (uint32_t k = 0; k < entries; k++)
        statements_product(s, at[3 * (size_t)k], ld_slot(ir, at[3 * (size_t)k + 1]));
    for (size_t side = 0; side < sides->count; side++) {
        uint32_t z = sides->to[side] + unknown, right = is_added(ir, unknown) ? z : sides->from[side] + unknown;
        const uint32_t vectors[2] = {sides->woven_from, sides->from[side]};
        if (sides->woven.count > 0 && side == sides->woven_side && !is_added(ir, unknown))
            ir_result(ir, s, plan_words(ir->plan, sides->woven) + ir->result_at[unknown], unknown, vectors, SUM_ZERO);
        if (is_added(ir, unknown))
            statements_add(s, ROW_ZERO, z, NULL, 0);
        statements_add(s, SUM_MINUS, z, &right, 1);
        for (uint32_t k = 0; k < entries; k++)
            statements_product(s, at[3 * (size_t)k], sides->to[side] + at[3 * (size_t)k + 2]);
    }
}

static void ir_pivot(struct ir_module *ir, struct statements *s, uint32_t inverse, bool added) {
    uint32_t whole = ir->own + OWN_SIZE, d = ir->own + OWN_PIVOT, low = ir->plan->system.pivot_range;
    PUT(ir, s, added ? ROW_INVERSE_ADDED : ROW_INVERSE, inverse, whole, d);
    if (added || !sample_asks_pivots(&ir->plan->options))
        return;
    PUT(ir, s, ROW_LEAST, low, low, d);
    PUT(ir, s, ROW_MOST, low + 1, low + 1, d);
}

/* z_j / d_j, the start of the backward substitution. */
static uint32_t scaled_slot(const struct ir_module *ir, size_t side) {
    return side == 0 ? ir->plan->system.inverse : ir->scaled;
}

/* E of a row, if the slot is one: eps if the row is active, else 1. In the space of the outputs E is eps. */
static void ir_shift(struct ir_module *ir, struct statements *s, uint32_t slot) {
    const struct plan *plan = ir->plan;
    if (plan->options.weighted && !plan->options.outputs_side && slot >= plan->shift && slot - plan->shift < plan->rows)
        PUT(ir, s, ROW_SHIFT, slot, plan->active + (slot - plan->shift), plan->eps);
}

static void ir_factor(struct ir_module *ir, struct statements *s, const struct sides *sides) {
    const struct plan_system *system = &ir->plan->system;
    const uint32_t *at = plan_words(ir->plan, system->stream);
    const uint32_t *permutation = plan_words(ir->plan, system->permutation);
    uint32_t lower = system->lower, sum = ir->own + OWN_WEIGHED;
    if (sides->woven.count > 0)
        index_results(ir, sides->woven);
    if (sample_asks_pivots(&ir->plan->options)) {
        statements_add(s, ROW_UNLIMITED, system->pivot_range, NULL, 0);
        statements_add(s, ROW_ZERO, system->pivot_range + 1, NULL, 0);
    }
    for (uint32_t j = 0; j < system->order; j++) {
        uint32_t below = at[0], before = at[1], inverse = ir->own + OWN_INVERSE;
        ir_shift(ir, s, at[2]);
        at = ir_entry_sum(ir, s, at + 2, ir->own + OWN_SIZE);
        ir_row(ir, s, at, before, permutation[j], sides);
        ir_pivot(ir, s, inverse, is_added(ir, permutation[j]));
        for (size_t side = 0; side < sides->count; side++)
            PUT(ir, s, FUNCTION_MUL, scaled_slot(ir, side) + j, sides->to[side] + permutation[j], inverse);
        at += 3 * (size_t)before;
        for (uint32_t e = 0; e < below; e++, lower++) {
            uint32_t n = at[0];
            at = ir_entry_sum(ir, s, at + 1, sum);
            ir->entry_of[n] = lower - system->lower;
            statements_add(s, SUM_PLUS, ld_slot(ir, n), &sum, 1);
            PUT(ir, s, FUNCTION_MUL, lower, sum, inverse);
        }
    }
}

/* ---- y = base - step, with flags for moved and for finite outputs ---- */

static void ir_move_begin(struct ir_module *ir, struct statements *s) {
    if (sample_asks_moved(&ir->plan->options))
        statements_add(s, ROW_NONE_SET, ir->plan->summary + SUMMARY_MOVED, NULL, 0);
    statements_add(s, ROW_NONE_SET, ir->own + OWN_LOST, NULL, 0);
}

static void ir_move(struct ir_module *ir, struct statements *s, uint32_t j, uint32_t step) {
    const struct plan *plan = ir->plan;
    uint32_t moved = plan->summary + SUMMARY_MOVED, lost = ir->own + OWN_LOST, next = ir->own + OWN_SIZE;
    uint32_t base = (ir->near ? plan->y : plan->base) + j;
    PUT(ir, s, FUNCTION_SUB, next, base, step);
    if (sample_asks_moved(&plan->options))
        PUT(ir, s, ROW_MOVES, moved, moved, base, next);
    PUT(ir, s, ROW_LOSE_FINITE, lost, lost, next);
    statements_add(s, SUM_PLUS, plan->y + j, &next, 1);
}

/* z_j = z_j / d_j - sum over the entries below the diagonal, last unknown first. */
static void ir_backward(struct ir_module *ir, struct statements *s, const struct sides *sides) {
    const struct plan_system *system = &ir->plan->system;
    const uint32_t *permutation = plan_words(ir->plan, system->permutation);
    const uint32_t *first = plan_words(ir->plan, system->column_first);
    const uint32_t *unknown = plan_words(ir->plan, system->row_unknown);
    for (uint32_t j = system->order; j-- > 0;)
        for (size_t side = 0; side < sides->count; side++) {
            uint32_t scaled = scaled_slot(ir, side) + j;
            statements_add(s, SUM_MINUS, sides->to[side] + permutation[j], &scaled, 1);
            for (uint32_t e = first[j]; e < first[j + 1]; e++)
                statements_product(s, system->lower + e, sides->to[side] + unknown[e]);
            if (sides->moves && !is_added(ir, permutation[j]))
                ir_move(ir, s, permutation[j], sides->to[side] + permutation[j]);
        }
}

/* Returns the list for the statements after the solve: the same entry, or the next one if the listed kernels solve. */
static struct statements *ir_solve(struct ir_module *ir, enum kernel_entry entry, const struct sides *sides) {
    struct statements *s = &ir->entry[entry];
    const struct plan_system *system = &ir->plan->system;
    struct sides all = *sides;
    if (!ir->solves)
        return &ir->entry[entry + 1];
    for (uint32_t side = 0; side < sides->count && system->added > 0; side++)
        all.to[side] = system->solution + side * system->order;
    ir_factor(ir, s, &all);
    ir_backward(ir, s, &all);
    for (size_t side = 0; side < sides->count && system->added > 0; side++)
        for (uint32_t i = 0; i < system->order - system->added; i++) {
            uint32_t from = all.to[side] + i;
            statements_add(s, SUM_PLUS, sides->to[side] + i, &from, 1);
        }
    return s;
}

/* All of E, if the listed kernels solve. */
static void ir_all_shifts(struct ir_module *ir, struct statements *s) {
    for (uint32_t i = 0; i < ir->plan->rows && !ir->solves; i++)
        ir_shift(ir, s, ir->plan->shift + i);
}

/* ---- the step ---- */

static void ir_move_end(struct ir_module *ir, struct statements *s) {
    PUT(ir, s, ROW_ALL_FINITE, ir->plan->summary + SUMMARY_USABLE, ir->own + OWN_LOST);
}

/* The product that is a right-hand side: interleaved with the factor, or before the solve of the listed kernels. */
static void ir_right_side(struct ir_module *ir, struct statements *s, struct sides *sides, struct plan_list product) {
    if (ir->solves)
        sides->woven = product;
    else
        ir_product(ir, s, product, (const uint32_t[][2]){{sides->woven_from, sides->from[sides->woven_side]}}, 1,
                   SUM_ZERO);
}

/* The step is the solution. */
static struct statements *ir_step_outputs(struct ir_module *ir, struct statements *s) {
    const struct plan *plan = ir->plan;
    bool judged = plan->options.adaptive && !ir->near;
    uint32_t step = plan->step, from = judged ? plan->gradient : step;
    struct sides sides = {.count = 1, .from = {from}, .to = {step}, .woven_from = plan->right, .moves = true};
    ir_right_side(ir, s, &sides, plan->system.by_columns);
    s = ir_solve(ir, KERNEL_STEP_BEGIN, &sides);
    for (uint32_t j = 0; j < plan->outputs && !ir->solves; j++)
        ir_move(ir, s, j, step + j);
    if (judged)
        ir_inner(ir, s, step, from, plan->outputs, plan->step_gain);
    return s;
}

/* Whether an entry of A is itself an output, as in the derivative of a product of two outputs: then all of A' z must be
 * computed before any output is updated. */
static bool is_read_later(const struct plan *plan) {
    const uint32_t *slot = plan_words(plan, plan->jacobian.slot);
    for (uint32_t e = 0; e < plan->entries; e++)
        if (!plan->options.weighted && slot[e] >= plan->y && slot[e] - plan->y < plan->outputs)
            return true;
    return false;
}

/* The step is A' of the solution. */
static struct statements *ir_step_rows(struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    const struct sides sides = {.count = 1, .from = {plan->right}, .to = {plan->unknown}};
    const uint32_t vectors[2] = {plan->unknown, plan->step}, *words = plan_words(plan, plan->system.by_columns);
    struct statements *s = ir_solve(ir, KERNEL_STEP_BEGIN, &sides);
    bool later = is_read_later(plan);
    index_results(ir, plan->system.by_columns);
    for (uint32_t j = 0; j < plan->outputs; j++) {
        ir_result(ir, s, words + ir->result_at[j], j, vectors, SUM_ZERO);
        if (!later)
            ir_move(ir, s, j, plan->step + j);
    }
    for (uint32_t j = 0; j < plan->outputs && later; j++)
        ir_move(ir, s, j, plan->step + j);
    if (plan->options.adaptive && !ir->near)
        ir_inner(ir, s, plan->unknown, plan->right, plan->rows, plan->step_gain);
    return s;
}

void ir_step(struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    struct statements *s = &ir->entry[KERNEL_STEP_BEGIN];
    ir_all_shifts(ir, s);
    ir_move_begin(ir, s);
    s = plan->options.outputs_side ? ir_step_outputs(ir, s) : ir_step_rows(ir);
    if (plan->options.adaptive && !ir->near)
        ir_inner(ir, s, plan->step, plan->step, plan->outputs, plan->step_squares);
    ir_move_end(ir, s);
}

/* ---- the adjoint: cpu/lanes_back.c has the formulas ---- */

static void ir_difference(struct ir_module *ir, struct statements *s, uint32_t a, uint32_t b, uint32_t to,
                          uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        PUT(ir, s, FUNCTION_SUB, to + i, a + i, b + i);
}

/* After the solve: everything that depends on q, v and the products with A. */
static void ir_back_solved(struct ir_module *ir, struct statements *s) {
    const struct plan *plan = ir->plan;
    if (plan->options.outputs_side)
        ir_difference(ir, s, plan->right, plan->work, plan->v, plan->rows);
    else
        ir_difference(ir, s, plan->gradient, plan->step, plan->leaf_t, plan->outputs);
    if (plan->options.weighted)
        ir_inner(ir, s, plan->q, plan->v, plan->rows, plan->damped);
}

static void ir_back_solve(struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    const struct plan_system *system = &plan->system;
    struct statements *s = &ir->entry[KERNEL_BACK_BEGIN];
    bool outputs = plan->options.outputs_side;
    struct sides sides = outputs
                             ? (struct sides){.from = {plan->step, plan->gradient}, .to = {plan->leaf_s, plan->leaf_t}}
                             : (struct sides){.from = {plan->right, plan->work}, .to = {plan->v, plan->q}};
    const uint32_t products[][2][2] = {{{plan->q, plan->step}, {plan->v, plan->leaf_s}},
                                       {{plan->leaf_t, plan->q}, {plan->leaf_s, plan->work}}};
    sides.count = 2;
    sides.woven_from = outputs ? plan->right : plan->gradient;
    sides.woven_side = outputs ? 0 : 1;
    ir_all_shifts(ir, s);
    ir_right_side(ir, s, &sides, outputs ? system->by_columns : system->by_rows);
    s = ir_solve(ir, KERNEL_BACK_BEGIN, &sides);
    ir_product(ir, s, outputs ? system->by_rows : system->by_columns, products[outputs], 2, SUM_ZERO);
    ir_back_solved(ir, s);
}

static void ir_scatter(struct ir_module *ir, struct statements *s, const struct plan_entries *entries, uint32_t to) {
    const uint32_t *value = plan_words(ir->plan, entries->slot), *entry = plan_words(ir->plan, entries->entry);
    for (uint32_t e = 0; e < entries->slot.count; e++)
        PUT(ir, s, FUNCTION_SUB, to + entry[e], to + entry[e], value[e]);
}

/* Contributions of the rows and of second derivatives to the gradients with respect to y and x. */
static void ir_back_rows(struct ir_module *ir) {
    ir_adjoint_rows(ir, KERNEL_BACK_ROWS_BOUNDS, true);
    if (!ir->plan->options.weighted)
        ir_adjoint_rows(ir, KERNEL_BACK_ROWS, false);
    ir_program(ir, KERNEL_BACK_PROGRAM, 2);
}

static void ir_back_scatter(struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    struct statements *s = &ir->entry[KERNEL_BACK_END];
    ir_scatter(ir, s, &plan->bracket_y, plan->gradient);
    ir_scatter(ir, s, &plan->pull_x, plan->grad_x);
    ir_scatter(ir, s, &plan->bracket_x, plan->grad_x);
}

void ir_adjoint(struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    const uint32_t pull[][2] = {{plan->kept, plan->gradient}};
    ir_back_solve(ir);
    ir_back_rows(ir);
    ir_product(ir, &ir->entry[KERNEL_BACK_END], plan->system.by_columns, pull, 1, SUM_MINUS); /* J' g = -A' D q */
    ir_back_scatter(ir);
}

/* ---- entries around a tiled system ---- */

static void ir_tiles_step(struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    struct statements *s = &ir->entry[KERNEL_STEP_END];
    bool outputs = plan->options.outputs_side;
    ir_move_begin(ir, s);
    for (uint32_t j = 0; j < plan->outputs; j++)
        ir_move(ir, s, j, plan->step + j);
    if (plan->options.adaptive) {
        ir_inner(ir, s, outputs ? plan->step : plan->unknown, outputs ? plan->gradient : plan->right,
                 outputs ? plan->outputs : plan->rows, plan->step_gain);
        ir_inner(ir, s, plan->step, plan->step, plan->outputs, plan->step_squares);
    }
    ir_move_end(ir, s);
}

/* Before and after the loops over tiles: the update of y from the step vector, and the adjoint except for products with
 * A and the solve. */
void ir_around_tiles(struct ir_module *ir, bool adjoint) {
    ir_tiles_step(ir);
    if (!adjoint)
        return;
    ir_back_solved(ir, &ir->entry[KERNEL_BACK_MIDDLE]);
    ir_back_rows(ir);
    ir_back_scatter(ir);
}
