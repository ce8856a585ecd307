/* copy.c - an unfinished copy of a model: the same graph with the same node numbers and parts; names are duplicated.
 *
 * The rows of a finished model include the bounds of outputs. They are recognised by the outputs' name pointers and
 * skipped: finishing the copy creates them and the groups again, in the same order.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "model/parts.h"

#include <string.h>

/* Allocates count elements and copies the list; false when out of memory. An empty list is NULL. */
static bool copy_list(void *place, size_t *capacity, const void *list, size_t count, size_t size) {
    size_t bytes = size_product(count, size);
    void *copy = NULL;
    if (count > 0) {
        copy = base_allocate(bytes);
        if (!copy)
            return false;
        memcpy(copy, list, bytes);
    }
    memcpy(place, &copy, sizeof copy);
    *capacity = count;
    return true;
}

static bool copy_graph(struct graph *to, const struct graph *from) {
    size_t table_capacity;
    struct graph copy = *from;
    copy.nodes = NULL;
    copy.numbers = NULL;
    copy.arguments = copy.table = NULL;
    *to = copy;
    return copy_list(&to->nodes, &to->capacity, from->nodes, from->count, sizeof *to->nodes) &&
           copy_list(&to->arguments, &to->argument_capacity, from->arguments, from->argument_count,
                     sizeof *to->arguments) &&
           copy_list(&to->numbers, &to->number_capacity, from->numbers, from->number_count, sizeof *to->numbers) &&
           copy_list(&to->table, &table_capacity, from->table, from->table_size, sizeof *to->table);
}

/* Replaces a name of the original by the copy's. */
static bool copy_take_name(hn_model *copy, const char **name, size_t index) {
    size_t length = strlen(*name);
    *name = arena_copy_text(&copy->texts, *name, length);
    return *name && names_add(&copy->names, *name, length, (uint32_t)index);
}

static bool take_named(hn_model *copy, struct model_named *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!copy_take_name(copy, &list[i].name, i))
            return false;
    return true;
}

/* Whether a row of a finished model is the bounds of an output: it has the output's name pointer, not just an equal
 * name. */
static bool bounds_an_output(const hn_model *model, const struct model_row *row) {
    const struct node *body = &model->graph.nodes[row->body];
    return model->finished && body->op == OP_LEAF && body->a == SPACE_Y && model->outputs[body->b].name == row->name;
}

static bool copy_rows(hn_model *copy, const hn_model *model) {
    if (!copy_list(&copy->rows, &copy->row_capacity, model->rows, model->row_count, sizeof *copy->rows))
        return false;
    for (size_t i = 0; i < model->row_count; i++) {
        struct model_row row = model->rows[i];
        if (bounds_an_output(model, &row))
            continue;
        row.group = 0;
        if (!copy_take_name(copy, &row.name, copy->row_count))
            return false;
        copy->rows[copy->row_count++] = row;
    }
    return true;
}

static bool copy_columns(hn_model *copy, const hn_model *model) {
    if (!copy_list(&copy->inputs, &copy->input_capacity, model->inputs, model->input_count, sizeof *copy->inputs) ||
        !copy_list(&copy->outputs, &copy->output_capacity, model->outputs, model->output_count, sizeof *copy->outputs))
        return false;
    copy->input_count = model->input_count;
    copy->output_count = model->output_count;
    for (size_t i = 0; i < copy->input_count; i++)
        if (!copy_take_name(copy, &copy->inputs[i].name, i))
            return false;
    for (size_t i = 0; i < copy->output_count; i++)
        if (!copy_take_name(copy, &copy->outputs[i].name, i))
            return false;
    return true;
}

static bool copy_named(hn_model *copy, const hn_model *model) {
    if (!copy_list(&copy->definitions, &copy->definition_capacity, model->definitions, model->definition_count,
                   sizeof *copy->definitions) ||
        !copy_list(&copy->requirements, &copy->requirement_capacity, model->requirements, model->requirement_count,
                   sizeof *copy->requirements))
        return false;
    copy->definition_count = model->definition_count;
    copy->requirement_count = model->requirement_count;
    copy->objective = model->objective;
    copy->maximize = model->maximize;
    return take_named(copy, copy->definitions, copy->definition_count) &&
           take_named(copy, copy->requirements, copy->requirement_count) &&
           (!copy->objective.name || copy_take_name(copy, &copy->objective.name, 0));
}

hn_status hn_model_copy(hn_model **out, const hn_model *model, hn_error *error) {
    if (!out)
        return error_missing(error, "hn_model_copy", "out");
    *out = NULL;
    hn_status status = hn_model_status(model, error);
    if (status != HN_OK)
        return status;
    hn_model *copy = base_allocate(sizeof *copy);
    if (!copy)
        return error_no_memory(error, "model");
    memset(copy, 0, sizeof *copy);
    if (!copy_graph(&copy->graph, &model->graph) || !copy_columns(copy, model) || !copy_rows(copy, model) ||
        !copy_named(copy, model)) {
        hn_model_destroy(copy);
        return error_no_memory(error, "model");
    }
    *out = copy;
    return HN_OK;
}
