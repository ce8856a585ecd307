/* train_loss.h - the losses of hardnet/train.h and their gradients with respect to raw outputs, for one sample; and a
 * step of Adam.
 *
 *     objective           f(y) + w_r |r| + w_s |r|^2 + w_m |y - y_raw|^2      backward through y(y_raw), the layer
 *     targets, improve    Huber's loss of |(y_raw - target) / scale|          backward to y_raw directly
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_TRAIN_LOSS_H
#define HN_CORE_TRAIN_LOSS_H

#include "core/samples.h"

struct train_weights {
    double residual, square, move; /* weights of |r|, |r|^2, |y - y_raw|^2 */
    double inward;                 /* weight of the gradient with respect to the bounds of outputs */
    double huber;                  /* distance from which the loss of targets grows linearly; 0: never */
    double clip;                   /* largest norm of a sample's gradient; 0: any */
    double best, other;            /* weight of the best candidate of an input, and of each other one */
};

/* A batch or a chunk of it; candidate k of input i is sample k * inputs + i. */
struct train_batch {
    struct train_weights weights;
    size_t inputs, outputs, rows;
    struct samples samples;
    size_t *best;                    /* sample of each input */
    double *moved, *total;           /* |y - y_raw|^2; the loss */
    double *grad_y, *grad_raw;       /* with respect to y, to y_raw */
    double *grad_lower, *grad_upper; /* with respect to bounds */
    bool *dropped;                   /* the loss or its gradient is not finite */
    const double *output_scale;      /* of the network: candidates x outputs */
    size_t bounds;                   /* constraints that are bounds of a single output */
    const size_t *bound_row, *bound_column;
};

SHARED_FUNCTION bool train_is_finite(double a) {
    return a - a == 0;
}

/* ---- the loss `objective` ---- */

SHARED_FUNCTION void train_move(const struct train_batch *b, size_t s) {
    const struct samples *m = &b->samples;
    b->moved[s] = samples_squared_distance(m->y + s * b->outputs, m->raw + s * b->outputs, b->outputs);
}

SHARED_FUNCTION void train_total(const struct train_batch *b, size_t s) {
    const struct train_weights *w = &b->weights;
    double r = b->samples.residual[s];
    train_move(b, s);
    b->total[s] = b->samples.objective[s] + w->residual * r + w->square * r * r + w->move * b->moved[s];
}

/* Adds the gradient of w_m |y - y_raw|^2 with respect to y, or to y_raw with sign -1. */
SHARED_FUNCTION void train_pull(const struct train_batch *b, size_t s, double sign, double *gradients) {
    size_t n = b->outputs;
    double factor = sign * 2 * b->weights.move;
    for (size_t j = s * n; j < (s + 1) * n; j++)
        gradients[j] += factor * (b->samples.y[j] - b->samples.raw[j]);
}

/* The layer passes no gradient to a raw output beyond its bound, even if moving it inside would lower the loss. The
 * gradient with respect to the bound shows this: if the loss decreases as the bound moves inwards, that gradient is
 * used. */
SHARED_FUNCTION void train_pull_inside(const struct train_batch *b, size_t s) {
    double *gradient = b->grad_raw + s * b->outputs;
    for (size_t k = 0; k < b->bounds; k++) {
        double lower = b->grad_lower[s * b->rows + b->bound_row[k]];
        double upper = b->grad_upper[s * b->rows + b->bound_row[k]];
        gradient[b->bound_column[k]] += b->weights.inward * ((lower < 0 ? lower : 0) + (upper > 0 ? upper : 0));
    }
}

/* ---- the losses `improve` and `targets`: regression of y_raw on a constant ---- */

/* Huber's loss of the distance, in units of the network's output scales: the gradient is bounded, so that an output
 * between two targets moves to one of them, not to their mean. */
SHARED_FUNCTION void train_regress(const struct train_batch *b, size_t s, const double *target) {
    size_t n = b->outputs;
    const double *raw = b->samples.raw + s * n, *scale = b->output_scale + s / b->inputs * n;
    double squares = 0, huber = b->weights.huber;
    for (size_t j = 0; j < n; j++)
        squares += (raw[j] - target[j]) / scale[j] * ((raw[j] - target[j]) / scale[j]);
    double distance = real_sqrt(squares);
    bool linear = huber > 0 && distance > huber;
    double factor = linear ? 2 * huber / distance : 2;
    b->total[s] = linear ? huber * (2 * distance - huber) : squares;
    for (size_t j = 0; j < n; j++)
        b->grad_raw[s * n + j] = factor * (raw[j] - target[j]) / (scale[j] * scale[j]);
}

/* ---- all losses ---- */

/* to: the gradient of a sample with respect to y_raw, clipped and weighted; 0 if it or the loss is not finite: the
 * sample is dropped. */
SHARED_FUNCTION void train_finish(const struct train_batch *b, size_t s, double *to) {
    const struct train_weights *w = &b->weights;
    const double *gradient = b->grad_raw + s * b->outputs;
    double squares = 0;
    for (size_t j = 0; j < b->outputs; j++)
        squares += gradient[j] * gradient[j];
    bool dropped = !train_is_finite(squares) || !train_is_finite(b->total[s]);
    double norm = real_sqrt(squares), scale = w->clip > 0 && norm > w->clip ? w->clip / norm : 1;
    double weight = scale * (s == b->best[s % b->inputs] ? w->best : w->other);
    for (size_t j = 0; j < b->outputs; j++)
        to[j] = dropped ? 0 : gradient[j] * weight;
    b->dropped[s] = dropped;
}

/* ---- the network's parameters ---- */

SHARED_FUNCTION double train_norm(const double *gradient, size_t count) {
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += gradient[i] * gradient[i];
    return real_sqrt(squares);
}

/* Adam: Kingma, Ba, "Adam: a method for stochastic optimization", 2015. */
struct adam {
    double *parameters, *first, *second; /* moments */
    const double *gradient;
    double scale, rate, first_share, second_share, beta_1, beta_2, eps; /* share: 1 - beta^steps */
};

SHARED_FUNCTION void train_adam(const struct adam *a, size_t i) {
    double g = a->scale * a->gradient[i];
    double m = a->beta_1 * a->first[i] + (1 - a->beta_1) * g;
    double v = a->beta_2 * a->second[i] + (1 - a->beta_2) * g * g;
    a->first[i] = m;
    a->second[i] = v;
    a->parameters[i] -= a->rate * (m / a->first_share) / (real_sqrt(v / a->second_share) + a->eps);
}

#endif
