/* lower_rows.c - residuals, their summary and row weights, as statements.
 *
 * The computation of rows_kernel.h, row by row. Constant bounds are evaluated at compile time: an equality has r = c -
 * b and is always active; an infinite bound is never violated. All bits stay the same, including signs of zeros.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/lower.h"

#include <math.h>

/* The form of a row, from its constant bounds. */
enum row_form { FORM_GENERAL, FORM_EQUALITY, FORM_ABOVE_ONLY, FORM_BELOW_ONLY };

static enum row_form form_of(const struct ir_module *ir, uint32_t lower, uint32_t upper) {
    double low = ir_number(ir, lower), high = ir_number(ir, upper);
    if (low == high && isfinite(low))
        return FORM_EQUALITY;
    if (isnan(low) || isnan(high))
        return FORM_GENERAL;
    return low == -INFINITY && high > low   ? FORM_ABOVE_ONLY
           : high == INFINITY && high > low ? FORM_BELOW_ONLY
                                            : FORM_GENERAL;
}

/* The slots of row i. */
struct row {
    uint32_t c, lower, upper, r, scale, active, right, first, end;
    enum row_form form;
};

static struct row row_of(const struct ir_module *ir, uint32_t i) {
    const struct plan *plan = ir->plan;
    struct row row = {
        .c = plan_words(plan, plan->value)[i],
        .lower = plan_words(plan, plan->lower)[i],
        .upper = plan_words(plan, plan->upper)[i],
        .r = plan->residual + i,
        .scale = plan->scale + i,
        .active = plan->active + i,
        .right = plan->right + i,
        .first = plan_words(plan, plan->jacobian.first)[i],
        .end = plan_words(plan, plan->jacobian.first)[i + 1],
    };
    row.form = form_of(ir, row.lower, row.upper);
    return row;
}

/* Runs a function that appends statements for every row. */
static void each_row(struct ir_module *ir, enum kernel_entry entry,
                     void (*lower)(struct ir_module *ir, struct statements *s, const struct row *row)) {
    for (uint32_t i = 0; i < ir->plan->rows; i++) {
        const struct row row = row_of(ir, i);
        lower(ir, &ir->entry[entry], &row);
    }
}

/* ---- residuals ---- */

static void ir_r(struct ir_module *ir, struct statements *s, const struct row *row) {
    switch (row->form) {
    case FORM_EQUALITY:
        PUT(ir, s, ROW_RESIDUAL_EQUAL, row->r, row->c, row->lower);
        break;
    case FORM_ABOVE_ONLY:
        PUT(ir, s, ROW_RESIDUAL_UPPER, row->r, row->c, row->upper);
        break;
    case FORM_BELOW_ONLY:
        PUT(ir, s, ROW_RESIDUAL_LOWER, row->r, row->c, row->lower);
        break;
    default:
        PUT(ir, s, ROW_RESIDUAL, row->r, row->c, row->lower, row->upper);
    }
}

/* Several partial maxima shorten the dependency chain; a maximum is the same in any order. */
static void ir_size(struct ir_module *ir, struct statements *s, const struct row *row, uint32_t turn) {
    uint32_t worst = ir->own + OWN_WORST + turn % OWN_CHAINS;
    ir_r(ir, s, row);
    if (ir->plan->options.relative) {
        PUT(ir, s, ROW_RELATIVE, ir->own + OWN_SIZE, row->c, row->lower, row->upper);
        PUT(ir, s, ROW_MOST, worst, worst, ir->own + OWN_SIZE);
    } else
        PUT(ir, s, ROW_MOST_SIZE, worst, worst, row->r);
}

static void ir_residual_row(struct ir_module *ir, struct statements *s, uint32_t i) {
    const struct row row = row_of(ir, i);
    uint32_t lost = ir->own + OWN_LOST;
    ir_size(ir, s, &row, i);
    PUT(ir, s, ROW_LOSE_FINITE, lost, lost, row.c);
    if (ir->plan->options.weighted) {
        uint32_t squares = ir->plan->summary + SUMMARY_SQUARES;
        PUT(ir, s, ROW_ADD_SQUARE, squares, squares, row.scale, row.r);
    }
}

static void ir_residual_begin(struct ir_module *ir, struct statements *s) {
    for (uint32_t k = 0; k < OWN_CHAINS; k++)
        statements_add(s, ROW_ZERO, ir->own + OWN_WORST + k, NULL, 0);
    statements_add(s, ROW_NONE_SET, ir->own + OWN_LOST, NULL, 0);
}

static void ir_residual_end(struct ir_module *ir, struct statements *s) {
    uint32_t worst = ir->own + OWN_WORST, summary = ir->plan->summary;
    for (uint32_t k = 2; k < OWN_CHAINS; k++)
        PUT(ir, s, ROW_MOST, worst + k % 2, worst + k % 2, worst + k);
    PUT(ir, s, ROW_MOST, summary + SUMMARY_WORST, worst, worst + 1);
    PUT(ir, s, ROW_ALL_FINITE, summary + SUMMARY_FINITE, ir->own + OWN_LOST);
}

void ir_residual(struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    struct statements *s = &ir->entry[KERNEL_RESIDUAL];
    ir_residual_begin(ir, s);
    if (plan->options.weighted)
        statements_add(s, ROW_ZERO, plan->summary + SUMMARY_SQUARES, NULL, 0);
    for (uint32_t i = 0; i < plan->rows; i++)
        ir_residual_row(ir, s, i);
    ir_residual_end(ir, s);
}

/* Whether a non-finite c makes outputs non-finite: then r is non-finite and so are the outputs of the row. */
static bool loss_is_seen(const struct ir_module *ir, const struct row *row) {
    bool bounded = isfinite(ir_number(ir, row->lower)) && isfinite(ir_number(ir, row->upper));
    return statements_in_window(&ir->entry[KERNEL_ROUND], row->c) || (bounded && row->end > row->first);
}

/* Residuals of a round, in this order of rows. Tests that c is finite where outputs would not show it. Returns whether
 * it tests any row. */
bool ir_round_rows(struct ir_module *ir, struct statements *s, const uint32_t *order) {
    uint32_t lost = ir->own + OWN_LOST;
    bool asks = false;
    ir_residual_begin(ir, s);
    for (uint32_t k = 0; k < ir->plan->rows; k++) {
        const struct row row = row_of(ir, order[k]);
        ir_size(ir, s, &row, k);
        if (loss_is_seen(ir, &row))
            continue;
        PUT(ir, s, ROW_LOSE_FINITE, lost, lost, row.c);
        asks = true;
    }
    ir_residual_end(ir, s);
    return asks;
}

/* ---- weights ---- */

static void ir_rescale(struct ir_module *ir, struct statements *s, const struct row *row) {
    const uint32_t *entry = plan_words(ir->plan, ir->plan->jacobian.slot);
    uint32_t most = ir->own + OWN_SIZE, mask = ir->plan->slots + LANES_FLAGS;
    statements_add(s, ROW_ZERO, most, NULL, 0);
    for (uint32_t e = row->first; e < row->end; e++)
        PUT(ir, s, ROW_MOST_SIZE, most, most, entry[e]); // cppcheck-suppress constStatement
    PUT(ir, s, ROW_RESCALE, row->scale, mask, most, row->scale);
}

static void ir_active(struct ir_module *ir, struct statements *s, const struct row *row) {
    uint32_t hold = ir->plan->slots + LANES_HOLD, leads = ir->plan->slots + LANES_LEADS;
    bool several = row->end - row->first > 1;
    uint32_t now = ir->own + OWN_NOW;
    if (row->form == FORM_ABOVE_ONLY && several)
        PUT(ir, s, ROW_ACTIVE_UPPER_LEADS, now, row->c, row->upper, row->scale, hold, leads);
    else if (row->form == FORM_BELOW_ONLY && several)
        PUT(ir, s, ROW_ACTIVE_LOWER_LEADS, now, row->c, row->lower, row->scale, hold, leads);
    else if (several)
        PUT(ir, s, ROW_ACTIVE_LEADS, now, row->c, row->lower, row->upper, row->scale, hold, leads);
    else
        PUT(ir, s, ROW_ACTIVE, now, row->c, row->lower, row->upper, row->scale, hold);
}

/* Stores the weighted value, for all samples or for flagged samples only. */
static void ir_weigh_value(struct ir_module *ir, struct statements *s, const struct row *row, bool all, uint32_t to,
                           uint32_t value) {
    uint32_t take = ir->plan->slots + LANES_FLAGS, now = ir->own + OWN_NOW;
    bool equality = row->form == FORM_EQUALITY;
    if (equality && !all)
        PUT(ir, s, ROW_TAKE_EQUAL, to, take, row->scale, value, to);
    else if (equality && !ir->constant_of[to])
        PUT(ir, s, FUNCTION_MUL, to, row->scale, value);
    else if (!equality && all)
        PUT(ir, s, ROW_KEEP_PRODUCT, to, now, row->scale, value);
    else if (!equality)
        PUT(ir, s, ROW_TAKE, to, take, now, row->scale, value, to);
}

static void ir_weigh_row(struct ir_module *ir, struct statements *s, const struct row *row, bool all) {
    const uint32_t *entry = plan_words(ir->plan, ir->plan->jacobian.slot);
    uint32_t take = ir->plan->slots + LANES_FLAGS, now = ir->own + OWN_NOW;
    bool equality = row->form == FORM_EQUALITY;
    if (!equality)
        ir_active(ir, s, row);
    if (equality && all)
        statements_add(s, ROW_ALL_SET, row->active, NULL, 0);
    else if (equality)
        PUT(ir, s, ROW_TAKE_ALL, row->active, take, row->active);
    else if (all)
        PUT(ir, s, ROW_MASK, row->active, now);
    else
        PUT(ir, s, ROW_TAKE_MASK, row->active, take, now, row->active);
    ir_weigh_value(ir, s, row, all, row->right, row->r);
    for (uint32_t e = row->first; e < row->end; e++)
        ir_weigh_value(ir, s, row, all, ir->plan->matrix + e, entry[e]);
}

static void ir_weigh_some(struct ir_module *ir, struct statements *s, const struct row *row) {
    ir_weigh_row(ir, s, row, false);
}

static void ir_weigh_all(struct ir_module *ir, struct statements *s, const struct row *row) {
    ir_weigh_row(ir, s, row, true);
}

void ir_weigh_every(struct ir_module *ir, enum kernel_entry entry) {
    each_row(ir, entry, ir_weigh_all);
}

/* ---- assumed weights ---- */

/* Same rule as the kernels. */
static double weight_for(double most) {
    return most < 1 ? 1 : most > 0x1p1021 ? 0x1p-1021 : ldexp(1, -ilogb(most));
}

/* The largest constant entry; 0 without constant entries or if one is non-finite. */
static double largest_constant(const struct ir_module *ir, const struct row *row) {
    const uint32_t *entry = plan_words(ir->plan, ir->plan->jacobian.slot);
    double most = 0;
    for (uint32_t e = row->first; e < row->end; e++) {
        double size = fabs(ir_number(ir, entry[e]));
        if (ir->constant_of[entry[e]] && !isfinite(size))
            return 0;
        most = ir->constant_of[entry[e]] && size > most ? size : most;
    }
    return most;
}

/* A is also constant for equality rows where weight and entry are constant. */
void ir_assume_weights(struct ir_module *ir) {
    const uint32_t *entry = plan_words(ir->plan, ir->plan->jacobian.slot);
    for (uint32_t i = 0; i < ir->plan->rows; i++) {
        const struct row row = row_of(ir, i);
        double most = largest_constant(ir, &row), scale = weight_for(most);
        if (most == 0)
            continue;
        ir_note_constant(ir, row.scale, scale);
        for (uint32_t e = row.first; e < row.end && row.form == FORM_EQUALITY; e++)
            if (ir->constant_of[entry[e]])
                ir_note_constant(ir, ir->plan->matrix + e, scale * ir_number(ir, entry[e]));
    }
}

static void ir_largest(struct ir_module *ir, struct statements *s, const struct row *row) {
    const struct plan *plan = ir->plan;
    statements_add(s, SUM_ZERO, ir->own + OWN_SIZE, NULL, 0);
    for (uint32_t e = row->first; e < row->end; e++)
        statements_product(s, plan->matrix + e, plan->matrix + e);
    PUT(ir, s, ROW_MOST, plan->largest, plan->largest, ir->own + OWN_SIZE);
}

static void ir_rows_weights(struct ir_module *ir) {
    each_row(ir, KERNEL_RESCALE, ir_rescale);
    each_row(ir, KERNEL_WEIGH, ir_weigh_some);
    each_row(ir, KERNEL_WEIGH_ALL, ir_weigh_all);
}

/* Row blocks are left to the interpreting kernels, with the residual and the weights of all rows. */
void ir_rows(struct ir_module *ir) {
    bool blocks = ir->plan->blocks.count > 0;
    if (!blocks) {
        ir_residual(ir);
        each_row(ir, KERNEL_RESIDUAL_BRIEF, ir_r);
    }
    if (!ir->plan->options.weighted || ir->plan->system.kind == FACTOR_TILED)
        return;
    if (!blocks)
        ir_rows_weights(ir);
    statements_add(&ir->entry[KERNEL_LARGEST], ROW_ZERO, ir->plan->largest, NULL, 0);
    each_row(ir, KERNEL_LARGEST, ir_largest);
}

/* ---- rows of the adjoint ---- */

/* D q, W q, W v and -g of a row: back_rows without bounds. D is 1 on equalities. */
static void ir_pulled(struct ir_module *ir, struct statements *s, uint32_t i) {
    const struct plan *plan = ir->plan;
    const struct row row = row_of(ir, i);
    uint32_t counts = ir->own + OWN_NOW, equality = ir->own + OWN_EQUALITY;
    uint32_t weighed = plan->q + i;
    PUT(ir, s, ROW_EQUALITY, equality, row.lower, row.upper);
    PUT(ir, s, ROW_COUNTS, counts, equality, row.r);
    if (plan->options.weighted) {
        const uint32_t q = ir->own + OWN_SIZE;
        weighed = ir->own + OWN_WEIGHED;
        PUT(ir, s, ROW_KEEP_PRODUCT, plan->leaf_q + i, row.active, row.scale, plan->q + i);
        PUT(ir, s, ROW_KEEP_PRODUCT, plan->leaf_v + i, row.active, row.scale, plan->v + i);
        PUT(ir, s, FUNCTION_SUB_MUL, q, plan->damped, row.right, plan->q + i);
        PUT(ir, s, FUNCTION_MUL, weighed, row.scale, q);
        PUT(ir, s, ROW_KEEP, plan->kept + i, counts, q);
    }
    PUT(ir, s, ROW_KEEP, plan->pulled + i, counts, weighed);
}

void ir_adjoint_rows(struct ir_module *ir, enum kernel_entry entry, bool bounds) {
    const struct plan *plan = ir->plan;
    struct statements *s = &ir->entry[entry];
    for (uint32_t i = 0; i < plan->rows; i++) {
        uint32_t counts = ir->own + OWN_NOW, equality = ir->own + OWN_EQUALITY, below = ir->own + OWN_BELOW;
        uint32_t weighed = plan->options.weighted ? ir->own + OWN_WEIGHED : plan->q + i;
        ir_pulled(ir, s, i);
        if (!bounds)
            continue;
        PUT(ir, s, ROW_BELOW, below, equality, plan->residual + i);
        PUT(ir, s, ROW_ADD_KEPT_NOT, plan->grad_upper + i, plan->grad_upper + i, counts, below, weighed);
        PUT(ir, s, ROW_ADD_KEPT, plan->grad_lower + i, plan->grad_lower + i, below, weighed);
    }
}
