/* model.c - lifetime of a model (create, fill, finish, copy, destroy) and its sticky error.
 *
 * A copy is unfinished, with the same graph, node numbers and parts. The rows of a finished model include the bounds of
 * outputs. They are recognised by the outputs' name pointers and skipped: finishing the copy creates them and the groups
 * again, in the same order.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/structs.h"
#include "model/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_MAX_NODES = 20 * 1000 * 1000 };

hn_status hn_model_get_defaults(hn_model_options *out, hn_error *error) {
    const hn_model_options own = {.size = sizeof own, .max_nodes = DEFAULT_MAX_NODES};
    return STRUCT_GIVE(hn_model_options, out, &own, error);
}

hn_status hn_model_create(hn_model **out, const hn_model_options *options, hn_error *error) {
    hn_model_options chosen = hn_model_defaults();
    if (!out)
        return error_missing(error, "hn_model_create", "out");
    *out = NULL;
    hn_status status = options ? STRUCT_TAKE_OPTIONS(hn_model_options, &chosen, options, error) : HN_OK;
    if (status != HN_OK)
        return status;
    hn_model *model = base_allocate(sizeof *model);
    if (!model)
        return error_no_memory(error, "model");
    memset(model, 0, sizeof *model);
    if (graph_create(&model->graph, chosen.max_nodes) != HN_OK) {
        base_release(model);
        return error_no_memory(error, "model");
    }
    *out = model;
    return HN_OK;
}

void hn_model_destroy(hn_model *model) {
    if (!model)
        return;
    graph_release(&model->graph);
    arena_release(&model->texts);
    names_release(&model->names);
    names_release(&model->group_names);
    base_release(model->inputs);
    base_release(model->outputs);
    base_release(model->rows);
    base_release(model->groups);
    base_release(model->blocks);
    base_release(model->definitions);
    base_release(model->requirements);
    base_release(model);
}

/* ---- errors ---- */

void model_fail(hn_model *model, hn_status status, const char *name, const char *format, ...) {
    char text[sizeof model->error.text];
    if (model->error.status != HN_OK)
        return;
    va_list arguments;
    va_start(arguments, format);
    error_format(text, sizeof text, format, arguments);
    va_end(arguments);
    struct error_subject subject = status == HN_NO_MEMORY ? (struct error_subject){.code = HN_CODE_MEMORY, .name = name}
                                   : status == HN_LIMIT   ? error_option("max_nodes")
                                   : name                 ? error_part(name)
                                                          : (struct error_subject){.code = HN_CODE_NONE};
    error_about(&model->error, status, subject, "%s", text);
}

hn_status hn_model_status(const hn_model *model, hn_error *error) {
    if (!model)
        return error_about(error, HN_INVALID, error_argument("model"), "model is NULL");
    if (error && model->error.status != HN_OK)
        *error = model->error;
    return model->error.status;
}

bool model_refuses(hn_model *model, const char *what) {
    if (!model)
        return true;
    if (model->finished)
        model_fail(model, HN_INVALID, what, "%s: the model is finished and cannot be changed", what);
    return model->error.status != HN_OK;
}

uint32_t model_argument(hn_model *model, hn_expr expr, const char *what) {
    if (expr.model == model && expr.node > 0 && expr.node < model->graph.count)
        return expr.node;
    if (expr.model && expr.model != model)
        model_fail(model, HN_INVALID, what, "%s: the expression belongs to another model", what);
    else
        model_fail(model, HN_INVALID, what, "%s: an argument is not an expression", what);
    return 0;
}

void model_note_graph(hn_model *model, const char *what) {
    if (model->graph.status == HN_LIMIT)
        model_fail(model, HN_LIMIT, what, "%s: more than %zu nodes in the graph; raise max_nodes", what,
                   model->graph.max_nodes);
    else if (model->graph.status != HN_OK)
        model_fail(model, HN_NO_MEMORY, what, "%s: out of memory", what);
}

/* ---- names and lists ---- */

const char *model_name(hn_model *model, const char *name, enum name_kind kind, size_t index) {
    static const char kinds[][12] = {"input", "output", "constraint", "definition", "requirement", "objective"};
    size_t length = name ? strlen(name) : 0;
    if (length == 0) {
        model_fail(model, HN_INVALID, NULL, "%s %zu: name is NULL or empty", kinds[kind], index);
        return NULL;
    }
    if (names_find(&model->names, name, length)) {
        model_fail(model, HN_INVALID, name, "%s %s: the name is already used", kinds[kind], name);
        return NULL;
    }
    char *copy = arena_copy_text(&model->texts, name, length);
    if (!copy || !names_add(&model->names, copy, length, (uint32_t)index)) {
        model_fail(model, HN_NO_MEMORY, name, "%s %s: out of memory", kinds[kind], name);
        return NULL;
    }
    return copy;
}

bool model_room(hn_model *model, void *list, size_t *capacity, size_t count, size_t size) {
    bool good = count < UINT32_MAX && array_room(list, capacity, count + 1, size);
    if (!good)
        model_fail(model, HN_NO_MEMORY, "model", "model: out of memory");
    return good;
}

/* ---- copies ---- */

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
static bool copy_name(hn_model *copy, const char **name, size_t index) {
    size_t length = strlen(*name);
    *name = arena_copy_text(&copy->texts, *name, length);
    return *name && names_add(&copy->names, *name, length, (uint32_t)index);
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
        if (!copy_name(copy, &row.name, copy->row_count))
            return false;
        copy->rows[copy->row_count++] = row;
    }
    return true;
}

/* After the rows, which have the names. */
static bool copy_blocks(hn_model *copy, const hn_model *model) {
    if (!copy_list(&copy->blocks, &copy->block_capacity, model->blocks, model->block_count, sizeof *copy->blocks))
        return false;
    copy->block_count = model->block_count;
    for (size_t i = copy->row_count; i-- > 0;)
        if (copy->rows[i].block > 0)
            copy->blocks[copy->rows[i].block - 1].name = copy->rows[i].name;
    return true;
}

static bool copy_columns(hn_model *copy, const hn_model *model) {
    if (!copy_list(&copy->inputs, &copy->input_capacity, model->inputs, model->input_count, sizeof *copy->inputs) ||
        !copy_list(&copy->outputs, &copy->output_capacity, model->outputs, model->output_count, sizeof *copy->outputs))
        return false;
    bool good = true;
    copy->input_count = model->input_count;
    copy->output_count = model->output_count;
    for (size_t i = 0; good && i < copy->input_count; i++)
        good = copy_name(copy, &copy->inputs[i].name, i);
    for (size_t i = 0; good && i < copy->output_count; i++)
        good = copy_name(copy, &copy->outputs[i].name, i);
    return good;
}

static bool copy_named(hn_model *copy, const hn_model *model) {
    if (!copy_list(&copy->definitions, &copy->definition_capacity, model->definitions, model->definition_count,
                   sizeof *copy->definitions) ||
        !copy_list(&copy->requirements, &copy->requirement_capacity, model->requirements, model->requirement_count,
                   sizeof *copy->requirements))
        return false;
    bool good = true;
    copy->definition_count = model->definition_count;
    copy->requirement_count = model->requirement_count;
    copy->objective = model->objective;
    copy->maximize = model->maximize;
    for (size_t i = 0; good && i < copy->definition_count; i++)
        good = copy_name(copy, &copy->definitions[i].name, i);
    for (size_t i = 0; good && i < copy->requirement_count; i++)
        good = copy_name(copy, &copy->requirements[i].name, i);
    return good && (!copy->objective.name || copy_name(copy, &copy->objective.name, 0));
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
        !copy_blocks(copy, model) || !copy_named(copy, model)) {
        hn_model_destroy(copy);
        return error_no_memory(error, "model");
    }
    *out = copy;
    return HN_OK;
}
