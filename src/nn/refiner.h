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
    double *steps;        /* of the stepper */
    double *loss;         /* initialised by its owner */
    void *workspace;      /* of the layer */
    struct samples trial; /* outputs after a step, and the layer's answer */
    double *multipliers;  /* of rows */
    double *length;
};

/* Lays out all but loss and workspace, which the owner may share. */
void refiner_place(struct layout *layout, const struct refiner *refiner, size_t samples, struct refine_memory *memory);
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

/* ---- improved outputs as targets: what the loss `improve` of hardnet/train.h learns, for one chunk of inputs ----
 *
 * Every candidate of an input is corrected and refined. Exploration then refines each input from the output that the
 * network gave for another input of the chunk; if this lowers the objective by the share `explore`, the result becomes
 * the target of the nearest candidate. The caller may supply the starts instead, e.g. good outputs of similar inputs. */

enum { IMPROVE_CHUNK = 40 }; /* largest group of inputs that explore together; training always uses this size */

/* Inputs per chunk without exploration, at most IMPROVE_CHUNK: small enough that every thread gets several chunks.
 * Results do not depend on it. */
size_t improve_chunk_size(size_t count, size_t threads);

struct improve_settings {
    int steps;      /* of refinement; exploration adds one */
    double explore; /* required relative decrease of the objective; 0: no exploration */
    int round;      /* number of the training step: selects when to explore and the distance to the other input */
};

/* Whether this round explores, and the distance to the other input. */
bool improve_explores(const struct improve_settings *settings, bool from_starts);
size_t improve_distance(const struct improve_settings *settings);

/* Refines the samples of task after refiner_correct, chooses the best candidates, and fills targets. task has samples,
 * among, targets, starts, and in beyond the memory of exploration for IMPROVE_CHUNK inputs. */
void improve_run(const struct refiner *refiner, const struct refine_memory *memory, struct improve_task *task,
                 const struct improve_settings *settings);

#endif
