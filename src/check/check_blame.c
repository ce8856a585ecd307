/* check_blame.c - locates the operation whose result stops being finite: log(-0.5), 1 / 0, exp(800). See check_parts.h.
 *
 * Evaluates the dependencies of a node in topological order; the first non-finite value is the origin.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "check/check_parts.h"
#include "model/parts.h"

#include <math.h>

/* A node, its dependencies, and their values. */
struct below {
    uint32_t *nodes;
    double *values;
    size_t count;
};

static double value_of(const struct below *below, uint32_t node) {
    for (size_t i = 0; i < below->count; i++)
        if (below->nodes[i] == node)
            return below->values[i];
    return NAN;
}

static const char *check_blame_describe(struct check *check, const struct below *below, size_t guilty) {
    const struct graph *g = &check->model->graph;
    const uint32_t *list;
    enum op op = (enum op)g->nodes[below->nodes[guilty]].op;
    size_t arguments = graph_arguments(g, below->nodes[guilty], &list);
    double result = below->values[guilty], a, b;
    const char *is = isnan(result) ? "is NaN" : "overflows";
    if (op == OP_LEAF)
        return "the point itself is not finite";
    bool sum = op == OP_SUM || op == OP_LINEAR;
    if (arguments == 0 || arguments > 2 || sum)
        return check_format(check, "%s %s", sum ? "a sum" : operator_text(op), is);
    a = value_of(below, list[0]);
    b = arguments > 1 ? value_of(below, list[1]) : 0;
    if (op == OP_DIV)
        return check_format(check, "%g / %g %s", a, b, b == 0 ? "divides by zero" : is);
    if (op == OP_POW)
        return check_format(check, "%g ^ %g %s", a, b, is);
    if (arguments == 1)
        return check_format(check, "%s(%g) %s", operator_text(op), a, is);
    return check_format(check, "%s(%g, %g) %s", operator_text(op), a, b, is);
}

static bool is_guilty(const struct check *check, uint32_t node, double value) {
    return !isfinite(value) && !graph_is_constant(&check->model->graph, node, NULL);
}

/* The node of a function or bound. */
static uint32_t node_of(const struct check *check, size_t value) {
    if (value < check->rows)
        return check->model->rows[value].body;
    if (value < check->functions)
        return check->model->objective.value;
    size_t bound = value - check->functions;
    return bound < check->rows ? check->model->rows[bound].lower : check->model->rows[bound - check->rows].upper;
}

/* Evaluates a node and its dependencies at the point; false when out of memory. */
static bool look_below(struct below *below, struct check *check, uint32_t node, size_t point) {
    if (model_order(check->model, &node, 1, &below->nodes, &below->count, NULL) != HN_OK)
        return false;
    hn_expr *exprs = arena_take(&check->arena, below->count + 1, sizeof *exprs);
    below->values = arena_take(&check->arena, below->count + 1, sizeof *below->values);
    if (!exprs || !below->values)
        return false;
    for (size_t i = 0; i < below->count; i++)
        exprs[i] = (hn_expr){(hn_model *)check->model, below->nodes[i]};
    return hn_model_evaluate(check->model, below->count, exprs, check->x + point * check->inputs,
                             check->y + point * check->columns, below->values, NULL) == HN_OK;
}

const char *check_blame(struct check *check, size_t value, size_t point) {
    struct below below = {.count = 0};
    const char *text = NULL;
    bool known = look_below(&below, check, node_of(check, value), point);
    check->starved = check->starved || !known;
    for (size_t i = 0; known && i < below.count && !text; i++)
        if (is_guilty(check, below.nodes[i], below.values[i]))
            text = check_blame_describe(check, &below, i);
    base_release(below.nodes);
    return text;
}
