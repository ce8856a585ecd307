/* hardnet/evaluate.h - values and derivatives of a model's rows and objective, for any number of
 * samples.
 *
 *     c(x, y), bl(x), bu(x), r, f                       values
 *     df/dy, df/dx, dc/dy, dc/dx, dbl/dx, dbu/dx        first derivatives, sparse where they are matrices
 *     sigma Hess f + sum_i lambda_i Hess c_i            its blocks yy, yx, xx, and products with any of these
 *
 * An evaluator is created from a finished model, to which it does not refer afterwards. It computes the quantities
 * selected at creation, and in each call those with an output array. It is immutable: any number of threads may run it,
 * each with its own workspace. Running never allocates, locks or prints. The same sample gives the same bits in any
 * batch, at any position and with every instruction set. Undefined or infinite values give results that are not finite;
 * there is no other effect.
 *
 *     hn_evaluator *evaluator;  hn_evaluator_options options = hn_evaluator_defaults();
 *     options.wanted = HN_WANT(HN_QUANTITY_ROWS) | HN_WANT(HN_QUANTITY_JACOBIAN_Y);
 *     hn_evaluator_create(&evaluator, model, &options, &error);
 *     hn_evaluation evaluation = {.size = sizeof evaluation, .count = 100, .x = x, .y = y};
 *     evaluation.values[HN_QUANTITY_ROWS] = c;                          (100 x rows)
 *     evaluation.values[HN_QUANTITY_JACOBIAN_Y] = entries;              (100 x nonzeros: hn_evaluator_get_pattern)
 *     hn_evaluator_run(evaluator, &evaluation, workspace, hn_evaluator_workspace_bytes(evaluator), &error);
 *
 * Fixed outputs are not variables: they have their fixed values (which may depend on x), whatever y contains. f is
 * minimised: if the model maximises, f is minus the model's objective; without an objective it is 0. At a kink a
 * derivative is one-sided.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_EVALUATE_H
#define HARDNET_EVALUATE_H

#include "hardnet/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable; any number of threads may use it. It does not refer to its model, which may be destroyed. */
typedef struct hn_evaluator hn_evaluator;

/* One call at a time: a concurrent call returns HN_INVALID. The caller owns the evaluator, which must outlive the
 * pool. */
typedef struct hn_evaluator_pool hn_evaluator_pool;

/* Quantities: X(name, text), and how many numbers each has per sample; v_y, v_x, w, sigma and lambda are fields of
 * hn_evaluation. New ones are added at the end. */
#define HN_QUANTITY_LIST(X)                                                                                            \
    X(HN_QUANTITY_ROWS, "rows")                 /* rows: c */                                                          \
    X(HN_QUANTITY_LOWER, "lower")               /* rows: bl */                                                         \
    X(HN_QUANTITY_UPPER, "upper")               /* rows: bu */                                                         \
    X(HN_QUANTITY_RESIDUAL, "residual")         /* rows: c - bu above, c - bl below, else 0; NaN where undefined */    \
    X(HN_QUANTITY_OBJECTIVE, "objective")       /* 1: f */                                                             \
    X(HN_QUANTITY_START, "start")               /* outputs: the model's start values at x */                           \
    X(HN_QUANTITY_FIXED, "fixed")               /* outputs: values of fixed ones; NaN for free ones */                 \
    X(HN_QUANTITY_GRADIENT_Y, "gradient_y")     /* outputs: df/dy */                                                   \
    X(HN_QUANTITY_GRADIENT_X, "gradient_x")     /* inputs: df/dx */                                                    \
    X(HN_QUANTITY_JACOBIAN_Y, "jacobian_y")     /* nonzeros of dc/dy, rows x outputs */                                \
    X(HN_QUANTITY_JACOBIAN_X, "jacobian_x")     /* nonzeros of dc/dx, rows x inputs */                                 \
    X(HN_QUANTITY_LOWER_X, "lower_x")           /* nonzeros of dbl/dx, rows x inputs */                                \
    X(HN_QUANTITY_UPPER_X, "upper_x")           /* nonzeros of dbu/dx, rows x inputs */                                \
    X(HN_QUANTITY_HESSIAN_YY, "hessian_yy")     /* nonzeros of the lower triangle, outputs x outputs */                \
    X(HN_QUANTITY_HESSIAN_YX, "hessian_yx")     /* nonzeros, outputs x inputs */                                       \
    X(HN_QUANTITY_HESSIAN_XX, "hessian_xx")     /* nonzeros of the lower triangle, inputs x inputs */                  \
    X(HN_QUANTITY_JACOBIAN_Y_V, "jacobian_y_v") /* rows: dc/dy v_y */                                                  \
    X(HN_QUANTITY_JACOBIAN_X_V, "jacobian_x_v") /* rows: dc/dx v_x */                                                  \
    X(HN_QUANTITY_JACOBIAN_Y_W, "jacobian_y_w") /* outputs: (dc/dy)' w */                                              \
    X(HN_QUANTITY_JACOBIAN_X_W, "jacobian_x_w") /* inputs: (dc/dx)' w */                                               \
    X(HN_QUANTITY_HESSIAN_YY_V, "hessian_yy_v") /* outputs: the block yy times v_y */                                  \
    X(HN_QUANTITY_HESSIAN_XY_V, "hessian_xy_v") /* inputs: the block yx, transposed, times v_y */                      \
    X(HN_QUANTITY_HESSIAN_YX_V, "hessian_yx_v") /* outputs: the block yx times v_x */                                  \
    X(HN_QUANTITY_HESSIAN_XX_V, "hessian_xx_v") /* inputs: the block xx times v_x */

#define HN_ENUMERATE(name, text) name,
typedef enum hn_quantity { HN_QUANTITY_LIST(HN_ENUMERATE) HN_QUANTITY_COUNT } hn_quantity;
#undef HN_ENUMERATE

enum { HN_QUANTITY_MOST = 64 }; /* a permanent limit; HN_WANT has a bit for each */

const char *hn_quantity_text(hn_quantity quantity); /* "unknown" for other numbers */
bool hn_quantity_find(const char *text, hn_quantity *quantity);

/* The bit of a quantity in `wanted`. */
#define HN_WANT(quantity) (UINT64_C(1) << (quantity))
#define HN_WANT_VALUES                                                                                                 \
    (HN_WANT(HN_QUANTITY_ROWS) | HN_WANT(HN_QUANTITY_LOWER) | HN_WANT(HN_QUANTITY_UPPER) |                             \
     HN_WANT(HN_QUANTITY_RESIDUAL) | HN_WANT(HN_QUANTITY_OBJECTIVE))
#define HN_WANT_ALL (HN_WANT(HN_QUANTITY_COUNT) - 1)

typedef struct hn_evaluator_options {
    size_t size;                  /* sizeof(hn_evaluator_options) */
    uint64_t wanted;              /* HN_WANT bits, joined by |; 0: HN_WANT_VALUES */
    size_t hessian_nodes;         /* if the blocks of the Hessian need more new nodes than this, or exceed the model's
                                   * limit, they are omitted (hn_evaluator_info.hessian_left_out); 0: that is
                                   * HN_LIMIT */
    bool without_objective;       /* treat f as 0: for feasibility */
    hn_instructions instructions; /* HN_INSTRUCTIONS_BEST: the best supported by this processor */
} hn_evaluator_options;

/* Samples, one row each; the flags repeat a single row for all samples. Results must not overlap the inputs. */
typedef struct hn_evaluation {
    size_t size; /* sizeof(hn_evaluation) */
    size_t count;
    const hn_real *x; /* count x inputs; NULL if the model has no inputs */
    const hn_real *y; /* count x outputs; may be NULL if no requested quantity depends on it: bounds, their derivatives,
                       * start, fixed */
    bool repeat_x, repeat_y;
    const hn_real *sigma;              /* count: weight of f in Hessians; NULL: 1 */
    const hn_real *lambda;             /* count x rows: weights of c in Hessians. 0 times a non-finite number is not
                                        * 0 */
    const hn_real *v_y;                /* count x outputs: directions */
    const hn_real *v_x;                /* count x inputs: directions */
    const hn_real *w;                  /* count x rows */
    hn_real *values[HN_QUANTITY_MOST]; /* count x hn_evaluator_width, or NULL: not requested; must have been wanted */
} hn_evaluation;

/* ---- creation ---- */

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

/* ---- queries ---- */

/* Numbers per sample; 0 if not wanted. */
size_t hn_evaluator_width(const hn_evaluator *evaluator, hn_quantity quantity);

/* The sparsity pattern of a matrix, by rows. The lists belong to the evaluator and are valid as long as it exists. */
typedef struct hn_pattern {
    size_t size; /* sizeof(hn_pattern), set by the caller */
    size_t rows, columns, count;
    const size_t *first;     /* rows + 1: row i has the entries first[i] to first[i + 1] - 1 */
    const uint32_t *column;  /* count: ascending in each row */
    const hn_real *constant; /* count: the value of an entry that is constant in x, y and multipliers; else NaN */
} hn_pattern;

hn_status hn_evaluator_get_pattern(const hn_evaluator *evaluator, hn_quantity matrix, hn_pattern *out, hn_error *error);

typedef struct hn_evaluator_info {
    size_t size; /* sizeof(hn_evaluator_info), set by the caller */
    size_t inputs, outputs, rows;
    bool hessian_left_out;                                               /* hessian_nodes were too few */
    size_t nodes;                                                        /* of the graph of values and derivatives */
    size_t value_instructions, first_instructions, hessian_instructions; /* operations for the values, the first
                                                                          * derivatives and the blocks, per sample */
    hn_instructions instructions;                                        /* in use */
} hn_evaluator_info;

hn_status hn_evaluator_get_info(const hn_evaluator *evaluator, hn_evaluator_info *out, hn_error *error);
static inline hn_evaluator_info hn_evaluator_info_of(const hn_evaluator *evaluator) {
    hn_evaluator_info info;
    info.size = sizeof info;
    hn_evaluator_get_info(evaluator, &info, NULL);
    return info;
}

/* ---- running with the caller's memory: one workspace per thread, no alignment needed ---- */

size_t hn_evaluator_workspace_bytes(const hn_evaluator *evaluator);
hn_status hn_evaluator_run(const hn_evaluator *evaluator, const hn_evaluation *evaluation, void *workspace,
                           size_t bytes, hn_error *error);

/* ---- running on a pool of threads (0: one per core), which owns its workspaces; one call at a time
 * ---- */

hn_status hn_evaluator_pool_create(hn_evaluator_pool **out, const hn_evaluator *evaluator, int threads,
                                   hn_error *error);
void hn_evaluator_pool_destroy(hn_evaluator_pool *pool);
hn_status hn_evaluator_pool_run(hn_evaluator_pool *pool, const hn_evaluation *evaluation, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
