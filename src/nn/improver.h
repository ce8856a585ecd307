/* improver.h - improved outputs as targets: what the loss `improve` of hardnet/train.h learns, for one chunk of inputs.
 *
 * Every candidate of an input is corrected and refined. Exploration then refines each input from the output that the
 * network gave for another input of the chunk; if this lowers the objective by the share `explore`, the result becomes
 * the target of the nearest candidate. The caller may supply the starts instead, e.g. good outputs of similar inputs. A
 * sample that could not be corrected keeps its raw output as its target, so it teaches nothing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_IMPROVER_H
#define HN_NN_IMPROVER_H

#include "nn/refiner.h"

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
