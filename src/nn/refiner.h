/* refiner.h - refinement: moves corrected outputs along the constraints to a lower objective (core/refine_samples.h);
 * shared by hardnet/refine.h, policies and trainers.
 *
 * A sample never gets worse. A refiner is constant; each thread has its own workspace.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_REFINER_H
#define HN_NN_REFINER_H

#include "base/layout.h"
#include "core/refine_samples.h"
#include "hardnet/layer.h"
#include "nn/loss.h"
#include "nn/refine_plan.h"

enum { REFINE_MOST_STEPS = 1000 };
enum { IMPROVE_CHUNK = 40 }; /* largest group of inputs that explore together; training always uses this size */

struct refiner {
    const hn_layer *layer;
    struct loss loss;        /* if the model has an objective */
    struct refine_plan plan; /* if it refines */
    bool refines;
};

/* The layer must belong to the model and outlive the refiner. Without `refines` it only corrects and evaluates, and the
 * model needs no objective. Released also after a failure. */
hn_status refiner_create(struct refiner *refiner, const hn_model *model, const hn_layer *layer, bool refines,
                         hn_error *error);
void refiner_release(struct refiner *refiner);

/* Workspace of one thread for a fixed number of inputs, with K candidates each: sample k * inputs + i is candidate k of
 * input i. */
struct refine_memory {
    void *workspace;        /* of the layer */
    double *loss;           /* of the loss */
    double *steps;          /* of the plan; this and the next four only if it refines */
    struct samples trial;   /* outputs after a step, and the layer's answer */
    double *multipliers;    /* of rows */
    double *length;         /* of steps */
    struct samples beyond;  /* of exploration, if it improves; one per input */
    double *targets;        /* of improve_run, likewise; one per sample */
    struct samples samples; /* inputs, once per candidate; network's and corrected outputs */
    size_t *best;           /* sample of each input */
};

void refiner_place(struct layout *layout, const struct refiner *refiner, size_t inputs, size_t candidates,
                   bool improves, struct refine_memory *memory);
void refiner_begin(const struct refiner *refiner, const struct refine_memory *memory);

/* Memory for the arrays of so many samples. */
void samples_place(struct layout *layout, struct samples *samples, size_t count, size_t inputs, size_t outputs);

/* The samples as a batch of a layer. */
hn_batch samples_as_batch(const struct samples *samples);

/* Corrects raw outputs with the layer and evaluates f. */
void refiner_correct(const struct refiner *refiner, const struct refine_memory *memory, const struct samples *samples);

/* Refines corrected samples: iterations are summed, `moved` is the distance from raw, and residual, unless NULL, is
 * that of the last trial point. known: the workspace has multipliers of nearby outputs. */
void refiner_run(const struct refiner *refiner, const struct refine_memory *memory, const struct samples *samples,
                 bool known, int steps);

/* Chooses the best candidate of every input. */
void choose_best(const struct candidates *candidates);

/* ---- improved outputs as targets, for the loss `improve` of hardnet/train.h; one chunk of inputs ----
 *
 * Every candidate of an input is corrected and refined. Exploration then refines each input from the output that the
 * network gave for another input of the chunk; if this lowers the objective by the share `explore`, the result becomes
 * the target of the nearest candidate. The caller may supply the starts instead, e.g. good outputs of similar inputs. */

/* Inputs per chunk without exploration, at most IMPROVE_CHUNK: small enough that every thread gets several chunks.
 * Results do not depend on it. */
size_t improve_chunk_size(size_t count, size_t threads);

struct improve_settings {
    int steps;            /* of refinement; exploration adds one */
    double explore;       /* required relative decrease of the objective; 0: no exploration */
    int round;            /* number of the training step: selects when to explore and the distance to the other input */
    const double *starts; /* of exploration, one per input; NULL: outputs for other inputs */
};

/* Whether this round explores, and the distance to the other input. */
bool improve_explores(const struct improve_settings *settings);
size_t improve_distance(const struct improve_settings *settings);

/* Refines corrected samples (of the memory) of so many inputs, chooses the best candidates, and fills targets. */
void improve_run(const struct refiner *refiner, const struct refine_memory *memory, const struct samples *samples,
                 size_t inputs, const struct improve_settings *settings);

#endif
