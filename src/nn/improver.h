/* improver.h - improved outputs as targets: what the loss `improve` of hardnet/train.h learns, for one chunk of inputs.
 *
 * Every candidate of an input is corrected and refined. Exploring then asks of every input where it gets if it starts from what the
 * network gave for another input of the chunk; where that lowers the objective by a share, the candidate that is nearest takes it
 * for its target. The caller may say where to start instead: from what is known to be good at a similar input. A sample that could
 * not be corrected has its raw output for a target: nothing to learn.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_IMPROVER_H
#define HN_NN_IMPROVER_H

#include "nn/refiner.h"

enum { IMPROVE_CHUNK = 40 }; /* inputs that know each other at most, and in training always as many as there are */

/* So many inputs, IMPROVE_CHUNK at most, that every thread gets several chunks of a batch in which inputs do not know each other. No
 * bit depends on it. */
size_t improve_chunk_size(size_t count, size_t threads);

struct improve_settings {
    int steps;      /* of refinement; one more for what exploring finds */
    double explore; /* share of the objective; 0: no exploring */
    int round;      /* number of the training's step: when to explore, and how far away the other input is */
};

/* Whether this round explores, and how far away the other input is. */
bool improve_explores(const struct improve_settings *settings, bool from_starts);
size_t improve_distance(const struct improve_settings *settings);

/* What exploring works in, for IMPROVE_CHUNK inputs; beside a refine_memory for as many. */
struct explore_memory {
    double *raw, *y, *objective, *residual;
    hn_report *reports;
};

void explore_place(struct layout *layout, const struct refiner *refiner, struct explore_memory *memory);

/* Refines the samples of task, as refiner_correct has left them; chooses the best candidates, and fills targets (samples x outputs). */
struct improve_task {
    size_t inputs, candidates;
    struct refine_task samples; /* inputs times candidates, in the order of choose_best */
    size_t *best;               /* inputs */
    double *targets;
    const double
        *starts; /* inputs x outputs: where exploring starts, in this round whatever its number; NULL: elsewhere */
};

void improve_run(const struct refiner *refiner, const struct refine_memory *memory, const struct explore_memory *beyond,
                 const struct improve_task *task, const struct improve_settings *settings);

#endif
