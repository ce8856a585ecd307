/* refine_plan.h - what a step of refinement evaluates and solves, made once from a model.
 *
 * A step solves the quadratic programme of sequential quadratic programming at y (barrier.h):
 *
 *     minimise grad f' d + d'Hd/2   subject to  bl <= c + J d <= bu,     H = the diagonal of Hess f - sum_i mu_i Hess c_i
 *
 * In comes a model with an objective; out go one program (c, bl, bu, J, grad f, the diagonal of the Hessian of the Lagrangian), one
 * linear system and the offsets of everything in a thread's memory. A plan is constant and never sees a sample. Every uint32_t here
 * that is called an offset counts doubles; a slot is `stride` of them, one per sample that goes side by side.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_REFINE_PLAN_H
#define HN_NN_REFINE_PLAN_H

#include "autodiff/program.h"
#include "base/arena.h"
#include "core/refine_layout.h"
#include "hardnet/model.h"
#include "linalg/damped_system.h"

struct refine_plan {
    uint32_t stride;
    struct program *program;
    struct arena arena;
    size_t inputs, outputs, rows, entries;
    size_t slots, bytes; /* of memory for one thread */
    struct refine_places places;
};

hn_status refine_plan_create(struct refine_plan *r, const hn_model *model, uint32_t stride, hn_error *error);
void refine_plan_release(struct refine_plan *r);

/* Constants and zeros into memory of r->bytes, 64-byte aligned. */
void refine_plan_prepare(const struct refine_plan *r, double *memory);

#endif
