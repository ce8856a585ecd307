/* expressions.c - the operators of hardnet/model.h: arguments checked, then handed to the graph.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/size.h"
#include "model/parts.h"

static hn_expr expressions_apply(enum op op, hn_expr a, hn_expr b, hn_expr c) {
    const hn_expr none = {NULL, 0}, given[3] = {a, b, c};
    uint32_t nodes[3] = {0, 0, 0};
    int count = operator_arguments(op);
    hn_model *model = NULL;
    for (int i = count; i-- > 0;)
        model = given[i].model ? given[i].model : model; /* an argument that is not an expression has no model */
    if (model_refuses(model, operator_text(op)))
        return none;
    for (int i = 0; i < count; i++) {
        nodes[i] = model_argument(model, given[i], operator_text(op));
        if (nodes[i] == 0)
            return none;
    }
    uint32_t node = graph_apply(&model->graph, op, nodes[0], nodes[1], nodes[2]);
    model_note_graph(model, operator_text(op));
    return node != 0 ? (hn_expr){model, node} : none;
}

static hn_expr apply_unary(enum op op, hn_expr a) {
    return expressions_apply(op, a, (hn_expr){NULL, 0}, (hn_expr){NULL, 0});
}

static hn_expr apply_binary(enum op op, hn_expr a, hn_expr b) {
    return expressions_apply(op, a, b, (hn_expr){NULL, 0});
}

hn_expr hn_scale(hn_real factor, hn_expr a) {
    if (model_refuses(a.model, "hn_scale"))
        return (hn_expr){NULL, 0};
    return apply_binary(OP_MUL, hn_constant(a.model, factor), a);
}

hn_expr hn_shift(hn_expr a, hn_real offset) {
    if (model_refuses(a.model, "hn_shift"))
        return (hn_expr){NULL, 0};
    return apply_binary(OP_ADD, a, hn_constant(a.model, offset));
}

static hn_expr sum_nodes(hn_model *model, size_t count, const hn_expr *terms, uint32_t *nodes) {
    for (size_t i = 0; i < count; i++) {
        nodes[i] = model_argument(model, terms[i], "sum");
        if (nodes[i] == 0)
            return (hn_expr){NULL, 0};
    }
    uint32_t node = graph_sum(&model->graph, nodes, count);
    model_note_graph(model, "sum");
    return node != 0 ? (hn_expr){model, node} : (hn_expr){NULL, 0};
}

hn_expr hn_sum(hn_model *model, size_t count, const hn_expr *terms) {
    enum { FEW = 64 };
    uint32_t few[FEW], *nodes = few;
    if (model_refuses(model, "sum"))
        return (hn_expr){NULL, 0};
    if (count > 0 && !terms) {
        model_fail(model, HN_INVALID, "sum", "sum of %zu terms: terms is NULL", count);
        return (hn_expr){NULL, 0};
    }
    if (count > FEW)
        nodes = base_allocate(size_product(count, sizeof *nodes));
    if (!nodes) {
        model_fail(model, HN_NO_MEMORY, "sum", "sum of %zu terms: out of memory", count);
        return (hn_expr){NULL, 0};
    }
    hn_expr sum = sum_nodes(model, count, terms, nodes);
    if (nodes != few)
        base_release(nodes);
    return sum;
}

/* ---- one function for each operator of the list ---- */

#define NODE(id, name)
#define UNARY(id, name)                                                                                                \
    hn_expr hn_##name(hn_expr a) {                                                                                     \
        return apply_unary(OP_##id, a);                                                                                \
    }
#define FUNCTION(id, name) UNARY(id, name)
#define BINARY(id, name)                                                                                               \
    hn_expr hn_##name(hn_expr a, hn_expr b) {                                                                          \
        return apply_binary(OP_##id, a, b);                                                                            \
    }
#define TERNARY(id, name)                                                                                              \
    hn_expr hn_##name(hn_expr condition, hn_expr yes, hn_expr no) {                                                    \
        return expressions_apply(OP_##id, condition, yes, no);                                                         \
    }
#define DEFINE(id, name, kind) kind(id, name)
HN_OPERATOR_LIST(DEFINE)
