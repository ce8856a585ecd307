/* check_prepare.c - a model's evaluator, the patterns of its derivatives, and names. See check_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "check/check_parts.h"
#include "model/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Default limit of the Hessian: some seconds' worth of nodes, or a multiple of the model's nodes. */
enum { HESSIAN_NODES = 300000, HESSIAN_RATIO = 16 };

#define W(name) HN_WANT(HN_QUANTITY_##name)

static hn_status make_evaluator(struct check *check, hn_error *error) {
    hn_evaluator_options options = hn_evaluator_defaults();
    options.wanted = W(ROWS) | W(LOWER) | W(UPPER) | W(JACOBIAN_Y) | W(JACOBIAN_X) | W(LOWER_X) | W(UPPER_X) |
                     W(HESSIAN_YY_V) | W(HESSIAN_YY);
    if (hn_model_objective(check->model).name)
        options.wanted |= W(OBJECTIVE) | W(GRADIENT_Y) | W(GRADIENT_X);
    options.hessian_nodes = check->options.hessian_nodes
                                ? check->options.hessian_nodes
                                : HESSIAN_NODES + HESSIAN_RATIO * hn_model_node_count(check->model);
    return hn_evaluator_create(&check->evaluator, check->model, &options, error);
}

/* ---- patterns: those of several quantities stacked vertically ---- */

struct stack {
    struct check_matrix *matrix;
    const hn_evaluator *evaluator;
};

/* A gradient is one row, with its nonzeros at the entries. */
static void add_gradient(const struct stack *stack, hn_quantity q) {
    struct check_matrix *m = stack->matrix;
    const struct quantity *quantity = &stack->evaluator->quantity[q];
    for (size_t i = 0; i < quantity->count; i++) {
        m->column[m->count] = quantity->entry[i];
        m->constant[m->count++] = NAN;
    }
    m->first[++m->rows] = m->count;
}

static void add_pattern(const struct stack *stack, hn_quantity q) {
    struct check_matrix *m = stack->matrix;
    const hn_pattern *pattern = &stack->evaluator->quantity[q].pattern;
    size_t below = m->count;
    for (size_t e = 0; e < pattern->count; e++) {
        m->column[m->count] = pattern->column[e];
        m->constant[m->count++] = pattern->constant[e];
    }
    for (size_t i = 0; i < pattern->rows; i++)
        m->first[++m->rows] = below + pattern->first[i + 1];
}

static hn_status stack_patterns(struct check *check, struct check_matrix *matrix, size_t columns,
                                const hn_quantity q[4], hn_error *error) {
    struct stack stack = {matrix, check->evaluator};
    size_t count = 0;
    for (int k = 0; k < 4; k++)
        count += q[k] < HN_QUANTITY_COUNT ? check->evaluator->quantity[q[k]].count : 0;
    *matrix = (struct check_matrix){.columns = columns};
    matrix->first = arena_take(&check->arena, check->values + 1, sizeof *matrix->first);
    matrix->column = arena_take(&check->arena, count + 1, sizeof *matrix->column);
    matrix->constant = arena_take(&check->arena, count + 1, sizeof *matrix->constant);
    if (!matrix->first || !matrix->column || !matrix->constant)
        return error_no_memory(error, "check");
    matrix->first[0] = 0;
    for (int k = 0; k < 4; k++) {
        if (q[k] == HN_QUANTITY_COUNT || check->evaluator->quantity[q[k]].piece == PIECES)
            continue;
        if (check->evaluator->quantity[q[k]].entry)
            add_gradient(&stack, q[k]);
        else
            add_pattern(&stack, q[k]);
    }
    return HN_OK;
}

static hn_status keep_patterns(struct check *check, hn_error *error) {
    static const hn_quantity in_y[] = {HN_QUANTITY_JACOBIAN_Y, HN_QUANTITY_GRADIENT_Y, HN_QUANTITY_COUNT,
                                       HN_QUANTITY_COUNT};
    static const hn_quantity in_x[] = {HN_QUANTITY_JACOBIAN_X, HN_QUANTITY_GRADIENT_X, HN_QUANTITY_LOWER_X,
                                       HN_QUANTITY_UPPER_X};
    hn_status status = stack_patterns(check, &check->by_y, check->columns, in_y, error);
    if (status == HN_OK)
        status = stack_patterns(check, &check->by_x, check->inputs, in_x, error);
    if (status != HN_OK)
        return status;
    check->jacobian = check->evaluator->quantity[HN_QUANTITY_JACOBIAN_Y].pattern;
    check->hessian = check->evaluator->quantity[HN_QUANTITY_HESSIAN_YY].pattern;
    for (size_t e = 0; e < check->jacobian.count; e++)
        check->constant_entries += isnan(check->jacobian.constant[e]) ? 0 : 1;
    return HN_OK;
}

hn_status check_prepare(struct check *check, hn_error *error) {
    check_stage(check, "differentiating");
    hn_status status = make_evaluator(check, error);
    if (status != HN_OK)
        return status;
    check->info = hn_evaluator_info_of(check->evaluator);
    check->inputs = check->info.inputs;
    check->columns = check->info.outputs;
    check->rows = check->info.rows;
    check->functions = check->evaluator->functions;
    check->values = check->functions + 2 * check->rows;
    return keep_patterns(check, error);
}

/* ---- helpers ---- */

void check_stage(const struct check *check, const char *stage) {
    if (check->options.progress)
        check->options.progress(check->options.progress_context, stage, 0, 0);
}

size_t check_jacobian_count(const struct check *check) {
    return check->jacobian.count;
}

const char *check_format(struct check *check, const char *format, ...) {
    char text[301];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *kept = arena_copy_text(&check->arena, text, strlen(text));
    check->starved = check->starved || !kept;
    return kept ? kept : "?";
}

const char *check_name(struct check *check, size_t value) {
    if (value < check->rows)
        return hn_model_row(check->model, value).name;
    if (value < check->functions)
        return hn_model_objective(check->model).name;
    size_t bound = value - check->functions;
    bool is_upper = bound >= check->rows;
    const char *name = hn_model_row(check->model, is_upper ? bound - check->rows : bound).name;
    return check_format(check, "the %s bound of %s", is_upper ? "upper" : "lower", name);
}

const char *check_entry(struct check *check, size_t entry) {
    return entry < check->inputs ? hn_model_input(check->model, entry).name
                                 : hn_model_output(check->model, entry - check->inputs).name;
}

bool check_is_equality(const struct check *check, size_t row) {
    return check->model->rows[row].lower == check->model->rows[row].upper;
}

/* Bounds of a column are a row that has the name of the column and the column as its body. */
bool check_is_bound(const struct check *check, size_t row, size_t *column) {
    const struct node *node = &check->model->graph.nodes[check->model->rows[row].body];
    if (node->op != OP_LEAF || node->a != SPACE_Y)
        return false;
    *column = node->b;
    return strcmp(check->model->outputs[node->b].name, check->model->rows[row].name) == 0;
}
