/* SPDX-License-Identifier: MIT */
#ifndef HARDNET_LAYER_H
#define HARDNET_LAYER_H
#include "hardnet/model.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct hn_layer hn_layer;
typedef struct hn_pool hn_pool;
#define HN_METHOD_LIST(X)                                                                                              \
    X(HN_METHOD_AUTO, "auto")                                                                                          \
    X(HN_METHOD_PAPER, "paper")                                                                                        \
    X(HN_METHOD_HARDNET, "hardnet")                                                                                    \
    X(HN_METHOD_LM, "lm")                                                                                              \
    X(HN_METHOD_NEAREST, "nearest")                                                                                    \
    X(HN_METHOD_ENFORCE, "enforce")                                                                                    \
    X(HN_METHOD_SNARENET, "snarenet")                                                                                  \
    X(HN_METHOD_OPTIMAL, "optimal")
#define HN_ENUMERATE(name, text) name,
typedef enum hn_method { HN_METHOD_LIST(HN_ENUMERATE) HN_METHOD_COUNT } hn_method;
#undef HN_ENUMERATE
const char *hn_method_text(hn_method method);
bool hn_method_find(const char *text, hn_method *method);
#define HN_NOT_OK_LIST(X)                                                                                              \
    X(HN_NOT_OK_BEST, "best")                                                                                          \
    X(HN_NOT_OK_CLIP, "clip")                                                                                          \
    X(HN_NOT_OK_FALLBACK, "fallback")
#define HN_ENUMERATE(name, text) name,
typedef enum hn_not_ok { HN_NOT_OK_LIST(HN_ENUMERATE) HN_NOT_OK_COUNT } hn_not_ok;
#undef HN_ENUMERATE
const char *hn_not_ok_text(hn_not_ok choice);
bool hn_not_ok_find(const char *text, hn_not_ok *choice);
#define HN_CERTIFIED 1e-8
#define HN_REASON_LIST(X)                                                                                              \
    X(HN_REASON_NONE, "")                                                                                              \
    X(HN_REASON_NOT_CONVERGED, "the search did not converge")                                                          \
    X(HN_REASON_KINK, "objective or constraints have a kink (abs, min, max, if, <<>>, sqrt at 0) at the point")        \
    X(HN_REASON_UNBOUNDED, "the objective is unbounded along a feasible direction")                                    \
    X(HN_REASON_UNDEFINED, "the objective or a derivative has no finite value where the search starts")                \
    X(HN_REASON_NOT_CONFIRMED, "a fresh evaluation did not confirm the solution")                                      \
    X(HN_REASON_STOPPED, "the deadline or the caller stopped the search")
#define HN_ENUMERATE(name, text) name,
typedef enum hn_reason { HN_REASON_LIST(HN_ENUMERATE) HN_REASON_COUNT } hn_reason;
#undef HN_ENUMERATE
const char *hn_reason_text(hn_reason reason);
typedef struct hn_layer_options {
    size_t size;
    hn_method method;
    int iterations;
    hn_real damping;
    hn_real tolerance;
    bool relative;
    hn_instructions instructions;
    const char *kernel;
    hn_real effort;
    const hn_real *weights;
} hn_layer_options;
typedef struct hn_report {
    hn_outcome outcome;
    int iterations;
    int steps;
    hn_real violation_before;
    hn_real violation;
    size_t worst;
    hn_real moved;
    hn_real damping;
    size_t culprit;
    hn_real slope;
    hn_real kkt;
    hn_real distance;
    size_t programmes;
    size_t factorisations;
    hn_real objective;
    hn_real complementarity;
    hn_real proof;
    hn_reason reason;
} hn_report;
typedef struct hn_batch {
    size_t size;
    size_t count;
    const hn_real *x;
    const hn_real *y_raw;
    bool repeat_x, repeat_y;
    hn_real *y;
    size_t report_size;
    hn_report *reports;
    hn_real *residual;
    void *tape;
    const hn_real *fallback;
    hn_real *warm;
    const int *cancel;
    double seconds;
    void (*watch)(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping);
    void *watch_context;
    hn_real *multipliers;
    hn_not_ok not_ok;
    hn_real *proof_y;
} hn_batch;
typedef struct hn_gradient {
    size_t size;
    const hn_real *grad_y;
    hn_real *grad_y_raw;
    hn_real *grad_x;
    hn_real *grad_lower;
    hn_real *grad_upper;
    bool *flagged;
    const hn_real *grad_multipliers;
    hn_real *grad_weights;
} hn_gradient;
hn_status hn_layer_get_defaults(hn_layer_options *out, hn_error *error);
static inline hn_layer_options hn_layer_defaults(void) {
    hn_layer_options options;
    options.size = sizeof options;
    hn_layer_get_defaults(&options, NULL);
    return options;
}
hn_status hn_layer_create(hn_layer **out, const hn_model *model, const hn_layer_options *options, hn_error *error);
void hn_layer_destroy(hn_layer *layer);
size_t hn_layer_workspace_bytes(const hn_layer *layer);
size_t hn_layer_gradient_workspace_bytes(const hn_layer *layer);
size_t hn_layer_tape_bytes(const hn_layer *layer, size_t count);
hn_status hn_layer_run(const hn_layer *layer, const hn_batch *batch, void *workspace, size_t bytes, hn_error *error);
hn_status hn_layer_gradient(const hn_layer *layer, const hn_batch *batch, const hn_gradient *gradient, void *workspace,
                            size_t bytes, hn_error *error);
hn_status hn_pool_create(hn_pool **out, const hn_layer *layer, int threads, hn_error *error);
void hn_pool_destroy(hn_pool *pool);
int hn_pool_threads(const hn_pool *pool);
hn_status hn_pool_run(hn_pool *pool, const hn_batch *batch, hn_error *error);
hn_status hn_pool_gradient(hn_pool *pool, const hn_batch *batch, const hn_gradient *gradient, hn_error *error);
typedef struct hn_layer_info {
    size_t size;
    size_t inputs, outputs, rows;
    size_t jacobian_nonzeros;
    size_t factor_order;
    size_t factor_nonzeros;
    bool outputs_side;
    bool dense;
    size_t operators;
    size_t multiply_adds;
    hn_instructions instructions;
    size_t factor_added;
    bool compiled;
    bool compiled_gradients;
    int usual_steps;
    int budget_steps;
} hn_layer_info;
hn_status hn_layer_get_info(const hn_layer *layer, hn_layer_info *out, hn_error *error);
hn_status hn_layer_get_options(const hn_layer *layer, hn_layer_options *out, hn_error *error);
static inline hn_layer_info hn_layer_info_of(const hn_layer *layer) {
    hn_layer_info info;
    info.size = sizeof info;
    hn_layer_get_info(layer, &info, NULL);
    return info;
}
static inline hn_layer_options hn_layer_options_of(const hn_layer *layer) {
    hn_layer_options options;
    options.size = sizeof options;
    hn_layer_get_options(layer, &options, NULL);
    return options;
}
#ifdef __cplusplus
}
#endif
#endif
