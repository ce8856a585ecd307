/* parts.h - the struct of a model, for this module and for modules that read a finished model.
 *
 * The calls of hardnet/model.h build a graph and lists of its nodes: inputs, outputs, rows by group, definitions,
 * requirements, objective. After the first error the model does not change any more.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_MODEL_PARTS_H
#define HN_MODEL_PARTS_H

#include "base/arena.h"
#include "base/names.h"
#include "hardnet/model.h"
#include "model/graph.h"

struct model_input {
    const char *name;
    hn_real lower, upper;
    uint32_t node; /* its leaf */
};

struct model_output {
    const char *name;
    uint32_t node;                       /* its leaf */
    uint32_t lower, upper, start, fixed; /* fixed 0: free */
};

struct model_row {
    const char *name;
    uint32_t group, lower, body, upper;
    uint32_t block; /* 1 + its index; 0: none */
};

/* Consecutive rows that must lie in a set together. */
struct model_block {
    const char *name;
    hn_set set;
    uint32_t order;
    size_t first; /* its first row, once the model is finished */
};

struct model_group {
    const char *name;
    size_t first, count;
};

struct model_named {
    const char *name;
    uint32_t value; /* 0: used, not defined yet */
};

/* Each list has a count and a capacity, for array_grow. */
struct hn_model {
    struct graph graph;
    struct arena texts;
    struct names names;       /* every name, to its kind and index */
    struct names group_names; /* to group indices */
    struct model_input *inputs;
    struct model_output *outputs;
    struct model_row *rows; /* as added; by group, with the bounds of outputs, once finished */
    struct model_group *groups;
    struct model_block *blocks;
    struct model_named *definitions, *requirements;
    size_t input_count, input_capacity, output_count, output_capacity, row_count, row_capacity;
    size_t group_count, group_capacity, block_count, block_capacity;
    size_t definition_count, definition_capacity;
    size_t requirement_count, requirement_capacity;
    struct model_named objective; /* minimised */
    bool maximize, finished;
    hn_error error;
};

enum name_kind { NAME_INPUT, NAME_OUTPUT, NAME_ROW, NAME_DEFINITION, NAME_REQUIREMENT, NAME_OBJECTIVE };

/* Records the first error. name: the affected part, or NULL. */
__attribute__((format(printf, 4, 5))) void model_fail(hn_model *model, hn_status status, const char *name,
                                                      const char *format, ...);

/* Whether the model rejects changes; if it is finished, records an error. */
bool model_refuses(hn_model *model, const char *what);

/* The node of an argument of `what`, or 0 with an error if it is not an expression of this model. */
uint32_t model_argument(hn_model *model, hn_expr expr, const char *what);

/* Records the graph's status as the model's error. */
void model_note_graph(hn_model *model, const char *what);

/* Copies a new name; NULL with an error if it is missing or already used. */
const char *model_name(hn_model *model, const char *name, enum name_kind kind, size_t index);

/* HN_UNSUPPORTED for a model with blocks, for `what` ("emitted files do"). */
hn_status model_without_blocks(const hn_model *model, const char *what, hn_error *error);

/* Grows a list, given by the address of its pointer, to one more element; false with an error. */
bool model_room(hn_model *model, void *list, size_t *capacity, size_t count, size_t size);

/* Every node that the roots depend on, in topological order; references and fixed outputs lead to their values. The
 * list comes from base_allocate. A circular definition is HN_INVALID and named. */
hn_status model_order(const hn_model *model, const uint32_t *roots, size_t count, uint32_t **order, size_t *order_count,
                      hn_error *error);

/* Copies the roots into another graph, with references replaced by their definitions and fixed outputs by their values;
 * roots[i] becomes the number there. */
hn_status model_import(const hn_model *model, struct graph *to, uint32_t *roots, size_t count, hn_error *error);

#endif
