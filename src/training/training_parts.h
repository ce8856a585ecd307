/* training_parts.h - the structs of a policy and of a trainer, and the stages of one chunk of inputs, which they share.
 *
 * A chunk is a fixed number of inputs, the unit of work of a thread, with K candidates each: all first candidates, then
 * all second ones, ... Chunks are independent.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TRAINING_TRAINING_PARTS_H
#define HN_TRAINING_TRAINING_PARTS_H

#include "base/thread_pool.h"
#include "core/train_loss.h"
#include "cuda/device_policy.h"
#include "hardnet/policy.h"
#include "hardnet/train.h"
#include "model/fingerprint_parts.h"
#include "nn/network_parts.h"
#include "nn/refiner.h"

#include <string.h>

#define POLICY_PREFIX "policy." /* of the keys of settings in a file */

enum { CHUNK = IMPROVE_CHUNK }; /* maximum number of inputs; training always uses it */

/* Workspace of one thread, for one chunk. */
struct policy_memory {
    struct perceptron_memory perceptron;
    struct refine_memory refine;
    void *head;          /* of the head, aligned */
    hn_head_note *notes; /* of the head, per sample */
    double *value;       /* criterion for the best candidate */
};

struct hn_policy {
    const hn_model *model;
    const hn_network *network;
    hn_network *owned; /* the network if loaded from a file; else NULL */
    hn_policy_options options;
    size_t inputs, outputs;
    size_t width;    /* outputs of the network per candidate: all, or the head's */
    hn_layer *layer; /* without steps, for evaluation only, unless the policy corrects with it */
    bool corrects;   /* with the layer */
    bool has_objective;
    bool improves; /* for a trainer */
    struct refiner refiner;
    hn_device_options device_options;
    struct device_policy *device; /* NULL: the CPU */
    struct thread_pool *thread_pool;
    struct policy_memory *memory; /* one per thread */
    void *block;                  /* of all memory */
    /* the present job */
    struct device_policy_run job;
    size_t *job_chosen; /* number of the best candidate, unless NULL */
    size_t job_size;    /* inputs of a chunk */
};

/* Arguments of the creation; NULL options are the defaults. */
struct policy_request {
    const hn_model *model;
    const hn_network *network;
    const hn_policy_options *options;
    bool improves; /* for the loss `improve`: creates a refiner for any options */
};

hn_status policy_create(hn_policy **out, const struct policy_request *request, hn_error *error);

/* The layer of a policy: the requested one, or one without steps for evaluation. */
hn_layer_options policy_layer(const hn_policy_options *options);

/* The name of the correction (policy.scheme) in a file. */
const char *policy_scheme(const hn_policy_options *options);

/* Arguments of a device that runs the policy with this layer. */
struct device_policy_request policy_on_device(const hn_policy *policy, const hn_layer_options *layer);

hn_status policy_memory_create(hn_policy *policy, hn_error *error);

struct chunk {
    const hn_policy *policy;
    struct policy_memory *memory;
    size_t first, count;    /* inputs */
    struct samples samples; /* inputs times candidates; the input of sample s is s % count */
    size_t *best;           /* sample of each input */
};

/* Chunk `number` of a batch of `total` inputs, `size` a chunk. */
struct chunk chunk_of(const hn_policy *policy, struct policy_memory *memory, size_t number, size_t size, size_t total);

/* Network: raw outputs, one row per sample, for the batch's inputs x; 0 in columns that it does not compute. */
void chunk_network(const struct chunk *chunk, const double *x);

/* Layer: y and reports. */
void chunk_correct(const struct chunk *chunk, hn_layer *layer, void *tape, void *workspace);

/* The same through the head, with its tape or NULL. Then the backward pass, from gradients with respect to y to those
 * with respect to the raw outputs. */
void chunk_map(const struct chunk *chunk, void *tape);
void chunk_map_back(const struct chunk *chunk, void *tape, const double *grad_y, double *grad_raw);

/* Objective and residual at the rows of y, and optionally the gradient of the weighted loss. Without residual the
 * objective alone: the same bits, faster. */
void chunk_objective(const struct chunk *chunk, double *residual, double *gradient, struct loss_weights weights);

/* The best candidate of every input: ok before not ok, then the smallest value. */
void chunk_choose(const struct chunk *chunk, const double *values);

/* From one row per sample to one row per input, with contiguous candidates, in the columns that the network
 * computes. */
void chunk_gather(const struct chunk *chunk, const double *samples, double *rows);

/* Whether a text of a file with this key is a setting of a policy. */
static inline bool policy_is_setting(const char *key) {
    return strncmp(key, POLICY_PREFIX, sizeof POLICY_PREFIX - 1) == 0;
}

/* ---- training ---- */

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

/* Runs the present job. Returns its report, with the norm of the gradient; the gradient is in the first of `gradients`,
 * or stays on the device. */
hn_status train_batch_run(hn_trainer *trainer, hn_train_report *report, hn_error *error);

#endif
