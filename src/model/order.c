/* order.c - depth-first traversal of a model's graph from given roots: a topological order, a copy into another graph,
 * and plain evaluation, one number at a time; the reference that programs are tested against.
 *
 * Node numbers are a topological order unless a reference precedes its definition; hence a depth-first traversal, with
 * an explicit stack instead of recursion.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "model/parts.h"

#include <string.h>

enum visit { UNSEEN, OPEN, DONE };

struct walk {
    const hn_model *model;
    uint8_t *visits; /* enum visit per node */
    uint32_t *stack; /* open nodes */
    uint32_t *next;  /* per open node: the number of successors visited */
    uint32_t *order;
    size_t depth, count;
};

/* The dependencies of a node: its arguments, the definition of a reference, the value of a fixed output. */
static size_t successors(const hn_model *model, uint32_t number, const uint32_t **list) {
    const struct node *node = &model->graph.nodes[number];
    if (node->op == OP_REFERENCE) {
        *list = &model->definitions[node->a].value;
        return 1;
    }
    if (node->op == OP_LEAF && node->a == SPACE_Y && model->outputs[node->b].fixed != 0) {
        *list = &model->outputs[node->b].fixed;
        return 1;
    }
    return graph_arguments(&model->graph, number, list);
}

static void walk_open(struct walk *walk, uint32_t number) {
    walk->visits[number] = OPEN;
    walk->stack[walk->depth] = number;
    walk->next[walk->depth++] = 0;
}

/* The cycle is the top of the stack, down to the first occurrence of the node. */
static hn_status cycle_error(const struct walk *walk, uint32_t again, hn_error *error) {
    const hn_model *model = walk->model;
    const char *definition = NULL, *output = NULL;
    size_t i = walk->depth;
    do {
        const struct node *node = &model->graph.nodes[walk->stack[--i]];
        if (node->op == OP_REFERENCE)
            definition = model->definitions[node->a].name;
        if (node->op == OP_LEAF)
            output = model->outputs[node->b].name;
    } while (walk->stack[i] != again);
    if (output)
        return error_about(error, HN_INVALID, error_part(output), "output %s: the fixed value depends on outputs",
                           output);
    return error_about(error, HN_INVALID, error_part(definition), "definition %s: circular definition", definition);
}

static hn_status undefined_error(const struct walk *walk, hn_error *error) {
    const struct node *node = &walk->model->graph.nodes[walk->stack[walk->depth - 1]];
    const char *name = walk->model->definitions[node->a].name;
    return error_about(error, HN_INVALID, error_part(name), "definition %s: used but never defined", name);
}

static hn_status walk_from(struct walk *walk, uint32_t root, hn_error *error) {
    if (root == 0 || walk->visits[root] == DONE)
        return HN_OK;
    walk_open(walk, root);
    while (walk->depth > 0) {
        uint32_t number = walk->stack[walk->depth - 1];
        const uint32_t *list;
        size_t count = successors(walk->model, number, &list);
        uint32_t taken = walk->next[walk->depth - 1]++;
        if (taken == count) {
            walk->visits[number] = DONE;
            walk->order[walk->count++] = number;
            walk->depth--;
            continue;
        }
        uint32_t successor = list[taken];
        if (successor == 0)
            return undefined_error(walk, error);
        if (walk->visits[successor] == OPEN)
            return cycle_error(walk, successor, error);
        if (walk->visits[successor] == UNSEEN)
            walk_open(walk, successor);
    }
    return HN_OK;
}

hn_status model_order(const hn_model *model, const uint32_t *roots, size_t count, uint32_t **order, size_t *order_count,
                      hn_error *error) {
    size_t n = model->graph.count;
    struct walk walk = {.model = model};
    hn_status status = HN_OK;
    walk.visits = base_allocate(n);
    walk.stack = base_allocate(n * sizeof *walk.stack);
    walk.next = base_allocate(n * sizeof *walk.next);
    walk.order = base_allocate(n * sizeof *walk.order);
    if (!walk.visits || !walk.stack || !walk.next || !walk.order)
        status = error_no_memory(error, "model");
    else
        memset(walk.visits, UNSEEN, n);
    for (size_t i = 0; status == HN_OK && i < count; i++)
        status = walk_from(&walk, roots[i], error);
    base_release(walk.visits);
    base_release(walk.stack);
    base_release(walk.next);
    if (status != HN_OK) {
        base_release(walk.order);
        walk.order = NULL;
    }
    *order = walk.order;
    *order_count = walk.count;
    return status;
}

/* ---- copying ---- */

static uint32_t import_sum(const struct graph *from, const struct node *node, struct graph *to, const uint32_t *map,
                           uint32_t *scratch) {
    const uint32_t *list = from->arguments + (node->op == OP_SUM ? node->a : node->c);
    for (uint32_t i = 0; i < node->b; i++)
        scratch[i] = map[list[i]];
    if (node->op == OP_SUM)
        return graph_sum(to, scratch, node->b);
    return graph_linear(to, from->numbers + node->a, scratch, node->b);
}

/* Copies a node to the other graph and returns its number there; its successors are mapped already. */
static uint32_t import_node(const hn_model *model, uint32_t number, struct graph *to, const uint32_t *map,
                            uint32_t *scratch) {
    const struct node *node = &model->graph.nodes[number];
    double value;
    switch (node->op) {
    case OP_CONSTANT:
        graph_is_constant(&model->graph, number, &value);
        return graph_constant(to, value);
    case OP_LEAF:
        if (node->a == SPACE_Y && model->outputs[node->b].fixed != 0)
            return map[model->outputs[node->b].fixed];
        return graph_leaf(to, (enum space)node->a, node->b);
    case OP_REFERENCE:
        return map[model->definitions[node->a].value];
    case OP_SUM:
    case OP_LINEAR:
        return import_sum(&model->graph, node, to, map, scratch);
    default: /* absent arguments are number 0, which maps to itself */
        return graph_apply(to, (enum op)node->op, map[node->a], map[node->b], map[node->c]);
    }
}

hn_status model_import(const hn_model *model, struct graph *to, uint32_t *roots, size_t count, hn_error *error) {
    uint32_t *order = NULL;
    size_t order_count = 0, n = model->graph.count + model->graph.argument_count;
    hn_status status = model_order(model, roots, count, &order, &order_count, error);
    if (status != HN_OK)
        return status;
    uint32_t *map = base_allocate(n * sizeof *map);
    if (map) {
        uint32_t *scratch = map + model->graph.count; /* a sum is at most as long as the list of all arguments */
        map[0] = 0;
        graph_reserve(to, order_count);
        for (size_t i = 0; i < order_count; i++)
            map[order[i]] = import_node(model, order[i], to, map, scratch);
        for (size_t i = 0; i < count; i++)
            roots[i] = map[roots[i]];
    }
    base_release(order);
    base_release(map);
    if (!map || to->status == HN_NO_MEMORY)
        return error_no_memory(error, "model");
    if (to->status != HN_OK)
        return error_about(error, to->status, error_option("max_nodes"),
                           "model: more than %zu nodes in the graph; raise max_nodes", to->max_nodes);
    return HN_OK;
}

/* ---- evaluation ---- */

struct point {
    const hn_real *x, *y;
};

static double leaf_value(const hn_model *model, const struct node *node, struct point point, const double *values) {
    if (node->a == SPACE_X)
        return point.x[node->b];
    return model->outputs[node->b].fixed != 0 ? values[model->outputs[node->b].fixed] : point.y[node->b];
}

/* Left to right: programs round in the same order. */
static double sum_value(const struct graph *g, const struct node *node, const double *values) {
    double sum = values[g->arguments[node->a]];
    for (uint32_t i = 1; i < node->b; i++)
        sum += values[g->arguments[node->a + i]];
    return sum;
}

static double linear_value(const struct graph *g, const struct node *node, const double *values) {
    double sum = g->numbers[node->a] * values[g->arguments[node->c]];
    for (uint32_t i = 1; i < node->b; i++)
        sum += g->numbers[node->a + i] * values[g->arguments[node->c + i]];
    return sum;
}

static double node_value(const hn_model *model, uint32_t number, struct point point, const double *values) {
    const struct graph *g = &model->graph;
    const struct node *node = &g->nodes[number];
    double value;
    switch (node->op) {
    case OP_CONSTANT:
        graph_is_constant(g, number, &value);
        return value;
    case OP_LEAF:
        return leaf_value(model, node, point, values);
    case OP_REFERENCE:
        return values[model->definitions[node->a].value];
    case OP_SUM:
        return sum_value(g, node, values);
    case OP_LINEAR:
        return linear_value(g, node, values);
    default:
        return operator_apply((enum op)node->op, values[node->a], values[node->b], values[node->c]);
    }
}

static hn_status check_request(const hn_model *model, size_t count, const hn_expr *exprs, struct point point,
                               const hn_real *values, hn_error *error) {
    hn_status status = hn_model_status(model, error);
    if (status != HN_OK)
        return status;
    if (!model->finished)
        return error_about(error, HN_INVALID, error_argument("model"), "hn_model_evaluate: the model is not finished");
    const char *missing = !point.y ? "y" : !point.x && model->input_count > 0 ? "x" : NULL;
    if (missing)
        return error_about(error, HN_INVALID, error_argument(missing), "hn_model_evaluate: %s is NULL", missing);
    if (count > 0 && (!exprs || !values))
        return error_missing(error, "hn_model_evaluate", exprs ? "values" : "exprs");
    for (size_t i = 0; i < count; i++)
        if (exprs[i].model != model || exprs[i].node == 0 || exprs[i].node >= model->graph.count)
            return error_about(error, HN_INVALID, error_argument("exprs"),
                               "hn_model_evaluate: expression %zu is not of this model", i);
    return HN_OK;
}

hn_status hn_model_evaluate(const hn_model *model, size_t count, const hn_expr *exprs, const hn_real *x,
                            const hn_real *y, hn_real *values, hn_error *error) {
    struct point point = {x, y};
    hn_status status = check_request(model, count, exprs, point, values, error);
    if (status != HN_OK || count == 0)
        return status;
    uint32_t *order = NULL;
    size_t order_count = 0;
    uint32_t *roots = base_allocate(count * sizeof *roots);
    double *all = base_allocate(model->graph.count * sizeof *all);
    if (!roots || !all)
        status = error_no_memory(error, "hn_model_evaluate");
    for (size_t i = 0; status == HN_OK && i < count; i++)
        roots[i] = exprs[i].node;
    if (status == HN_OK)
        status = model_order(model, roots, count, &order, &order_count, error);
    if (status == HN_OK) {
        all[0] = 0; /* the value of absent arguments */
        for (size_t i = 0; i < order_count; i++)
            all[order[i]] = node_value(model, order[i], point, all);
        for (size_t i = 0; i < count; i++)
            values[i] = all[roots[i]];
    }
    base_release(order);
    base_release(roots);
    base_release(all);
    return status;
}
