/* nearest_plan.h - what the search for the nearest point evaluates and solves, made once from a model.
 *
 *     minimise |S (y - y_raw)|^2 / 2   subject to  bl <= c(y) <= bu
 *
 * In comes a model; out go one program (c, bl, bu, J, the Hessian of sum_i lambda_i c_i), the system of its optimality conditions
 *
 *     [ H + delta   J' ] [ d  ]
 *     [ J          -W  ] [ -l ],      H = S^2 - sum_i l_i Hess c_i,
 *
 * and the offsets of everything in a thread's memory. Outputs that are fixed stand in no entry of the system. A plan is constant and
 * never sees a sample. Offsets count doubles; a slot is `stride` of them, one per sample that goes side by side.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_PLAN_H
#define HN_NEAREST_PLAN_H

#include "autodiff/program.h"
#include "linalg/signed_system.h"
#include "nearest/nearest_products.h"

/* What is to be made small. */
struct nearest_goal {
    bool optimal;          /* the model's objective, which it has; else the distance, */
    const double *weights; /* S, one per output; NULL: all 1 */
    bool by_products;      /* the Hessian's entries are known to be too many for the program */
    double tolerance;      /* of rows, and */
    bool relative;         /* whether it is relative, as in hn_layer_options */
    bool split; /* of f: without the kinks that can be split (autodiff/split.h); plan->program stays NULL where
                            * there are none */
};

/* products: where the entries of the Hessian come from; NULL: they are in the program, and HN_LIMIT says that they are too
 * many for that. */
hn_status nearest_plan_create(struct nearest_plan *plan, const hn_model *model, const struct nearest_goal *goal,
                              const struct nearest_products *products, uint32_t stride, hn_error *error);
void nearest_plan_release(struct nearest_plan *plan);

/* Constants and zeros into memory of plan->bytes, 64-byte aligned. */
void nearest_plan_prepare(const struct nearest_plan *plan, double *memory);

#endif
