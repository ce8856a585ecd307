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
typedef enum hn_operator {
    HN_OPERATOR_NONE,
    HN_OPERATOR_CONSTANT,
    HN_OPERATOR_INPUT,
    HN_OPERATOR_OUTPUT,
    HN_OPERATOR_DEFINED,
    HN_OPERATOR_SUM,
    HN_OPERATOR_ADD,
    HN_OPERATOR_SUB,
    HN_OPERATOR_MUL,
    HN_OPERATOR_DIV,
    HN_OPERATOR_NEG,
    HN_OPERATOR_POW,
    HN_OPERATOR_SQRT,
    HN_OPERATOR_EXP,
    HN_OPERATOR_LOG,
    HN_OPERATOR_LOG10,
    HN_OPERATOR_SIN,
    HN_OPERATOR_COS,
    HN_OPERATOR_TAN,
    HN_OPERATOR_ASIN,
    HN_OPERATOR_ACOS,
    HN_OPERATOR_ATAN,
    HN_OPERATOR_ATAN2,
    HN_OPERATOR_SINH,
    HN_OPERATOR_COSH,
    HN_OPERATOR_TANH,
    HN_OPERATOR_ASINH,
    HN_OPERATOR_ACOSH,
    HN_OPERATOR_ATANH,
    HN_OPERATOR_ABS,
    HN_OPERATOR_MIN,
    HN_OPERATOR_MAX,
    HN_OPERATOR_LESS,
    HN_OPERATOR_LESS_EQUAL,
    HN_OPERATOR_EQUAL,
    HN_OPERATOR_NOT_EQUAL,
    HN_OPERATOR_AND,
    HN_OPERATOR_OR,
    HN_OPERATOR_NOT,
    HN_OPERATOR_IF,
    HN_OPERATOR_LINEAR
} hn_operator;
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
