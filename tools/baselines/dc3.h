/* dc3.h - the correction of DC3 (Donti, Rolnick, Kolter 2021): outputs completed by the equalities, inequalities by gradient steps.
 *
 *     z_0 from the network, y_k = (z_k, w(z_k)) completed (completion_lanes.h)
 *     V(z) = |r(y)|^2 over the rows that are not solved,   s_k = rate V'(z_k) + momentum s_(k-1),   z_(k+1) = z_k - s_k
 *
 * until those rows hold within the tolerance, or the steps are used up. The gradient goes back through every step: V''(z) times a
 * vector is one product with second derivatives and three systems. What is held constant: which rows are violated, when a sample
 * ends, and that Newton's method is not quite at its limit.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASELINES_DC3_H
#define HN_BASELINES_DC3_H

#include "baselines/completion.h"

struct dc3_settings {
    int steps;
    double rate, momentum;
    double tolerance; /* what counts as held */
    bool relative;
};

struct dc3_sample {
    const double *x;
    double *raw;          /* outputs: the network's in the independent columns; completed, when it comes back */
    double *y;            /* outputs: corrected */
    double *tape;         /* steps x outputs: y before each step; NULL: no gradient is wanted */
    int steps;            /* that were taken */
    bool completed;       /* raw could be */
    double before;        /* max |r| of the completed raw output; infinite when it could not be */
    const double *grad_y; /* for the way back: by y, */
    double *grad_raw;     /* and by raw, 0 but in the independent columns */
};

/* Samples in memory that completion_begin has seen. One that cannot be completed keeps the model's starts in its
 * dependent outputs; one that cannot be completed again after a step ends before that step. */
void dc3_run(const struct completion *completion, double *slots, const struct dc3_settings *settings,
             struct dc3_sample *samples, size_t count);

/* The same samples after dc3_run, with gradients by y. 0 for what could not be completed. */
void dc3_gradient(const struct completion *completion, double *slots, const struct dc3_settings *settings,
                  struct dc3_sample *samples, size_t count);

#endif
