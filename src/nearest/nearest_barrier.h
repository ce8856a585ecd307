/* nearest_barrier.h - one sample's interior-point method: every number and decision between the evaluations and the solves.
 *
 *     minimise |S (y - y_raw)|^2 / 2 - mu sum log s   subject to  c - s = bl,  c + s = bu  (each side of an inequality), c = b
 *
 * is solved to an accuracy that follows mu, and mu falls. Newton's step in y, the slacks s, the forces z (s z = mu) and the multipliers is
 * one solve with the plan's system, W = 1 / sum of z/s. A weight w on (new - old multiplier) keeps W above 0 on equalities, and where
 * rows depend on each other: the proximal method of multipliers. delta makes the number of positive pivots that of the outputs. The
 * length of a step keeps s and z positive and lowers the merit function
 *
 *     |S (y - y_raw)|^2 / 2 - mu sum log s + nu (sum of what the equations above lack, rows in units of their gradients);
 *
 * where it does not, a second step that corrects what the first one left is tried, then shorter ones. Everything is measured against the
 * distance at the start, so that units do not matter. Sources: Waechter, Biegler, "On the implementation of an interior-point filter
 * line-search algorithm", 2006 (start, mu, delta, second-order correction); Byrd, Gilbert, Nocedal, "A trust region method based on
 * interior point techniques", 2000 (merit function and nu).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_BARRIER_H
#define HN_NEAREST_BARRIER_H

#include "nearest/nearest_plan.h"

enum nearest_doing {
    NEAREST_IDLE,
    NEAREST_DESCENDS, /* steps of the interior-point method */
    NEAREST_POLISHES  /* steps of nearest_polish.h */
};

/* Pairs of what the equations lacked and of the barrier's objective that steps must not come back to. */
enum { FILTER_PAIRS = 32 };
struct nearest_filter {
    double phi;       /* the barrier's objective now, counted from where mu got its value */
    double most, few; /* what the equations may lack at most; where steps are judged by the objective */
    size_t count;
    double lack[FILTER_PAIRS], objective[FILTER_PAIRS];
};

struct nearest_state {
    enum nearest_doing doing;
    bool filters;                 /* steps are judged by the filter, not by the merit function */
    struct nearest_filter filter; /* of f */
    double down;                  /* how the barrier's objective changes along the step */
    double taken;                 /* its change along what is tried, */
    double leaves;                /* and what the equations lack there */
    double first_mu, mu;          /* of the barrier */
    double scale, slope;          /* |y - y_raw| and the largest entry of S^2 (y - y_raw) at the start; of f 1 */
    double energy;                /* |S (y - y_raw)|^2 there; of f its size */
    double start_cost;            /* f where the search began first, */
    double kept_cost;             /* and where the best y is */
    double delta, damped;         /* on H; what it was when it was last above 0 */
    double penalty;               /* nu */
    double largest;               /* multiplier, as rows_rest has it */
    double lack;                  /* sum of what the equations lack, */
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
};

/* How much each row is damped: w. */
static inline double row_damping(const struct nearest_view *v, size_t i) {
    double norm = *view_row(v, ROW_NORM, i);
    return 0x1p-44 * norm * norm / *view_number(v, NUMBER_CURVATURE);
}

/* What stands on the diagonal of H besides: where f is flat in an output, its pivot would be 0. */
static inline double proximal(const struct nearest_view *v) {
    return v->plan->optimal ? 0x1p-30 * *view_number(v, NUMBER_CURVATURE) : 0;
}

/* The unit of row i and its gradient's norm in it, of J as it was evaluated. */
void barrier_measure_row(const struct nearest_view *v, size_t i);

/* After c and J were evaluated at COLUMN_Y: slacks, forces, mu. */
void barrier_begin(const struct nearest_view *v, struct nearest_state *s);

/* What the equations lack, slope and rest at the iterate; the largest of these relative to the start. */
double barrier_errors(const struct nearest_view *v, struct nearest_state *s);

/* A smaller mu while the errors allow it. */
void barrier_lower_mu(const struct nearest_view *v, struct nearest_state *s);

/* Diagonal and right-hand side; the right-hand side of the second step. */
void barrier_assemble(const struct nearest_view *v, const struct nearest_state *s);
void barrier_right(const struct nearest_view *v, const struct nearest_state *s);

/* After the solve: how rows move, nu, the longest length; false where the step is not finite or leads nowhere. */
bool barrier_direction(const struct nearest_view *v, struct nearest_state *s);

/* The same after the second step was solved for, s->way being 1. */
void barrier_second(const struct nearest_view *v, struct nearest_state *s);

/* Writes where the step leads into the program's y. */
void barrier_try(const struct nearest_view *v, const struct nearest_state *s);

/* After c was evaluated there. */
enum barrier_verdict {
    BARRIER_SETTLED, /* the length is found */
    BARRIER_SHORTER, /* another length is to be tried */
    BARRIER_SECOND,  /* the second step is to be solved for, its gaps are there */
    BARRIER_FAILED   /* there is none */
};
enum barrier_verdict barrier_judge(const struct nearest_view *v, struct nearest_state *s);

/* Moves to where the step leads. */
void barrier_accept(const struct nearest_view *v, struct nearest_state *s);

#endif
