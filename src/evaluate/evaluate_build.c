/* evaluate_build.c - from a model to the programs of an evaluator: differentiate, list, compile. See evaluate_parts.h.
 *
 * The functions f_i are the bodies of the rows, if a row quantity is wanted, followed by the objective; derivatives
 * with respect to x also include the bounds. The Hessian comes last, because a graph that has reached its limit does
 * not accept further nodes.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/derivatives.h"
#include "autodiff/sweep.h"
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/evaluate_parts.h"

#include <math.h>
#include <string.h>

#define W(name) HN_WANT(HN_QUANTITY_##name)
static const uint64_t ROWS_BY_Y = W(JACOBIAN_Y) | W(JACOBIAN_Y_V) | W(HESSIAN_YY_V) | W(HESSIAN_XY_V);
static const uint64_t ROWS_BY_X = W(JACOBIAN_X) | W(JACOBIAN_X_V) | W(HESSIAN_YX_V) | W(HESSIAN_XX_V);
static const uint64_t BOUNDS_BY_X = W(LOWER_X) | W(UPPER_X);
static const uint64_t BLOCKS = W(HESSIAN_YY) | W(HESSIAN_YX) | W(HESSIAN_XX);
static const uint64_t ALONG_Y = W(JACOBIAN_Y_V) | W(HESSIAN_YY_V) | W(HESSIAN_XY_V);
static const uint64_t ALONG_X = W(JACOBIAN_X_V) | W(HESSIAN_YX_V) | W(HESSIAN_XX_V);

struct builder {
    hn_evaluator *evaluator;
    uint64_t wanted;
    size_t hessian_nodes;
    bool without_objective;
    struct problem problem;
    size_t y_rows, x_rows;         /* rows of by_y and by_x before the objective: all or 0 */
    struct node_matrix by_y, by_x; /* of the functions; of the functions, then of both bounds */
    struct node_list list[PIECES]; /* outputs of each program */
    size_t begin[HN_QUANTITY_COUNT];
};

static bool wants(const struct builder *b, uint64_t any) {
    return (b->wanted & any) != 0;
}

static hn_status evaluate_build_no_memory(hn_error *error) {
    return error_no_memory(error, "the evaluator");
}

/* ---- quantities ---- */

/* Adds nodes as the results of a quantity, in the program of a piece. */
static hn_status evaluate_build_add(struct builder *b, hn_quantity q, enum piece piece, const uint32_t *nodes,
                                    size_t count, hn_error *error) {
    struct quantity *quantity = &b->evaluator->quantity[q];
    b->begin[q] = b->list[piece].count;
    quantity->piece = piece;
    quantity->width = quantity->count = count;
    return node_list_add(&b->list[piece], nodes, count, error);
}

/* The same for one row of a matrix, expanded to a dense vector of the width. */
static hn_status add_vector(struct builder *b, hn_quantity q, enum piece piece, const struct node_matrix *matrix,
                            size_t row, hn_error *error) {
    size_t first = matrix->first[row], count = matrix->first[row + 1] - first;
    hn_status status = evaluate_build_add(b, q, piece, count ? matrix->node + first : NULL, count, error);
    struct quantity *quantity = &b->evaluator->quantity[q];
    quantity->width = matrix->columns;
    quantity->entry = arena_take(&b->evaluator->arena, count + 1, sizeof *quantity->entry);
    if (status != HN_OK || !quantity->entry)
        return status != HN_OK ? status : evaluate_build_no_memory(error);
    if (count)
        memcpy(quantity->entry, matrix->column + first, count * sizeof *quantity->entry);
    return HN_OK;
}

static hn_status keep_pattern(struct builder *b, hn_pattern *pattern, const struct node_matrix *matrix, size_t row,
                              size_t rows, hn_error *error) {
    struct arena *arena = &b->evaluator->arena;
    size_t begin = matrix->first[row], count = matrix->first[row + rows] - begin;
    size_t *first = arena_take(arena, rows + 1, sizeof *first);
    uint32_t *column = arena_take(arena, count + 1, sizeof *column);
    double *constant = arena_take(arena, count + 1, sizeof *constant);
    if (!first || !column || !constant)
        return evaluate_build_no_memory(error);
    for (size_t i = 0; i <= rows; i++)
        first[i] = matrix->first[row + i] - begin;
    for (size_t e = 0; e < count; e++) {
        column[e] = matrix->column[begin + e];
        constant[e] = NAN;
        graph_entry_is_constant(&b->problem.graph, matrix->node[begin + e], &constant[e]);
    }
    *pattern = (hn_pattern){sizeof *pattern, rows, matrix->columns, count, first, column, constant};
    return HN_OK;
}

/* The nonzeros of some rows of a matrix. */
static hn_status add_matrix(struct builder *b, hn_quantity q, enum piece piece, const struct node_matrix *matrix,
                            size_t row, size_t rows, hn_error *error) {
    size_t first = matrix->first[row], count = matrix->first[row + rows] - first;
    hn_status status = evaluate_build_add(b, q, piece, count ? matrix->node + first : NULL, count, error);
    if (status == HN_OK)
        status = keep_pattern(b, &b->evaluator->quantity[q].pattern, matrix, row, rows, error);
    return status;
}

/* ---- values ---- */

static hn_status add_fixed(struct builder *b, hn_error *error) {
    const struct problem *p = &b->problem;
    size_t count = 0;
    uint32_t *nodes = arena_take(&b->evaluator->arena, p->outputs + 1, sizeof *nodes);
    uint32_t *entry = arena_take(&b->evaluator->arena, p->outputs + 1, sizeof *entry);
    if (!nodes || !entry)
        return evaluate_build_no_memory(error);
    for (size_t j = 0; j < p->outputs; j++)
        if (p->fixed[j] != 0) {
            nodes[count] = p->fixed[j];
            entry[count++] = (uint32_t)j;
        }
    hn_status status = evaluate_build_add(b, HN_QUANTITY_FIXED, PIECE_VALUES, nodes, count, error);
    struct quantity *quantity = &b->evaluator->quantity[HN_QUANTITY_FIXED];
    quantity->entry = entry;
    quantity->width = p->outputs;
    quantity->absent = NAN;
    return status;
}

static hn_status add_values(struct builder *b, hn_error *error) {
    struct problem *p = &b->problem;
    bool residual = wants(b, W(RESIDUAL));
    uint32_t objective = p->objective != 0 ? p->objective : graph_constant(&p->graph, 0);
    hn_status status = HN_OK;
    if (residual || wants(b, W(ROWS)))
        status = evaluate_build_add(b, HN_QUANTITY_ROWS, PIECE_VALUES, p->body, p->rows, error);
    if (status == HN_OK && wants(b, W(OBJECTIVE)))
        status = evaluate_build_add(b, HN_QUANTITY_OBJECTIVE, PIECE_VALUES, &objective, 1, error);
    if (status == HN_OK && (residual || wants(b, W(LOWER))))
        status = evaluate_build_add(b, HN_QUANTITY_LOWER, PIECE_VALUES, p->lower, p->rows, error);
    if (status == HN_OK && (residual || wants(b, W(UPPER))))
        status = evaluate_build_add(b, HN_QUANTITY_UPPER, PIECE_VALUES, p->upper, p->rows, error);
    if (status == HN_OK && wants(b, W(START)))
        status = evaluate_build_add(b, HN_QUANTITY_START, PIECE_VALUES, p->start, p->outputs, error);
    if (status == HN_OK && wants(b, W(FIXED)))
        status = add_fixed(b, error);
    if (residual) {
        b->evaluator->quantity[HN_QUANTITY_RESIDUAL].piece = PIECE_VALUES;
        b->evaluator->quantity[HN_QUANTITY_RESIDUAL].width = p->rows;
    }
    return status;
}

/* ---- first derivatives ---- */

/* Differentiates a list of functions at once, so that common subexpressions are differentiated once. */
static hn_status evaluate_build_differentiate(struct builder *b, struct node_matrix *out, size_t rows, bool bounds,
                                              enum space space, hn_error *error) {
    struct problem *p = &b->problem;
    struct node_list nodes = {.count = 0};
    hn_status status = node_list_add(&nodes, p->body, rows, error);
    if (status == HN_OK && p->objective != 0)
        status = node_list_add(&nodes, &p->objective, 1, error);
    if (status == HN_OK && bounds)
        status = node_list_add(&nodes, p->lower, p->rows, error);
    if (status == HN_OK && bounds)
        status = node_list_add(&nodes, p->upper, p->rows, error);
    if (status == HN_OK)
        status = derivatives_jacobian(out, &p->graph, nodes.nodes, nodes.count, space,
                                      space == SPACE_X ? p->inputs : p->outputs, error);
    node_list_release(&nodes);
    return status;
}

/* The gradient is 0 without an objective. */
static hn_status add_gradient(struct builder *b, hn_quantity q, const struct node_matrix *matrix, size_t row,
                              hn_error *error) {
    size_t none[2] = {0, 0};
    struct node_matrix empty = {.rows = 1, .columns = matrix->columns, .first = none};
    return b->problem.objective != 0 ? add_vector(b, q, PIECE_FIRST, matrix, row, error)
                                     : add_vector(b, q, PIECE_FIRST, &empty, 0, error);
}

static hn_status add_by_y(struct builder *b, hn_error *error) {
    size_t m = b->problem.rows;
    if (!wants(b, ROWS_BY_Y | W(GRADIENT_Y)))
        return HN_OK;
    b->y_rows = wants(b, ROWS_BY_Y) ? m : 0;
    hn_status status = evaluate_build_differentiate(b, &b->by_y, b->y_rows, false, SPACE_Y, error);
    if (status == HN_OK && wants(b, W(JACOBIAN_Y)))
        status = add_matrix(b, HN_QUANTITY_JACOBIAN_Y, PIECE_FIRST, &b->by_y, 0, m, error);
    if (status == HN_OK && wants(b, W(GRADIENT_Y)))
        status = add_gradient(b, HN_QUANTITY_GRADIENT_Y, &b->by_y, b->y_rows, error);
    return status;
}

static hn_status add_by_x(struct builder *b, hn_error *error) {
    size_t m = b->problem.rows;
    if (!wants(b, ROWS_BY_X | BOUNDS_BY_X | W(GRADIENT_X)))
        return HN_OK;
    b->x_rows = wants(b, ROWS_BY_X) ? m : 0;
    hn_status status = evaluate_build_differentiate(b, &b->by_x, b->x_rows, wants(b, BOUNDS_BY_X), SPACE_X, error);
    size_t bounds = b->x_rows + (b->problem.objective != 0);
    if (status == HN_OK && wants(b, W(JACOBIAN_X)))
        status = add_matrix(b, HN_QUANTITY_JACOBIAN_X, PIECE_FIRST, &b->by_x, 0, m, error);
    if (status == HN_OK && wants(b, W(GRADIENT_X)))
        status = add_gradient(b, HN_QUANTITY_GRADIENT_X, &b->by_x, b->x_rows, error);
    if (status == HN_OK && wants(b, W(LOWER_X)))
        status = add_matrix(b, HN_QUANTITY_LOWER_X, PIECE_FIRST, &b->by_x, bounds, m, error);
    if (status == HN_OK && wants(b, W(UPPER_X)))
        status = add_matrix(b, HN_QUANTITY_UPPER_X, PIECE_FIRST, &b->by_x, bounds + m, m, error);
    return status;
}

/* ---- products ---- */

static hn_status add_pull(struct builder *b, hn_quantity q, enum space space, hn_error *error) {
    struct node_matrix pull = {.rows = 0};
    if (!wants(b, HN_WANT(q)))
        return HN_OK;
    hn_status status = derivatives_pull(&pull, &b->problem, space, error);
    if (status == HN_OK)
        status = add_vector(b, q, PIECE_PULL, &pull, 0, error);
    node_matrix_release(&pull);
    return status;
}

/* sum_j J_ij t_j; factors, terms: space for a row */
static uint32_t push_row(struct graph *g, const struct node_matrix *matrix, size_t row, double *factors,
                         uint32_t *terms) {
    size_t first = matrix->first[row], count = matrix->first[row + 1] - first;
    for (size_t k = 0; k < count; k++) {
        terms[k] = graph_leaf(g, SPACE_T, matrix->column[first + k]);
        if (graph_entry_is_constant(g, matrix->node[first + k], &factors[k]))
            continue;
        terms[k] = graph_mul(g, matrix->node[first + k], terms[k]);
        factors[k] = 1;
    }
    return count > 0 ? graph_linear(g, factors, terms, count) : graph_constant(g, 0);
}

/* (J t)_i = sum_j J_ij t_j, with leaves of SPACE_T. */
static hn_status add_push(struct builder *b, hn_quantity q, enum piece piece, const struct node_matrix *matrix,
                          hn_error *error) {
    struct graph *g = &b->problem.graph;
    size_t m = b->problem.rows, capacity = 0, factor_capacity = 0;
    if (!wants(b, HN_WANT(q)))
        return HN_OK;
    uint32_t *terms = array_grow(NULL, &capacity, m + matrix->columns + 1, sizeof *terms), *sums = terms;
    double *factors = array_grow(NULL, &factor_capacity, matrix->columns + 1, sizeof *factors);
    for (size_t i = 0; terms && factors && i < m; i++)
        sums[i] = push_row(g, matrix, i, factors, terms + m);
    hn_status status = terms && factors ? sweep_status(g, error) : evaluate_build_no_memory(error);
    if (status == HN_OK)
        status = evaluate_build_add(b, q, piece, sums, m, error);
    base_release(terms);
    base_release(factors);
    return status;
}

/* (sum_i v_i Hess f_i) t as the gradient, with respect to the leaves of a space, of sum_ij v_i t_j df_i/d(leaf j). */
static hn_status add_product(struct builder *b, hn_quantity q, enum piece piece, const struct node_matrix *matrix,
                             const uint32_t *weights, hn_error *error) {
    bool by_x = q == HN_QUANTITY_HESSIAN_XY_V || q == HN_QUANTITY_HESSIAN_XX_V;
    size_t columns = by_x ? b->problem.inputs : b->problem.outputs;
    struct node_matrix product = {.rows = 0};
    if (!wants(b, HN_WANT(q)))
        return HN_OK;
    hn_status status =
        derivatives_contract(&product, &b->problem.graph, matrix, weights, by_x ? SPACE_X : SPACE_Y, columns, error);
    if (status == HN_OK)
        status = add_vector(b, q, piece, &product, 0, error);
    node_matrix_release(&product);
    return status;
}

/* Products with a direction in y or x; quantities: J t, and the parts of Hess t in y and in x. */
static hn_status add_along(struct builder *b, enum piece piece, const struct node_matrix *by, const hn_quantity *q,
                           hn_error *error) {
    struct node_matrix functions = *by; /* without the bounds */
    uint32_t *weights = NULL;
    functions.rows = b->evaluator->functions;
    functions.count = by->first[functions.rows];
    hn_status status = add_push(b, q[0], piece, by, error);
    if (status == HN_OK && wants(b, HN_WANT(q[1]) | HN_WANT(q[2])))
        status = derivatives_weights(&weights, &b->problem.graph, &functions, true, false, error);
    if (status == HN_OK)
        status = add_product(b, q[1], piece, &functions, weights, error);
    if (status == HN_OK)
        status = add_product(b, q[2], piece, &functions, weights, error);
    base_release(weights);
    return status;
}

static hn_status add_products(struct builder *b, hn_error *error) {
    static const hn_quantity in_y[] = {HN_QUANTITY_JACOBIAN_Y_V, HN_QUANTITY_HESSIAN_YY_V, HN_QUANTITY_HESSIAN_XY_V};
    static const hn_quantity in_x[] = {HN_QUANTITY_JACOBIAN_X_V, HN_QUANTITY_HESSIAN_YX_V, HN_QUANTITY_HESSIAN_XX_V};
    hn_status status = add_pull(b, HN_QUANTITY_JACOBIAN_Y_W, SPACE_Y, error);
    if (status == HN_OK)
        status = add_pull(b, HN_QUANTITY_JACOBIAN_X_W, SPACE_X, error);
    if (status == HN_OK && wants(b, ALONG_Y))
        status = add_along(b, PIECE_ALONG_Y, &b->by_y, in_y, error);
    if (status == HN_OK && wants(b, ALONG_X))
        status = add_along(b, PIECE_ALONG_X, &b->by_x, in_x, error);
    return status;
}

/* ---- blocks of the Hessian ---- */

static hn_status add_block(struct builder *b, hn_quantity q, enum space rows, enum space columns, hn_error *error) {
    struct node_matrix block = {.rows = 0};
    if (!wants(b, HN_WANT(q)))
        return HN_OK;
    hn_status status = derivatives_hessian_block(&block, &b->problem, rows, columns, error);
    if (status == HN_OK)
        status = add_matrix(b, q, PIECE_HESSIAN, &block, 0, block.rows, error);
    node_matrix_release(&block);
    return status;
}

static void leave_out(struct builder *b) {
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        if (b->evaluator->quantity[q].piece == PIECE_HESSIAN)
            b->evaluator->quantity[q] = (struct quantity){.piece = PIECES};
    b->list[PIECE_HESSIAN].count = 0;
    b->evaluator->hessian_left_out = true;
}

static hn_status add_hessian(struct builder *b, hn_error *error) {
    struct graph *g = &b->problem.graph;
    hn_error own;
    if (!wants(b, BLOCKS))
        return HN_OK;
    if (b->hessian_nodes > 0 && b->hessian_nodes < g->max_nodes - g->count)
        g->max_nodes = g->count + b->hessian_nodes;
    hn_status status = add_block(b, HN_QUANTITY_HESSIAN_YY, SPACE_Y, SPACE_Y, &own);
    if (status == HN_OK)
        status = add_block(b, HN_QUANTITY_HESSIAN_YX, SPACE_Y, SPACE_X, &own);
    if (status == HN_OK)
        status = add_block(b, HN_QUANTITY_HESSIAN_XX, SPACE_X, SPACE_X, &own);
    if (status == HN_LIMIT && b->hessian_nodes > 0) {
        leave_out(b);
        return HN_OK;
    }
    if (status != HN_OK && error)
        *error = own;
    return status;
}

/* ---- programs ---- */

static hn_status evaluate_build_compile(struct builder *b, enum piece piece, hn_error *error) {
    static const uint8_t phases[SPACE_COUNT] = {[SPACE_X] = 0, [SPACE_Y] = 1, 2, 2, 2, 2, 2, 2};
    const hn_evaluator *e = b->evaluator;
    struct program_request request = {
        .stride = 1, .graph = &b->problem.graph, .outputs = b->list[piece].nodes, .output_count = b->list[piece].count};
    request.leaf_count[SPACE_X] = e->inputs;
    request.leaf_count[SPACE_Y] = e->outputs;
    request.leaf_count[SPACE_V] = e->functions;
    request.leaf_count[SPACE_T] = piece == PIECE_ALONG_X ? e->inputs : e->outputs;
    request.leaf_count[SPACE_SIGMA] = 1;
    request.leaf_count[SPACE_LAMBDA] = e->rows;
    memcpy(request.phase, phases, sizeof phases);
    return request.output_count ? program_create(&b->evaluator->program[piece], &request, error) : HN_OK;
}

static hn_status place_results(struct builder *b, hn_error *error) {
    for (int q = 0; q < HN_QUANTITY_COUNT; q++) {
        struct quantity *quantity = &b->evaluator->quantity[q];
        if (quantity->count == 0)
            continue;
        quantity->slot = arena_take(&b->evaluator->arena, quantity->count, sizeof *quantity->slot);
        if (!quantity->slot)
            return evaluate_build_no_memory(error);
        memcpy(quantity->slot, b->evaluator->program[quantity->piece]->output_slot + b->begin[q],
               quantity->count * sizeof *quantity->slot);
    }
    return HN_OK;
}

/* ---- all stages ---- */

static hn_status differentiate_all(struct builder *b, const hn_model *model, hn_error *error) {
    hn_status status = problem_create(&b->problem, model, error);
    if (status != HN_OK)
        return status;
    if (b->without_objective)
        b->problem.objective = 0;
    b->evaluator->inputs = b->problem.inputs;
    b->evaluator->outputs = b->problem.outputs;
    b->evaluator->rows = b->problem.rows;
    b->evaluator->functions = b->problem.rows + (b->problem.objective != 0);
    status = add_values(b, error);
    if (status == HN_OK)
        status = add_by_y(b, error);
    if (status == HN_OK)
        status = add_by_x(b, error);
    if (status == HN_OK)
        status = add_products(b, error);
    if (status == HN_OK)
        status = add_hessian(b, error);
    b->evaluator->nodes = b->problem.graph.count;
    return status;
}

hn_status evaluator_build(hn_evaluator *evaluator, const hn_model *model, const hn_evaluator_options *options,
                          hn_error *error) {
    struct builder b = {.evaluator = evaluator,
                        .wanted = options->wanted ? options->wanted : HN_WANT_VALUES,
                        .hessian_nodes = options->hessian_nodes,
                        .without_objective = options->without_objective};
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        evaluator->quantity[q].piece = PIECES;
    hn_status status = differentiate_all(&b, model, error);
    for (int piece = 0; piece < PIECES && status == HN_OK; piece++)
        status = evaluate_build_compile(&b, (enum piece)piece, error);
    if (status == HN_OK)
        status = place_results(&b, error);
    node_matrix_release(&b.by_y);
    node_matrix_release(&b.by_x);
    for (int piece = 0; piece < PIECES; piece++)
        node_list_release(&b.list[piece]);
    problem_release(&b.problem);
    return status;
}
