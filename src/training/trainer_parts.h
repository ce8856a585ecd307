/* trainer_parts.h - the struct of a trainer.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TRAINING_TRAINER_PARTS_H
#define HN_TRAINING_TRAINER_PARTS_H

#include "core/train_loss.h"
#include "hardnet/train.h"
#include "training/policy_parts.h"

/* Workspace of one thread for the backward pass of one chunk, in addition to the policy's workspace. */
struct learn_memory {
    void *workspace, *tape;   /* of the layer that the loss is differentiated through, or the tape of the head */
    struct train_batch batch; /* arrays of losses and gradients */
};

/* Results of a device for a batch, which the CPU continues from; samples in the order of device_policy.h. */
struct device_batch {
    size_t outputs;
    struct samples samples;
    double *rows; /* with respect to the network's outputs, for the backward pass */
};

struct train_job {
    size_t count;
    const double *x, *targets, *starts; /* targets or starts, or neither */
};

struct hn_trainer {
    hn_network *network;
    hn_train_options options;
    size_t inputs, outputs, rows, parameters;
    hn_policy *policy;
    hn_layer *layer;                  /* of the loss `objective`; NULL for others, and with a head */
    size_t bounds;                    /* with a layer: constraints that are bounds of a single output, */
    size_t *bound_row, *bound_column; /* and that output */
    struct learn_memory *memory;      /* one per thread of the policy */
    double *moments[2];
    void *block;           /* of the arrays above */
    double *gradients;     /* one per chunk of a batch */
    hn_train_report *sums; /* likewise; sums, not means */
    size_t chunks;         /* capacity of gradients */
    int steps;
    struct device_policy *device;     /* NULL: the CPU */
    const struct device_batch *batch; /* results of a device while the CPU improves its samples; else NULL */
    struct train_job job;             /* the present one */
};

/* Runs the present job: its report, with the norm of the gradient, which is in the first of `gradients`, or stays on the
 * device. */
hn_status train_batch_run(hn_trainer *trainer, hn_train_report *report, hn_error *error);

#endif
