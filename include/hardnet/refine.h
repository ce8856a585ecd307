/* hardnet/refine.h - lowers the objective of feasible outputs, and makes training targets from the results.
 *
 *     refine     y = layer(y_raw), then `steps` times y <- layer(y + d) where that is ok and lowers f,
 *                or where y was not ok
 *     improve    the same for K outputs of a network per input: the best of them, and for each a target
 *
 * d is the solution of a QP at y, with the rows' first and the Lagrangian's second derivatives. An output never gets
 * worse; the steps are not differentiated. A refiner is created from a finished model with an objective, to which it
 * does not refer afterwards. The same sample gives the same bits in any batch and on any number of threads, and those
 * of policies and trainers (hardnet/policy.h, hardnet/train.h), which use the same code.
 *
 *     hn_refiner *refiner;
 *     hn_refiner_create(&refiner, model, layer, NULL, &error);                    (1 step, one thread per core)
 *     hn_refinement batch = {.size = sizeof batch, .count = 100, .x = x, .y_raw = raw, .y = y, .objective = f};
 *     hn_refiner_run(refiner, &batch, &error);
 *
 * Unstable: a minor version may change this header.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_REFINE_H
#define HARDNET_REFINE_H

#include "hardnet/layer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One call at a time, concurrent ones return HN_INVALID; a call uses the refiner's threads. */
typedef struct hn_refiner hn_refiner;

typedef struct hn_refine_options {
    size_t size;       /* sizeof(hn_refine_options) */
    int steps;         /* of refinement, 0 to 1000 */
    size_t candidates; /* K of hn_refiner_improve, 1 to 1000 */
    int threads;       /* 0: one per core */
} hn_refine_options;

/* 1 step, 1 candidate, one thread per core */
hn_status hn_refine_get_defaults(hn_refine_options *out, hn_error *error);
static inline hn_refine_options hn_refine_defaults(void) {
    hn_refine_options options = {sizeof options, 0, 0, 0};
    hn_refine_get_defaults(&options, 0);
    return options;
}

/* The layer corrects every output, and its tolerance defines ok. It must be of the same model; the caller owns it, and
 * it must outlive the refiner. NULL: the refiner creates one with default options. */
hn_status hn_refiner_create(hn_refiner **out, const hn_model *model, const hn_layer *layer,
                            const hn_refine_options *options, hn_error *error);
void hn_refiner_destroy(hn_refiner *refiner);

/* A batch of samples, one row each. The caller owns the arrays, which are used during a call only. */
typedef struct hn_refinement {
    size_t size; /* sizeof(hn_refinement) */
    size_t count;
    const hn_real *x;     /* count x inputs; NULL if the model has no inputs */
    const hn_real *y_raw; /* count x outputs, any; refinement starts from those that are ok */
    hn_real *y;           /* count x outputs: refined; may be y_raw itself */
    hn_real *objective;   /* count: f at y, minimised; or NULL */
    size_t report_size;   /* sizeof(hn_report); not needed without reports */
    hn_report *reports;   /* count, or NULL: of y; iterations are those of all corrections, moved is |y - y_raw| */
    hn_real *multipliers; /* count x rows, or NULL: of the last QP; positive at lower bounds */
    bool known;           /* multipliers of nearby outputs are given; else the first step computes them */
} hn_refinement;

hn_status hn_refiner_run(hn_refiner *refiner, const hn_refinement *batch, hn_error *error);

/* Outputs of a network, and targets for it. Inputs are processed 40 at a time; exploring uses outputs of the same
 * group. */
typedef struct hn_improvement {
    size_t size; /* sizeof(hn_improvement) */
    size_t count;
    const hn_real *x;     /* count x inputs; NULL if the model has no inputs */
    const hn_real *y_raw; /* count x K x outputs */
    hn_real *targets;     /* count x K x outputs: refined outputs; y_raw if a sample could not be corrected */
    size_t *best;         /* count, or NULL: the best candidate, ok before not ok, then the lowest objective */
    hn_real *objective;   /* count x K, or NULL: f of the refined outputs, minimised */
    size_t report_size;   /* sizeof(hn_report); not needed without reports */
    hn_report *reports;   /* count x K, or NULL: of the refined outputs */
    hn_real explore;      /* above 0: also refines, for every input, from the best output of another input. If that
                           * lowers f by this fraction, the result is the target of the nearest candidate, now the
                           * best */
    int round;            /* of a training, from 0: every fourth round explores, each time from another input */
} hn_improvement;

hn_status hn_refiner_improve(hn_refiner *refiner, const hn_improvement *batch, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
