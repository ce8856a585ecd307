/* leaves.c - leaves of expressions: constants, inputs, outputs with their bounds, named definitions.
 *
 * SPDX-License-Identifier: MIT */
#include "model/parts.h"

#include <math.h>
#include <string.h>

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

/* Copies the name of the next input or output and makes space in the list; NULL with an error. */
static const char *new_input(hn_model *model, const char *name) {
    if (model_refuses(model, "hn_input"))
        return NULL;
    struct model_input *list =
        model_room(model, model->inputs, &model->input_capacity, model->input_count, sizeof *list);
    if (!list)
        return NULL;
    model->inputs = list;
    return model_name(model, name, NAME_INPUT, model->input_count);
}

static const char *new_output(hn_model *model, const char *name) {
    if (model_refuses(model, "hn_output"))
        return NULL;
    struct model_output *list =
        model_room(model, model->outputs, &model->output_capacity, model->output_count, sizeof *list);
    if (!list)
        return NULL;
    model->outputs = list;
    return model_name(model, name, NAME_OUTPUT, model->output_count);
}

hn_expr hn_input(hn_model *model, const char *name) {
    const char *copy = new_input(model, name);
    if (!copy)
        return (hn_expr){NULL, 0};
    uint32_t node = graph_leaf(&model->graph, SPACE_X, (uint32_t)model->input_count);
    if (node != 0)
        model->inputs[model->input_count++] = (struct model_input){copy, -INFINITY, INFINITY, node};
    return leaf(model, node, copy);
}

hn_expr hn_output(hn_model *model, const char *name) {
    const char *copy = new_output(model, name);
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

void hn_output_between(hn_expr output, hn_expr lower, hn_expr upper) {
    hn_model *model = output.model ? output.model : model_of(lower, upper);
    const struct node *node = expect_leaf(model, output, SPACE_Y, "hn_output_between");
    if (!node)
        return;
    struct model_output *place = &model->outputs[node->b];
    uint32_t low = model_argument(model, lower, place->name);
    uint32_t high = model_argument(model, upper, place->name);
    if (low != 0 && high != 0) {
        place->lower = low;
        place->upper = high;
    }
}

void hn_output_start(hn_expr output, hn_expr start) {
    hn_model *model = model_of(output, start);
    const struct node *node = expect_leaf(model, output, SPACE_Y, "hn_output_start");
    if (!node)
        return;
    struct model_output *place = &model->outputs[node->b];
    uint32_t value = model_argument(model, start, place->name);
    if (value != 0)
        place->start = value;
}

void hn_output_fix(hn_expr output, hn_expr value) {
    hn_model *model = model_of(output, value);
    const struct node *node = expect_leaf(model, output, SPACE_Y, "hn_output_fix");
    if (!node)
        return;
    struct model_output *place = &model->outputs[node->b];
    uint32_t number = model_argument(model, value, place->name);
    if (number != 0)
        place->fixed = number;
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
    struct model_named *list =
        model_room(model, model->definitions, &model->definition_capacity, model->definition_count, sizeof *list);
    if (!list)
        return NULL;
    model->definitions = list;
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
