/* refine_step.h - one SQP step along the constraints that lowers the objective, for any number of samples.
 *
 *     y + d,   d the solution of the QP at y (refine_plan.h)
 *
 * mu are the multipliers of the sample's previous QP; if unknown, the step first solves a QP with only the curvature of
 * f to get them. The multipliers matter: on the unicycle they carry all the curvature of the heading. H is bounded
 * below by a share of f's own curvature and divided by `length`, so that shorter steps turn towards the gradient. The
 * caller accepts or rejects y + d. The bits of a sample depend on that sample only. A step is not differentiated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_REFINE_STEP_H
#define HN_NN_REFINE_STEP_H

#include "cpu/backend.h"
#include "hardnet/layer.h"
#include "nn/refine_plan.h"

/* Constant; threads may share it, each with its own workspace. */
struct refine_stepper {
    struct backend backend;
    struct refine_plan plan;
};

/* instructions: as in hn_layer_options. */
hn_status refine_stepper_create(struct refine_stepper *stepper, const hn_model *model, hn_instructions instructions,
                                hn_error *error);
void refine_stepper_release(struct refine_stepper *stepper);

/* Initialises a workspace of plan.bytes, 64-byte aligned; once. */
void refine_stepper_begin(const struct refine_stepper *stepper, double *memory);

/* Samples are rows. y_new is y if no finite step was found. */
struct refine_batch {
    size_t count;
    const double *x, *y; /* count x inputs, count x outputs */
    double *y_new;       /* count x outputs */
    double *multipliers; /* count x rows; input if known, and output */
    bool known;
    const double *length; /* count */
};

void refine_stepper_run(const struct refine_stepper *stepper, double *memory, const struct refine_batch *batch);

#endif
