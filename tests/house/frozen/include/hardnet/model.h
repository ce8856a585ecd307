/* SPDX-License-Identifier: MIT */
#ifndef HARDNET_MODEL_H
#define HARDNET_MODEL_H
#include "hardnet/base.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct hn_model hn_model;
typedef struct hn_expr {
    hn_model *model;
    uint32_t node;
} hn_expr;
typedef struct hn_model_options {
    size_t size;
    size_t max_nodes;
} hn_model_options;
hn_status hn_model_get_defaults(hn_model_options *out, hn_error *error);
static inline hn_model_options hn_model_defaults(void) {
    hn_model_options options;
    options.size = sizeof options;
    hn_model_get_defaults(&options, NULL);
    return options;
}
hn_status hn_model_create(hn_model **out, const hn_model_options *options, hn_error *error);
void hn_model_destroy(hn_model *model);
hn_status hn_model_copy(hn_model **out, const hn_model *model, hn_error *error);
hn_status hn_model_finish(hn_model *model, hn_error *error);
hn_status hn_model_status(const hn_model *model, hn_error *error);
hn_expr hn_constant(hn_model *model, hn_real value);
hn_expr hn_input(hn_model *model, const char *name);
hn_expr hn_output(hn_model *model, const char *name);
void hn_input_range(hn_expr input, hn_real lower, hn_real upper);
void hn_output_bounds(hn_expr output, hn_real lower, hn_real upper);
void hn_output_between(hn_expr output, hn_expr lower, hn_expr upper);
void hn_output_start(hn_expr output, hn_expr start);
void hn_output_fix(hn_expr output, hn_expr value);
void hn_define(hn_model *model, const char *name, hn_expr value);
hn_expr hn_defined(hn_model *model, const char *name);
void hn_constrain(hn_model *model, const char *name, hn_real lower, hn_expr body, hn_real upper);
void hn_constrain_between(hn_model *model, const char *name, hn_expr lower, hn_expr body, hn_expr upper);
void hn_minimize(hn_model *model, const char *name, hn_expr objective);
void hn_maximize(hn_model *model, const char *name, hn_expr objective);
void hn_require(hn_model *model, const char *name, hn_expr condition);
#define HN_OPERATOR_LIST(X)                                                                                            \
    X(NONE, none, NODE)                                                                                                \
    X(CONSTANT, constant, NODE)                                                                                        \
    X(INPUT, input, NODE)                                                                                              \
    X(OUTPUT, output, NODE)                                                                                            \
    X(DEFINED, defined, NODE)                                                                                          \
    X(SUM, sum, NODE)                                                                                                  \
    X(ADD, add, BINARY)                                                                                                \
    X(SUB, sub, BINARY)                                                                                                \
    X(MUL, mul, BINARY)                                                                                                \
    X(DIV, div, BINARY)                                                                                                \
    X(NEG, neg, UNARY)                                                                                                 \
    X(POW, pow, BINARY)                                                                                                \
    X(SQRT, sqrt, FUNCTION)                                                                                            \
    X(EXP, exp, FUNCTION)                                                                                              \
    X(LOG, log, FUNCTION)                                                                                              \
    X(LOG10, log10, FUNCTION)                                                                                          \
    X(SIN, sin, FUNCTION)                                                                                              \
    X(COS, cos, FUNCTION)                                                                                              \
    X(TAN, tan, FUNCTION)                                                                                              \
    X(ASIN, asin, FUNCTION)                                                                                            \
    X(ACOS, acos, FUNCTION)                                                                                            \
    X(ATAN, atan, FUNCTION)                                                                                            \
    X(ATAN2, atan2, BINARY)                                                                                            \
    X(SINH, sinh, FUNCTION)                                                                                            \
    X(COSH, cosh, FUNCTION)                                                                                            \
    X(TANH, tanh, FUNCTION)                                                                                            \
    X(ASINH, asinh, FUNCTION)                                                                                          \
    X(ACOSH, acosh, FUNCTION)                                                                                          \
    X(ATANH, atanh, FUNCTION)                                                                                          \
    X(ABS, abs, FUNCTION)                                                                                              \
    X(MIN, min, BINARY)                                                                                                \
    X(MAX, max, BINARY)                                                                                                \
    X(LESS, less, BINARY)                                                                                              \
    X(LESS_EQUAL, less_equal, BINARY)                                                                                  \
    X(EQUAL, equal, BINARY)                                                                                            \
    X(NOT_EQUAL, not_equal, BINARY)                                                                                    \
    X(AND, and, BINARY)                                                                                                \
    X(OR, or, BINARY)                                                                                                  \
    X(NOT, not, UNARY)                                                                                                 \
    X(IF, if, TERNARY)                                                                                                 \
    X(LINEAR, linear, NODE)
hn_expr hn_add(hn_expr a, hn_expr b);
hn_expr hn_sub(hn_expr a, hn_expr b);
hn_expr hn_mul(hn_expr a, hn_expr b);
hn_expr hn_div(hn_expr a, hn_expr b);
hn_expr hn_neg(hn_expr a);
hn_expr hn_scale(hn_real factor, hn_expr a);
hn_expr hn_shift(hn_expr a, hn_real offset);
hn_expr hn_sum(hn_model *model, size_t count, const hn_expr *terms);
hn_expr hn_pow(hn_expr a, hn_expr b);
hn_expr hn_sqrt(hn_expr a);
hn_expr hn_exp(hn_expr a);
hn_expr hn_log(hn_expr a);
hn_expr hn_log10(hn_expr a);
hn_expr hn_sin(hn_expr a);
hn_expr hn_cos(hn_expr a);
hn_expr hn_tan(hn_expr a);
hn_expr hn_asin(hn_expr a);
hn_expr hn_acos(hn_expr a);
hn_expr hn_atan(hn_expr a);
hn_expr hn_atan2(hn_expr a, hn_expr b);
hn_expr hn_sinh(hn_expr a);
hn_expr hn_cosh(hn_expr a);
hn_expr hn_tanh(hn_expr a);
hn_expr hn_asinh(hn_expr a);
hn_expr hn_acosh(hn_expr a);
hn_expr hn_atanh(hn_expr a);
hn_expr hn_abs(hn_expr a);
hn_expr hn_min(hn_expr a, hn_expr b);
hn_expr hn_max(hn_expr a, hn_expr b);
hn_expr hn_less(hn_expr a, hn_expr b);
hn_expr hn_less_equal(hn_expr a, hn_expr b);
hn_expr hn_equal(hn_expr a, hn_expr b);
hn_expr hn_not_equal(hn_expr a, hn_expr b);
hn_expr hn_and(hn_expr a, hn_expr b);
hn_expr hn_or(hn_expr a, hn_expr b);
hn_expr hn_not(hn_expr a);
hn_expr hn_if(hn_expr condition, hn_expr yes, hn_expr no);
bool hn_is_valid(hn_expr a);
bool hn_is_constant(hn_expr a, hn_real *value);
bool hn_depends_on_inputs(hn_expr a);
bool hn_depends_on_outputs(hn_expr a);
hn_status hn_model_evaluate(const hn_model *model, size_t count, const hn_expr *exprs, const hn_real *x,
                            const hn_real *y, hn_real *values, hn_error *error);
enum { HN_FINGERPRINT_BYTES = 65 };
hn_status hn_model_fingerprint(const hn_model *model, char out[HN_FINGERPRINT_BYTES], hn_error *error);
hn_status hn_model_names_fingerprint(const hn_model *model, char out[HN_FINGERPRINT_BYTES], hn_error *error);
#ifdef __cplusplus
}
#endif
#include "hardnet/inspect.h"
#include "hardnet/matrix.h"
#endif
