/* inspect.c - hardnet/inspect.h, and the expression queries of hardnet/model.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/structs.h"
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

/* The public list equals that of operators.h except for nodes; there LINEAR has the number of GUARD, which models do
 * not contain. */
#define NODE(id)
#define UNARY(id)                    _Static_assert(HN_OPERATOR_##id == (int)OP_##id, "the lists differ");
#define FUNCTION(id)                 UNARY(id)
#define BINARY(id)                   UNARY(id)
#define TERNARY(id)                  UNARY(id)
#define CHECK_NUMBER(id, name, kind) kind(id)
HN_OPERATOR_LIST(CHECK_NUMBER)
_Static_assert(HN_OPERATOR_SUM == OP_SUM + 1 && HN_OPERATOR_LINEAR == (int)OP_GUARD &&
                   HN_OPERATOR_COUNT == (int)OP_COUNT,
               "the lists differ");

static hn_operator operator_of(const struct node *node) {
    if (node->op == OP_LEAF)
        return node->a == SPACE_X ? HN_OPERATOR_INPUT : HN_OPERATOR_OUTPUT;
    if (node->op == OP_CONSTANT)
        return HN_OPERATOR_CONSTANT;
    if (node->op == OP_LINEAR)
        return HN_OPERATOR_LINEAR;
    if (node->op <= OP_SUM)
        return (hn_operator)(node->op + 1);
    return node->op != OP_GUARD ? (hn_operator)node->op : HN_OPERATOR_NONE;
}

hn_status hn_expr_get_info(hn_expr a, hn_expr_info *out, hn_error *error) {
    hn_expr_info own = {.size = sizeof own};
    bool valid = hn_is_valid(a);
    if (valid) {
        const struct node *node = &a.model->graph.nodes[a.node];
        const uint32_t *list;
        own.op = operator_of(node);
        own.count = graph_arguments(&a.model->graph, a.node, &list);
        graph_is_constant(&a.model->graph, a.node, &own.value);
        own.index = node->op == OP_LEAF ? node->b : node->op == OP_REFERENCE ? node->a : 0;
    }
    hn_status status = STRUCT_GIVE(hn_expr_info, out, &own, error);
    if (status != HN_OK || valid)
        return status;
    return error_about(error, HN_INVALID, error_argument("a"), "hn_expr_get_info: a is not an expression");
}

hn_expr hn_expr_argument(hn_expr a, size_t index) {
    const uint32_t *list = NULL;
    size_t count = hn_is_valid(a) ? graph_arguments(&a.model->graph, a.node, &list) : 0;
    return index < count ? expression(a.model, list[index]) : (hn_expr){NULL, 0};
}

hn_real hn_expr_coefficient(hn_expr a, size_t index) {
    const uint32_t *list = NULL;
    size_t count = hn_is_valid(a) ? graph_arguments(&a.model->graph, a.node, &list) : 0;
    if (index >= count)
        return 0;
    const struct node *node = &a.model->graph.nodes[a.node];
    return node->op == OP_LINEAR ? a.model->graph.numbers[node->a + index] : 1;
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

size_t hn_model_number_count(const hn_model *model) {
    return model ? model->graph.number_count : 0;
}

/* ---- parts ---- */

/* Ends a call that returns a part, or zeros if it does not exist. */
static hn_status answer(hn_status given, const hn_model *model, bool found, const char *part, hn_error *error) {
    if (given != HN_OK || found)
        return given;
    if (!model)
        return error_missing(error, "inspection", "model");
    return error_about(error, HN_INVALID, error_argument("index"), "the model has no %s with this index", part);
}

hn_status hn_model_get_input(const hn_model *model, size_t index, hn_input_info *out, hn_error *error) {
    hn_input_info own = {.size = sizeof own};
    bool found = index < hn_model_input_count(model);
    if (found) {
        const struct model_input *input = &model->inputs[index];
        own = (hn_input_info){.size = sizeof own,
                              .name = input->name,
                              .lower = input->lower,
                              .upper = input->upper,
                              .expr = expression(model, input->node)};
    }
    return answer(STRUCT_GIVE(hn_input_info, out, &own, error), model, found, "input", error);
}

hn_status hn_model_get_output(const hn_model *model, size_t index, hn_output_info *out, hn_error *error) {
    hn_output_info own = {.size = sizeof own};
    bool found = index < hn_model_output_count(model);
    if (found) {
        const struct model_output *output = &model->outputs[index];
        own = (hn_output_info){.size = sizeof own,
                               .name = output->name,
                               .lower = expression(model, output->lower),
                               .upper = expression(model, output->upper),
                               .start = expression(model, output->start),
                               .fixed = expression(model, output->fixed),
                               .expr = expression(model, output->node)};
    }
    return answer(STRUCT_GIVE(hn_output_info, out, &own, error), model, found, "output", error);
}

hn_status hn_model_get_row(const hn_model *model, size_t index, hn_row_info *out, hn_error *error) {
    hn_row_info own = {.size = sizeof own};
    bool found = index < hn_model_row_count(model);
    if (found) {
        const struct model_row *row = &model->rows[index];
        own = (hn_row_info){.size = sizeof own,
                            .name = row->name,
                            .group = row->group,
                            .lower = expression(model, row->lower),
                            .body = expression(model, row->body),
                            .upper = expression(model, row->upper)};
        if (row->block > 0) {
            const struct model_block *block = &model->blocks[row->block - 1];
            own.set = block->set;
            own.block = block->name;
            own.order = block->order;
            own.first = block->first;
        }
    }
    return answer(STRUCT_GIVE(hn_row_info, out, &own, error), model, found, "row", error);
}

hn_status hn_model_get_group(const hn_model *model, size_t index, hn_group_info *out, hn_error *error) {
    hn_group_info own = {.size = sizeof own};
    bool found = index < hn_model_group_count(model);
    if (found) {
        const struct model_group *group = &model->groups[index];
        own = (hn_group_info){.size = sizeof own, .name = group->name, .first = group->first, .count = group->count};
    }
    return answer(STRUCT_GIVE(hn_group_info, out, &own, error), model, found, "group", error);
}

static hn_status get_named(const hn_model *model, const struct model_named *named, const char *part, hn_named_expr *out,
                           hn_error *error) {
    hn_named_expr own = {.size = sizeof own};
    if (named) {
        own.name = named->name;
        own.value = expression(model, named->value);
    }
    return answer(STRUCT_GIVE(hn_named_expr, out, &own, error), model, named != NULL, part, error);
}

hn_status hn_model_get_definition(const hn_model *model, size_t index, hn_named_expr *out, hn_error *error) {
    bool found = index < hn_model_definition_count(model);
    return get_named(model, found ? &model->definitions[index] : NULL, "definition", out, error);
}

hn_status hn_model_get_requirement(const hn_model *model, size_t index, hn_named_expr *out, hn_error *error) {
    bool found = index < hn_model_requirement_count(model);
    return get_named(model, found ? &model->requirements[index] : NULL, "requirement", out, error);
}

hn_status hn_model_get_objective(const hn_model *model, hn_objective_info *out, hn_error *error) {
    hn_objective_info own = {.size = sizeof own};
    if (model && model->objective.value != 0) {
        own.name = model->objective.name;
        own.minimized = expression(model, model->objective.value);
        own.maximize = model->maximize;
    }
    return answer(STRUCT_GIVE(hn_objective_info, out, &own, error), model, model != NULL, "objective", error);
}
