/* policy_parts.h - what a policy is made of, and the stages that one chunk of inputs goes through; the trainer shares them.
 *
 * A chunk is a fixed number of inputs that one thread takes at a time, with K candidates each: all first candidates, then all
 * second ones, ... Chunks know nothing of each other.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TRAINING_POLICY_PARTS_H
#define HN_TRAINING_POLICY_PARTS_H

#include "base/team.h"
#include "hardnet/policy.h"
#include "layer/layer_parts.h"
#include "network/perceptron.h"
#include "training/loss.h"
#include "training/refine.h"

enum { CHUNK = 40 }; /* inputs; five times LANES */

/* Memory of one thread, for one chunk. */
struct policy_memory {
    struct perceptron_memory *perceptron;
    void *workspace;    /* of the layer */
    double *loss;       /* of the loss, aligned */
    double *refine;     /* of the refiner, aligned */
    double *x;          /* inputs, once per candidate */
    double *raw, *y;    /* network's and corrected outputs */
    double *objective;  /* of y */
    double *residual;   /* |r|, 2-norm */
    hn_report *reports; /* of y */
    double *trial;      /* outputs that a refinement tries */
    double *trial_objective;
    hn_report *trial_reports;
    double *multipliers; /* of rows, per sample */
    double *length;      /* of refinement steps, per sample */
    size_t *best;        /* sample of each input */
    void *block;
};

struct hn_policy {
    const hn_model *model;
    const hn_network *network;
    hn_network *owned; /* the network, when it came from a file; else NULL */
    hn_policy_options options;
    size_t inputs, outputs;
    hn_layer *layer;
    bool has_objective;
    struct loss loss;       /* when there is an objective */
    bool refines;           /* now or for a trainer */
    size_t room;            /* samples per input that memory has room for: candidates, and one more for a trainer */
    struct refiner refiner; /* when it refines */
    struct team *team;
    struct policy_memory *memory; /* one per member */
    /* the present job */
    const double *job_x;
    size_t job_count, next;
    double *out_y, *out_objective;
    hn_report *out_reports;
};

/* As hn_policy_create; for a trainer that improves there is a refiner whatever the options say, and room for one more sample per
 * input. */
hn_status policy_create(hn_policy **out, const hn_model *model, const hn_network *network,
                        const hn_policy_options *options, bool improves, hn_error *error);

hn_status policy_memory_create(hn_policy *policy, hn_error *error);
void policy_memory_release(hn_policy *policy);

struct chunk {
    const hn_policy *policy;
    struct policy_memory *memory;
    size_t first, count; /* inputs */
    size_t samples;      /* inputs times candidates; the input of sample s is s % count */
};

/* Chunk `number` of a batch of `total` inputs. */
struct chunk chunk_of(const hn_policy *policy, struct policy_memory *memory, size_t number, size_t total);

/* The same chunk with one sample per input, in the memory behind that of its own samples. */
struct chunk chunk_beyond(const struct chunk *chunk, struct policy_memory *memory);

/* Network: raw outputs, one row per sample, of the batch's inputs x. */
void chunk_network(const struct chunk *chunk, const double *x);

/* Layer: y and reports. */
void chunk_correct(const struct chunk *chunk, hn_layer *layer, void *tape, void *workspace);

/* Objective and residual at the rows of y, and with a gradient that of f + residual_weight |r|. */
void chunk_objective(const struct chunk *chunk, const double *y, double *objective, double *gradient,
                     double residual_weight);

/* So many steps along the constraints, each corrected again and kept where it helps. Needs objectives of y. */
void chunk_refine(const struct chunk *chunk, int steps);

/* The best candidate of every input: ok before not ok, then the smallest value. */
void chunk_choose(const struct chunk *chunk, const double *values);

/* From one row per sample to one row per input, candidates side by side. */
void chunk_gather(const struct chunk *chunk, const double *samples, double *rows);

#endif
