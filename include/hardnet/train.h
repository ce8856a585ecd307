/* hardnet/train.h - trains networks through the layer: objective of the corrected output, exact
 * gradients, Adam.
 *
 * Three losses, with y_raw = network(x) and y = layer(x, y_raw):
 *
 *     objective   f(x, y) + residual_weight |r(y)| + square_weight |r(y)|^2 + move_weight |y - y_raw|^2,
 *                 through the layer's exact adjoint
 *     improve     h(y_raw - y+), y+ = y after `improve` refinement steps, a constant
 *     targets     h(y_raw - target), if targets are given
 *
 * h is Huber's function of the distance in units of the network's output scales: quadratic up to `huber`, linear
 * beyond.
 *
 * If a network has K candidates, the best one has weight 1, the others the weight `others`. Batches are cut into fixed
 * chunks whose gradients are added in order: the same bits on any number of threads. A sample whose gradient is not
 * finite is dropped and counted. Networks without a layer, for comparison, are trained through hardnet/baselines.h.
 *
 * Unstable: a minor version may change this header.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_TRAIN_H
#define HARDNET_TRAIN_H

#include "hardnet/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One call at a time, concurrent ones return HN_INVALID; a step uses the trainer's threads. */
typedef struct hn_trainer hn_trainer;

typedef struct hn_train_options {
    hn_policy_options policy; /* the final policy */
    hn_layer_options layer;   /* the correction in the loss `objective`; few iterations */
    int improve;              /* above 0: the loss `improve`, with so many refinement steps */
    hn_real explore; /* above 0: improve also refines, for every input, from the output of another input of the batch,
                      * and learns the result if it lowers the objective by this fraction */
    hn_real huber;   /* from which h is linear; 0: quadratic everywhere */
    hn_real others;  /* weight of the candidates that are not the best, so that all keep learning */
    hn_real residual_weight, square_weight, move_weight;
    hn_real inward;      /* fraction of a bound's gradient that is added for a raw output beyond it, if that leads back
                          * inside; through the layer alone it would be 0 */
    hn_real clip_sample; /* for the loss `objective`: maximum norm of one sample's gradient with respect to y_raw; 0:
                          * none */
    hn_real clip_batch;  /* maximum norm of a batch's gradient with respect to the weights; 0: none */
    hn_real rate;        /* of Adam, after the warm-up, decreasing along a cosine to rate * last_share */
    hn_real last_share;
    int warmup, steps; /* steps to the full rate; total steps */
} hn_train_options;

/* The result of one step: means over the samples that were not dropped. */
typedef struct hn_train_report {
    size_t samples, ok, dropped;
    hn_real loss, objective; /* f, minimised */
    hn_real residual;        /* |r|, 2-norm, mean; */
    hn_real violation;       /* largest max |r| of a corrected output */
    hn_real moved;           /* |y - y_raw|^2, mean */
    hn_real gradient;        /* norm with respect to the weights, before clipping */
    hn_real steps;           /* of the layer, mean */
    size_t undefined;        /* dropped samples at whose output a constraint is undefined (NaN), */
    size_t undefined_row;    /* and that constraint's row, for the first such sample */
} hn_train_report;

void hn_train_get_defaults(hn_train_options *out);
static inline hn_train_options hn_train_defaults(void) {
    hn_train_options options;
    hn_train_get_defaults(&options);
    return options;
}

/* The caller owns the network, which has K times the outputs of the model. Steps change its parameters. */
hn_status hn_trainer_create(hn_trainer **out, const hn_model *model, hn_network *network,
                            const hn_train_options *options, hn_error *error);
void hn_trainer_destroy(hn_trainer *trainer);

/* One step of Adam on count inputs (rows of x), with targets (rows of y) or NULL. */
hn_status hn_trainer_step(hn_trainer *trainer, size_t count, const hn_real *x, const hn_real *targets,
                          hn_train_report *report, hn_error *error);

/* The same for the loss `improve`, which explores in this step, from starts (rows of y): good outputs for similar
 * inputs. If correction and refinement lead from there to a lower objective, the result is learnt. */
hn_status hn_trainer_step_from(hn_trainer *trainer, size_t count, const hn_real *x, const hn_real *starts,
                               hn_train_report *report, hn_error *error);

/* The trainer's network with its final settings, to validate and to save. Valid as long as the trainer. */
hn_policy *hn_trainer_policy(hn_trainer *trainer);

/* The state besides the weights, for checkpoints: both moments of Adam (as many numbers as the network has), steps
 * done. */
hn_real *hn_trainer_moment(hn_trainer *trainer, int which); /* 0 or 1 */
int hn_trainer_steps(const hn_trainer *trainer);
void hn_trainer_set_steps(hn_trainer *trainer, int steps);

/* ---- sampling and scaling ---- */

/* Samples count rows of inputs, each from its box (normal around the finite side if a side is infinite), that satisfy
 * the requirements of the model. They depend on seed and stream only. HN_UNSUPPORTED if 1000 consecutive samples are
 * rejected. */
hn_status hn_sample_inputs(const hn_model *model, uint64_t seed, uint64_t stream, size_t count, hn_real *x,
                           hn_error *error);

/* Sets shifts and scales of a network, so that its weights operate on numbers around 1:
 *
 *     inputs    midpoint and half width of the box; mean and standard deviation of `data` if given
 *     outputs   mean and standard deviation of the corrected starts of the model at the inputs x, the same for all
 *               candidates; at least a fraction of the distance between an output's bounds or, without them, of what is
 *               usual among outputs of that name and in the model */
typedef struct hn_scaling {
    size_t count;
    const hn_real *x; /* count x inputs; a few hundred */
    size_t data_count;
    const hn_real *data; /* data_count x inputs, or NULL */
    size_t column_count;
    const size_t *columns;         /* the model outputs of a candidate (hardnet/baselines.h); NULL: all */
    const hn_layer_options *layer; /* corrects the starts; NULL: the defaults */
    int threads;                   /* 0: one per core */
} hn_scaling;

hn_status hn_network_scale(hn_network *network, const hn_model *model, const hn_scaling *scaling, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
