/* SPDX-License-Identifier: MIT */
#ifndef HARDNET_EVALUATE_H
#define HARDNET_EVALUATE_H
#include "hardnet/model.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct hn_evaluator hn_evaluator;
typedef struct hn_evaluator_pool hn_evaluator_pool;
#define HN_QUANTITY_LIST(X)                                                                                            \
    X(HN_QUANTITY_ROWS, "rows")                                                                                        \
    X(HN_QUANTITY_LOWER, "lower")                                                                                      \
    X(HN_QUANTITY_UPPER, "upper")                                                                                      \
    X(HN_QUANTITY_RESIDUAL, "residual")                                                                                \
    X(HN_QUANTITY_OBJECTIVE, "objective")                                                                              \
    X(HN_QUANTITY_START, "start")                                                                                      \
    X(HN_QUANTITY_FIXED, "fixed")                                                                                      \
    X(HN_QUANTITY_GRADIENT_Y, "gradient_y")                                                                            \
    X(HN_QUANTITY_GRADIENT_X, "gradient_x")                                                                            \
    X(HN_QUANTITY_JACOBIAN_Y, "jacobian_y")                                                                            \
    X(HN_QUANTITY_JACOBIAN_X, "jacobian_x")                                                                            \
    X(HN_QUANTITY_LOWER_X, "lower_x")                                                                                  \
    X(HN_QUANTITY_UPPER_X, "upper_x")                                                                                  \
    X(HN_QUANTITY_HESSIAN_YY, "hessian_yy")                                                                            \
    X(HN_QUANTITY_HESSIAN_YX, "hessian_yx")                                                                            \
    X(HN_QUANTITY_HESSIAN_XX, "hessian_xx")                                                                            \
    X(HN_QUANTITY_JACOBIAN_Y_V, "jacobian_y_v")                                                                        \
    X(HN_QUANTITY_JACOBIAN_X_V, "jacobian_x_v")                                                                        \
    X(HN_QUANTITY_JACOBIAN_Y_W, "jacobian_y_w")                                                                        \
    X(HN_QUANTITY_JACOBIAN_X_W, "jacobian_x_w")                                                                        \
    X(HN_QUANTITY_HESSIAN_YY_V, "hessian_yy_v")                                                                        \
    X(HN_QUANTITY_HESSIAN_XY_V, "hessian_xy_v")                                                                        \
    X(HN_QUANTITY_HESSIAN_YX_V, "hessian_yx_v")                                                                        \
    X(HN_QUANTITY_HESSIAN_XX_V, "hessian_xx_v")
#define HN_ENUMERATE(name, text) name,
typedef enum hn_quantity { HN_QUANTITY_LIST(HN_ENUMERATE) HN_QUANTITY_COUNT } hn_quantity;
#undef HN_ENUMERATE
enum { HN_QUANTITY_MOST = 64 };
const char *hn_quantity_text(hn_quantity quantity);
bool hn_quantity_find(const char *text, hn_quantity *quantity);
#define HN_WANT(quantity) (UINT64_C(1) << (quantity))
#define HN_WANT_VALUES                                                                                                 \
    (HN_WANT(HN_QUANTITY_ROWS) | HN_WANT(HN_QUANTITY_LOWER) | HN_WANT(HN_QUANTITY_UPPER) |                             \
     HN_WANT(HN_QUANTITY_RESIDUAL) | HN_WANT(HN_QUANTITY_OBJECTIVE))
#define HN_WANT_ALL (HN_WANT(HN_QUANTITY_COUNT) - 1)
typedef struct hn_evaluator_options {
    size_t size;
    uint64_t wanted;
    size_t hessian_nodes;
    bool without_objective;
    hn_instructions instructions;
} hn_evaluator_options;
typedef struct hn_evaluation {
    size_t size;
    size_t count;
    const hn_real *x;
    const hn_real *y;
    bool repeat_x, repeat_y;
    const hn_real *sigma;
    const hn_real *lambda;
    const hn_real *v_y;
    const hn_real *v_x;
    const hn_real *w;
    hn_real *values[HN_QUANTITY_MOST];
} hn_evaluation;
hn_status hn_evaluator_get_defaults(hn_evaluator_options *out, hn_error *error);
static inline hn_evaluator_options hn_evaluator_defaults(void) {
    hn_evaluator_options options;
    options.size = sizeof options;
    hn_evaluator_get_defaults(&options, NULL);
    return options;
}
hn_status hn_evaluator_create(hn_evaluator **out, const hn_model *model, const hn_evaluator_options *options,
                              hn_error *error);
void hn_evaluator_destroy(hn_evaluator *evaluator);
size_t hn_evaluator_width(const hn_evaluator *evaluator, hn_quantity quantity);
typedef struct hn_pattern {
    size_t size;
    size_t rows, columns, count;
    const size_t *first;
    const uint32_t *column;
    const hn_real *constant;
} hn_pattern;
hn_status hn_evaluator_get_pattern(const hn_evaluator *evaluator, hn_quantity matrix, hn_pattern *out, hn_error *error);
typedef struct hn_evaluator_info {
    size_t size;
    size_t inputs, outputs, rows;
    bool hessian_left_out;
    size_t nodes;
    size_t value_instructions, first_instructions, hessian_instructions;
    hn_instructions instructions;
} hn_evaluator_info;
hn_status hn_evaluator_get_info(const hn_evaluator *evaluator, hn_evaluator_info *out, hn_error *error);
static inline hn_evaluator_info hn_evaluator_info_of(const hn_evaluator *evaluator) {
    hn_evaluator_info info;
    info.size = sizeof info;
    hn_evaluator_get_info(evaluator, &info, NULL);
    return info;
}
size_t hn_evaluator_workspace_bytes(const hn_evaluator *evaluator);
hn_status hn_evaluator_run(const hn_evaluator *evaluator, const hn_evaluation *evaluation, void *workspace,
                           size_t bytes, hn_error *error);
hn_status hn_evaluator_pool_create(hn_evaluator_pool **out, const hn_evaluator *evaluator, int threads,
                                   hn_error *error);
void hn_evaluator_pool_destroy(hn_evaluator_pool *pool);
hn_status hn_evaluator_pool_run(hn_evaluator_pool *pool, const hn_evaluation *evaluation, hn_error *error);
#ifdef __cplusplus
}
#endif
#endif
