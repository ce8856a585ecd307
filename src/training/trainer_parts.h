/* trainer_parts.h - what a trainer is made of.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TRAINING_TRAINER_PARTS_H
#define HN_TRAINING_TRAINER_PARTS_H

#include "base/team.h"
#include "hardnet/train.h"
#include "layer/layer_parts.h"
#include "network/perceptron.h"
#include "training/loss.h"
#include "training/refine.h"

enum { CHUNK = 40 }; /* inputs that one thread takes at a time; five times LANES */

/* Memory of one thread: everything for one chunk of inputs, K candidates each, candidate by candidate. */
struct chunk_memory {
    struct perceptron_memory *perceptron;
    void *workspace, *tape;          /* of the layer */
    double *loss;                    /* of the loss, aligned */
    double *raw, *y;                 /* network's and corrected outputs */
    double *x;                       /* inputs, once per candidate */
    double *grad_y, *grad_raw;       /* by y, by y_raw */
    double *grad_lower, *grad_upper; /* by bounds */
    double *objective, *residual;
    double *moved, *total;
    hn_report *reports;
    double *refine; /* of the refiner, aligned */
    double *length, *refined_objective;
    hn_report *refined;
    size_t *best; /* of each input */
    void *block;
};

/* Sums of one chunk, added up in order afterwards. */
struct chunk_sums {
    size_t samples, ok, dropped;
    double loss, objective, residual, violation, moved, steps;
};

struct hn_trainer {
    const hn_model *model;
    hn_network *network;
    hn_train_options options;
    size_t inputs, outputs, parameters;
    hn_layer *layer, *final;
    struct loss loss;
    struct refiner refiner;
    struct team *team;
    struct chunk_memory *memory; /* one per member */
    double *moments[2];
    double *gradients; /* one per chunk of a batch */
    struct chunk_sums *sums;
    size_t chunks; /* that there is room for */
    int steps;
    /* the present job */
    const double *x, *targets;
    size_t count, next;
    double *out_y, *out_objective;
    hn_report *out_reports;
    bool learning;
};

hn_status trainer_memory_create(hn_trainer *trainer, hn_error *error);
void trainer_memory_release(hn_trainer *trainer);

/* Runs network, layer and loss on one chunk; with learning also the way back. */
void trainer_chunk(hn_trainer *trainer, struct chunk_memory *memory, size_t number);

#endif
