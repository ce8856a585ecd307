/* refine.h - steps along the constraints that lower the objective, after the layer.
 *
 * With g = grad f, B = the diagonal of Hess f (made positive), A = the rows of J that are active at y:
 *
 *     mu = (A B^-1 A' + delta I)^-1 (A B^-1 g + target),    d = -B^-1 (g - A' mu)
 *
 * that is Newton's step for f on the tangent of the active rows, with the curvature of f alone; target is what is left to the
 * bound. Inequalities whose multiplier has the wrong sign are let go, rows that the step would cross are taken in, and the
 * system is solved again, a few times. y + d then goes through the layer again; it is kept when
 * it is ok and f is lower, else the next step is a quarter as long. In columns scaled by B^-1/2 this is the layer's own system.
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
    size_t inputs, outputs, rows, entries;
    uint32_t x, y, objective;
    uint32_t *value, *lower, *upper;
    size_t *first;                                        /* rows + 1: J by rows */
    uint32_t *column, *entry;                             /* columns and places of J's entries */
    uint32_t *gradient, *curvature;                       /* places per output; 0: the entry is 0 */
    uint32_t matrix, shift, right, unknown, scaled, step; /* places of the system's vectors */
    uint32_t scale, state, target;
    size_t slots, bytes; /* of memory for one thread */
    bool *fixed;         /* outputs that do not move */
};

hn_status refiner_create(struct refiner *refiner, const hn_model *model, hn_error *error);
void refiner_release(struct refiner *refiner);

/* Memory of refiner->bytes, 64-byte aligned, is begun once. */
void refiner_begin(const struct refiner *refiner, double *memory);

/* One sample of a step: y and its objective in, y + length * d out (in y_new). */
struct refine_sample {
    const double *x, *y;
    double *y_new;
    double length;
};

/* At most LANES samples. */
void refiner_step(const struct refiner *refiner, double *memory, const struct refine_sample *samples, size_t count);

#endif
