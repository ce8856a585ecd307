/* complex_step_replay.h - the steps of one sample once more, over 80-bit complex numbers, with the layer's decisions.
 *
 * In come a layer, a batch of one sample that it was run on, and the sample's tape: the iterates, their eps and which
 * steps were clipped. What was decided at an iterate is worked out from plain values there: which rows are violated and
 * from which side, which ones auto holds or leaves for later, whether eps follows |W r|. The steps themselves, and with
 * them all derivatives, are computed anew by plain_layer.h; with the decisions fixed they are smooth, on either side of
 * a kink that an iterate happens to lie on.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_COMPLEX_STEP_REPLAY_H
#define HN_TESTS_COMPLEX_STEP_REPLAY_H

#include "hardnet/layer.h"
#include "support/plain_layer.h"

/* What was decided at an iterate. */
struct choice {
    double eps;
    bool follows; /* eps = beta |W r|, and has a derivative */
    bool clipped;
    double *weights;           /* rows; 0: left out */
    const double *y, *y_after; /* the layer's iterates, before and after */
};

struct replay {
    const struct plain_layer *plain;
    const hn_layer *layer;
    const double *x, *raw;
    const double *first;              /* the layer's first iterate */
    int attempt;                      /* 0, or the number of the restart that led to the result */
    size_t steps, following;          /* counts of steps: all, ones whose eps follows |W r| */
    size_t clipped;                   /* entries that steps of the last run left on a bound */
    double condition;                 /* the largest squared entry of A over eps, over all steps */
    struct choice *choices;           /* steps */
    double *scales;                   /* rows: at the first iterate */
    double *lower, *upper;            /* rows: bounds as the layer has them */
    signed char *sides;               /* steps x rows: 1 above and equalities, -1 below, 0 between */
    long double complex *at_x, *at_y; /* where a run begins; at_y becomes where it ends */
};

/* The batch has one sample, x, y_raw, y and a tape; everything stays the caller's and must live on. */
struct replay replay_of(const struct plain_layer *plain, const hn_layer *layer, const hn_batch *batch);
void replay_release(struct replay *replay);

/* To x and y_raw; seeds are then added to imaginary parts. */
void replay_begin(struct replay *replay);

/* All steps, each from the layer's own iterate, so that roundings of one do not count in the next. Returns how far the
 * end of a step lies from the layer's at most, relative to sqrt(1 + |y|^2). */
double replay_run(struct replay *replay);

#endif
