/* check_run.c - hn_model_check: differentiates the model and runs the parts of a check. See check_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "check/point_table.h"
#include "model/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the evaluator ---- */

/* Default limit of the Hessian: some seconds' worth of nodes, or a multiple of the model's nodes. */
enum { HESSIAN_NODES = 300000, HESSIAN_RATIO = 16 };

static void make_evaluator(struct check *check) {
    hn_evaluator_options options = hn_evaluator_defaults();
    options.wanted = WANT(ROWS) | WANT(LOWER) | WANT(UPPER) | WANT(JACOBIAN_Y) | WANT(JACOBIAN_X) | WANT(LOWER_X) |
                     WANT(UPPER_X) | WANT(HESSIAN_YY_V) | WANT(HESSIAN_YY);
    if (hn_model_objective(check->model).name)
        options.wanted |= WANT(OBJECTIVE) | WANT(GRADIENT_Y) | WANT(GRADIENT_X);
    options.hessian_nodes = check->options.hessian_nodes
                                ? check->options.hessian_nodes
                                : HESSIAN_NODES + HESSIAN_RATIO * hn_model_node_count(check->model);
    check->status = hn_evaluator_create(&check->evaluator, check->model, &options, check->error);
}

/* ---- patterns: those of several quantities stacked vertically ---- */

/* A gradient is one row, with its nonzeros at the entries. */
static void stack_gradient(struct check_matrix *m, const struct quantity *quantity) {
    for (size_t i = 0; i < quantity->count; i++) {
        m->column[m->count] = quantity->entry[i];
        m->constant[m->count++] = NAN;
    }
    m->first[++m->rows] = m->count;
}

static void stack_pattern(struct check_matrix *m, const hn_pattern *pattern) {
    size_t above = m->count;
    for (size_t e = 0; e < pattern->count; e++) {
        m->column[m->count] = pattern->column[e];
        m->constant[m->count++] = pattern->constant[e];
    }
    for (size_t i = 0; i < pattern->rows; i++)
        m->first[++m->rows] = above + pattern->first[i + 1];
}

static void stack_part(struct check *check, struct check_matrix *matrix, size_t columns, enum board_part part) {
    const struct quantity *quantity = check->evaluator->quantity;
    size_t count = 0;
    for (int k = 0; k < BOARD_STACK && board_quantity(part, k) < HN_QUANTITY_COUNT; k++)
        count += quantity[board_quantity(part, k)].count;
    *matrix = (struct check_matrix){.columns = columns};
    matrix->first = check_take(check, check->values, sizeof *matrix->first);
    matrix->column = check_take(check, count, sizeof *matrix->column);
    matrix->constant = check_take(check, count, sizeof *matrix->constant);
    for (int k = 0; k < BOARD_STACK && check->status == HN_OK; k++) {
        hn_quantity q = board_quantity(part, k);
        if (q == HN_QUANTITY_COUNT || quantity[q].piece == PIECES)
            continue;
        if (quantity[q].entry)
            stack_gradient(matrix, &quantity[q]);
        else
            stack_pattern(matrix, &quantity[q].pattern);
    }
}

/* Equalities have one bound, stored twice. */
static size_t bound_entries(const struct check *check) {
    size_t count = 0, m = check->rows;
    const size_t *first = check->by_x.first + check->functions;
    for (size_t i = 0; i < m; i++) {
        count += first[i + 1] - first[i];
        if (!check_is_equality(check, i))
            count += first[m + i + 1] - first[m + i];
    }
    return count;
}

static void check_prepare(struct check *check) {
    hn_check *found = &check->found;
    check_stage(check, "differentiating");
    make_evaluator(check);
    if (check->status != HN_OK)
        return;
    hn_evaluator_info info = hn_evaluator_info_of(check->evaluator);
    found->inputs = check->inputs = info.inputs;
    found->outputs = check->columns = info.outputs;
    found->rows = check->rows = info.rows;
    found->hessian_left_out = info.hessian_left_out;
    found->value_instructions = info.value_instructions;
    found->first_instructions = info.first_instructions;
    found->hessian_instructions = info.hessian_instructions;
    check->functions = check->evaluator->functions;
    check->values = check->functions + 2 * check->rows;
    stack_part(check, &check->by_y, check->columns, BOARD_BY_Y);
    stack_part(check, &check->by_x, check->inputs, BOARD_BY_X);
    if (check->status != HN_OK)
        return;
    check->hessian = check->evaluator->quantity[HN_QUANTITY_HESSIAN_YY].pattern;
    found->hessian_nonzeros = check->hessian.count;
    found->jacobian = check->evaluator->quantity[HN_QUANTITY_JACOBIAN_Y].pattern;
    for (size_t e = 0; e < found->jacobian.count; e++)
        found->jacobian_constant += isnan(found->jacobian.constant[e]) ? 0 : 1;
    found->gradient_nonzeros = check->by_y.count - found->jacobian.count;
    found->jacobian_x_nonzeros = check->by_x.first[check->rows];
    found->bounds_x_nonzeros = bound_entries(check);
}

/* ---- all parts ---- */

hn_status hn_check_get_defaults(hn_check_options *out, hn_error *error) {
    hn_check_options own = {.size = sizeof own, .points = 4, .seed = 1};
    return STRUCT_GIVE(hn_check_options, out, &own, error);
}

static hn_status take_options(hn_check_options *own, const hn_check_options *options, const hn_model *model,
                              hn_error *error) {
    *own = hn_check_defaults();
    hn_status status = options ? STRUCT_TAKE(hn_check_options, own, options, error) : HN_OK;
    if (status != HN_OK)
        return status;
    own->points = own->points ? own->points : hn_check_defaults().points;
    if (own->points > HN_CHECK_POINTS)
        return error_about(error, HN_INVALID, error_option("points"), "points %zu: choose 1 to %d", own->points,
                           HN_CHECK_POINTS);
    if (own->threads < 0)
        return error_about(error, HN_INVALID, error_option("threads"), "threads %d: choose 0 (one per core) or more",
                           own->threads);
    if (!own->x || hn_model_input_count(model) == 0)
        own->x_rows = 0;
    return HN_OK;
}

static void run_parts(struct check *check) {
    void (*const parts[])(struct check *) = {check_prepare,  check_points,  check_evaluate, check_differences,
                                             check_products, check_correct, check_conflict, check_rank,
                                             check_theorem,  check_findings};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && check->status == HN_OK; i++)
        parts[i](check);
}

hn_status hn_model_check(hn_check **out, const hn_model *model, const hn_check_options *options, hn_error *error) {
    if (!out)
        return error_missing(error, "hn_model_check", "out");
    *out = NULL;
    if (!model)
        return error_missing(error, "hn_model_check", "model");
    struct check *check = base_allocate(sizeof *check);
    if (!check)
        return error_no_memory(error, "check");
    memset(check, 0, sizeof *check);
    check->model = model;
    check->error = error;
    check->status = take_options(&check->options, options, model, error);
    if (check->status == HN_OK)
        check->status = model_without_blocks(model, "checks of a model do", error);
    run_parts(check);
    hn_status status = check->status;
    if (status == HN_OK)
        *out = &check->found;
    else
        hn_check_destroy(&check->found);
    return status;
}

/* The result is the first member of the check. */
void hn_check_destroy(hn_check *check) {
    struct check *own = (struct check *)(void *)check;
    if (!own)
        return;
    hn_evaluator_destroy(own->evaluator);
    arena_release(&own->arena);
    base_release(own);
}

/* ---- helpers ---- */

void check_starve(struct check *check) {
    if (check->status == HN_OK)
        check->status = error_no_memory(check->error, "check");
}

void *check_take(struct check *check, size_t count, size_t size) {
    void *memory = arena_take(&check->arena, count + 1, size);
    if (!memory)
        check_starve(check);
    return memory ? memset(memory, 0, (count + 1) * size) : NULL;
}

void check_stage(const struct check *check, const char *stage) {
    if (check->options.progress)
        check->options.progress(check->options.progress_context, stage, 0, 0);
}

const char *check_format(struct check *check, const char *format, ...) {
    char text[301];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *kept = arena_copy_text(&check->arena, text, strlen(text));
    if (!kept)
        check_starve(check);
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
