/* hardnet/layer.h - corrects a batch of raw outputs onto the constraints of a model, and
 * differentiates the correction.
 *
 * A layer is made once from a finished model; it is constant and may be used from any number of
 * threads. Running it takes memory from the caller (a workspace per thread, or a pool that owns
 * some) and never allocates, locks or prints. Every sample gets an outcome of its own:
 * HN_OUTCOME_OK means that a fresh evaluation at the returned y found every row within the
 * tolerance. The same sample gives the same bits in any batch, at any index, on any number of
 * threads.
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

/* Constant; any number of threads may use it. It keeps nothing of its model, which may be destroyed. */
typedef struct hn_layer hn_layer;

/* One call at a time: a second one meanwhile returns HN_INVALID. Its layer is the caller's and outlives it. */
typedef struct hn_pool hn_pool;

/* One list, expanded to the enum and to the texts: X(name, text). docs/method.md describes each. */
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

const char *hn_method_text(hn_method method);             /* "unknown" for a number that is none */
bool hn_method_find(const char *text, hn_method *method); /* false, and nothing set: unknown */

/* What is returned for samples that are not ok, one list as above. A sample whose y is replaced is evaluated once more, at
 * the y that is returned; its outcome remains that of the correction. */
#define HN_NOT_OK_LIST(X)                                                                                              \
    X(HN_NOT_OK_BEST, "best")         /* the iterate with the smallest violation */                                    \
    X(HN_NOT_OK_CLIP, "clip")         /* the same, clipped to the bounds of the outputs */                             \
    X(HN_NOT_OK_FALLBACK, "fallback") /* hn_batch.fallback, or the start values clipped to their bounds */

#define HN_ENUMERATE(name, text) name,
typedef enum hn_not_ok { HN_NOT_OK_LIST(HN_ENUMERATE) HN_NOT_OK_COUNT } hn_not_ok;
#undef HN_ENUMERATE

const char *hn_not_ok_text(hn_not_ok choice);             /* "unknown" for a number outside the list */
bool hn_not_ok_find(const char *text, hn_not_ok *choice); /* false, and nothing set: unknown */

/* A sample of nearest or optimal is certified when it is ok and its report's kkt is at most this. */
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

const char *hn_reason_text(hn_reason reason); /* "" for certified, "unknown" for a number that is none */

/* Start from hn_layer_defaults(). */
typedef struct hn_layer_options {
    size_t size; /* sizeof(hn_layer_options) */
    hn_method method;
    int iterations;               /* steps at most; negative: the method's own (500 for paper) */
    hn_real damping;              /* eps >= 0; for auto eps / |W r|; negative: the method's own (0.3 for paper,
                                   * adapted for lm, 0.018 for auto, 0.01 for snarenet); hardnet and enforce have none */
    hn_real tolerance;            /* on max |r|, in the units of the rows */
    bool relative;                /* a row holds when |r| <= tolerance max(1, |the bound that it is beyond|) */
    hn_instructions instructions; /* HN_INSTRUCTIONS_BEST: the best that this processor has */
    const char *kernel;           /* a file of hn_kernel_compile (hardnet/kernel.h) for batches; NULL: none */
    hn_real effort;               /* of auto: a factor on the steps spent on a sample, above 0, at most 1000 */
    const hn_real *weights;       /* of nearest: S, one per output, >= 0, in |S (y - y_raw)|; copied. NULL: all 1 */
} hn_layer_options;

/* What happened to one sample. Arrays of reports have the stride hn_batch.report_size. */
typedef struct hn_report {
    hn_outcome outcome;
    int iterations;           /* steps computed */
    int steps;                /* steps between y_raw and the returned y; what the gradient goes through */
    hn_real violation_before; /* max |r| of what came in; infinite when it could not be evaluated */
    hn_real violation;        /* max |r| at the returned y; infinite for a cancelled sample that was not evaluated */
    size_t worst;             /* the row of the largest violation; SIZE_MAX when there is none */
    hn_real moved;            /* |y - y_raw|, 2-norm */
    hn_real damping;          /* eps of the last step */
    size_t culprit;           /* bad_bounds: the row; nonfinite_input: the entry, inputs first; else SIZE_MAX */
    hn_real slope;            /* auto and lm: the smallest |J' r| / (|J| |r|), rows brought to one scale, where steps
                               * stalled: 0 where r cannot be lowered nearby; infinite where none did */
    /* Of nearest and optimal; infinite or 0 for other methods. */
    hn_real kkt;             /* residual of the first-order optimality conditions at y with the multipliers, at most
                               * HN_CERTIFIED at a local optimum; infinite where not certified: y is then auto's, or for
                               * optimal the feasible point with the lowest objective that was found */
    hn_real distance;        /* nearest: |S (y - y_raw)|; other methods: moved */
    size_t programmes;       /* barrier problems solved */
    size_t factorisations;   /* systems factored after auto's steps; under affine rows: changes of the active set */
    hn_real objective;       /* optimal: the model's, at y, as the user wrote it; infinite without a value */
    hn_real complementarity; /* the largest multiplier times the distance to its bound; a part of kkt */
    hn_real proof;           /* where y is locally infeasible: the sum of |J' w| for the weights w in multipliers, by
                               * which the violation at proof_y is 1: to first order nothing closer to it than 1 / proof,
                               * by the largest entry, satisfies all rows */
    hn_reason reason;        /* why a sample that is ok is not certified; else HN_REASON_NONE */
} hn_report;

/* Samples, one row each; the flags repeat a single row for all samples. The arrays are the caller's. */
typedef struct hn_batch {
    size_t size; /* sizeof(hn_batch) */
    size_t count;
    const hn_real *x;     /* count x inputs; NULL when the model has none */
    const hn_real *y_raw; /* count x outputs; NULL: the model's start values */
    bool repeat_x, repeat_y;
    hn_real *y;              /* count x outputs: the corrected ones; may be y_raw itself */
    size_t report_size;      /* sizeof(hn_report), with reports */
    hn_report *reports;      /* count, or NULL */
    hn_real *residual;       /* count x rows: r at the returned y, or NULL */
    void *tape;              /* hn_layer_tape_bytes(layer, count), or NULL: what hn_layer_gradient needs later */
    const hn_real *fallback; /* outputs, finite: returned for unusable input; NULL: start values, clipped */
    hn_real *warm;           /* count x outputs, or NULL: y - y_raw of the call before, where to start; zeros at first.
                              * Afterwards this call's, zeros where a sample is not ok */
    const int *cancel;       /* not 0 ends the run early; read between steps by an atomic load, may be written by any
                              * thread or signal handler by an atomic store; or NULL */
    double seconds; /* deadline from the call's start; 0: none. Samples not begun by then are not evaluated: y is
                              * y_raw, violation and residual are infinite */
    void (*watch)(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping);
    void *watch_context;  /* watch, unless NULL, is called with every iterate on the thread that computes it, and with
                              * the damping of the step before it, NaN at the first. auto may repeat an iteration when it
                              * goes back or restarts; of nearest and optimal it gets the steps of auto */
    hn_real *multipliers; /* of nearest and optimal: count x rows, or NULL: positive at lower bounds; where y is locally
                              * infeasible the weights of hn_report.proof; else zeros where y is not certified */
    hn_not_ok not_ok;     /* what is returned where a sample is not ok. Unless it is the best iterate the gradient is
                              * 0, and there are no steps and no multipliers. On the CPU only */
    hn_real *proof_y;     /* of nearest and optimal: count x outputs, or NULL: the point at which the weights prove
                              * that a sample is locally infeasible; y for other samples */
} hn_batch;

/* Gradients of a scalar loss. The batch is the one that was run, with its tape, reports and results. */
typedef struct hn_gradient {
    size_t size;           /* sizeof(hn_gradient) */
    const hn_real *grad_y; /* count x outputs: of the loss with respect to the returned y */
    hn_real *grad_y_raw;   /* count x outputs */
    hn_real *grad_x;       /* count x inputs, y_raw held fixed (start values that stand in for it are not); or NULL */
    hn_real *grad_lower;   /* count x rows, or NULL */
    hn_real *grad_upper;   /* count x rows, or NULL */
    bool *flagged; /* count, or NULL: the sample is not ok, its gradient was not finite and is 0, auto needed more
                            * steps than its tape holds (150 in the last attempt) or an elastic step; for nearest and
                            * optimal: not certified, not regular, or at a kink (docs/method.md) */
    const hn_real *grad_multipliers; /* of nearest and optimal: count x rows, of the loss with respect to the
                                      * multipliers; or NULL */
    hn_real *grad_weights;           /* of nearest: count x outputs, with respect to S; or NULL */
} hn_gradient;

/* ---- life ---- */

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
size_t hn_layer_tape_bytes(const hn_layer *layer, size_t count); /* 0 when it does not fit a size_t */

hn_status hn_layer_run(const hn_layer *layer, const hn_batch *batch, void *workspace, size_t bytes, hn_error *error);
hn_status hn_layer_gradient(const hn_layer *layer, const hn_batch *batch, const hn_gradient *gradient, void *workspace,
                            size_t bytes, hn_error *error);

/* ---- running on a pool of threads (0: one per core), which owns its workspaces; one call at a time.
 * Each takes samples until none is left; where samples are large, full systems of some 400 unknowns on,
 * those without one then help the others with theirs. Numbers do not depend on it ---- */

hn_status hn_pool_create(hn_pool **out, const hn_layer *layer, int threads, hn_error *error);
void hn_pool_destroy(hn_pool *pool);
int hn_pool_threads(const hn_pool *pool);
hn_status hn_pool_run(hn_pool *pool, const hn_batch *batch, hn_error *error);
hn_status hn_pool_gradient(hn_pool *pool, const hn_batch *batch, const hn_gradient *gradient, hn_error *error);

/* ---- looking at a layer ---- */

typedef struct hn_layer_info {
    size_t size; /* sizeof(hn_layer_info) */
    size_t inputs, outputs, rows;
    size_t jacobian_nonzeros;
    size_t factor_order;          /* unknowns: one per row or output, the side on which the system is solved, */
    size_t factor_nonzeros;       /* strictly below the diagonal */
    bool outputs_side;            /* solved in the dimension of the outputs */
    bool dense;                   /* by the dense kernel */
    size_t operators;             /* behind c and dc/dy, per sample and step */
    size_t multiply_adds;         /* of the linear algebra, per sample and step */
    hn_instructions instructions; /* the set in use */
    size_t factor_added;          /* and so many for what stands everywhere and is kept out of it */
    bool compiled;                /* batches run a kernel of hn_kernel_compile, */
    bool compiled_gradients;      /* and so do their gradients */
    int usual_steps;              /* of auto: steps that are enough from the model's start values; 0: not known */
    int budget_steps;             /* those times the effort: a sample is given up after as many */
} hn_layer_info;

/* The options are those in use: with the method's own numbers and the instruction set filled in; the
 * name of the kernel is the layer's own copy. Zeros without a layer. */
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
