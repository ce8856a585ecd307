/* nearest_samples.h - what goes into a search, a proof and a gradient of nearest.h, and what comes out, for one sample each.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NEAREST_SAMPLES_H
#define HN_CORE_NEAREST_SAMPLES_H

#include "base/real.h"

/* The largest residual of the optimality conditions of a certified sample. */
SHARED_CONSTANT double NEAREST_ENOUGH = 1e-8;

/* Why a search has no certificate; hn_reason (hardnet/layer.h) in the same order. */
enum nearest_reason {
    NEAREST_CERTIFIED,
    NEAREST_NOT_CONVERGED,
    NEAREST_AT_KINK,
    NEAREST_UNBOUNDED,
    NEAREST_UNDEFINED,
    NEAREST_NOT_CONFIRMED,
    NEAREST_STOPPED
};

struct nearest_sample {
    const double *x, *raw; /* inputs, outputs */
    double *y;             /* outputs: in and out */
    double *multipliers;   /* own rows, out: positive at lower bounds; or NULL */
    /* out */
    bool moved;               /* y is another one */
    double objective, before; /* of the goal optimal: f at y, and at the y that came in */
    double kkt;     /* the residual of the optimality conditions at y; infinite where no multipliers are known */
    int programmes; /* interior-point problems: values of mu */
    int factorisations;
    int reason; /* enum nearest_reason */
};

/* Where nothing holds the rows: weights that prove it to first order, as multipliers are: positive at lower bounds, 0 on rows that are no part of it. With them what y is
 * beyond its bounds weighs 1, less what rows that hold have left, and what J' w is lets a step of length d (largest entry) mend at most
 * rest d of it. */
struct nearest_proof {
    const double *x, *y; /* inputs, outputs */
    double *multipliers; /* rows, out */
    double rest;         /* out: the sum of |J' w|; infinite where there are no weights */
};

/* At a certified y with its multipliers: a gradient by both becomes gradients by what they depend on. */
struct nearest_pull {
    const double *x, *y, *multipliers, *grad_y;
    const double *grad_multipliers; /* rows; or NULL */
    double *gradient;               /* outputs, out: by y_raw, 0 of the goal optimal; of fixed outputs by their value */
    double *grad_x;                 /* inputs, out: y_raw, bounds and fixed values held */
    double *grad_lower, *grad_upper; /* rows, out */
    double *grad_weights;            /* outputs, out: by S, where the solution is one; or NULL */
    bool
        regular; /* out: active rows are independent, none is weakly active, and the solution is strict; else the gradient is one of
                   * several, or 0 */
};

#endif
