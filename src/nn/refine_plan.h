/* refine_plan.h - one SQP step along the constraints that lowers the objective, for any number of samples.
 *
 *     y + d,   d the solution of the QP of sequential quadratic programming at y (barrier.h):
 *     minimise grad f' d + d'Hd/2   subject to  bl <= c + J d <= bu,   H = the diagonal of Hess f - sum_i mu_i Hess c_i
 *
 * mu are the multipliers of the sample's previous QP; if unknown, the step first solves a QP with only the curvature of
 * f to get them. The multipliers matter: on the unicycle all the curvature of the heading comes from them. H is bounded
 * below by a share of f's own curvature and divided by `length`, so that shorter steps turn towards the gradient. The
 * caller accepts or rejects y + d. The bits of a sample depend on that sample only. A step is not differentiated.
 *
 * Input: a model with an objective. Output: one program (c, bl, bu, J, grad f, the diagonal of the Hessian of the
 * Lagrangian), one linear system and the layout of a thread's workspace. A plan is constant and independent of samples;
 * threads may share it. A uint32_t called an offset counts doubles; a slot is `stride` of them, one per lane.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_REFINE_PLAN_H
#define HN_NN_REFINE_PLAN_H

#include "autodiff/program.h"
#include "base/arena.h"
#include "core/barrier.h"
#include "cpu/backend.h"
#include "hardnet/layer.h"

struct refine_plan {
    uint32_t stride;
    struct program *program;
    struct arena arena;
    size_t inputs, outputs, rows, entries;
    size_t slots, bytes; /* of workspace per thread */
    struct refine_places places;
    struct backend backend; /* of refine_plan_create_lanes */
};

hn_status refine_plan_create(struct refine_plan *r, const hn_model *model, uint32_t stride, hn_error *error);

/* For refine_plan_run; instructions: as in hn_layer_options. */
hn_status refine_plan_create_lanes(struct refine_plan *r, const hn_model *model, hn_instructions instructions,
                                   hn_error *error);
void refine_plan_release(struct refine_plan *r);

/* Writes constants and zeros into a workspace of r->bytes, 64-byte aligned. */
void refine_plan_prepare(const struct refine_plan *r, double *memory);

/* Samples are rows. y_new is y if no finite step was found. */
struct refine_batch {
    size_t count;
    const double *x, *y; /* count x inputs, count x outputs */
    double *y_new;       /* count x outputs */
    double *multipliers; /* count x rows; input if known, and output */
    bool known;
    const double *length; /* count */
};

void refine_plan_run(const struct refine_plan *r, double *memory, const struct refine_batch *batch);

#endif
