/* trainer_parts.h - what a trainer is made of.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TRAINING_TRAINER_PARTS_H
#define HN_TRAINING_TRAINER_PARTS_H

#include "hardnet/train.h"
#include "training/policy_parts.h"

/* What one thread needs beside the policy's memory: the way back of one chunk. */
struct learn_memory {
    const hn_trainer *owner;
    void *workspace, *tape;          /* of the layer, or the tape of the head, that the loss goes through */
    double *grad_y, *grad_raw;       /* by y, by y_raw */
    double *grad_lower, *grad_upper; /* by bounds */
    double *targets;                 /* of the loss `improve` */
    double *moved, *total;
    void *block;
};

/* Rows that bound an output by itself. */
struct bound_rows {
    size_t count;
    size_t *row, *column;
};

/* Sums of one chunk, added up in order afterwards. */
struct learn_sums {
    size_t samples, ok, dropped;
    double loss, objective, residual, violation, moved, steps;
    size_t undefined, undefined_row; /* dropped because of an undefined constraint; the row of the first one */
};

/* The sample that was chosen for an input. */
struct learn_sample {
    double total, objective, residual, moved;
    const hn_report *report;
};

/* Adds a sample, unless its loss is not finite. */
void learn_sums_add(struct learn_sums *sums, const struct learn_sample *sample);

/* Counts a dropped sample; undefined where its residual is not a number. */
void learn_sums_drop(struct learn_sums *sums, double residual, const hn_report *report);

struct hn_trainer {
    hn_network *network;
    hn_train_options options;
    size_t inputs, outputs, rows, parameters;
    struct bound_rows bounds; /* of the loss `objective` */
    hn_policy *policy;
    hn_layer *layer;             /* of the loss `objective`; NULL for others, and with a head */
    struct learn_memory *memory; /* one per member of the policy's team */
    double *moments[2];
    double *gradients; /* one per chunk of a batch */
    struct learn_sums *sums;
    size_t chunks; /* that there is room for */
    int steps;
    struct device_policy *device;     /* NULL: the CPU */
    const struct device_batch *batch; /* of a device, while the CPU improves its samples; NULL: it does not */
    /* the present job */
    const double *x, *targets, *starts; /* targets or starts, or neither */
    size_t count;
};

hn_status learn_memory_create(hn_trainer *trainer, hn_error *error);
void learn_memory_release(hn_trainer *trainer);

/* What a device has computed of a batch, for the CPU to go on with: samples as device_policy.h counts them. */
struct device_batch {
    struct device_policy_samples samples;
    double *rows; /* by the network's outputs, for the way back */
};

hn_status trainer_device_create(hn_trainer *trainer, const hn_model *model, hn_error *error);

/* The batch that the trainer has: sums of its chunks, and the norm of the gradient, which stays on the device. */
hn_status trainer_device_batch(hn_trainer *trainer, double *norm, hn_error *error);

/* Chunks of the present job, by the trainer's threads. */
void trainer_share(hn_trainer *trainer);

/* Network, layer, loss and the way back, for one chunk of the present job. */
void learn_chunk(hn_trainer *trainer, int member, size_t number);

#endif
