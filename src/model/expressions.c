/* expressions.c - hardnet/model.h: constants, inputs, outputs with their bounds, definitions, and the operators, whose
 * arguments are checked and then handed to the graph.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/size.h"
#include "model/parts.h"

#include <math.h>
#include <string.h>

/* ---- leaves ---- */

static hn_expr leaf(hn_model *model, uint32_t node, const char *what) {
    if (node != 0)
        return (hn_expr){model, node};
    model_note_graph(model, what);
    return (hn_expr){NULL, 0};
}

hn_expr hn_constant(hn_model *model, hn_real value) {
    if (model_refuses(model, "hn_constant"))
        return (hn_expr){NULL, 0};
    return leaf(model, graph_constant(&model->graph, value), "hn_constant");
}

hn_expr hn_input(hn_model *model, const char *name) {
    const char *copy = NULL;
    if (!model_refuses(model, "hn_input") &&
        model_room(model, &model->inputs, &model->input_capacity, model->input_count, sizeof *model->inputs))
        copy = model_name(model, name, NAME_INPUT, model->input_count);
    if (!copy)
        return (hn_expr){NULL, 0};
    uint32_t node = graph_leaf(&model->graph, SPACE_X, (uint32_t)model->input_count);
    if (node != 0)
        model->inputs[model->input_count++] = (struct model_input){copy, -INFINITY, INFINITY, node};
    return leaf(model, node, copy);
}

hn_expr hn_output(hn_model *model, const char *name) {
    const char *copy = NULL;
    if (!model_refuses(model, "hn_output") &&
        model_room(model, &model->outputs, &model->output_capacity, model->output_count, sizeof *model->outputs))
        copy = model_name(model, name, NAME_OUTPUT, model->output_count);
    if (!copy)
        return (hn_expr){NULL, 0};
    struct graph *g = &model->graph;
    struct model_output output = {.name = copy};
    output.lower = graph_constant(g, -INFINITY);
    output.upper = graph_constant(g, INFINITY);
    output.start = graph_constant(g, 0);
    output.node = graph_leaf(g, SPACE_Y, (uint32_t)model->output_count);
    if (output.node != 0)
        model->outputs[model->output_count++] = output;
    return leaf(model, output.node, copy);
}

/* The leaf node of an expression that must be in this space; NULL with an error otherwise. */
static const struct node *expect_leaf(hn_model *model, hn_expr expr, enum space space, const char *what) {
    if (model_refuses(model, what))
        return NULL;
    uint32_t number = model_argument(model, expr, what);
    const struct node *node = &model->graph.nodes[number];
    if (number != 0 && node->op == OP_LEAF && node->a == (uint32_t)space)
        return node;
    model_fail(model, HN_INVALID, what, "%s: the expression is not an %s", what, space == SPACE_X ? "input" : "output");
    return NULL;
}

void hn_input_range(hn_expr input, hn_real lower, hn_real upper) {
    const struct node *node = expect_leaf(input.model, input, SPACE_X, "hn_input_range");
    if (!node)
        return;
    struct model_input *place = &input.model->inputs[node->b];
    if (!(lower <= upper)) {
        model_fail(input.model, HN_INVALID, place->name, "input %s: the range is empty or not a number", place->name);
        return;
    }
    place->lower = lower;
    place->upper = upper;
}

void hn_output_bounds(hn_expr output, hn_real lower, hn_real upper) {
    if (model_refuses(output.model, "hn_output_bounds"))
        return;
    hn_expr above =
        hn_constant(output.model, upper); /* separate statements: C does not order the evaluation of arguments */
    hn_output_between(output, hn_constant(output.model, lower), above);
}

/* An argument that is not an expression has no model: the error is recorded in the model of the other one. */
static hn_model *model_of(hn_expr a, hn_expr b) {
    return a.model ? a.model : b.model;
}

/* The output and the node of a value for it; NULL with an error. */
static struct model_output *output_and_value(hn_expr output, hn_expr value, const char *what, uint32_t *node) {
    hn_model *model = model_of(output, value);
    const struct node *leaf = expect_leaf(model, output, SPACE_Y, what);
    if (!leaf)
        return NULL;
    struct model_output *place = &model->outputs[leaf->b];
    *node = model_argument(model, value, place->name);
    return *node != 0 ? place : NULL;
}

void hn_output_between(hn_expr output, hn_expr lower, hn_expr upper) {
    uint32_t low, high;
    output.model = output.model ? output.model : model_of(lower, upper);
    struct model_output *place = output_and_value(output, lower, "hn_output_between", &low);
    if (place && output_and_value(output, upper, "hn_output_between", &high)) {
        place->lower = low;
        place->upper = high;
    }
}

void hn_output_start(hn_expr output, hn_expr start) {
    uint32_t node;
    struct model_output *place = output_and_value(output, start, "hn_output_start", &node);
    if (place)
        place->start = node;
}

void hn_output_fix(hn_expr output, hn_expr value) {
    uint32_t node;
    struct model_output *place = output_and_value(output, value, "hn_output_fix", &node);
    if (place)
        place->fixed = node;
}

/* ---- definitions ---- */

static struct model_named *find_definition(const hn_model *model, const char *name) {
    uint32_t *index = name ? names_find(&model->names, name, strlen(name)) : NULL;
    bool found = index && *index < model->definition_count && strcmp(model->definitions[*index].name, name) == 0;
    return found ? &model->definitions[*index] : NULL;
}

/* The definition of this name, created if missing; NULL when that fails or the name is used for something else. */
static struct model_named *definition(hn_model *model, const char *name) {
    struct model_named *found = find_definition(model, name);
    if (found)
        return found;
    if (!model_room(model, &model->definitions, &model->definition_capacity, model->definition_count, sizeof *found))
        return NULL;
    const char *copy = model_name(model, name, NAME_DEFINITION, model->definition_count);
    if (!copy)
        return NULL;
    struct model_named *place = &model->definitions[model->definition_count++];
    *place = (struct model_named){copy, 0};
    return place;
}

void hn_define(hn_model *model, const char *name, hn_expr value) {
    if (model_refuses(model, "hn_define"))
        return;
    uint32_t node = model_argument(model, value, name ? name : "hn_define");
    struct model_named *place = node != 0 ? definition(model, name) : NULL;
    if (!place)
        return;
    if (place->value != 0)
        model_fail(model, HN_INVALID, name, "definition %s: defined twice", name);
    else
        place->value = node;
}

hn_expr hn_defined(hn_model *model, const char *name) {
    if (model && model->finished) { /* lookup only: not an error if it is missing */
        const struct model_named *found = find_definition(model, name);
        return found ? (hn_expr){model, found->value} : (hn_expr){NULL, 0};
    }
    if (model_refuses(model, "hn_defined"))
        return (hn_expr){NULL, 0};
    struct model_named *place = definition(model, name);
    if (!place)
        return (hn_expr){NULL, 0};
    if (place->value != 0)
        return (hn_expr){model, place->value};
    return leaf(model, graph_reference(&model->graph, (uint32_t)(place - model->definitions)), place->name);
}

/* ---- operators ---- */

static hn_expr apply_operator(enum op op, hn_expr a, hn_expr b, hn_expr c) {
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
    return apply_operator(op, a, (hn_expr){NULL, 0}, (hn_expr){NULL, 0});
}

static hn_expr apply_binary(enum op op, hn_expr a, hn_expr b) {
    return apply_operator(op, a, b, (hn_expr){NULL, 0});
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

/* coefficients NULL: all 1. */
static hn_expr sum_terms(hn_model *model, size_t count, const hn_real *coefficients, const hn_expr *terms) {
    enum { FEW = 64 };
    uint32_t few[FEW], *nodes = few, sum = 0;
    size_t known = 0;
    if (count > FEW)
        nodes = base_allocate(size_product(count, sizeof *nodes));
    if (!nodes) {
        model_fail(model, HN_NO_MEMORY, "sum", "sum of %zu terms: out of memory", count);
        return (hn_expr){NULL, 0};
    }
    while (known < count && (nodes[known] = model_argument(model, terms[known], "sum")) != 0)
        known++;
    if (known == count)
        sum = coefficients ? graph_linear(&model->graph, coefficients, nodes, count)
                           : graph_sum(&model->graph, nodes, count);
    model_note_graph(model, "sum");
    if (nodes != few)
        base_release(nodes);
    return sum != 0 ? (hn_expr){model, sum} : (hn_expr){NULL, 0};
}

hn_expr hn_sum(hn_model *model, size_t count, const hn_expr *terms) {
    if (model_refuses(model, "sum"))
        return (hn_expr){NULL, 0};
    if (count == 0 || terms)
        return sum_terms(model, count, NULL, terms);
    model_fail(model, HN_INVALID, "sum", "sum of %zu terms: terms is NULL", count);
    return (hn_expr){NULL, 0};
}

hn_expr hn_linear(hn_model *model, size_t count, const hn_real *coefficients, const hn_expr *terms) {
    static const hn_real none[1];
    if (model_refuses(model, "hn_linear"))
        return (hn_expr){NULL, 0};
    if (count == 0 || (coefficients && terms))
        return sum_terms(model, count, count > 0 ? coefficients : none, terms);
    model_fail(model, HN_INVALID, "hn_linear", "hn_linear: %s is NULL", terms ? "coefficients" : "terms");
    return (hn_expr){NULL, 0};
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
        return apply_operator(OP_##id, condition, yes, no);                                                            \
    }
#define DEFINE(id, name, kind) kind(id, name)
HN_OPERATOR_LIST(DEFINE)
