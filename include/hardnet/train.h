/* hardnet/train.h - trains networks through the layer: objective of the corrected output, exact gradients, Adam.
 *
 *     loss = f(x, y) + residual_weight |r(y)| + move_weight |y - y_raw|^2,    y = layer(x, y_raw),  y_raw = network(x)
 *
 * or, with targets, |y - target|^2 in place of f. A network with n times K outputs gives K candidates; each is corrected, the
 * best is kept: ok before not ok, then the smallest loss. Batches are cut into fixed chunks whose gradients are added in
 * order: the same bits on any number of threads. A sample whose gradient is not finite is dropped and counted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_TRAIN_H
#define HARDNET_TRAIN_H

#include "hardnet/layer.h"
#include "hardnet/network.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_trainer hn_trainer;

typedef struct hn_train_options {
    hn_layer_options layer; /* the correction that training goes through; few iterations */
    hn_layer_options final; /* the one that outputs get in the end */
    size_t candidates;      /* K */
    hn_real others;         /* weight of the candidates that are not the best, so that none dies */
    int refine;             /* steps along the constraints that lower the objective, after the layer; training takes
                             * their result for its own, without differentiating them */
    hn_real residual_weight, move_weight;
    hn_real inward;      /* share of a bound's gradient that a raw output beyond it gets, where that leads back inside;
                          * through the layer alone it would get none */
    hn_real improve;     /* above 0: instead of all that, draw y_raw towards the refined y with this weight */
    hn_real clip_sample; /* largest norm of one sample's gradient by y_raw; 0: none */
    hn_real clip_batch;  /* largest norm of a batch's gradient by the weights; 0: none */
    hn_real rate;        /* of Adam, after the warm-up, falling along a cosine to rate * last_share */
    hn_real last_share;
    int warmup, steps; /* steps to the full rate; in all */
    int threads;       /* 0: one per core */
} hn_train_options;

/* What one step, or one evaluation, did: means over the samples that count. */
typedef struct hn_train_report {
    size_t samples, ok, dropped;
    hn_real loss, objective; /* f as it is minimised */
    hn_real residual;        /* |r|, 2-norm, mean; */
    hn_real violation;       /* largest max |r| of a corrected output */
    hn_real moved;           /* |y - y_raw|^2, mean */
    hn_real gradient;        /* norm by the weights, before clipping */
    hn_real steps;           /* of the layer, mean */
} hn_train_report;

hn_train_options hn_train_defaults(void);

/* The network is the caller's; its outputs number K times those of the model. Steps change its parameters. */
hn_status hn_trainer_create(hn_trainer **out, const hn_model *model, hn_network *network,
                            const hn_train_options *options, hn_error *error);
void hn_trainer_destroy(hn_trainer *trainer);

/* One step of Adam on count inputs (rows of x), with targets (rows of y) or NULL. */
hn_status hn_trainer_step(hn_trainer *trainer, size_t count, const hn_real *x, const hn_real *targets,
                          hn_train_report *report, hn_error *error);

/* Corrected outputs with the final settings: count x outputs, and what is wanted of the rest (NULL: nothing). */
hn_status hn_trainer_apply(hn_trainer *trainer, size_t count, const hn_real *x, hn_real *y, hn_real *objective,
                           hn_report *reports, hn_error *error);

/* The state beside the weights, for checkpoints: both moments of Adam (as many numbers as the network has), steps done. */
hn_real *hn_trainer_moment(hn_trainer *trainer, int which); /* 0 or 1 */
int hn_trainer_steps(const hn_trainer *trainer);
void hn_trainer_set_steps(hn_trainer *trainer, int steps);

#ifdef __cplusplus
}
#endif

#endif
