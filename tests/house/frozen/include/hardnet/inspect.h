/* SPDX-License-Identifier: MIT */
#ifndef HARDNET_INSPECT_H
#define HARDNET_INSPECT_H
#include "hardnet/model.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct hn_input_info {
    size_t size;
    const char *name;
    hn_real lower, upper;
    hn_expr expr;
} hn_input_info;
typedef struct hn_output_info {
    size_t size;
    const char *name;
    hn_expr lower, upper, start;
    hn_expr fixed;
    hn_expr expr;
} hn_output_info;
typedef struct hn_row_info {
    size_t size;
    const char *name;
    size_t group;
    hn_expr lower, body, upper;
} hn_row_info;
typedef struct hn_group_info {
    size_t size;
    const char *name;
    size_t first, count;
} hn_group_info;
typedef struct hn_named_expr {
    size_t size;
    const char *name;
    hn_expr value;
} hn_named_expr;
typedef struct hn_objective_info {
    size_t size;
    const char *name;
    hn_expr minimized;
    bool maximize;
} hn_objective_info;
#define HN_ENUMERATE(id, name, kind) HN_OPERATOR_##id,
typedef enum hn_operator { HN_OPERATOR_LIST(HN_ENUMERATE) HN_OPERATOR_COUNT } hn_operator;
#undef HN_ENUMERATE
typedef struct hn_expr_info {
    size_t size;
    hn_operator op;
    hn_real value;
    size_t index;
    size_t count;
} hn_expr_info;
hn_status hn_expr_get_info(hn_expr a, hn_expr_info *out, hn_error *error);
hn_expr hn_expr_argument(hn_expr a, size_t index);
hn_real hn_expr_coefficient(hn_expr a, size_t index);
size_t hn_model_input_count(const hn_model *model);
size_t hn_model_output_count(const hn_model *model);
size_t hn_model_row_count(const hn_model *model);
size_t hn_model_group_count(const hn_model *model);
size_t hn_model_definition_count(const hn_model *model);
size_t hn_model_requirement_count(const hn_model *model);
size_t hn_model_node_count(const hn_model *model);
size_t hn_model_number_count(const hn_model *model);
hn_status hn_model_get_input(const hn_model *model, size_t index, hn_input_info *out, hn_error *error);
hn_status hn_model_get_output(const hn_model *model, size_t index, hn_output_info *out, hn_error *error);
hn_status hn_model_get_row(const hn_model *model, size_t index, hn_row_info *out, hn_error *error);
hn_status hn_model_get_group(const hn_model *model, size_t index, hn_group_info *out, hn_error *error);
hn_status hn_model_get_definition(const hn_model *model, size_t index, hn_named_expr *out, hn_error *error);
hn_status hn_model_get_requirement(const hn_model *model, size_t index, hn_named_expr *out, hn_error *error);
hn_status hn_model_get_objective(const hn_model *model, hn_objective_info *out, hn_error *error);
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
