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
    bool moved;               /* y is another one */
    double objective, before; /* of the goal optimal: f at y, and at the y that came in */
    double kkt;     /* the residual of the optimality conditions at y; infinite where no multipliers are known */
    int programmes; /* interior-point problems: values of mu */
    int factorisations;
    int reason; /* enum nearest_reason */
};

/* Near a point without a feasible one: weights w that prove it to first order, with the signs of multipliers: positive at lower bounds, 0 on
 * rows that do not contribute. The weighted violation at y, less the weighted slack of satisfied rows, is 1, and a step of length d (largest
 * entry) reduces it by at most rest d. */
struct nearest_proof {
    const double *x, *y; /* inputs, outputs */
    double *multipliers; /* rows, out */
    double rest;         /* out: the sum of |J' w|; infinite where there are no weights */
};

/* At a certified y with its multipliers: from the gradient with respect to both to those with respect to what they depend on. */
struct nearest_pull {
    const double *x, *y, *multipliers, *grad_y;
    const double *grad_multipliers; /* rows; or NULL */
    /* out */
    double *gradient; /* outputs: with respect to y_raw, 0 of the goal optimal; of fixed outputs to their value */
    double *grad_x;   /* inputs: y_raw, bounds and fixed values constant */
    double *grad_lower, *grad_upper; /* rows */
    double *grad_weights;            /* outputs: with respect to S, where the solution is one; or NULL */
    bool
        regular; /* active rows are independent, none is weakly active, the solution is strict; else one of several gradients, or 0 */
};

/* ---- the state of a search ---- */

enum nearest_phase {
    NEAREST_IDLE,
    NEAREST_DESCENDS, /* steps of the interior-point method */
    NEAREST_POLISHES  /* steps of nearest_newton.h */
};

/* Pairs of what the equations lacked and of the barrier's objective that steps must not come back to. */
enum { FILTER_PAIRS = 32 };
struct nearest_filter {
    double phi;       /* the barrier's objective now, counted from where mu got its value */
    double most, few; /* largest residual of the equations; the one below which the objective decides */
    size_t count;
    double lack[FILTER_PAIRS], objective[FILTER_PAIRS];
};

struct nearest_state {
    enum nearest_phase phase;
    bool filters;                 /* steps are judged by the filter, not by the merit function */
    struct nearest_filter filter; /* of f */
    double down;                  /* how the barrier's objective changes along the step */
    double taken;                 /* its change along what is tried, */
    double leaves;                /* and the residuals of the equations there */
    double first_mu, mu;          /* of the barrier */
    double scale, slope;          /* |y - y_raw| and the largest entry of S^2 (y - y_raw) at the start; of f 1 */
    double energy;                /* |S (y - y_raw)|^2 there; of f its size */
    double start_cost;            /* f where the search began first, */
    double kept_cost;             /* and where the best y is */
    double delta, damped;         /* on H; what it was when it was last above 0 */
    double penalty;               /* nu */
    double largest;               /* multiplier, as rows_rest has it */
    double lack;                  /* sum of the residuals of the equations, */
    double change;                /* and how the merit function changes along the step */
    double length, forces;        /* of the step: in y and s, and in z */
    double longest;               /* that the first step may have */
    size_t way;                   /* 1: the second step */
    bool settled;                 /* a length is found */
    int failures;                 /* steps without one */
    int attempt;                  /* 0; then begun again: 1 lengths of their own, 2 a smaller mu, 3 of f: at y_raw */
    int iterations, programmes, factorisations;
    int polish;         /* steps of the present polish */
    double polished;    /* its best residual */
    double polished_mu; /* where polishing was tried last */
    double kept;        /* residual of the best y and multipliers so far */
    double best_cost;   /* of f: the lowest where the rows were satisfied, */
    bool led;           /* a step has led there: COLUMN_RAY */
    bool unbounded;     /* f falls without end along it */
    bool finite;        /* f and its derivatives, where the search began first */
    double gap;         /* sum of multipliers times distances to their bounds there */
    bool vanishes;      /* a row with a multiplier has hardly a gradient at the best y and multipliers */
};

#endif
