/* nearest.h - from a feasible point to the nearest one, with multipliers that certify it.
 *
 *     minimise |S (y - y_raw)|^2 / 2   subject to  bl <= c(y) <= bu
 *
 * Input: samples (x, y_raw and a feasible y). Output: y, the multipliers and the KKT residual. A primal-dual
 * interior-point method converges towards a local solution, Newton's method on the active set finishes
 * (core/nearest_barrier.h, core/nearest_newton.h). The returned y is never further from y_raw than the input y. The
 * bits of a sample depend on that sample only. Running neither allocates, locks nor prints.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_H
#define HN_NEAREST_H

#include "core/nearest_state.h"
#include "cpu/backend.h"
#include "nearest/nearest_plan.h"

/* Constant; threads may share it, each with its own workspace. */
struct nearest {
    struct backend backend;
    struct nearest_parts parts;
    size_t bytes; /* of workspace per thread */
};

/* instructions: as in hn_layer_options. alone: one sample at a time in scalar doubles, with the same bits. */
hn_status nearest_create(struct nearest *nearest, const hn_model *model, const struct nearest_goal *goal,
                         hn_instructions instructions, bool alone, hn_error *error);
void nearest_release(struct nearest *nearest);

/* The same with kinks split (goal->split is true). If the model has no splittable kinks, or splitting gives too many
 * nodes, parts.plan.program is NULL and bytes is 0. */
hn_status nearest_create_split(struct nearest *nearest, const hn_model *model, const struct nearest_goal *goal,
                               hn_instructions instructions, bool alone, hn_error *error);

/* Initialises a workspace of nearest->bytes, 64-byte aligned; once. */
void nearest_begin(const struct nearest *nearest, double *memory);

/* Whether a search must end early; called between its steps. */
struct nearest_watch {
    bool (*ends)(void *context);
    void *context;
};

/* At most parts.plan.stride samples. A search that ends early returns its best point, certified or not. */
void nearest_run(const struct nearest *nearest, double *memory, struct nearest_sample *samples, size_t count,
                 const struct nearest_watch *watch);

/* ---- certificates of local infeasibility ---- */

/* At most parts.plan.stride samples; watch as in nearest_run. */
void nearest_prove(const struct nearest *nearest, double *memory, struct nearest_proof *samples, size_t count,
                   const struct nearest_watch *watch);

/* ---- the gradient, by the implicit function theorem ---- */

/* At most parts.plan.stride samples. */
void nearest_pull(const struct nearest *nearest, double *memory, struct nearest_pull *samples, size_t count);

#endif
