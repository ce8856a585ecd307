/* hardnet/refine.h - lowers the objective of outputs that hold the constraints, and makes targets
 * for training from them.
 *
 *     refine     y = layer(y_raw), then `steps` times y <- layer(y + d) where that is ok and lowers f,
 *                or where y was not ok
 *     improve    the same for K outputs of a network per input: the best of them, and for each a target
 *
 * d is the solution of a quadratic programme at y, with the rows' first and the Lagrangian's second
 * derivatives. An output never gets worse; the steps are not differentiated. A refiner is made once
 * from a finished model that has an objective; nothing of the model is kept. The same sample gives
 * the same bits in any batch and on any number of threads, and those of policies and trainers
 * (hardnet/policy.h, hardnet/train.h), which are made of the same parts.
 *
 *     hn_refiner *refiner;
 *     hn_refiner_create(&refiner, model, layer, NULL, &error);                    (1 step, a thread per core)
 *     hn_refinement batch = {.size = sizeof batch, .count = 100, .x = x, .y_raw = raw, .y = y, .objective = f};
 *     hn_refiner_run(refiner, &batch, &error);
 *
 * Still moving: what is here may change in a minor version.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_REFINE_H
#define HARDNET_REFINE_H

#include "hardnet/layer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One call at a time, others return HN_INVALID; a call uses threads of the refiner's own. */
typedef struct hn_refiner hn_refiner;

typedef struct hn_refine_options {
    size_t size;       /* sizeof(hn_refine_options) */
    int steps;         /* of refinement, 0 to 1000 */
    size_t candidates; /* K of hn_refiner_improve, 1 to 1000 */
    int threads;       /* 0: one per core */
} hn_refine_options;

/* 1 step, 1 candidate, a thread per core */
hn_status hn_refine_get_defaults(hn_refine_options *out, hn_error *error);
static inline hn_refine_options hn_refine_defaults(void) {
    hn_refine_options options = {sizeof options, 0, 0, 0};
    hn_refine_get_defaults(&options, 0);
    return options;
}

/* The layer corrects every output, and its tolerance says what is ok. It is made from the same
 * model, and is the caller's: it outlives the refiner. NULL: one of the refiner's own, with default
 * options. */
hn_status hn_refiner_create(hn_refiner **out, const hn_model *model, const hn_layer *layer,
                            const hn_refine_options *options, hn_error *error);
void hn_refiner_destroy(hn_refiner *refiner);

/* Samples side by side, each a row. What it points to is the caller's and is used during a call
 * only. */
typedef struct hn_refinement {
    size_t size; /* sizeof(hn_refinement) */
    size_t count;
    const hn_real *x;     /* count x inputs; NULL when the model has none */
    const hn_real *y_raw; /* count x outputs: any; one that is ok is where refinement begins */
    hn_real *y;           /* count x outputs: refined; may be y_raw itself */
    hn_real *objective;   /* count: f at y, as it is minimised; or NULL */
    size_t report_size;   /* sizeof(hn_report); not needed without reports */
    hn_report *reports;   /* count, or NULL: of y; iterations are those of all corrections, moved is |y - y_raw| */
    hn_real *multipliers; /* count x rows, or NULL: of the last programme; positive at lower bounds */
    bool known;           /* multipliers of nearby outputs are given; else the first step finds them */
} hn_refinement;

hn_status hn_refiner_run(hn_refiner *refiner, const hn_refinement *batch, hn_error *error);

/* What a network gave, and what it should learn. Inputs are taken 40 at a time; exploring looks
 * among these. */
typedef struct hn_improvement {
    size_t size; /* sizeof(hn_improvement) */
    size_t count;
    const hn_real *x;     /* count x inputs; NULL when the model has none */
    const hn_real *y_raw; /* count x K x outputs */
    hn_real *targets;     /* count x K x outputs: refined outputs; y_raw itself where a sample could not be corrected */
    size_t *best;         /* count, or NULL: the best candidate, ok before not ok, then the lowest objective */
    hn_real *objective;   /* count x K, or NULL: f of the refined outputs, as it is minimised */
    size_t report_size;   /* sizeof(hn_report); not needed without reports */
    hn_report *reports;   /* count x K, or NULL: of the refined outputs */
    hn_real explore;      /* above 0: for every input also tries where the best output of another input leads. When
                           * that lowers f by this share, it is the target of the nearest candidate, now the best */
    int round;            /* of a training, from 0: exploring happens in every fourth, each time from another input */
} hn_improvement;

hn_status hn_refiner_improve(hn_refiner *refiner, const hn_improvement *batch, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
