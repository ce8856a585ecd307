/* refiner.h - corrected outputs taken along the constraints to a lower objective; what hardnet/refine.h, policies and trainers share.
 *
 *     y <- layer(y + d)   where that is ok and lowers f, or where y was not ok;   else the next step is a quarter as long
 *
 * d is the step of refine_step.h. A sample never gets worse. A refiner is constant; memory is a thread's own.
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

/* Layer and loss are of the same model and outlive the refiner. */
hn_status refiner_create(struct refiner *refiner, const hn_model *model, const hn_layer *layer, const struct loss *loss,
                         hn_instructions instructions, hn_error *error);
void refiner_release(struct refiner *refiner);

/* Memory of one thread for at most so many samples at a time. */
struct refine_memory {
    double *steps;     /* of the stepper */
    double *loss;      /* begun by whoever has it */
    void *workspace;   /* of the layer */
    double *trial;     /* outputs that a step leads to */
    double *objective; /* of these */
    hn_report *reports;
    double *multipliers; /* of rows */
    double *length;
};

/* Places all but loss and workspace, which its owner may share. */
void refiner_place(struct layout *layout, const struct refiner *refiner, size_t samples, struct refine_memory *memory);
void refiner_begin(const struct refiner *refiner, const struct refine_memory *memory);

/* Samples are rows. y, objective and reports come in as the layer and the loss have left them, and go out refined: iterations are
 * added up, `moved` is the distance from raw. */
struct refine_task {
    size_t count;
    const double *x, *raw;
    double *y, *objective;
    double *residual; /* |r| of what was tried last, 2-norm; or NULL */
    hn_report *reports;
    bool known; /* the memory's multipliers hold those of nearby outputs */
};

void refiner_run(const struct refiner *refiner, const struct refine_memory *memory, const struct refine_task *task,
                 int steps);

/* The layer's answer to raw outputs, with f of it. */
void refiner_correct(const struct refiner *refiner, const struct refine_memory *memory, const struct refine_task *task);

/* The best candidate of every input: ok before not ok, then the smallest value; a value that is no number is the worst. Candidate k
 * of input i is sample k * inputs + i. */
struct candidates {
    size_t inputs, candidates;
    const double *values;
    const hn_report *reports;
};

void choose_best(const struct candidates *candidates, size_t *best);

#endif
