/* second.c - second derivatives: the Hessian of the Lagrangian, and weights for products without forming it.
 *
 * With L = sigma f + sum_i lambda_i c_i the Hessian is the Jacobian of grad L. The product (sum_i v_i Hess c_i) t is
 * the gradient of v' J(y) t, the sum of v_i t_j J_ij over the nonzeros of J; constant entries of J cost nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/defined.h"
#include "autodiff/sweep.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

/* ---- the Hessian ---- */

/* Whether a node is a LINEAR one over leaves only, whose second derivatives are 0. */
static bool is_matrix_row(const struct graph *g, uint32_t node) {
    const uint32_t *arguments;
    size_t count = graph_arguments(g, node, &arguments), i = 0;
    while (i < count && g->nodes[arguments[i]].op == OP_LEAF)
        i++;
    return g->nodes[node].op == OP_LINEAR && i == count;
}

/* Nodes d(sum lambda_i c_i)/d(leaf), one row; with the objective, sigma f is part of the sum. The latter is for second
 * derivatives, to which rows of a matrix contribute nothing: they have no weight. */
static hn_status contract_rows(struct node_matrix *out, struct problem *problem, enum space space, bool objective,
                               hn_error *error) {
    struct graph *g = &problem->graph;
    size_t count = problem->rows + objective, columns = space == SPACE_X ? problem->inputs : problem->outputs;
    const struct node_matrix none = {.rows = 1};
    if (columns == 0) /* without leaves the result is empty */
        return derivatives_contract(out, g, &none, NULL, space, columns, error);
    uint32_t *nodes = base_allocate((2 * count + 1) * sizeof *nodes);
    if (!nodes)
        return error_no_memory(error, "derivatives");
    uint32_t *weights = nodes + count;
    for (size_t i = 0; i < problem->rows; i++) {
        nodes[i] = defined_formula(g, problem->body[i]);
        weights[i] = objective && is_matrix_row(g, nodes[i]) ? 0 : graph_leaf(g, SPACE_LAMBDA, (uint32_t)i);
    }
    if (objective) {
        nodes[problem->rows] = defined_formula(g, problem->objective);
        weights[problem->rows] = graph_leaf(g, SPACE_SIGMA, 0);
    }
    struct node_matrix seeds = {.rows = 1, .count = count, .node = nodes};
    hn_status status = derivatives_contract(out, g, &seeds, weights, space, columns, error);
    base_release(nodes);
    return status;
}

hn_status derivatives_pull(struct node_matrix *out, struct problem *problem, enum space space, hn_error *error) {
    return contract_rows(out, problem, space, false, error);
}

hn_status derivatives_lagrangian(struct node_matrix *out, struct problem *problem, enum space space, hn_error *error) {
    return contract_rows(out, problem, space, true, error);
}

/* Expands the rows of the Jacobian of a sparse gradient to the rows of a block: row k belongs to leaf index[k]; in a
 * diagonal block (lower) the columns beyond it are left out. In place, since rows only shrink; first has space for all
 * rows of the block. */
static void spread_rows(struct node_matrix *matrix, const size_t *row_first, const struct node_matrix *gradient,
                        bool lower) {
    size_t kept = 0, row = 0;
    for (size_t k = 0; k < gradient->count; k++) {
        uint32_t leaf = gradient->column[k];
        while (row <= leaf)
            matrix->first[row++] = kept;
        for (size_t i = row_first[k]; i < row_first[k + 1]; i++) {
            if (lower && matrix->column[i] > leaf)
                continue;
            matrix->column[kept] = matrix->column[i];
            matrix->node[kept++] = matrix->node[i];
        }
    }
    while (row <= matrix->rows)
        matrix->first[row++] = kept;
    matrix->count = kept;
}

hn_status derivatives_hessian_block(struct node_matrix *out, struct problem *problem, enum space row_space,
                                    enum space column_space, hn_error *error) {
    size_t rows = row_space == SPACE_X ? problem->inputs : problem->outputs;
    size_t columns = column_space == SPACE_X ? problem->inputs : problem->outputs;
    struct node_matrix gradient = {.rows = 0};
    *out = (struct node_matrix){.rows = 0};
    hn_status status = contract_rows(&gradient, problem, row_space, true, error);
    if (status != HN_OK)
        return status;
    status = derivatives_jacobian(out, &problem->graph, gradient.node, gradient.count, column_space, columns, error);
    size_t *first = status == HN_OK ? base_allocate((rows + 1) * sizeof *first) : NULL;
    if (status == HN_OK && !first) {
        node_matrix_release(out);
        status = error_no_memory(error, "derivatives");
    }
    if (status == HN_OK) {
        size_t *row_first = out->first;
        out->first = first;
        out->rows = rows;
        spread_rows(out, row_first, &gradient, row_space == column_space);
        base_release(row_first);
    }
    node_matrix_release(&gradient);
    return status;
}

hn_status derivatives_hessian(struct node_matrix *out, struct problem *problem, hn_error *error) {
    return derivatives_hessian_block(out, problem, SPACE_Y, SPACE_Y, error);
}

/* ---- weights of products ---- */

static uint32_t weight(struct graph *g, enum space multiplier, enum space direction, bool multipliers, size_t row,
                       uint32_t column) {
    uint32_t t = graph_leaf(g, direction, column);
    return multipliers ? graph_mul(g, graph_leaf(g, multiplier, (uint32_t)row), t) : t;
}

hn_status derivatives_weights(uint32_t **weights, struct graph *graph, const struct node_matrix *matrix,
                              bool multipliers, bool second_pair, hn_error *error) {
    uint32_t *list = base_allocate(size_product(matrix->count + 1, sizeof **weights));
    *weights = NULL;
    if (!list)
        return error_no_memory(error, "derivatives");
    for (size_t row = 0; row < matrix->rows; row++)
        for (size_t i = matrix->first[row]; i < matrix->first[row + 1]; i++) {
            uint32_t column = matrix->column[i];
            if (graph_entry_is_constant(graph, matrix->node[i], NULL)) { /* derivative 0: no weight needed */
                list[i] = 0;
                continue;
            }
            list[i] = weight(graph, SPACE_V, SPACE_T, multipliers, row, column);
            if (second_pair)
                list[i] = graph_sub(graph, list[i], weight(graph, SPACE_Q, SPACE_S, multipliers, row, column));
        }
    hn_status status = sweep_status(graph, error);
    if (status == HN_OK)
        *weights = list;
    else
        base_release(list);
    return status;
}
