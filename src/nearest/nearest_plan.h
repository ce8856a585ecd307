/* nearest_plan.h - the functions and the system of the search for the nearest point, created once from a model.
 *
 *     minimise |S (y - y_raw)|^2 / 2   subject to  bl <= c(y) <= bu
 *
 * Input: a model. Output: one program (c, bl, bu, J, the Hessian of sum_i lambda_i c_i), the KKT system
 *
 *     [ H + delta   J' ] [ d  ]
 *     [ J          -W  ] [ -l ],      H = S^2 - sum_i l_i Hess c_i,
 *
 * and the layout of a thread's workspace. Fixed outputs have no entries in the system. A plan is constant and
 * independent of samples. Offsets count doubles; a slot is `stride` of them, one per lane.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_PLAN_H
#define HN_NEAREST_PLAN_H

#include "autodiff/program.h"
#include "linalg/signed_system.h"
#include "nearest/nearest_products.h"

/* The objective and its options. */
struct nearest_goal {
    bool optimal;          /* the model's objective, which must exist; else the distance */
    const double *weights; /* S, one per output; NULL: all 1 */
    bool by_products;      /* the Hessian is known to have too many entries for the program */
    double tolerance;      /* of the constraints */
    bool relative;         /* the tolerance is relative, as in hn_layer_options */
    bool split;            /* split the kinks of f (autodiff/split.h); plan->program stays NULL if there are none */
};

/* products: computes the entries of the Hessian. NULL: the program computes them; HN_LIMIT means there are too many. */
hn_status nearest_plan_create(struct nearest_plan *plan, const hn_model *model, const struct nearest_goal *goal,
                              const struct nearest_products *products, uint32_t stride, hn_error *error);
void nearest_plan_release(struct nearest_plan *plan);

/* Writes constants and zeros into a workspace of plan->bytes, 64-byte aligned. */
void nearest_plan_prepare(const struct nearest_plan *plan, double *memory);

/* ---- derivatives with respect to the inputs ----
 *
 * Derivatives of the optimality conditions with respect to the inputs: dc/dx, and d/dx of (sum_i lambda_i dc_i/dy),
 * with the objective d/dx of (sigma df/dy + sum_i lambda_i dc_i/dy). A separate program, run by the gradient but not by
 * the search. Offsets count doubles from the first slot of this program. */
hn_status nearest_inputs_create(struct nearest_inputs *inputs, const hn_model *model, bool optimal, uint32_t stride,
                                hn_error *error);
void nearest_inputs_release(struct nearest_inputs *inputs);

#endif
