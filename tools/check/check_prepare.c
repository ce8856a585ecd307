/* check_prepare.c - a model's functions, their derivatives and the programs that evaluate them. See check.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "check/check.h"
#include "common/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HESSIAN_NODES = 300000, HESSIAN_RATIO = 4 };

/* ---- functions and derivatives ---- */

static hn_status list_nodes(struct check *check, hn_error *error) {
    const struct problem *p = &check->problem;
    check->nodes = arena_take(&check->arena, check->values + 1, sizeof *check->nodes);
    if (!check->nodes)
        return error_no_memory(error, "check");
    memcpy(check->nodes, p->body, check->rows * sizeof *check->nodes);
    if (check->functions > check->rows)
        check->nodes[check->rows] = p->objective;
    memcpy(check->nodes + check->functions, p->lower, check->rows * sizeof *check->nodes);
    memcpy(check->nodes + check->functions + check->rows, p->upper, check->rows * sizeof *check->nodes);
    return HN_OK;
}

static hn_status differentiate(struct check *check, hn_error *error) {
    struct graph *g = &check->problem.graph;
    uint32_t *weights = NULL;
    hn_status status =
        derivatives_jacobian(&check->by_y, g, check->nodes, check->functions, SPACE_Y, check->columns, error);
    if (status == HN_OK)
        status = derivatives_jacobian(&check->by_x, g, check->nodes, check->values, SPACE_X, check->inputs, error);
    if (status == HN_OK)
        status = derivatives_weights(&weights, g, &check->by_y, true, false, error);
    if (status == HN_OK)
        status = derivatives_contract(&check->second, g, &check->by_y, weights, SPACE_Y, check->columns, error);
    base_release(weights);
    return status;
}

/* ---- programs ---- */

hn_status check_compile(struct program **out, const struct check *check, const uint32_t *outputs, size_t count,
                        hn_error *error) {
    static const uint8_t phases[SPACE_COUNT] = {[SPACE_X] = 0, [SPACE_Y] = 1, 2, 2, 2, 2, 2, 2};
    struct program_request request = {
        .stride = LANES, .graph = &check->problem.graph, .outputs = outputs, .output_count = count};
    request.leaf_count[SPACE_X] = check->inputs;
    request.leaf_count[SPACE_Y] = check->columns;
    request.leaf_count[SPACE_V] = check->functions;
    request.leaf_count[SPACE_T] = check->columns;
    request.leaf_count[SPACE_SIGMA] = 1;
    request.leaf_count[SPACE_LAMBDA] = check->rows;
    memcpy(request.phase, phases, sizeof phases);
    return program_create(out, &request, error);
}

/* by_y and by_x in one program: the nonzeros of the one, then those of the other. */
static hn_status compile_first(struct check *check, hn_error *error) {
    size_t y_count = check->by_y.count, x_count = check->by_x.count;
    uint32_t *nodes = arena_take(&check->arena, y_count + x_count + 1, sizeof *nodes);
    if (!nodes)
        return error_no_memory(error, "check");
    for (size_t e = 0; e < y_count; e++)
        nodes[e] = check->by_y.node[e];
    for (size_t e = 0; e < x_count; e++)
        nodes[y_count + e] = check->by_x.node[e];
    return check_compile(&check->first_program, check, nodes, y_count + x_count, error);
}

static hn_status compile_all(struct check *check, hn_error *error) {
    hn_status status = check_compile(&check->value_program, check, check->nodes, check->values, error);
    if (status == HN_OK)
        status = compile_first(check, error);
    if (status == HN_OK)
        status = check_compile(&check->second_program, check, check->second.node, check->second.count, error);
    return status;
}

/* Unless --max-nodes says otherwise the Hessian may take some seconds' worth of nodes, or as many as J in proportion. */
static void limit_hessian(struct check *check) {
    struct graph *g = &check->problem.graph;
    size_t others = check->value_program->first[PHASES] + check->first_program->first[PHASES];
    size_t limit = g->count + HESSIAN_NODES + HESSIAN_RATIO * others;
    if (check->options->common.max_nodes == 0 && limit < g->max_nodes)
        g->max_nodes = limit;
}

/* The Hessian of a dense model can be far larger than everything else. It comes last, because a graph that has met its limit
 * takes no further nodes; beyond the limit the check goes on without it. */
static hn_status form_hessian(struct check *check, hn_error *error) {
    limit_hessian(check);
    hn_status status = derivatives_hessian(&check->hessian, &check->problem, error);
    if (status == HN_LIMIT)
        return HN_OK;
    if (status == HN_OK)
        status = check_compile(&check->hessian_program, check, check->hessian.node, check->hessian.count, error);
    return status;
}

hn_status check_prepare(struct check *check, hn_error *error) {
    progress_stage(&check->progress, "differentiating");
    hn_status status = problem_create(&check->problem, check->model, error);
    if (status != HN_OK)
        return status;
    check->inputs = check->problem.inputs;
    check->columns = check->problem.outputs;
    check->rows = check->problem.rows;
    check->functions = check->rows + (check->problem.objective != 0);
    check->values = check->functions + 2 * check->rows;
    status = list_nodes(check, error);
    if (status == HN_OK)
        status = differentiate(check, error);
    if (status != HN_OK)
        return status;
    for (size_t i = 0; i < check_jacobian_count(check); i++)
        check->constant_entries += graph_is_constant(&check->problem.graph, check->by_y.node[i], NULL);
    progress_stage(&check->progress, "compiling");
    status = compile_all(check, error);
    progress_stage(&check->progress, "forming the Hessian");
    return status == HN_OK ? form_hessian(check, error) : status;
}

void check_release(struct check *check) {
    program_destroy(check->value_program);
    program_destroy(check->first_program);
    program_destroy(check->second_program);
    program_destroy(check->hessian_program);
    node_matrix_release(&check->by_y);
    node_matrix_release(&check->by_x);
    node_matrix_release(&check->second);
    node_matrix_release(&check->hessian);
    problem_release(&check->problem);
    arena_release(&check->arena);
}

/* ---- helpers ---- */

size_t check_jacobian_count(const struct check *check) {
    return check->by_y.first[check->rows];
}

size_t check_gradient_count(const struct check *check) {
    return check->by_y.count - check_jacobian_count(check);
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

const char *check_safe(struct check *check, const char *name) {
    size_t room = PRINTABLE_PIECE * strlen(name) + 1;
    if (printable_is_safe(name))
        return name;
    char *copy = arena_take(&check->arena, room, 1);
    if (copy)
        printable_copy(copy, room, name);
    check->starved = check->starved || !copy;
    return copy ? copy : "?";
}

const char *check_name(struct check *check, size_t value) {
    if (value < check->rows)
        return check_safe(check, hn_model_row(check->model, value).name);
    if (value < check->functions)
        return check_safe(check, hn_model_objective(check->model).name);
    size_t bound = value - check->functions;
    bool is_upper = bound >= check->rows;
    const char *name = hn_model_row(check->model, is_upper ? bound - check->rows : bound).name;
    return check_format(check, "the %s bound of %s", is_upper ? "upper" : "lower", check_safe(check, name));
}

const char *check_entry(struct check *check, size_t entry) {
    return check_safe(check, entry < check->inputs ? hn_model_input(check->model, entry).name
                                                   : hn_model_output(check->model, entry - check->inputs).name);
}
