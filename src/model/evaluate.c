/* evaluate.c - plain evaluation of expressions, one number at a time; the reference that programs are tested against.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "model/parts.h"

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

static hn_status evaluate_check_request(const hn_model *model, size_t count, const hn_expr *exprs, struct point point,
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
    hn_status status = evaluate_check_request(model, count, exprs, point, values, error);
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
        all[0] = 0; /* the value of arguments that an operator does not have */
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
