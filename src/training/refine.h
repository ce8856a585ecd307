/* refine.h - steps along the constraints that lower the objective, after the layer.
 *
 * A step solves the quadratic programme of sequential quadratic programming at y, for LANES samples at once (sparse/barrier.h):
 *
 *     minimise grad f' d + d'Hd/2   subject to  bl <= c + J d <= bu,     H = the diagonal of Hess f - sum_i mu_i Hess c_i
 *
 * mu are the multipliers of the sample's programme before; the first step solves one with the curvature of f alone to get them.
 * The multipliers matter: on the unicycle they carry all the curvature of the heading. H is kept above a share of f's own and is
 * divided by `length`, so that shorter steps turn towards the gradient. y + d then goes through the layer; whoever calls
 * keeps it when it is ok and f is lower, else asks again with a quarter of the length. It is not differentiated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TRAINING_REFINE_H
#define HN_TRAINING_REFINE_H

#include "backends/backend.h"
#include "base/arena.h"
#include "hardnet/layer.h"

struct refiner {
    struct backend backend;
    struct program *program;
    struct arena arena;
    struct damped system;
    struct barrier_task task;
    size_t inputs, outputs, rows, entries;
    uint32_t x, y, sigma, lambda; /* places of leaves */
    uint32_t *value, *lower, *upper;
    size_t *first;                  /* rows + 1: J by rows */
    uint32_t *column, *entry;       /* columns and places of J's entries */
    uint32_t *gradient, *curvature; /* places per output; a slot of zeros where there is none */
    uint32_t own;                   /* place of f's own curvature, one slot per output */
    size_t slots, bytes;            /* of memory for one thread */
    bool *fixed;                    /* outputs that do not move */
};

/* instructions: as in hn_layer_options. */
hn_status refiner_create(struct refiner *refiner, const hn_model *model, hn_instructions instructions, hn_error *error);
void refiner_release(struct refiner *refiner);

/* Memory of refiner->bytes, 64-byte aligned, is begun once. */
void refiner_begin(const struct refiner *refiner, double *memory);

/* One sample of a step: y in, y + d out (in y_new; y itself where no finite step was found). */
struct refine_sample {
    const double *x, *y;
    double *y_new;
    double *multipliers; /* rows; in and out */
    bool known;          /* whether multipliers hold any yet */
    double length;
};

/* At most LANES samples. */
void refiner_step(const struct refiner *refiner, double *memory, const struct refine_sample *samples, size_t count);

#endif
