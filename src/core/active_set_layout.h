/* active_set_layout.h - what affine.h makes and active_set.h walks, as plain data: a device gets it as it is, with its lists moved there.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ACTIVE_SET_LAYOUT_H
#define HN_CORE_ACTIVE_SET_LAYOUT_H

#include "base/arena_memory.h"
#include "base/real.h"

struct program;

struct affine {
    bool there; /* the plan is of this kind, and not too large */
    size_t outputs, rows, equalities, inequalities;
    uint32_t *equality, *inequality; /* their rows; equalities that follow from others are in neither */
    bool full;                       /* H is not diagonal */
    double *weight, *inverse; /* outputs: a diagonal H, and 1 / H; 1 and 1 of a full one; 0 where an output is fixed */
    double *hessian, *solved; /* outputs x outputs: a full H and its inverse; zeros where an output is fixed */
    struct program *goal;     /* of the model's objective: f and its derivatives, g; NULL: the distance */
    size_t goal_inputs;       /* that f depends on, or 0 */
    uint32_t goal_x, goal_y, goal_cost, *goal_slope; /* offsets */
    size_t *first;                                   /* rows + 1: J by rows, without outputs that are fixed */
    uint32_t *column;
    double *number;
    bool *dense;      /* rows whose columns follow each other */
    double *gauge;    /* rows: the largest entry of each, at most 1; multipliers are large in units of it */
    double *columns;  /* outputs x rows: J by columns, */
    double *reach;    /* and H^-1 J' */
    double *solver;   /* equalities x equalities: the inverse of their part of M, */
    double *coupling; /* equalities x inequalities: M between them, */
    double *answer;   /* inequalities x equalities: how multipliers of equalities answer those of inequalities, */
    double *schur;    /* inequalities x inequalities: what is left of M, */
    double *unit;     /* and 1 / the root of its diagonal; 0 where that is lost */
    size_t most;      /* rows that are active at once */
    size_t numbers;   /* of memory for one thread */
    struct arena arena;
};

struct affine_sample {
    const double *start;                 /* outputs: y where c was evaluated, d = 0 */
    const double *slope;                 /* outputs: g; NULL: 0 */
    const double *value, *lower, *upper; /* rows: c, bl and bu there */
    double *y, *multipliers;             /* outputs, rows: out */
    double kkt;                          /* out: the residual as in nearest_newton.h; infinite: there is no answer */
    int rounds, changes;                 /* out: of the active set */
};

#endif
