/* loss.h - the model's objective and the size of what is still violated, with their gradient by y, over lanes.
 *
 *     f(x, y) + size |r(y)| + square |r(y)|^2          2-norm; the gradient of |r| is J' r / |r|, and 0 where r vanishes
 *
 * In comes a model with an objective; out goes a program that any number of threads may run, each in memory of its own.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TRAINING_LOSS_H
#define HN_TRAINING_LOSS_H

#include "backends/backend.h"
#include "base/arena.h"
#include "hardnet/model.h"

struct loss {
    struct backend backend;
    struct program *program;
    struct arena arena;
    size_t inputs, outputs, rows;
    uint32_t x, y, multiplier;                 /* places of leaves */
    uint32_t objective;                        /* place of f */
    uint32_t *value, *lower, *upper;           /* places of each row */
    uint32_t *gradient_place, *gradient_entry; /* of f, by y */
    uint32_t *pull_place, *pull_entry;         /* of g' c, by y */
    size_t gradient_count, pull_count;
    size_t bytes; /* of memory for one thread */
};

hn_status loss_create(struct loss *loss, const hn_model *model, hn_error *error);
void loss_release(struct loss *loss);

/* One sample: what goes in and comes out. */
struct loss_sample {
    const double *x, *y;
    double *gradient; /* by y; NULL: not wanted */
    double objective; /* minimised */
    double residual;  /* |r|, 2-norm */
};

struct loss_weights {
    double size, square;
};

/* Samples at most LANES; memory of loss->bytes, 64-byte aligned and begun once by loss_begin. */
void loss_begin(const struct loss *loss, double *memory);
void loss_run(const struct loss *loss, double *memory, struct loss_sample *samples, size_t count,
              struct loss_weights weights);

#endif
