/* hardnet/inspect.h - queries of models: inputs, outputs, rows, groups, definitions, requirements, objective and
 * expressions. Included by hardnet/model.h.
 *
 * Everything is read-only and works on unfinished and finished models, except that rows and groups exist in finished
 * models only. Each part is stored in a struct of the caller, or returned by value.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_INSPECT_H
#define HARDNET_INSPECT_H

#include "hardnet/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_input_info {
    size_t size; /* sizeof(hn_input_info) */
    const char *name;
    hn_real lower, upper;
    hn_expr expr; /* the input itself */
} hn_input_info;

typedef struct hn_output_info {
    size_t size; /* sizeof(hn_output_info) */
    const char *name;
    hn_expr lower, upper, start;
    hn_expr fixed; /* HN_OPERATOR_NONE if the output is free */
    hn_expr expr;  /* the output itself */
} hn_output_info;

/* The closed convex set that rows must lie in: an interval for a single row, or a set for a block of rows. */
typedef enum hn_set { HN_SET_BOX, HN_SET_PSD, HN_SET_SOC, HN_SET_COUNT } hn_set;

typedef struct hn_row_info {
    size_t size; /* sizeof(hn_row_info) */
    const char *name;
    size_t group;
    hn_expr lower, body, upper; /* infinite bounds in a block */
    hn_set set;
    const char *block; /* the name of the row's block; NULL without one, and the next two 0 */
    size_t order;      /* psd: of the matrix; soc: rows */
    size_t first;      /* the block's first row */
} hn_row_info;

typedef struct hn_group_info {
    size_t size; /* sizeof(hn_group_info) */
    const char *name;
    size_t first, count; /* its rows: count of them, from first on */
} hn_group_info;

typedef struct hn_named_expr {
    size_t size; /* sizeof(hn_named_expr) */
    const char *name;
    hn_expr value;
} hn_named_expr;

typedef struct hn_objective_info {
    size_t size;       /* sizeof(hn_objective_info) */
    const char *name;  /* NULL: no objective */
    hn_expr minimized; /* f, or -f if f is maximised */
    bool maximize;
} hn_objective_info;

/* The kind of an expression: a leaf, or an operator of hardnet/model.h. The list grows at its end. */
#define HN_ENUMERATE(id, name, kind) HN_OPERATOR_##id,
typedef enum hn_operator { HN_OPERATOR_LIST(HN_ENUMERATE) HN_OPERATOR_COUNT } hn_operator;
#undef HN_ENUMERATE

typedef struct hn_expr_info {
    size_t size; /* sizeof(hn_expr_info) */
    hn_operator op;
    hn_real value; /* of a constant */
    size_t index;  /* of an input, an output or a definition */
    size_t count;  /* arguments */
} hn_expr_info;

/* An expression as stored in the model: simplified, equal ones shared. HN_INVALID, and zeros, if it is not an
 * expression. */
hn_status hn_expr_get_info(hn_expr a, hn_expr_info *out, hn_error *error);
hn_expr hn_expr_argument(hn_expr a, size_t index); /* from 0 on; HN_OPERATOR_NONE beyond the last */

/* The coefficient of the argument of LINEAR; 1 for other operators, 0 beyond the last argument. */
hn_real hn_expr_coefficient(hn_expr a, size_t index);

size_t hn_model_input_count(const hn_model *model);
size_t hn_model_output_count(const hn_model *model);
size_t hn_model_row_count(const hn_model *model); /* 0 before the model is finished, as for groups */
size_t hn_model_group_count(const hn_model *model);
size_t hn_model_definition_count(const hn_model *model);
size_t hn_model_requirement_count(const hn_model *model);
size_t hn_model_node_count(const hn_model *model);
size_t hn_model_number_count(const hn_model *model); /* coefficients of LINEAR expressions, stored beside the nodes */

/* Parts by index. HN_INVALID, and zeros, for an index out of range; zeros for a model without an objective. Names are
 * valid as long as the model. */
hn_status hn_model_get_input(const hn_model *model, size_t index, hn_input_info *out, hn_error *error);
hn_status hn_model_get_output(const hn_model *model, size_t index, hn_output_info *out, hn_error *error);
hn_status hn_model_get_row(const hn_model *model, size_t index, hn_row_info *out, hn_error *error);
hn_status hn_model_get_group(const hn_model *model, size_t index, hn_group_info *out, hn_error *error);
hn_status hn_model_get_definition(const hn_model *model, size_t index, hn_named_expr *out, hn_error *error);
hn_status hn_model_get_requirement(const hn_model *model, size_t index, hn_named_expr *out, hn_error *error);
hn_status hn_model_get_objective(const hn_model *model, hn_objective_info *out, hn_error *error);

/* The same by value. */
static inline hn_input_info hn_model_input(const hn_model *model, size_t index) {
    hn_input_info info;
    info.size = sizeof info;
    hn_model_get_input(model, index, &info, NULL);
    return info;
}

static inline hn_output_info hn_model_output(const hn_model *model, size_t index) {
    hn_output_info info;
    info.size = sizeof info;
    hn_model_get_output(model, index, &info, NULL);
    return info;
}

static inline hn_row_info hn_model_row(const hn_model *model, size_t index) {
    hn_row_info info;
    info.size = sizeof info;
    hn_model_get_row(model, index, &info, NULL);
    return info;
}

static inline hn_group_info hn_model_group(const hn_model *model, size_t index) {
    hn_group_info info;
    info.size = sizeof info;
    hn_model_get_group(model, index, &info, NULL);
    return info;
}

static inline hn_named_expr hn_model_definition(const hn_model *model, size_t index) {
    hn_named_expr info;
    info.size = sizeof info;
    hn_model_get_definition(model, index, &info, NULL);
    return info;
}

static inline hn_named_expr hn_model_requirement(const hn_model *model, size_t index) {
    hn_named_expr info;
    info.size = sizeof info;
    hn_model_get_requirement(model, index, &info, NULL);
    return info;
}

static inline hn_objective_info hn_model_objective(const hn_model *model) {
    hn_objective_info info;
    info.size = sizeof info;
    hn_model_get_objective(model, &info, NULL);
    return info;
}

#ifdef __cplusplus
}
#endif

#endif
