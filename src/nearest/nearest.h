/* nearest.h - from a point that holds the constraints to the nearest one, with multipliers that prove it.
 *
 *     minimise |S (y - y_raw)|^2 / 2   subject to  bl <= c(y) <= bu
 *
 * In come samples (x, y_raw, and a y that holds the constraints); out go y, the multipliers and the residual of the optimality
 * conditions. A primal-dual interior-point method leads close to a local solution, Newton's method on the rows that are active there ends
 * at it (nearest_barrier.h, nearest_polish.h). Nothing is returned that is further from y_raw than the y that came in. The bits of a sample
 * depend on that sample only. No allocation, no lock, nothing printed while it runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_H
#define HN_NEAREST_H

#include "core/nearest_samples.h"
#include "cpu/backend.h"
#include "nearest/nearest_inputs.h"
#include "nearest/nearest_plan.h"

/* Constant; any number of threads may use it, each in memory of its own. */
struct nearest {
    struct backend backend;
    struct nearest_parts parts;
    size_t bytes; /* of memory for one thread */
};

/* instructions: as in hn_layer_options. alone: for one sample at a time, in plain doubles, to the same bits. */
hn_status nearest_create(struct nearest *nearest, const hn_model *model, const struct nearest_goal *goal,
                         hn_instructions instructions, bool alone, hn_error *error);
void nearest_release(struct nearest *nearest);

/* The same without kinks: goal->split is true. Where there are none that can be split, or too many nodes without them, parts.plan.program
 * is NULL and bytes is 0. */
hn_status nearest_create_split(struct nearest *nearest, const hn_model *model, const struct nearest_goal *goal,
                               hn_instructions instructions, bool alone, hn_error *error);

/* Memory of nearest->bytes, 64-byte aligned, is begun once. */
void nearest_begin(const struct nearest *nearest, double *memory);

/* Whether a search is to end early; asked between its steps. */
struct nearest_watch {
    bool (*ends)(void *context);
    void *context;
};

/* At most parts.plan.stride samples. A search that ends early has what it had found by then: a proof, or none. */
void nearest_run(const struct nearest *nearest, double *memory, struct nearest_sample *samples, size_t count,
                 const struct nearest_watch *watch);

/* ---- where nothing holds the rows ---- */

/* At most parts.plan.stride samples; watch as in nearest_run. */
void nearest_prove(const struct nearest *nearest, double *memory, struct nearest_proof *samples, size_t count,
                   const struct nearest_watch *watch);

/* ---- the gradient, by the implicit function theorem ---- */

/* At most parts.plan.stride samples. */
void nearest_pull(const struct nearest *nearest, double *memory, struct nearest_pull *samples, size_t count);

#endif
