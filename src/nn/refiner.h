/* refiner.h - refinement: moves corrected outputs along the constraints to a lower objective; shared by
 * hardnet/refine.h, policies and trainers.
 *
 *     y <- layer(y + d)   if that is ok and lowers f, or if y was not ok;   else the next step is a quarter as long
 *
 * d is the step of refine_step.h. A sample never gets worse. A refiner is constant; each thread has its own workspace.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_REFINER_H
#define HN_NN_REFINER_H

#include "base/layout.h"
#include "hardnet/layer.h"
#include "nn/loss.h"
#include "nn/refine_step.h"

enum { REFINE_MOST_STEPS = 1000 };

struct refiner {
    const hn_layer *layer;
    const struct loss *loss;
    struct refine_stepper stepper;
};

/* Layer and loss must belong to the same model and outlive the refiner. */
hn_status refiner_create(struct refiner *refiner, const hn_model *model, const hn_layer *layer, const struct loss *loss,
                         hn_instructions instructions, hn_error *error);
void refiner_release(struct refiner *refiner);

/* Workspace of one thread for a fixed number of samples. */
struct refine_memory {
    double *steps;     /* of the stepper */
    double *loss;      /* initialised by its owner */
    void *workspace;   /* of the layer */
    double *trial;     /* outputs after a step */
    double *objective; /* their objective */
    hn_report *reports;
    double *multipliers; /* of rows */
    double *length;
};

/* Lays out all but loss and workspace, which the owner may share. */
void refiner_place(struct layout *layout, const struct refiner *refiner, size_t samples, struct refine_memory *memory);
void refiner_begin(const struct refiner *refiner, const struct refine_memory *memory);

/* Samples are rows. y, objective and reports are input from the layer and the loss, and output after refinement:
 * iterations are summed, `moved` is the distance from raw. */
struct refine_task {
    size_t count;
    const double *x, *raw;
    double *y, *objective;
    double *residual; /* |r| of the last trial point, 2-norm; or NULL */
    hn_report *reports;
    bool known; /* the workspace has multipliers of nearby outputs */
};

void refiner_run(const struct refiner *refiner, const struct refine_memory *memory, const struct refine_task *task,
                 int steps);

/* Corrects raw outputs with the layer and evaluates f. */
void refiner_correct(const struct refiner *refiner, const struct refine_memory *memory, const struct refine_task *task);

/* Chooses the best candidate of every input: ok before not ok, then the smallest value; NaN is the worst. Candidate k
 * of input i is sample k * inputs + i. */
struct candidates {
    size_t inputs, candidates;
    const double *values;
    const hn_report *reports;
};

void choose_best(const struct candidates *candidates, size_t *best);

#endif
