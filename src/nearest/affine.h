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

#include "core/active_set_layout.h"
#include "nearest/nearest_plan.h"

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

/* At an answer: what is left of the optimality conditions there, f evaluated anew (*cost); it goes into kkt, too. 0: the goal is the
 * distance. */
double affine_goal_after(const struct affine *affine, double *memory, const double *x, struct affine_sample *sample,
                         double *slope, double *cost);

/* ---- one sample ---- */

void affine_solve(const struct affine *affine, double *memory, struct affine_sample *sample);

#endif
