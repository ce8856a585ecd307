/* hardnet/layer.h - corrects raw outputs to satisfy the constraints of a model, and differentiates the correction.
 *
 * A layer is created from a finished model; it is immutable and may be used by any number of threads. Running uses
 * memory from the caller (a workspace per thread, or a pool that owns them) and never allocates, locks or prints. Every
 * sample gets an outcome: HN_OUTCOME_OK means that a fresh evaluation at the returned y found every row within the
 * tolerance. The same sample gives the same bits in any batch, at any index, on any number of threads.
 *
 *     hn_layer *layer;  hn_pool *pool;  hn_error e;
 *     hn_layer_create(&layer, model, NULL, &e);                          (method auto, tolerance 1e-8)
 *     hn_pool_create(&pool, layer, 0, &e);                               (one thread per core)
 *     hn_batch batch = {.size = sizeof batch, .count = 100, .x = x, .y_raw = raw, .y = y,
 *                       .report_size = sizeof(hn_report), .reports = reports};
 *     hn_pool_run(pool, &batch, &e);
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_LAYER_H
#define HARDNET_LAYER_H

#include "hardnet/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable; any number of threads may use it. It does not refer to its model, which may be destroyed. */
typedef struct hn_layer hn_layer;

/* One call at a time: a concurrent call returns HN_INVALID. The caller owns the layer, which must outlive the pool. */
typedef struct hn_pool hn_pool;

/* A list, expanded to the enum and to the strings: X(name, text). docs/method.md describes each method. */
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

const char *hn_method_text(hn_method method);             /* "unknown" for other numbers */
bool hn_method_find(const char *text, hn_method *method); /* false if unknown; *method is unchanged then */

/* The result for samples that are not ok, a list as above. A sample whose y is replaced is evaluated again at the
 * returned y; its outcome remains that of the correction. */
#define HN_NOT_OK_LIST(X)                                                                                              \
    X(HN_NOT_OK_BEST, "best")         /* the iterate with the smallest violation */                                    \
    X(HN_NOT_OK_CLIP, "clip")         /* the same, clipped to the bounds of the outputs */                             \
    X(HN_NOT_OK_FALLBACK, "fallback") /* hn_batch.fallback, or the start values clipped to their bounds */

#define HN_ENUMERATE(name, text) name,
typedef enum hn_not_ok { HN_NOT_OK_LIST(HN_ENUMERATE) HN_NOT_OK_COUNT } hn_not_ok;
#undef HN_ENUMERATE

const char *hn_not_ok_text(hn_not_ok choice);             /* "unknown" for other numbers */
bool hn_not_ok_find(const char *text, hn_not_ok *choice); /* false if unknown; *choice is unchanged then */

/* A sample of nearest or optimal is certified if it is ok and the kkt of its report is at most this. */
#define HN_CERTIFIED 1e-8
/* Why a sample of nearest or optimal that is ok is not certified: X(name, text). */
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

const char *hn_reason_text(hn_reason reason); /* "" for certified, "unknown" for other numbers */

/* Start from hn_layer_defaults(). */
typedef struct hn_layer_options {
    size_t size; /* sizeof(hn_layer_options) */
    hn_method method;
    int iterations;               /* maximum; negative: default of the method (docs/method.md) */
    hn_real damping;              /* eps >= 0; for auto eps / |W r|; negative: default of the method; some have none */
    hn_real tolerance;            /* on max |r|, in the units of the rows */
    bool relative;                /* a row is satisfied if |r| <= tolerance max(1, |the violated bound|) */
    hn_instructions instructions; /* HN_INSTRUCTIONS_BEST: the best supported by this processor */
    const char *kernel;           /* a file of hn_kernel_compile (hardnet/kernel.h) for batches; NULL: none */
    hn_real effort;               /* for auto: a factor on the step budget of a sample, above 0, at most 1000 */
    const hn_real *weights;       /* of nearest: S, one per output, >= 0, in |S (y - y_raw)|; copied. NULL: all 1 */
} hn_layer_options;

/* The result of one sample. Arrays of reports have the stride hn_batch.report_size. */
typedef struct hn_report {
    hn_outcome outcome;
    int iterations;           /* steps computed */
    int steps;                /* steps between y_raw and the returned y, through which the gradient is computed */
    hn_real violation_before; /* max |r| at the start; infinite if it could not be evaluated */
    hn_real violation;        /* max |r| at the returned y; infinite for a cancelled sample that was not evaluated */
    size_t worst;             /* the row of the largest violation; SIZE_MAX if there is none */
    hn_real moved;            /* |y - y_raw|, 2-norm */
    hn_real damping;          /* eps of the last step */
    size_t culprit;           /* bad_bounds: the row; nonfinite_input: the entry, inputs first; else SIZE_MAX */
    hn_real slope;            /* auto and lm: the smallest |J' r| / (|J| |r|), rows scaled alike, where steps stalled: 0
                               * if |r| cannot be reduced nearby; infinite if no step stalled */
    /* For nearest and optimal; infinite or 0 for other methods. */
    hn_real kkt;             /* residual of the first-order optimality conditions at y with the multipliers, at most
                              * HN_CERTIFIED at a local optimum; infinite if not certified: y is then auto's, or for
                              * optimal the feasible point with the lowest objective found */
    hn_real distance;        /* nearest: |S (y - y_raw)|; other methods: moved */
    size_t programmes;       /* barrier problems solved */
    size_t factorisations;   /* systems factored after auto's steps; with affine rows: changes of the active set */
    hn_real objective;       /* optimal: the model's objective at y, as written by the user; infinite if it has no
                              * value */
    hn_real complementarity; /* the largest multiplier times the distance to its bound; a part of kkt */
    hn_real proof;           /* if y is locally infeasible: the sum of |J' w| for the weights w in multipliers, scaled
                              * such that the weighted violation at proof_y is 1: to first order no point within 1 /
                              * proof of it, in the maximum norm, satisfies all rows */
    hn_reason reason;        /* why an ok sample is not certified; else HN_REASON_NONE */
} hn_report;

/* Samples, one row each; the flags repeat a single row for all samples. The caller owns the arrays. */
typedef struct hn_batch {
    size_t size; /* sizeof(hn_batch) */
    size_t count;
    const hn_real *x;     /* count x inputs; NULL if the model has no inputs */
    const hn_real *y_raw; /* count x outputs; NULL: the model's start values */
    bool repeat_x, repeat_y;
    hn_real *y;              /* count x outputs: the corrected ones; may equal y_raw */
    size_t report_size;      /* sizeof(hn_report), if reports is set */
    hn_report *reports;      /* count, or NULL */
    hn_real *residual;       /* count x rows: r at the returned y, or NULL */
    void *tape;              /* hn_layer_tape_bytes(layer, count), or NULL: required by hn_layer_gradient */
    const hn_real *fallback; /* outputs, finite: returned for unusable input; NULL: start values, clipped */
    hn_real *warm;           /* count x outputs, or NULL: warm start, y - y_raw of the previous call; zeros at first.
                              * Updated by this call, zeros for samples that are not ok */
    const int *cancel; /* nonzero, stored atomically by any thread or signal handler, ends the run early; or NULL */
    double seconds; /* time limit from the start of the call; 0: none. Samples not begun by then are not evaluated: y is
                     * y_raw, violation and residual are infinite */
    void (*watch)(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping);
    void *watch_context;  /* watch, unless NULL, is called with every iterate on the thread that computes it, and with
                           * the damping of the preceding step, NaN at the first. auto may repeat an iteration when it
                           * backtracks or restarts; for nearest and optimal the steps of auto are reported */
    hn_real *multipliers; /* nearest and optimal: count x rows, or NULL: positive at lower bounds; if y is locally
                           * infeasible the weights of hn_report.proof; else zeros if y is not certified */
    hn_not_ok not_ok;     /* the result for a sample that is not ok. Unless it is the best iterate the gradient is 0,
                           * and there are no steps and no multipliers. CPU only */
    hn_real *proof_y;     /* nearest and optimal: count x outputs, or NULL: where the weights are a proof; else y */
    size_t shared_count;  /* inputs with one value for all samples (stride 0); x has only the others then. CPU only */
    const size_t *shared_inputs; /* shared_count: their numbers, ascending; NULL: the first inputs */
    const hn_real *shared;       /* shared_count: their values */
} hn_batch;

/* Gradients of a scalar loss. The batch must be the one that was run, with its tape, reports and results. */
typedef struct hn_gradient {
    size_t size;           /* sizeof(hn_gradient) */
    const hn_real *grad_y; /* count x outputs: gradient of the loss with respect to the returned y */
    hn_real *grad_y_raw;   /* count x outputs */
    hn_real *grad_x;       /* count x inputs that are not shared, for constant y_raw (but start values used for it are
                            * differentiated); or NULL */
    hn_real *grad_lower;   /* count x rows, or NULL */
    hn_real *grad_upper;   /* count x rows, or NULL */
    bool *flagged; /* count, or NULL: the sample is not ok, its gradient was not finite and is set to 0, auto needed
                    * more steps than the tape has (150 in the last attempt) or an elastic step; for nearest and
                    * optimal: not certified, not regular, or at a kink (docs/method.md) */
    const hn_real *grad_multipliers; /* nearest and optimal: count x rows, gradient of the loss with respect to the
                                      * multipliers; or NULL */
    hn_real *grad_weights;           /* nearest: count x outputs, with respect to S; or NULL */
    hn_real *shared_each; /* count x shared_count: with respect to the shared inputs, for each sample; or NULL */
    hn_real *grad_shared; /* shared_count: zeros at first; the rows of shared_each are added in their order; or NULL */
} hn_gradient;

/* ---- creation ---- */

hn_status hn_layer_get_defaults(hn_layer_options *out, hn_error *error);
static inline hn_layer_options hn_layer_defaults(void) {
    hn_layer_options options;
    options.size = sizeof options;
    hn_layer_get_defaults(&options, NULL);
    return options;
}

hn_status hn_layer_create(hn_layer **out, const hn_model *model, const hn_layer_options *options, hn_error *error);
void hn_layer_destroy(hn_layer *layer);

/* ---- running, with the caller's memory: one workspace per thread, no alignment needed ---- */

size_t hn_layer_workspace_bytes(const hn_layer *layer);
size_t hn_layer_gradient_workspace_bytes(const hn_layer *layer);
size_t hn_layer_tape_bytes(const hn_layer *layer, size_t count); /* 0 on overflow of size_t */

hn_status hn_layer_run(const hn_layer *layer, const hn_batch *batch, void *workspace, size_t bytes, hn_error *error);
hn_status hn_layer_gradient(const hn_layer *layer, const hn_batch *batch, const hn_gradient *gradient, void *workspace,
                            size_t bytes, hn_error *error);

/* ---- running on a pool of threads (0: one per core), which owns its workspaces; one call at a time. Threads take
 * samples until all are taken; for large samples, dense systems from about 400 unknowns on, idle threads then help the
 * others. Results do not depend on it ---- */

hn_status hn_pool_create(hn_pool **out, const hn_layer *layer, int threads, hn_error *error);
void hn_pool_destroy(hn_pool *pool);
int hn_pool_threads(const hn_pool *pool);
hn_status hn_pool_run(hn_pool *pool, const hn_batch *batch, hn_error *error);
hn_status hn_pool_gradient(hn_pool *pool, const hn_batch *batch, const hn_gradient *gradient, hn_error *error);

/* ---- queries of a layer ---- */

typedef struct hn_layer_info {
    size_t size; /* sizeof(hn_layer_info) */
    size_t inputs, outputs, rows;
    size_t jacobian_nonzeros;
    size_t factor_order;          /* unknowns: one per row or per output, whichever side the system is solved on, */
    size_t factor_nonzeros;       /* strictly below the diagonal */
    bool outputs_side;            /* solved on the side of the outputs */
    bool dense;                   /* by the dense kernel */
    size_t operators;             /* of c and dc/dy, per sample and step */
    size_t multiply_adds;         /* of the linear algebra, per sample and step */
    hn_instructions instructions; /* the set in use */
    size_t factor_added;          /* additional unknowns for dense columns that are kept out of it */
    bool compiled;                /* batches use a kernel of hn_kernel_compile, */
    bool compiled_gradients;      /* and so do their gradients */
    int usual_steps;              /* auto: steps that suffice from the model's start values; 0: unknown */
    int budget_steps;             /* usual_steps times the effort: the step budget of a sample */
} hn_layer_info;

/* The options in use, with all defaults filled in; kernel points to the layer's copy. Zeros if layer is NULL. */
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
