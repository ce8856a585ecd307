/* nearest_state.h - input and output of a search, a proof and a gradient of nearest.h for one sample, and the state of a search between
 * its evaluations.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NEAREST_STATE_H
#define HN_CORE_NEAREST_STATE_H

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
    bool moved;               /* y has changed */
    double objective, before; /* goal optimal: f at y, and at the initial y */
    double kkt;               /* the residual of the optimality conditions at y; infinite without multipliers */
    int programmes;           /* interior-point problems: values of mu */
    int factorisations;
    int reason; /* enum nearest_reason */
};

/* Weights w that prove, to first order, that no point near y is feasible, with the signs of multipliers: positive
 * at lower bounds, 0 on rows that do not contribute. The weighted violation at y, less the weighted slack of satisfied
 * rows, is 1, and a step of length d (largest entry) reduces it by at most rest d. */
struct nearest_proof {
    const double *x, *y; /* inputs, outputs */
    double *multipliers; /* rows, out */
    double rest;         /* out: the sum of |J' w|; infinite without weights */
};

/* The backward pass at a certified y with its multipliers: from the gradients of both to those of their inputs. */
struct nearest_pull {
    const double *x, *y, *multipliers, *grad_y;
    const double *grad_multipliers; /* rows; or NULL */
    /* out */
    double *gradient; /* outputs: with respect to y_raw, 0 for the goal optimal; to the values of fixed outputs */
    double *grad_x;   /* inputs: y_raw, bounds and fixed values constant */
    double *grad_lower, *grad_upper; /* rows */
    double *grad_weights;            /* outputs: with respect to S, if `regular`; or NULL */
    bool
        regular; /* active rows are independent, none is weakly active, the solution is strict; else one of several gradients, or 0 */
};

/* ---- the state of a search ---- */

enum nearest_phase {
    NEAREST_IDLE,
    NEAREST_DESCENDS, /* steps of the interior-point method */
    NEAREST_POLISHES  /* steps of nearest_newton.h */
};

/* The filter: pairs of residual and barrier objective that steps must improve on. */
enum { FILTER_PAIRS = 32 };
struct nearest_filter {
    double phi;       /* the barrier's objective, relative to its value when mu was set */
    double most, few; /* largest residual of the equations; the residual below which the objective decides */
    size_t count;
    double lack[FILTER_PAIRS], objective[FILTER_PAIRS];
};

struct nearest_state {
    enum nearest_phase phase;
    bool filters;                 /* steps are judged by the filter, not by the merit function */
    struct nearest_filter filter; /* goal optimal */
    double down;                  /* directional derivative of the barrier's objective */
    double taken;                 /* its change at the trial point, */
    double leaves;                /* and the residuals of the equations there */
    double first_mu, mu;          /* barrier parameter */
    double scale, slope;          /* |y - y_raw| and the largest entry of S^2 (y - y_raw) at the start; 1 for f */
    double energy;                /* |S (y - y_raw)|^2 there; for f its size */
    double start_cost;            /* f at the first start, */
    double kept_cost;             /* and at the best y */
    double delta, damped;         /* added to H; its last value above 0 */
    double penalty;               /* nu */
    double largest;               /* largest multiplier, from rows_rest */
    double lack;                  /* sum of the residuals of the equations, */
    double change;                /* and directional derivative of the merit function */
    double length, forces;        /* step lengths: of y and s, and of z */
    double longest;               /* longest first step */
    size_t way;                   /* 1: the second-order correction */
    bool settled;                 /* the step is accepted */
    int failures;                 /* failed line searches */
    int attempt;                  /* 0; restarts: 1 separate step lengths, 2 a smaller mu, 3 (f only) from y_raw */
    int iterations, programmes, factorisations;
    int polish;         /* steps of the present polish */
    double polished;    /* its best residual */
    double polished_mu; /* mu at the last polish */
    double kept;        /* residual of the best y and multipliers so far */
    double best_cost;   /* lowest f at a feasible y, */
    bool led;           /* a step led there: COLUMN_RAY */
    bool unbounded;     /* f is unbounded below along it */
    bool finite;        /* f and its derivatives at the first start are finite */
    double gap;         /* sum of multipliers times distances to their bounds there */
    bool vanishes;      /* the gradient of a row with a multiplier almost vanishes at the best y */
};

#endif
