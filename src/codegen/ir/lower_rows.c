/* lower_rows.c - residuals, their summary and row weights, as statements.
 *
 * What rows_kernel.h computes, row by row. Where the bounds of a row are constant, what they decide is decided here: an equality has
 * r = c - b and is always active; an infinite bound is never crossed. The bits stay the same, those of zeros included.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/lower.h"

#include <math.h>

/* What constant bounds say about a row. */
enum row_form { FORM_GENERAL, FORM_EQUALITY, FORM_ABOVE_ONLY, FORM_BELOW_ONLY };

static enum row_form form_of(const struct walk *walk, uint32_t lower, uint32_t upper) {
    double low = walk_number(walk, lower), high = walk_number(walk, upper);
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

static struct row row_of(const struct walk *walk, uint32_t i) {
    const struct plan *plan = walk->plan;
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
    row.form = form_of(walk, row.lower, row.upper);
    return row;
}

/* ---- residuals ---- */

static void walk_r(struct walk *walk, struct statements *s, const struct row *row) {
    switch (row->form) {
    case FORM_EQUALITY:
        PUT(walk, s, ROW_RESIDUAL_EQUAL, row->r, row->c, row->lower);
        break;
    case FORM_ABOVE_ONLY:
        PUT(walk, s, ROW_RESIDUAL_UPPER, row->r, row->c, row->upper);
        break;
    case FORM_BELOW_ONLY:
        PUT(walk, s, ROW_RESIDUAL_LOWER, row->r, row->c, row->lower);
        break;
    default:
        PUT(walk, s, ROW_RESIDUAL, row->r, row->c, row->lower, row->upper);
    }
}

/* Largest violations are found in turns, so that none waits for the one before; the largest of all is the same in any order. */
static void walk_size(struct walk *walk, struct statements *s, const struct row *row, uint32_t turn) {
    uint32_t worst = walk->own + OWN_WORST + turn % OWN_CHAINS;
    walk_r(walk, s, row);
    if (walk->plan->options.relative) {
        PUT(walk, s, ROW_RELATIVE, walk->own + OWN_SIZE, row->c, row->lower, row->upper);
        PUT(walk, s, ROW_MOST, worst, worst, walk->own + OWN_SIZE);
    } else
        PUT(walk, s, ROW_MOST_SIZE, worst, worst, row->r);
}

static void walk_residual_row(struct walk *walk, struct statements *s, uint32_t i) {
    const struct row row = row_of(walk, i);
    uint32_t lost = walk->own + OWN_LOST;
    walk_size(walk, s, &row, i);
    PUT(walk, s, ROW_LOSE_FINITE, lost, lost, row.c);
    if (walk->plan->options.weighted) {
        uint32_t squares = walk->plan->summary + SUMMARY_SQUARES;
        PUT(walk, s, ROW_ADD_SQUARE, squares, squares, row.scale, row.r);
    }
}

static void walk_residual_begin(struct walk *walk, struct statements *s) {
    for (uint32_t k = 0; k < OWN_CHAINS; k++)
        statements_add(s, ROW_ZERO, walk->own + OWN_WORST + k, NULL, 0);
    statements_add(s, ROW_NONE_SET, walk->own + OWN_LOST, NULL, 0);
}

static void walk_residual_end(struct walk *walk, struct statements *s) {
    uint32_t worst = walk->own + OWN_WORST, summary = walk->plan->summary;
    for (uint32_t k = 2; k < OWN_CHAINS; k++)
        PUT(walk, s, ROW_MOST, worst + k % 2, worst + k % 2, worst + k);
    PUT(walk, s, ROW_MOST, summary + SUMMARY_WORST, worst, worst + 1);
    PUT(walk, s, ROW_ALL_FINITE, summary + SUMMARY_FINITE, walk->own + OWN_LOST);
}

void walk_residual(struct walk *walk) {
    const struct plan *plan = walk->plan;
    struct statements *s = &walk->entry[KERNEL_RESIDUAL];
    walk_residual_begin(walk, s);
    if (plan->options.weighted)
        statements_add(s, ROW_ZERO, plan->summary + SUMMARY_SQUARES, NULL, 0);
    for (uint32_t i = 0; i < plan->rows; i++)
        walk_residual_row(walk, s, i);
    walk_residual_end(walk, s);
}

/* Whether a c that is not finite makes outputs that are not: r is lost then, too, and what the row pulls at. */
static bool loss_is_seen(const struct walk *walk, const struct row *row) {
    bool bounded = isfinite(walk_number(walk, row->lower)) && isfinite(walk_number(walk, row->upper));
    return statements_in_window(&walk->entry[KERNEL_ROUND], row->c) || (bounded && row->end > row->first);
}

/* Residuals of a round, in this order of the rows; whether c is finite is asked where outputs would not show it. Returns whether it is
 * asked at all. */
bool walk_round_rows(struct walk *walk, struct statements *s, const uint32_t *order) {
    uint32_t lost = walk->own + OWN_LOST;
    bool asks = false;
    walk_residual_begin(walk, s);
    for (uint32_t k = 0; k < walk->plan->rows; k++) {
        const struct row row = row_of(walk, order[k]);
        walk_size(walk, s, &row, k);
        if (loss_is_seen(walk, &row))
            continue;
        PUT(walk, s, ROW_LOSE_FINITE, lost, lost, row.c);
        asks = true;
    }
    walk_residual_end(walk, s);
    return asks;
}

static void walk_residual_brief(struct walk *walk) {
    for (uint32_t i = 0; i < walk->plan->rows; i++) {
        const struct row row = row_of(walk, i);
        walk_r(walk, &walk->entry[KERNEL_RESIDUAL_BRIEF], &row);
    }
}

/* ---- weights ---- */

static void walk_rescale(struct walk *walk) {
    const uint32_t *entry = plan_words(walk->plan, walk->plan->jacobian.slot);
    struct statements *s = &walk->entry[KERNEL_RESCALE];
    uint32_t most = walk->own + OWN_SIZE, mask = walk->plan->slots + LANES_FLAGS;
    for (uint32_t i = 0; i < walk->plan->rows; i++) {
        const struct row row = row_of(walk, i);
        statements_add(s, ROW_ZERO, most, NULL, 0);
        for (uint32_t e = row.first; e < row.end; e++)
            PUT(walk, s, ROW_MOST_SIZE, most, most, entry[e]); // cppcheck-suppress constStatement
        PUT(walk, s, ROW_RESCALE, row.scale, mask, most, row.scale);
    }
}

static void walk_active(struct walk *walk, struct statements *s, const struct row *row) {
    uint32_t hold = walk->plan->slots + LANES_HOLD, leads = walk->plan->slots + LANES_LEADS;
    bool several = row->end - row->first > 1;
    uint32_t now = walk->own + OWN_NOW;
    if (row->form == FORM_ABOVE_ONLY && several)
        PUT(walk, s, ROW_ACTIVE_UPPER_LEADS, now, row->c, row->upper, row->scale, hold, leads);
    else if (row->form == FORM_BELOW_ONLY && several)
        PUT(walk, s, ROW_ACTIVE_LOWER_LEADS, now, row->c, row->lower, row->scale, hold, leads);
    else if (several)
        PUT(walk, s, ROW_ACTIVE_LEADS, now, row->c, row->lower, row->upper, row->scale, hold, leads);
    else
        PUT(walk, s, ROW_ACTIVE, now, row->c, row->lower, row->upper, row->scale, hold);
}

static void walk_weigh_row(struct walk *walk, struct statements *s, const struct row *row) {
    const uint32_t *entry = plan_words(walk->plan, walk->plan->jacobian.slot);
    uint32_t take = walk->plan->slots + LANES_FLAGS, now = walk->own + OWN_NOW, matrix = walk->plan->matrix;
    if (row->form == FORM_EQUALITY) {
        PUT(walk, s, ROW_TAKE_ALL, row->active, take, row->active);
        PUT(walk, s, ROW_TAKE_EQUAL, row->right, take, row->scale, row->r, row->right);
        for (uint32_t e = row->first; e < row->end; e++)
            PUT(walk, s, ROW_TAKE_EQUAL, matrix + e, take, row->scale, entry[e], matrix + e);
        return;
    }
    walk_active(walk, s, row);
    PUT(walk, s, ROW_TAKE_MASK, row->active, take, now, row->active);
    PUT(walk, s, ROW_TAKE, row->right, take, now, row->scale, row->r, row->right);
    for (uint32_t e = row->first; e < row->end; e++)
        PUT(walk, s, ROW_TAKE, matrix + e, take, now, row->scale, entry[e], matrix + e);
}

/* The same where every sample is taken: nothing of what was there is left. */
static void walk_weigh_all_row(struct walk *walk, struct statements *s, const struct row *row) {
    const uint32_t *entry = plan_words(walk->plan, walk->plan->jacobian.slot);
    uint32_t now = walk->own + OWN_NOW, matrix = walk->plan->matrix;
    if (row->form == FORM_EQUALITY) {
        statements_add(s, ROW_ALL_SET, row->active, NULL, 0);
        PUT(walk, s, FUNCTION_MUL, row->right, row->scale, row->r);
        for (uint32_t e = row->first; e < row->end; e++)
            if (!walk->constant_of[matrix + e])
                PUT(walk, s, FUNCTION_MUL, matrix + e, row->scale, entry[e]);
        return;
    }
    walk_active(walk, s, row);
    PUT(walk, s, ROW_MASK, row->active, now);
    PUT(walk, s, ROW_KEEP_PRODUCT, row->right, now, row->scale, row->r);
    for (uint32_t e = row->first; e < row->end; e++)
        PUT(walk, s, ROW_KEEP_PRODUCT, matrix + e, now, row->scale, entry[e]);
}

void walk_weigh_every(struct walk *walk, enum kernel_entry entry) {
    for (uint32_t i = 0; i < walk->plan->rows; i++) {
        const struct row row = row_of(walk, i);
        walk_weigh_all_row(walk, &walk->entry[entry], &row);
    }
}

static void walk_weigh(struct walk *walk) {
    for (uint32_t i = 0; i < walk->plan->rows; i++) {
        const struct row row = row_of(walk, i);
        walk_weigh_row(walk, &walk->entry[KERNEL_WEIGH], &row);
    }
    walk_weigh_every(walk, KERNEL_WEIGH_ALL);
}

/* ---- weights that are taken for granted ---- */

/* As the kernels do. */
static double weight_for(double most) {
    return most < 1 ? 1 : most > 0x1p1021 ? 0x1p-1021 : ldexp(1, -ilogb(most));
}

/* The largest constant entry; 0 where there is none, or where one is not finite. */
static double largest_constant(const struct walk *walk, const struct row *row) {
    const uint32_t *entry = plan_words(walk->plan, walk->plan->jacobian.slot);
    double most = 0;
    for (uint32_t e = row->first; e < row->end; e++) {
        double size = fabs(walk_number(walk, entry[e]));
        if (walk->constant_of[entry[e]] && !isfinite(size))
            return 0;
        most = walk->constant_of[entry[e]] && size > most ? size : most;
    }
    return most;
}

/* A is constant, too, where row, weight and entry are. */
void walk_assume_weights(struct walk *walk) {
    const uint32_t *entry = plan_words(walk->plan, walk->plan->jacobian.slot);
    for (uint32_t i = 0; i < walk->plan->rows; i++) {
        const struct row row = row_of(walk, i);
        double most = largest_constant(walk, &row), scale = weight_for(most);
        if (most == 0)
            continue;
        walk_note_constant(walk, row.scale, scale);
        for (uint32_t e = row.first; e < row.end && row.form == FORM_EQUALITY; e++)
            if (walk->constant_of[entry[e]])
                walk_note_constant(walk, walk->plan->matrix + e, scale * walk_number(walk, entry[e]));
    }
}

static void walk_largest(struct walk *walk) {
    const struct plan *plan = walk->plan;
    struct statements *s = &walk->entry[KERNEL_LARGEST];
    statements_add(s, ROW_ZERO, plan->largest, NULL, 0);
    for (uint32_t i = 0; i < plan->rows; i++) {
        const struct row row = row_of(walk, i);
        statements_begin(s, SUM_ZERO);
        statements_operand(s, walk->own + OWN_SIZE);
        for (uint32_t e = row.first; e < row.end; e++) {
            statements_operand(s, plan->matrix + e);
            statements_operand(s, plan->matrix + e);
        }
        PUT(walk, s, ROW_MOST, plan->largest, plan->largest, walk->own + OWN_SIZE);
    }
}

void walk_rows(struct walk *walk) {
    walk_residual(walk);
    walk_residual_brief(walk);
    if (!walk->plan->options.weighted || walk->plan->system.kind == FACTOR_TILED)
        return;
    walk_rescale(walk);
    walk_weigh(walk);
    walk_largest(walk);
}

/* ---- rows of the adjoint ---- */

/* D q, W q, W v and -g of a row: what back_rows leaves without bounds. D is 1 on equalities. */
static void walk_pulled(struct walk *walk, struct statements *s, uint32_t i) {
    const struct plan *plan = walk->plan;
    const struct row row = row_of(walk, i);
    uint32_t counts = walk->own + OWN_NOW, equality = walk->own + OWN_EQUALITY;
    uint32_t weighed = plan->q + i;
    PUT(walk, s, ROW_EQUALITY, equality, row.lower, row.upper);
    PUT(walk, s, ROW_COUNTS, counts, equality, row.r);
    if (plan->options.weighted) {
        const uint32_t q = walk->own + OWN_SIZE;
        weighed = walk->own + OWN_WEIGHED;
        PUT(walk, s, ROW_KEEP_PRODUCT, plan->leaf_q + i, row.active, row.scale, plan->q + i);
        PUT(walk, s, ROW_KEEP_PRODUCT, plan->leaf_v + i, row.active, row.scale, plan->v + i);
        PUT(walk, s, FUNCTION_SUB_MUL, q, plan->damped, row.right, plan->q + i);
        PUT(walk, s, FUNCTION_MUL, weighed, row.scale, q);
        PUT(walk, s, ROW_KEEP, plan->kept + i, counts, q);
    }
    PUT(walk, s, ROW_KEEP, plan->pulled + i, counts, weighed);
}

void walk_adjoint_rows(struct walk *walk, enum kernel_entry entry, bool bounds) {
    const struct plan *plan = walk->plan;
    struct statements *s = &walk->entry[entry];
    for (uint32_t i = 0; i < plan->rows; i++) {
        uint32_t counts = walk->own + OWN_NOW, equality = walk->own + OWN_EQUALITY, below = walk->own + OWN_BELOW;
        uint32_t weighed = plan->options.weighted ? walk->own + OWN_WEIGHED : plan->q + i;
        walk_pulled(walk, s, i);
        if (!bounds)
            continue;
        PUT(walk, s, ROW_BELOW, below, equality, plan->residual + i);
        PUT(walk, s, ROW_ADD_KEPT_NOT, plan->grad_upper + i, plan->grad_upper + i, counts, below, weighed);
        PUT(walk, s, ROW_ADD_KEPT, plan->grad_lower + i, plan->grad_lower + i, below, weighed);
    }
}
