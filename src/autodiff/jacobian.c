/* jacobian.c - the sparse Jacobian of a list of nodes: one reverse sweep per row, with hubs for subexpressions that
 * rows share.
 *
 * A node with several uses that depends on few leaves is a hub: its gradient is computed once, and a sweep that reaches
 * it applies the chain rule instead of descending again. So an expensive expression shared by a thousand rows is
 * differentiated once, not a thousand times.
 *
 * In second derivatives an infinite adjoint may reach a branch that is not taken; the rules of IF and GUARD stop it,
 * whereas its product with a hub's partial derivative, which is 0 there, would be NaN. So once the graph contains
 * GUARDs, nodes above an IF are not hubs.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/defined.h"
#include "autodiff/sweep.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <stdlib.h>
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

/* A sweep yields leaves by descending number, which is often descending index. So the row is reversed and then sorted
 * by Shell sort, which is fast on nearly sorted rows and far from quadratic on others. */
static void sort_row(struct node_matrix *matrix, size_t first) {
    size_t count = matrix->count - first, gap = 1;
    if (count < 2)
        return;
    uint32_t *column = matrix->column + first, *node = matrix->node + first;
    for (size_t i = 0; i < count / 2; i++) {
        size_t j = count - 1 - i;
        uint32_t c = column[i], n = node[i];
        column[i] = column[j], node[i] = node[j];
        column[j] = c, node[j] = n;
    }
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

/* uses[node]: how often a node below the roots is an argument or a root, if it depends on the space; 0 for others. */
static void count_uses(const struct sweep *sweep, const uint32_t *roots, size_t count, uint32_t *uses) {
    memset(uses, 0, sweep->limit * sizeof *uses);
    for (size_t i = 0; i < count; i++) {
        uint32_t root = defined_formula(sweep->graph, roots[i]);
        if (!(root & ENTRY_NUMBER))
            uses[root] += graph_depends(sweep->graph, root, sweep->space);
    }
    for (size_t node = sweep->limit; node-- > 1;) {
        const uint32_t *arguments;
        size_t n = uses[node] != 0 ? graph_arguments(sweep->graph, (uint32_t)node, &arguments) : 0;
        for (size_t i = 0; i < n; i++)
            uses[arguments[i]] += graph_depends(sweep->graph, arguments[i], sweep->space);
    }
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

static bool is_hub(const struct graph *graph, const uint32_t *uses, const struct support *supports, size_t node) {
    return uses[node] > 1 && graph->nodes[node].op != OP_LEAF && supports[node].count <= HUB_LEAVES;
}

static bool has_guards(const struct sweep *sweep, const uint32_t *uses) {
    size_t node = 1;
    while (node < sweep->limit && (uses[node] == 0 || sweep->graph->nodes[node].op != OP_GUARD))
        node++;
    return node < sweep->limit;
}

static void find_hubs(struct sweep *sweep, const uint32_t *uses, struct support *supports) {
    uint32_t count = 0;
    bool guarded = has_guards(sweep, uses);
    for (size_t node = 1; node < sweep->limit; node++) {
        if (uses[node] == 0)
            continue;
        find_support(sweep, (uint32_t)node, guarded, supports);
        if (is_hub(sweep->graph, uses, supports, node))
            make_hub(sweep, (uint32_t)node, count++);
    }
}

static size_t count_shared(const uint32_t *uses, size_t limit) {
    size_t count = 1;
    for (size_t i = 1; i < limit; i++)
        count += uses[i] > 1;
    return count;
}

static hn_status prepare_hubs(struct sweep *sweep, const uint32_t *roots, size_t count, hn_error *error) {
    uint32_t *uses = base_allocate(sweep->limit * sizeof *uses);
    struct support *supports = base_allocate(sweep->limit * sizeof *supports);
    sweep->hub_of = base_allocate(sweep->limit * sizeof *sweep->hub_of);
    if (uses) {
        count_uses(sweep, roots, count, uses);
        sweep->hubs = base_allocate(count_shared(uses, sweep->limit) * sizeof *sweep->hubs);
    }
    bool ready = uses && supports && sweep->hub_of && sweep->hubs;
    if (ready) {
        memset(sweep->hub_of, 0, sweep->limit * sizeof *sweep->hub_of);
        find_hubs(sweep, uses, supports);
    }
    base_release(uses);
    base_release(supports);
    return ready ? sweep_status(sweep->graph, error) : error_no_memory(error, "derivatives");
}

/* ---- Jacobian and contraction ---- */

static hn_status jacobian_rows(struct node_matrix *out, struct sweep *sweep, const uint32_t *nodes, size_t count,
                               hn_error *error) {
    hn_status status = prepare_hubs(sweep, nodes, count, error);
    uint32_t one = graph_constant(sweep->graph, 1);
    for (size_t i = 0; status == HN_OK && i < count; i++) {
        if (!(nodes[i] & ENTRY_NUMBER)) /* a number has no derivative */
            sweep_add(sweep, defined_formula(sweep->graph, nodes[i]), one, false);
        status = sweep_row(sweep, out, i, error);
    }
    return status;
}

hn_status derivatives_jacobian(struct node_matrix *out, struct graph *graph, const uint32_t *nodes, size_t count,
                               enum space space, size_t columns, hn_error *error) {
    struct sweep sweep;
    hn_status status = matrix_create(out, count, columns, error);
    if (status != HN_OK || columns == 0) /* without leaves the Jacobian is empty */
        return status;
    status = sweep_create(&sweep, graph, space, error);
    if (status == HN_OK) {
        status = jacobian_rows(out, &sweep, nodes, count, error);
        sweep_release(&sweep);
    }
    if (status != HN_OK)
        node_matrix_release(out);
    return status;
}

hn_status derivatives_contract(struct node_matrix *out, struct graph *graph, const struct node_matrix *matrix,
                               const uint32_t *weights, enum space space, size_t columns, hn_error *error) {
    struct sweep sweep;
    hn_status status = matrix_create(out, 1, columns, error);
    if (status != HN_OK || columns == 0)
        return status;
    status = sweep_create(&sweep, graph, space, error);
    if (status == HN_OK) {
        for (size_t i = 0; i < matrix->count; i++)
            sweep_add(&sweep, matrix->node[i], weights[i], false);
        status = sweep_row(&sweep, out, 0, error);
        sweep_release(&sweep);
    }
    if (status != HN_OK)
        node_matrix_release(out);
    return status;
}
