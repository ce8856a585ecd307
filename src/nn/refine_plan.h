/* refine_plan.h - what a step of refinement evaluates and solves, created once from a model.
 *
 * A step solves the QP of sequential quadratic programming at y (barrier.h):
 *
 *     minimise grad f' d + d'Hd/2   subject to  bl <= c + J d <= bu,   H = the diagonal of Hess f - sum_i mu_i Hess c_i
 *
 * Input: a model with an objective. Output: one program (c, bl, bu, J, grad f, the diagonal of the Hessian of the
 * Lagrangian), one linear system and the layout of a thread's workspace. A plan is constant and independent of samples.
 * A uint32_t called an offset counts doubles; a slot is `stride` of them, one per lane.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_REFINE_PLAN_H
#define HN_NN_REFINE_PLAN_H

#include "autodiff/program.h"
#include "base/arena.h"
#include "core/barrier.h"
#include "hardnet/model.h"
#include "linalg/damped_system.h"

struct refine_plan {
    uint32_t stride;
    struct program *program;
    struct arena arena;
    size_t inputs, outputs, rows, entries;
    size_t slots, bytes; /* of workspace per thread */
    struct refine_places places;
};

hn_status refine_plan_create(struct refine_plan *r, const hn_model *model, uint32_t stride, hn_error *error);
void refine_plan_release(struct refine_plan *r);

/* Writes constants and zeros into a workspace of r->bytes, 64-byte aligned. */
void refine_plan_prepare(const struct refine_plan *r, double *memory);

#endif
