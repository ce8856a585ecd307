/* loss.h - the model's objective and penalties on the residual, with their gradient with respect to y.
 *
 *     f(x, y) + size |r(y)| + square |r(y)|^2         2-norm; the gradient of |r| is J' r / |r|, and 0 where r vanishes
 *
 * An undefined (NaN) constraint makes |r| NaN.
 *
 * Input: a model with an objective. Output: a program that threads may share, each with its own workspace.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_LOSS_H
#define HN_NN_LOSS_H

#include "base/arena.h"
#include "core/loss_rows.h"
#include "cpu/backend.h"
#include "hardnet/model.h"

/* f alone, in the last part of the workspace, for callers that need only the objective. */
struct loss_objective {
    struct program *program;
    uint32_t x, y, objective; /* offsets in that part */
    size_t first;             /* start of the part, in doubles */
};

struct loss {
    struct backend backend;
    uint32_t stride; /* doubles per slot: number of lanes */
    struct program *program;
    struct arena arena;
    size_t inputs, outputs;
    struct loss_places places;   /* offsets in the workspace */
    struct loss_objective alone; /* of loss_create */
    size_t bytes;                /* of workspace per thread */
};

/* loss_create calls the next two, in this order, with the lanes of a backend as the stride; callers of these must set
 * the stride first. */
hn_status loss_create(struct loss *loss, const hn_model *model, hn_error *error);
hn_status loss_compile(struct loss *loss, const hn_model *model, hn_error *error);
hn_status loss_compile_objective(struct loss *loss, const hn_model *model, hn_error *error);
void loss_release(struct loss *loss);

static const struct loss_weights OBJECTIVE_ONLY = {0, 0};

/* Samples are rows. */
struct loss_batch {
    size_t count;
    const double *x, *y; /* count x inputs, count x outputs */
    double *gradient;    /* count x outputs, with respect to y; NULL: not computed */
    double *objective;   /* count: f, minimised */
    double *residual;    /* count: |r|, 2-norm; NULL: not computed */
};

/* Workspace of loss->bytes, 64-byte aligned, initialised once by loss_begin. The bits of a sample depend on that sample
 * only. */
void loss_begin(const struct loss *loss, double *memory);
void loss_run(const struct loss *loss, double *memory, const struct loss_batch *batch, struct loss_weights weights);

#endif
