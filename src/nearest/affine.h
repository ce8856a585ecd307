/* affine.h - the nearest point, or the optimum of a quadratic objective, under affine rows: an active-set method over the multipliers.
 *
 *     minimise d' H d / 2 + g' d   subject to  bl <= c + J d <= bu,       H positive definite; H and J are numbers
 *
 * With d = H^-1 (J' l - g) the rows are c - J H^-1 g + M l, M = J H^-1 J'. M, the inverse of its part of the equalities, and what is left
 * of it for inequalities when these are eliminated, are computed once. A sample then begins at the solution under its equalities, adds
 * the row that is violated most, and takes out rows whose multiplier would get the wrong sign: the dual method of Goldfarb and Idnani, "A
 * numerically stable dual method for solving strictly convex quadratic programs", 1983. It ends after finitely many changes, at the one
 * solution or where there is none. The last rounds begin at c + J d as computed anew, which takes rounding out.
 *
 * In comes a plan whose rows are affine; a sample's answer has a residual that proves it, or is none. Plain doubles, one sample at a time,
 * no sum over entries in any other order: the same bits everywhere.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_AFFINE_H
#define HN_NEAREST_AFFINE_H

#include "nearest/nearest_plan.h"

struct affine {
    bool there; /* the plan is of this kind, and not too large */
    size_t outputs, rows, equalities, inequalities;
    uint32_t *equality, *inequality; /* their rows; equalities that follow from others are in neither */
    bool full;                       /* H is not diagonal */
    double *weight, *inverse; /* outputs: a diagonal H, and 1 / H; 1 and 1 of a full one; 0 where an output is fixed */
    double *hessian, *solved; /* outputs x outputs: a full H and its inverse; zeros where an output is fixed */
    struct program *goal;     /* of the model's objective: f and its derivatives, g; NULL: the distance */
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

/* What was made is released also where it failed. */
hn_status affine_create(struct affine *affine, const struct nearest_plan *plan, const hn_model *model, hn_error *error);
void affine_release(struct affine *affine);

/* ---- the model's objective, where that is the goal ---- */

/* hessian: outputs x outputs, out; quadratic: these are numbers, and the program is there. For affine_create. */
hn_status affine_read_goal(struct affine *affine, const hn_model *model, double *hessian, bool *quadratic,
                           hn_error *error);

/* Memory of so many numbers, 64-byte aligned, is begun once; 0: the goal is the distance. */
size_t affine_goal_numbers(const struct affine *affine);
void affine_goal_begin(const struct affine *affine, double *memory);

/* f at x and y, and its derivatives by y. */
double affine_goal_at(const struct affine *affine, double *memory, const double *x, const double *y, double *slope);

/* ---- one sample ---- */

struct affine_sample {
    const double *start;                 /* outputs: y where c was evaluated, d = 0 */
    const double *slope;                 /* outputs: g; NULL: 0 */
    const double *value, *lower, *upper; /* rows: c, bl and bu there */
    double *y, *multipliers;             /* outputs, rows: out */
    double kkt;                          /* out: the residual as in nearest_polish.h; infinite: there is no answer */
    int rounds, changes;                 /* out: of the active set */
};

void affine_solve(const struct affine *affine, double *memory, struct affine_sample *sample);

#endif
