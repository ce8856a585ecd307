/* affine.h - the nearest point, or the optimum of a quadratic objective, under affine constraints: a dual active-set
 * method.
 *
 *     minimise d' H d / 2 + g' d   subject to  bl <= c + J d <= bu,       H positive definite; H and J are numbers
 *
 * With d = H^-1 (J' l - g) the constraints are c - J H^-1 g + M l, M = J H^-1 J'. M, the inverse of its equality block,
 * and the Schur complement for the inequalities are computed once. A sample starts at the solution under its
 * equalities, adds the most violated constraint to the active set, and drops constraints whose multiplier would get the
 * wrong sign: the dual method of Goldfarb and Idnani, "A numerically stable dual method for solving strictly convex
 * quadratic programs", 1983. It ends after finitely many changes, at the unique solution or with infeasibility. The
 * last iterations start from a fresh evaluation of c + J d, which removes rounding errors.
 *
 * Input: a plan with affine constraints. Output per sample: a solution with its KKT residual, or failure. Scalar
 * doubles, one sample at a time, sums in a fixed order: the same bits everywhere.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_AFFINE_H
#define HN_NEAREST_AFFINE_H

#include "core/nearest_layout.h"
#include "core/nearest_state.h"
#include "nearest/nearest_plan.h"

/* Call affine_release also after a failure. */
hn_status affine_create(struct affine *affine, const struct nearest_plan *plan, const hn_model *model, hn_error *error);
void affine_release(struct affine *affine);

/* ---- the goal is the model's objective ---- */

/* Size of the workspace in doubles, 64-byte aligned; initialise it once. 0: the goal is the distance. */
size_t affine_goal_numbers(const struct affine *affine);
void affine_goal_begin(const struct affine *affine, double *memory);

/* ---- one sample ---- */

/* With the model's objective as goal, its gradient is evaluated before and after. Whether the result is certified. */
bool affine_find(const struct affine *affine, const struct affine_memory *memory, const double *x,
                 struct affine_sample *sample, struct nearest_sample *result);

#endif
