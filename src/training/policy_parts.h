/* policy_parts.h - what a policy is made of, and the stages that one chunk of inputs goes through; the trainer shares them.
 *
 * A chunk is a fixed number of inputs that one thread takes at a time, with K candidates each: all first candidates, then all
 * second ones, ... Chunks know nothing of each other.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TRAINING_POLICY_PARTS_H
#define HN_TRAINING_POLICY_PARTS_H

#include "base/thread_pool.h"
#include "cuda/device_policy.h"
#include "hardnet/policy.h"
#include "model/fingerprint_parts.h"
#include "nn/improver.h"
#include "nn/perceptron.h"

enum { CHUNK = IMPROVE_CHUNK }; /* inputs at most, and in training always */

/* Memory of one thread, for one chunk. */
struct policy_memory {
    const hn_policy *owner;
    struct perceptron_memory *perceptron;
    struct refine_memory
        refine; /* the layer's workspace and the loss's memory are always there; the rest where it refines */
    struct explore_memory beyond; /* where it improves */
    void *head;                   /* of the head, aligned */
    hn_head_note *notes;          /* of the head, on each sample */
    double *x;                    /* inputs, once per candidate */
    double *raw, *y;              /* network's and corrected outputs */
    double *objective;            /* of y */
    double *residual;             /* |r|, 2-norm */
    hn_report *reports;           /* of y */
    double *value;                /* by which the best candidate is chosen */
    size_t *best;                 /* sample of each input */
    void *block;
};

struct hn_policy {
    const hn_model *model;
    const hn_network *network;
    hn_network *owned; /* the network, when it came from a file; else NULL */
    hn_policy_options options;
    size_t inputs, outputs;
    size_t width;    /* outputs of the network per candidate: all, or the head's */
    hn_layer *layer; /* one without steps where it does not correct: it judges */
    bool corrects;   /* by its layer */
    bool has_objective;
    struct loss loss;       /* when there is an objective */
    bool refines;           /* now or for a trainer */
    bool improves;          /* for a trainer */
    struct refiner refiner; /* when it refines */
    hn_device_options device_options;
    struct device_policy *device; /* NULL: the CPU */
    struct thread_pool *thread_pool;
    struct policy_memory *memory; /* one per member */
    /* the present job */
    const double *job_x;
    size_t job_count, job_size;
    double *out_y, *out_objective;
    hn_report *out_reports;
    size_t *out_chosen;
};

/* What a policy is made from; NULL options are the defaults. */
struct policy_request {
    const hn_model *model;
    const hn_network *network;
    const hn_policy_options *options;
    bool improves; /* for a trainer that does: there is a refiner whatever the options say */
};

hn_status policy_create(hn_policy **out, const struct policy_request *request, hn_error *error);

/* The layer of a policy: the one that is asked for, or one without steps that judges. */
hn_layer_options policy_layer(const hn_policy_options *options);

/* Whether a head makes sense for a model with so many outputs. */
hn_status head_check(const hn_head *head, size_t outputs, hn_error *error);

/* What a file calls what becomes of raw outputs. */
const char *policy_scheme(const hn_policy_options *options);

hn_status policy_memory_create(hn_policy *policy, hn_error *error);
void policy_memory_release(hn_policy *policy);

struct chunk {
    const hn_policy *policy;
    struct policy_memory *memory;
    size_t first, count; /* inputs */
    size_t samples;      /* inputs times candidates; the input of sample s is s % count */
};

/* Chunk `number` of a batch of `total` inputs, `size` a chunk. */
struct chunk chunk_of(const hn_policy *policy, struct policy_memory *memory, size_t number, size_t size, size_t total);

/* Network: raw outputs, one row per sample, of the batch's inputs x; 0 in columns that it does not give. */
void chunk_network(const struct chunk *chunk, const double *x);

/* Layer: y and reports. */
void chunk_correct(const struct chunk *chunk, hn_layer *layer, void *tape, void *workspace);

/* The same by the head, with its tape or NULL. And the way back from gradients by y to those by the raw outputs. */
void chunk_map(const struct chunk *chunk, void *tape);
void chunk_map_back(const struct chunk *chunk, void *tape, const double *grad_y, double *grad_raw);

/* By whichever of the two is the policy's own. */
void chunk_outputs(const struct chunk *chunk);

/* Objective and residual at the rows of y, and with a gradient that of the weighted loss. */
static const struct loss_weights OBJECTIVE_ONLY = {0, 0};
void chunk_objective(const struct chunk *chunk, const double *y, double *objective, double *gradient,
                     struct loss_weights weights);

/* The objective at y, by itself: the same bits, sooner. */
void chunk_cost(const struct chunk *chunk);

/* The samples of the chunk, for a refiner. */
struct refine_task chunk_samples(const struct chunk *chunk);

/* The best candidate of every input: ok before not ok, then the smallest value. */
void chunk_choose(const struct chunk *chunk, const double *values);

/* From one row per sample to one row per input, candidates side by side, in the columns that the network gives. */
void chunk_gather(const struct chunk *chunk, const double *samples, double *rows);

/* ---- its file: what it says of the model (policy_model.c) ---- */

enum { POLICY_MODEL_TEXTS = 2, POLICY_MODEL_TEXT = 512 };

struct policy_model_texts {
    char text[POLICY_MODEL_TEXTS][POLICY_MODEL_TEXT];
};

extern const char policy_model_keys[POLICY_MODEL_TEXTS][16];

bool policy_model_is_key(const char *key);
hn_status policy_model_write(const hn_model *model, struct policy_model_texts *texts, hn_error *error);
hn_status policy_model_check(const hn_model *model, const hn_network *network, const char *path, hn_error *error);

/* ---- on a device ---- */

hn_status policy_device_create(hn_policy *policy, const hn_layer_options *layer, hn_error *error);

/* Where it refines and the device does not, candidates come back to the CPU for that. */
hn_status policy_device_run(hn_policy *policy, const struct device_policy_run *run, hn_error *error);

#endif
