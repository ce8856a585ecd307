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
#include "model/parts.h"

#include <math.h>
#include <string.h>

static const uint64_t ROWS_BY_Y = WANT(JACOBIAN_Y) | WANT(JACOBIAN_Y_V) | WANT(HESSIAN_YY_V) | WANT(HESSIAN_XY_V);
static const uint64_t ROWS_BY_X = WANT(JACOBIAN_X) | WANT(JACOBIAN_X_V) | WANT(HESSIAN_YX_V) | WANT(HESSIAN_XX_V);
static const uint64_t BOUNDS_BY_X = WANT(LOWER_X) | WANT(UPPER_X);

/* The functions that add something do nothing unless it is wanted and the status is HN_OK. */
struct builder {
    hn_evaluator *evaluator;
    hn_status status;
    hn_error *error;
    uint64_t wanted;
    struct problem problem;
    size_t y_rows, x_rows;         /* rows of by_y and by_x before the objective: all or 0 */
    struct node_matrix by_y, by_x; /* of the functions; of the functions, then of both bounds */
    struct node_list list[PIECES]; /* outputs of each program */
    size_t begin[HN_QUANTITY_COUNT];
};

static bool wants(const struct builder *b, uint64_t any) {
    return b->status == HN_OK && (b->wanted & any) != 0;
}

static void *builder_take(struct builder *b, size_t count, size_t size) {
    void *memory = arena_take(&b->evaluator->arena, count + 1, size);
    if (!memory && b->status == HN_OK)
        b->status = error_no_memory(b->error, "the evaluator");
    return memory;
}

/* ---- quantities ---- */

/* Adds nodes as the results of a quantity, in the program of a piece. */
static void add_nodes(struct builder *b, hn_quantity q, enum piece piece, const uint32_t *nodes, size_t count) {
    struct quantity *quantity = &b->evaluator->quantity[q];
    if (!wants(b, HN_WANT(q)))
        return;
    b->begin[q] = b->list[piece].count;
    quantity->piece = piece;
    quantity->width = quantity->count = count;
    b->status = node_list_add(&b->list[piece], nodes, count, b->error);
}

static void add_range(struct builder *b, hn_quantity q, enum piece piece, const struct node_matrix *matrix, size_t row,
                      size_t rows) {
    size_t first = matrix->first[row], count = matrix->first[row + rows] - first;
    add_nodes(b, q, piece, count ? matrix->node + first : NULL, count);
}

/* The same for one row of a matrix, expanded to a dense vector of the width. */
static void add_vector(struct builder *b, hn_quantity q, enum piece piece, const struct node_matrix *matrix,
                       size_t row) {
    struct quantity *quantity = &b->evaluator->quantity[q];
    if (!wants(b, HN_WANT(q)))
        return;
    add_range(b, q, piece, matrix, row, 1);
    quantity->width = matrix->columns;
    quantity->entry = builder_take(b, quantity->count, sizeof *quantity->entry);
    if (quantity->entry && quantity->count)
        memcpy(quantity->entry, matrix->column + matrix->first[row], quantity->count * sizeof *quantity->entry);
}

/* The nonzeros of some rows of a matrix. */
static void add_matrix(struct builder *b, hn_quantity q, enum piece piece, const struct node_matrix *matrix, size_t row,
                       size_t rows) {
    if (!wants(b, HN_WANT(q)))
        return;
    size_t begin = matrix->first[row], count = matrix->first[row + rows] - begin;
    size_t *first = builder_take(b, rows, sizeof *first);
    uint32_t *column = builder_take(b, count, sizeof *column);
    double *constant = builder_take(b, count, sizeof *constant);
    add_range(b, q, piece, matrix, row, rows);
    if (b->status != HN_OK)
        return;
    for (size_t i = 0; i <= rows; i++)
        first[i] = matrix->first[row + i] - begin;
    for (size_t e = 0; e < count; e++) {
        column[e] = matrix->column[begin + e];
        constant[e] = NAN;
        graph_entry_is_constant(&b->problem.graph, matrix->node[begin + e], &constant[e]);
    }
    b->evaluator->quantity[q].pattern =
        (hn_pattern){sizeof(hn_pattern), rows, matrix->columns, count, first, column, constant};
}

/* ---- values ---- */

static void add_fixed(struct builder *b) {
    const struct problem *p = &b->problem;
    struct quantity *quantity = &b->evaluator->quantity[HN_QUANTITY_FIXED];
    size_t count = 0;
    if (!wants(b, WANT(FIXED)))
        return;
    uint32_t *nodes = builder_take(b, p->outputs, sizeof *nodes), *entry = builder_take(b, p->outputs, sizeof *entry);
    for (size_t j = 0; j < p->outputs && b->status == HN_OK; j++)
        if (p->fixed[j] != 0) {
            nodes[count] = p->fixed[j];
            entry[count++] = (uint32_t)j;
        }
    add_nodes(b, HN_QUANTITY_FIXED, PIECE_VALUES, nodes, count);
    quantity->entry = entry;
    quantity->width = p->outputs;
    quantity->absent = NAN;
}

static void add_values(struct builder *b) {
    struct problem *p = &b->problem;
    struct quantity *residual = &b->evaluator->quantity[HN_QUANTITY_RESIDUAL];
    uint32_t objective = p->objective != 0 ? p->objective : graph_constant(&p->graph, 0);
    add_nodes(b, HN_QUANTITY_ROWS, PIECE_VALUES, p->body, p->rows);
    add_nodes(b, HN_QUANTITY_OBJECTIVE, PIECE_VALUES, &objective, 1);
    add_nodes(b, HN_QUANTITY_LOWER, PIECE_VALUES, p->lower, p->rows);
    add_nodes(b, HN_QUANTITY_UPPER, PIECE_VALUES, p->upper, p->rows);
    add_nodes(b, HN_QUANTITY_START, PIECE_VALUES, p->start, p->outputs);
    add_fixed(b);
    if (wants(b, WANT(RESIDUAL))) {
        residual->piece = PIECE_VALUES;
        residual->width = p->rows;
    }
}

/* ---- first derivatives ---- */

/* Differentiates a list of functions at once, so that common subexpressions are differentiated once. */
static void differentiate(struct builder *b, struct node_matrix *out, size_t rows, bool bounds, enum space space) {
    struct problem *p = &b->problem;
    struct node_list nodes = {.count = 0};
    size_t bound_rows = bounds ? p->rows : 0, columns = space == SPACE_X ? p->inputs : p->outputs;
    hn_status status = node_list_add(&nodes, p->body, rows, b->error);
    if (status == HN_OK)
        status = node_list_add(&nodes, &p->objective, p->objective != 0, b->error);
    if (status == HN_OK)
        status = node_list_add(&nodes, p->lower, bound_rows, b->error);
    if (status == HN_OK)
        status = node_list_add(&nodes, p->upper, bound_rows, b->error);
    if (status == HN_OK)
        status = derivatives_jacobian(out, &p->graph, nodes.nodes, nodes.count, space, columns, b->error);
    node_list_release(&nodes);
    b->status = status;
}

/* The gradient is 0 without an objective. */
static void add_gradient(struct builder *b, hn_quantity q, const struct node_matrix *matrix, size_t row) {
    size_t none[2] = {0, 0};
    const struct node_matrix empty = {.rows = 1, .columns = matrix->columns, .first = none};
    if (b->problem.objective != 0)
        add_vector(b, q, PIECE_FIRST, matrix, row);
    else
        add_vector(b, q, PIECE_FIRST, &empty, 0);
}

static void add_by_y(struct builder *b) {
    size_t m = b->problem.rows;
    if (!wants(b, ROWS_BY_Y | WANT(GRADIENT_Y)))
        return;
    b->y_rows = wants(b, ROWS_BY_Y) ? m : 0;
    differentiate(b, &b->by_y, b->y_rows, false, SPACE_Y);
    add_matrix(b, HN_QUANTITY_JACOBIAN_Y, PIECE_FIRST, &b->by_y, 0, m);
    add_gradient(b, HN_QUANTITY_GRADIENT_Y, &b->by_y, b->y_rows);
}

static void add_by_x(struct builder *b) {
    size_t m = b->problem.rows;
    if (!wants(b, ROWS_BY_X | BOUNDS_BY_X | WANT(GRADIENT_X)))
        return;
    b->x_rows = wants(b, ROWS_BY_X) ? m : 0;
    size_t bounds = b->x_rows + (b->problem.objective != 0);
    differentiate(b, &b->by_x, b->x_rows, wants(b, BOUNDS_BY_X), SPACE_X);
    add_matrix(b, HN_QUANTITY_JACOBIAN_X, PIECE_FIRST, &b->by_x, 0, m);
    add_gradient(b, HN_QUANTITY_GRADIENT_X, &b->by_x, b->x_rows);
    add_matrix(b, HN_QUANTITY_LOWER_X, PIECE_FIRST, &b->by_x, bounds, m);
    add_matrix(b, HN_QUANTITY_UPPER_X, PIECE_FIRST, &b->by_x, bounds + m, m);
}

/* ---- products ---- */

static void add_pull(struct builder *b, hn_quantity q, enum space space) {
    struct node_matrix pull = {.rows = 0};
    if (!wants(b, HN_WANT(q)))
        return;
    b->status = derivatives_pull(&pull, &b->problem, space, b->error);
    add_vector(b, q, PIECE_PULL, &pull, 0);
    node_matrix_release(&pull);
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
static void add_push(struct builder *b, hn_quantity q, enum piece piece, const struct node_matrix *matrix) {
    struct graph *g = &b->problem.graph;
    size_t m = b->problem.rows;
    if (!wants(b, HN_WANT(q)))
        return;
    uint32_t *sums = builder_take(b, m, sizeof *sums), *terms = builder_take(b, matrix->columns, sizeof *terms);
    double *factors = builder_take(b, matrix->columns, sizeof *factors);
    for (size_t i = 0; i < m && b->status == HN_OK; i++)
        sums[i] = push_row(g, matrix, i, factors, terms);
    if (b->status == HN_OK)
        b->status = sweep_status(g, b->error);
    add_nodes(b, q, piece, sums, m);
}

/* (sum_i v_i Hess f_i) t as the gradient, with respect to the leaves of a space, of sum_ij v_i t_j df_i/d(leaf j). */
static void add_adjoint_product(struct builder *b, hn_quantity q, enum piece piece, const struct node_matrix *matrix,
                                const uint32_t *weights) {
    bool by_x = q == HN_QUANTITY_HESSIAN_XY_V || q == HN_QUANTITY_HESSIAN_XX_V;
    size_t columns = by_x ? b->problem.inputs : b->problem.outputs;
    struct node_matrix product = {.rows = 0};
    if (!wants(b, HN_WANT(q)))
        return;
    b->status =
        derivatives_contract(&product, &b->problem.graph, matrix, weights, by_x ? SPACE_X : SPACE_Y, columns, b->error);
    add_vector(b, q, piece, &product, 0);
    node_matrix_release(&product);
}

/* Products with a direction in y or x; quantities: J t, and the parts of Hess t in y and in x. */
static void add_along(struct builder *b, enum piece piece, const struct node_matrix *by, const hn_quantity *q) {
    struct node_matrix functions = *by; /* without the bounds */
    uint32_t *weights = NULL;
    add_push(b, q[0], piece, by);
    if (!wants(b, HN_WANT(q[1]) | HN_WANT(q[2])))
        return;
    functions.rows = b->evaluator->functions;
    functions.count = by->first[functions.rows];
    b->status = derivatives_weights(&weights, &b->problem.graph, &functions, true, false, b->error);
    add_adjoint_product(b, q[1], piece, &functions, weights);
    add_adjoint_product(b, q[2], piece, &functions, weights);
    base_release(weights);
}

static void add_products(struct builder *b) {
    static const hn_quantity in_y[] = {HN_QUANTITY_JACOBIAN_Y_V, HN_QUANTITY_HESSIAN_YY_V, HN_QUANTITY_HESSIAN_XY_V};
    static const hn_quantity in_x[] = {HN_QUANTITY_JACOBIAN_X_V, HN_QUANTITY_HESSIAN_YX_V, HN_QUANTITY_HESSIAN_XX_V};
    add_pull(b, HN_QUANTITY_JACOBIAN_Y_W, SPACE_Y);
    add_pull(b, HN_QUANTITY_JACOBIAN_X_W, SPACE_X);
    add_along(b, PIECE_ALONG_Y, &b->by_y, in_y);
    add_along(b, PIECE_ALONG_X, &b->by_x, in_x);
}

/* ---- blocks of the Hessian ---- */

static void add_block(struct builder *b, hn_quantity q, enum space rows, enum space columns) {
    struct node_matrix block = {.rows = 0};
    if (!wants(b, HN_WANT(q)))
        return;
    b->status = derivatives_hessian_block(&block, &b->problem, rows, columns, b->error);
    add_matrix(b, q, PIECE_HESSIAN, &block, 0, block.rows);
    node_matrix_release(&block);
}

static void leave_out(struct builder *b) {
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        if (b->evaluator->quantity[q].piece == PIECE_HESSIAN)
            b->evaluator->quantity[q] = (struct quantity){.piece = PIECES};
    b->list[PIECE_HESSIAN].count = 0;
    b->evaluator->hessian_left_out = true;
}

/* The blocks are left out if they need more nodes than most_nodes (0: an error). */
static void add_hessian(struct builder *b, size_t most_nodes) {
    struct graph *g = &b->problem.graph;
    hn_error own = {.status = HN_OK}, *error = b->error;
    if (b->status != HN_OK)
        return;
    if (most_nodes > 0 && most_nodes < g->max_nodes - g->count)
        g->max_nodes = g->count + most_nodes;
    b->error = &own;
    add_block(b, HN_QUANTITY_HESSIAN_YY, SPACE_Y, SPACE_Y);
    add_block(b, HN_QUANTITY_HESSIAN_YX, SPACE_Y, SPACE_X);
    add_block(b, HN_QUANTITY_HESSIAN_XX, SPACE_X, SPACE_X);
    b->error = error;
    if (b->status == HN_LIMIT && most_nodes > 0) {
        leave_out(b);
        b->status = HN_OK;
    } else if (b->status != HN_OK && error)
        *error = own;
}

/* ---- programs ---- */

static void compile_piece(struct builder *b, enum piece piece) {
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
    if (request.output_count && b->status == HN_OK)
        b->status = program_create(&b->evaluator->program[piece], &request, b->error);
}

static void place_results(struct builder *b) {
    for (int q = 0; q < HN_QUANTITY_COUNT && b->status == HN_OK; q++) {
        struct quantity *quantity = &b->evaluator->quantity[q];
        if (quantity->count == 0)
            continue;
        quantity->slot = builder_take(b, quantity->count, sizeof *quantity->slot);
        if (quantity->slot)
            memcpy(quantity->slot, b->evaluator->program[quantity->piece]->output_slot + b->begin[q],
                   quantity->count * sizeof *quantity->slot);
    }
}

/* ---- all stages ---- */

static void copy_blocks(struct builder *b, const hn_model *model) {
    hn_evaluator *e = b->evaluator;
    e->blocks = builder_take(b, model->block_count, sizeof *e->blocks);
    for (size_t k = 0; b->status == HN_OK && k < model->block_count; k++, e->block_count++)
        e->blocks[k] = (struct set_block){.kind = (uint32_t)model->blocks[k].set,
                                          .order = model->blocks[k].order,
                                          .row = (uint32_t)model->blocks[k].first};
}

static void begin(struct builder *b, const hn_model *model, bool without_objective) {
    hn_evaluator *e = b->evaluator;
    b->status = problem_create(&b->problem, model, b->error);
    if (without_objective)
        b->problem.objective = 0;
    e->inputs = b->problem.inputs;
    e->outputs = b->problem.outputs;
    e->rows = b->problem.rows;
    e->functions = e->rows + (b->problem.objective != 0);
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        e->quantity[q].piece = PIECES;
    if (wants(b, WANT(RESIDUAL)))
        b->wanted |= WANT(ROWS) | WANT(LOWER) | WANT(UPPER);
}

static void release(struct builder *b) {
    node_matrix_release(&b->by_y);
    node_matrix_release(&b->by_x);
    for (int piece = 0; piece < PIECES; piece++)
        node_list_release(&b->list[piece]);
    problem_release(&b->problem);
}

hn_status evaluator_build(hn_evaluator *evaluator, const hn_model *model, const hn_evaluator_options *options,
                          hn_error *error) {
    struct builder b = {
        .evaluator = evaluator, .error = error, .wanted = options->wanted ? options->wanted : HN_WANT_VALUES};
    begin(&b, model, options->without_objective);
    if (b.status == HN_OK)
        copy_blocks(&b, model);
    if (b.status == HN_OK)
        add_values(&b);
    add_by_y(&b);
    add_by_x(&b);
    add_products(&b);
    add_hessian(&b, options->hessian_nodes);
    evaluator->nodes = b.problem.graph.count;
    for (int piece = 0; piece < PIECES; piece++)
        compile_piece(&b, (enum piece)piece);
    place_results(&b);
    release(&b);
    return b.status;
}
