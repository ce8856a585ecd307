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

/* For the present job. */
struct train_weights learn_weights(const hn_trainer *trainer);
struct improve_settings learn_settings(const hn_trainer *trainer);

struct learn_memory learn_memory_place(struct layout *layout, const hn_trainer *trainer);

/* The sums of the inputs from `first` to `end` of a batch, in order: losses of the best candidates, and samples that
 * were dropped. */
hn_train_report learn_sums(const struct train_batch *batch, size_t first, size_t end);

hn_status trainer_device_create(hn_trainer *trainer, const hn_model *model, hn_error *error);

/* Runs the trainer's batch: sums of its chunks and the norm of the gradient; the gradient stays on the device. */
hn_status trainer_device_batch(hn_trainer *trainer, double *norm, hn_error *error);

/* Runs the chunks of the present job on the trainer's threads. */
void trainer_share(hn_trainer *trainer);

/* Forward and backward pass of network, layer and loss, for one chunk of the present job. */
void learn_chunk(hn_trainer *trainer, int member, size_t number);

#endif
