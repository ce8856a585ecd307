/* hardnet/train.h - trains networks through the layer: objective of the corrected output, exact
 * gradients, Adam.
 *
 * Three losses, of y_raw = network(x) and y = layer(x, y_raw):
 *
 *     objective   f(x, y) + residual_weight |r(y)| + square_weight |r(y)|^2 + move_weight |y - y_raw|^2,
 *                 through the layer's exact adjoint
 *     improve     h(y_raw - y+), y+ = y after `improve` refinement steps, taken as a constant
 *     targets     h(y_raw - target), where targets are given
 *
 * h is Huber's function of the distance in units of the network's output scales: its square up to
 * `huber`, linear beyond.
 *
 * Where a network has K candidates, the best one learns fully, the others with the weight `others`.
 * Batches are cut into fixed chunks whose gradients are added in order: the same bits on any number
 * of threads. A sample whose gradient is not finite is dropped and counted. Through a policy's head
 * (hardnet/head.h) goes the loss `objective` without move_weight; without correction `targets`, too.
 *
 * Still moving: what is here may change in a minor version.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_TRAIN_H
#define HARDNET_TRAIN_H

#include "hardnet/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One call at a time, others return HN_INVALID; a step starts its own threads. */
typedef struct hn_trainer hn_trainer;

typedef struct hn_train_options {
    hn_policy_options policy; /* what outputs get in the end */
    hn_layer_options layer;   /* the correction that the loss `objective` goes through; few iterations */
    int improve;              /* above 0: the loss `improve`, with so many refinement steps */
    hn_real explore; /* above 0: improve also tries, for every input, where the output of another input of the batch
                               * leads, and learns that when it lowers the objective by this share of it */
    hn_real huber;   /* where h turns linear; 0: the square everywhere */
    hn_real others;  /* weight of the candidates that are not the best, so that none stops learning */
    hn_real residual_weight, square_weight, move_weight;
    hn_real inward;      /* share of a bound's gradient that a raw output beyond it gets, where that leads back inside;
                          * through the layer only it would get none */
    hn_real clip_sample; /* of the loss `objective`: largest norm of one sample's gradient by y_raw; 0: none */
    hn_real clip_batch;  /* largest norm of a batch's gradient by the weights; 0: none */
    hn_real rate;        /* of Adam, after the warm-up, falling along a cosine to rate * last_share */
    hn_real last_share;
    int warmup, steps; /* steps to the full rate; in all */
} hn_train_options;

/* What one step did: means over the samples that count. */
typedef struct hn_train_report {
    size_t samples, ok, dropped;
    hn_real loss, objective; /* f as it is minimised */
    hn_real residual;        /* |r|, 2-norm, mean; */
    hn_real violation;       /* largest max |r| of a corrected output */
    hn_real moved;           /* |y - y_raw|^2, mean */
    hn_real gradient;        /* norm by the weights, before clipping */
    hn_real steps;           /* of the layer, mean */
    size_t undefined;        /* dropped samples at whose output a constraint has no value (NaN), */
    size_t undefined_row;    /* and that constraint's row, of the first such sample */
} hn_train_report;

void hn_train_get_defaults(hn_train_options *out);
static inline hn_train_options hn_train_defaults(void) {
    hn_train_options options;
    hn_train_get_defaults(&options);
    return options;
}

/* The network is the caller's; its outputs number K times those of the model. Steps change its
 * parameters. */
hn_status hn_trainer_create(hn_trainer **out, const hn_model *model, hn_network *network,
                            const hn_train_options *options, hn_error *error);
void hn_trainer_destroy(hn_trainer *trainer);

/* One step of Adam on count inputs (rows of x), with targets (rows of y) or NULL. */
hn_status hn_trainer_step(hn_trainer *trainer, size_t count, const hn_real *x, const hn_real *targets,
                          hn_train_report *report, hn_error *error);

/* The same for the loss `improve`, which explores in this step, from starts (rows of y): what is known to be good at
 * similar inputs. Where correction and refinement lead from there to a lower objective, that is learnt. */
hn_status hn_trainer_step_from(hn_trainer *trainer, size_t count, const hn_real *x, const hn_real *starts,
                               hn_train_report *report, hn_error *error);

/* The trainer's network with its final settings: to validate, and to save. Lives as long as the
 * trainer. */
hn_policy *hn_trainer_policy(hn_trainer *trainer);

/* The state beside the weights, for checkpoints: both moments of Adam (as many numbers as the
 * network has), steps done. */
hn_real *hn_trainer_moment(hn_trainer *trainer, int which); /* 0 or 1 */
int hn_trainer_steps(const hn_trainer *trainer);
void hn_trainer_set_steps(hn_trainer *trainer, int steps);

/* ---- where a training begins ---- */

/* count rows of inputs, each from its box (normal around the finite side where a side is infinite),
 * that meet the requirements of the model. They depend on seed and stream only. HN_UNSUPPORTED when
 * none of 1000 rows in a row meets them. */
hn_status hn_sample_inputs(const hn_model *model, uint64_t seed, uint64_t stream, size_t count, hn_real *x,
                           hn_error *error);

/* Shifts and scales of a network, so that its weights work on numbers around 1:
 *
 *     inputs    middle and half width of the box; mean and standard deviation of `data` where it is given
 *     outputs   mean and standard deviation of the corrected starts of the model at the inputs x, the same for all
 *               candidates; at least a share of the distance between an output's bounds or, without them, of what is
 *               usual among outputs of that name and in the model */
typedef struct hn_scaling {
    size_t count;
    const hn_real *x; /* count x inputs; a few hundred */
    size_t data_count;
    const hn_real *data; /* data_count x inputs, or NULL */
    size_t column_count;
    const size_t *columns;         /* which outputs of the model a candidate has (hardnet/head.h); NULL: all */
    const hn_layer_options *layer; /* what corrects the starts; NULL: the defaults */
    int threads;                   /* 0: one per core */
} hn_scaling;

hn_status hn_network_scale(hn_network *network, const hn_model *model, const hn_scaling *scaling, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
