/* inspect.c - the read-only side of hardnet/model.h.
 *
 * SPDX-License-Identifier: MIT */
#include "model/parts.h"

static hn_expr expression(const hn_model *model, uint32_t node) {
    hn_expr none = {NULL, 0};
    return node != 0 ? (hn_expr){(hn_model *)model, node} : none;
}

/* ---- expressions ---- */

bool hn_is_valid(hn_expr a) {
    return a.model && a.node > 0 && a.node < a.model->graph.count;
}

bool hn_is_constant(hn_expr a, hn_real *value) {
    return hn_is_valid(a) && graph_is_constant(&a.model->graph, a.node, value);
}

bool hn_depends_on_inputs(hn_expr a) {
    return hn_is_valid(a) && graph_depends(&a.model->graph, a.node, SPACE_X);
}

bool hn_depends_on_outputs(hn_expr a) {
    return hn_is_valid(a) && graph_depends(&a.model->graph, a.node, SPACE_Y);
}

/* ---- counts ---- */

size_t hn_model_input_count(const hn_model *model) {
    return model ? model->input_count : 0;
}

size_t hn_model_output_count(const hn_model *model) {
    return model ? model->output_count : 0;
}

size_t hn_model_row_count(const hn_model *model) {
    return model && model->finished ? model->row_count : 0;
}

size_t hn_model_group_count(const hn_model *model) {
    return model && model->finished ? model->group_count : 0;
}

size_t hn_model_definition_count(const hn_model *model) {
    return model ? model->definition_count : 0;
}

size_t hn_model_requirement_count(const hn_model *model) {
    return model ? model->requirement_count : 0;
}

size_t hn_model_node_count(const hn_model *model) {
    return model ? model->graph.count - 1 : 0;
}

/* ---- parts ---- */

hn_input_info hn_model_input(const hn_model *model, size_t index) {
    if (index >= hn_model_input_count(model))
        return (hn_input_info){.name = NULL};
    const struct model_input *input = &model->inputs[index];
    return (hn_input_info){input->name, input->lower, input->upper};
}

hn_output_info hn_model_output(const hn_model *model, size_t index) {
    if (index >= hn_model_output_count(model))
        return (hn_output_info){.name = NULL};
    const struct model_output *output = &model->outputs[index];
    return (hn_output_info){.name = output->name,
                            .lower = expression(model, output->lower),
                            .upper = expression(model, output->upper),
                            .start = expression(model, output->start),
                            .fixed = expression(model, output->fixed)};
}

hn_row_info hn_model_row(const hn_model *model, size_t index) {
    if (index >= hn_model_row_count(model))
        return (hn_row_info){.name = NULL};
    const struct model_row *row = &model->rows[index];
    return (hn_row_info){.name = row->name,
                         .group = row->group,
                         .lower = expression(model, row->lower),
                         .body = expression(model, row->body),
                         .upper = expression(model, row->upper)};
}

hn_group_info hn_model_group(const hn_model *model, size_t index) {
    if (index >= hn_model_group_count(model))
        return (hn_group_info){.name = NULL};
    const struct model_group *group = &model->groups[index];
    return (hn_group_info){group->name, group->first, group->count};
}

hn_named_expr hn_model_definition(const hn_model *model, size_t index) {
    if (index >= hn_model_definition_count(model))
        return (hn_named_expr){.name = NULL};
    const struct model_named *definition = &model->definitions[index];
    return (hn_named_expr){definition->name, expression(model, definition->value)};
}

hn_named_expr hn_model_requirement(const hn_model *model, size_t index) {
    if (index >= hn_model_requirement_count(model))
        return (hn_named_expr){.name = NULL};
    const struct model_named *requirement = &model->requirements[index];
    return (hn_named_expr){requirement->name, expression(model, requirement->value)};
}

hn_objective_info hn_model_objective(const hn_model *model) {
    if (!model || model->objective.value == 0)
        return (hn_objective_info){.name = NULL};
    return (hn_objective_info){model->objective.name, expression(model, model->objective.value), model->maximize};
}
