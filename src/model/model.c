/* model.c - lifetime of a model (create, fill, finish, destroy) and its sticky error.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
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

void *model_room(hn_model *model, void *list, size_t *capacity, size_t count, size_t size) {
    void *moved = count < UINT32_MAX ? array_grow(list, capacity, count + 1, size) : NULL;
    if (!moved)
        model_fail(model, HN_NO_MEMORY, "model", "model: out of memory");
    return moved;
}
