/* derivatives.c - the sparse Jacobian of a list of nodes, products with it, and second derivatives.
 *
 * One reverse sweep per row. A node with several uses that depends on few leaves is a hub: its gradient is computed
 * once, and a sweep that reaches it applies the chain rule instead of descending again. So an expensive expression
 * shared by a thousand rows is differentiated once, not a thousand times.
 *
 * In second derivatives an infinite adjoint may reach a branch that is not taken; the rules of IF and GUARD stop it,
 * whereas its product with a hub's partial derivative, which is 0 there, would be NaN. So once the graph contains
 * GUARDs, nodes above an IF are not hubs.
 *
 * With L = sigma f + sum_i lambda_i c_i the Hessian is the Jacobian of grad L. The product (sum_i v_i Hess c_i) t is
 * the gradient of v' J(y) t, the sum of v_i t_j J_ij over the nonzeros of J; constant entries of J cost nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/sweep.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <string.h>

/* ---- the result ---- */

void node_matrix_release(struct node_matrix *matrix) {
    base_release(matrix->first);
    base_release(matrix->column);
    base_release(matrix->node);
    memset(matrix, 0, sizeof *matrix);
}

static hn_status matrix_create(struct node_matrix *out, size_t rows, size_t columns, hn_error *error) {
    size_t bytes = size_product(size_sum(rows, 1), sizeof *out->first);
    *out = (struct node_matrix){.rows = rows, .columns = columns};
    out->first = base_allocate(bytes);
    if (!out->first)
        return error_no_memory(error, "derivatives");
    memset(out->first, 0, bytes);
    return HN_OK;
}

static bool matrix_append(struct node_matrix *matrix, uint32_t column, uint32_t node) {
    size_t capacity = matrix->capacity;
    uint32_t *columns = array_grow(matrix->column, &capacity, matrix->count + 1, sizeof *columns);
    if (!columns)
        return false;
    matrix->column = columns;
    uint32_t *nodes = array_grow(matrix->node, &matrix->capacity, matrix->count + 1, sizeof *nodes);
    if (!nodes)
        return false;
    matrix->node = nodes;
    columns[matrix->count] = column;
    nodes[matrix->count++] = node;
    return true;
}

/* Shell sort by columns. */
static void sort_row(struct node_matrix *matrix, size_t first) {
    uint32_t *column = matrix->column + first, *node = matrix->node + first;
    size_t count = matrix->count - first, gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (size_t i = gap; i < count; i++) {
            uint32_t c = column[i], n = node[i];
            size_t j = i;
            for (; j >= gap && column[j - gap] > c; j -= gap)
                column[j] = column[j - gap], node[j] = node[j - gap];
            column[j] = c, node[j] = n;
        }
}

/* Runs a seeded sweep to completion and appends its result as the next row. */
static hn_status sweep_row(struct sweep *sweep, struct node_matrix *matrix, size_t row, hn_error *error) {
    uint32_t leaf, derivative;
    size_t first = matrix->count;
    bool room = true;
    while (sweep_next(sweep, &leaf, &derivative))
        room = room && matrix_append(matrix, sweep->graph->nodes[leaf].b, derivative);
    if (!room)
        return error_no_memory(error, "derivatives");
    if (matrix->count > first)
        sort_row(matrix, first);
    matrix->first[row + 1] = matrix->count;
    return sweep_status(sweep->graph, error);
}

/* ---- hubs ---- */

/* Up to HUB_LEAVES leaves that a node depends on; count HUB_LEAVES + 1 means more. */
struct support {
    uint32_t count;
    uint32_t leaf[HUB_LEAVES];
};

static void support_join(struct support *support, const struct support *other) {
    if (other->count > HUB_LEAVES)
        support->count = HUB_LEAVES + 1;
    for (uint32_t i = 0; i < other->count && support->count <= HUB_LEAVES; i++) {
        uint32_t j = 0;
        while (j < support->count && support->leaf[j] != other->leaf[i])
            j++;
        if (j < support->count)
            continue;
        if (support->count < HUB_LEAVES)
            support->leaf[support->count] = other->leaf[i];
        support->count++;
    }
}

static void find_support(const struct sweep *sweep, uint32_t node, bool guarded, struct support *supports) {
    const uint32_t *arguments;
    size_t count = graph_arguments(sweep->graph, node, &arguments);
    struct support *own = &supports[node];
    enum op op = (enum op)sweep->graph->nodes[node].op;
    own->count = guarded && (op == OP_IF || op == OP_GUARD) ? HUB_LEAVES + 1 : 0;
    if (op == OP_LEAF) {
        own->count = 1;
        own->leaf[0] = node;
    }
    for (size_t i = 0; i < count && own->count <= HUB_LEAVES; i++)
        if (graph_depends(sweep->graph, arguments[i], sweep->space))
            support_join(own, &supports[arguments[i]]);
}

/* uses[node]: number of uses of a node below the roots, as an argument or a root, if it depends on the space; else 0.
 * Returns whether one of these nodes is a GUARD. */
static bool count_uses(const struct sweep *sweep, const uint32_t *roots, size_t count, uint32_t *uses) {
    bool guarded = false;
    for (size_t i = 0; i < count; i++) {
        uint32_t root = defined_formula(sweep->graph, roots[i]);
        if (!(root & ENTRY_NUMBER))
            uses[root] += graph_depends(sweep->graph, root, sweep->space);
    }
    for (size_t node = sweep->limit; node-- > 1;) {
        const uint32_t *arguments;
        size_t n = uses[node] != 0 ? graph_arguments(sweep->graph, (uint32_t)node, &arguments) : 0;
        guarded = guarded || (uses[node] != 0 && sweep->graph->nodes[node].op == OP_GUARD);
        for (size_t i = 0; i < n; i++)
            uses[arguments[i]] += graph_depends(sweep->graph, arguments[i], sweep->space);
    }
    return guarded;
}

/* Computes the gradient of one hub. hub_of is set afterwards, so that this sweep descends through the node. */
static void make_hub(struct sweep *sweep, uint32_t node, uint32_t index) {
    struct hub *hub = &sweep->hubs[index];
    uint32_t leaf, derivative;
    *hub = (struct hub){.count = 0};
    sweep_add(sweep, node, graph_constant(sweep->graph, 1), false);
    while (sweep_next(sweep, &leaf, &derivative)) {
        hub->leaf[hub->count] = leaf;
        hub->partial[hub->count++] = graph_entry_node(sweep->graph, derivative);
    }
    sweep->hub_of[node] = index + 1;
}

static void find_hubs(struct sweep *sweep, const uint32_t *uses, bool guarded, struct support *supports) {
    uint32_t count = 0;
    for (size_t node = 1; node < sweep->limit; node++) {
        if (uses[node] == 0)
            continue;
        find_support(sweep, (uint32_t)node, guarded, supports);
        if (uses[node] > 1 && sweep->graph->nodes[node].op != OP_LEAF && supports[node].count <= HUB_LEAVES)
            make_hub(sweep, (uint32_t)node, count++);
    }
}

static hn_status prepare_hubs(struct sweep *sweep, const uint32_t *roots, size_t count, hn_error *error) {
    struct arena scratch = {NULL};
    uint32_t *uses = arena_zeros(&scratch, sweep->limit, sizeof *uses);
    struct support *supports = arena_take(&scratch, sweep->limit, sizeof *supports);
    sweep->hub_of = arena_zeros(&sweep->arena, sweep->limit, sizeof *sweep->hub_of);
    sweep->hubs = arena_take(&sweep->arena, sweep->limit, sizeof *sweep->hubs);
    bool ready = uses && supports && sweep->hub_of && sweep->hubs;
    if (ready) {
        bool guarded = count_uses(sweep, roots, count, uses);
        find_hubs(sweep, uses, guarded, supports);
    }
    arena_release(&scratch);
    return ready ? sweep_status(sweep->graph, error) : error_no_memory(error, "derivatives");
}

/* ---- Jacobian and contraction ---- */

/* The nodes where sweeps begin: one sweep per node, or if there are weights, a single one with these adjoints. */
struct seeds {
    const uint32_t *nodes, *weights;
    size_t count;
};

static hn_status jacobian_rows(struct node_matrix *out, struct sweep *sweep, const struct seeds *seeds,
                               hn_error *error) {
    hn_status status = prepare_hubs(sweep, seeds->nodes, seeds->count, error);
    uint32_t one = graph_constant(sweep->graph, 1);
    for (size_t i = 0; status == HN_OK && i < seeds->count; i++) {
        if (!(seeds->nodes[i] & ENTRY_NUMBER)) /* a number has no derivative */
            sweep_add(sweep, defined_formula(sweep->graph, seeds->nodes[i]), one, false);
        status = sweep_row(sweep, out, i, error);
    }
    return status;
}

static hn_status contracted_row(struct node_matrix *out, struct sweep *sweep, const struct seeds *seeds,
                                hn_error *error) {
    for (size_t i = 0; i < seeds->count; i++)
        sweep_add(sweep, seeds->nodes[i], seeds->weights[i], false);
    return sweep_row(sweep, out, 0, error);
}

static hn_status differentiate(struct node_matrix *out, struct graph *graph, const struct seeds *seeds,
                               enum space space, size_t columns, hn_error *error) {
    struct sweep sweep;
    hn_status status = matrix_create(out, seeds->weights ? 1 : seeds->count, columns, error);
    if (status != HN_OK || columns == 0) /* without leaves the matrix is empty */
        return status;
    status = sweep_create(&sweep, graph, space, error);
    if (status == HN_OK) {
        status = seeds->weights ? contracted_row(out, &sweep, seeds, error) : jacobian_rows(out, &sweep, seeds, error);
        sweep_release(&sweep);
    }
    if (status != HN_OK)
        node_matrix_release(out);
    return status;
}

hn_status derivatives_jacobian(struct node_matrix *out, struct graph *graph, const uint32_t *nodes, size_t count,
                               enum space space, size_t columns, hn_error *error) {
    const struct seeds seeds = {nodes, NULL, count};
    return differentiate(out, graph, &seeds, space, columns, error);
}

hn_status derivatives_contract(struct node_matrix *out, struct graph *graph, const struct node_matrix *matrix,
                               const uint32_t *weights, enum space space, size_t columns, hn_error *error) {
    const struct seeds seeds = {matrix->node, weights, matrix->count};
    return differentiate(out, graph, &seeds, space, columns, error);
}

/* ---- the Hessian ---- */

/* Whether a node is a LINEAR node over leaves only; its second derivatives are 0. */
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
    if (columns == 0)
        return matrix_create(out, 1, 0, error);
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
    const struct seeds seeds = {nodes, weights, count};
    hn_status status = differentiate(out, g, &seeds, space, columns, error);
    base_release(nodes);
    return status;
}

hn_status derivatives_pull(struct node_matrix *out, struct problem *problem, enum space space, hn_error *error) {
    return contract_rows(out, problem, space, false, error);
}

hn_status derivatives_lagrangian(struct node_matrix *out, struct problem *problem, enum space space, hn_error *error) {
    return contract_rows(out, problem, space, true, error);
}

/* Expands the rows of the Jacobian of a sparse gradient to the rows of a block: row k becomes row index[k]; in a
 * diagonal block (lower) columns above the diagonal are dropped. In place, since rows only shrink; first has space for
 * all rows of the block. */
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
