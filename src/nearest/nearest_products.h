/* nearest_products.h - the Hessian of the Lagrangian from Hessian-vector products, when its entries one by one are too
 * many nodes.
 *
 * Input: a model. Output: the sparsity pattern of sigma Hess f + sum_i lambda_i Hess c_i, groups of structurally
 * orthogonal columns (Curtis, Powell, Reid, "On the estimation of sparse Jacobian matrices", 1974), and a program for
 * the product with a vector t: with t = 1 on the columns of a group it yields all their entries. The pattern has an
 * entry (j, k) if df/dy_j, or the constraints' part of the gradient, depends on y_k. The typical case is norms of
 * affine forms over all outputs: as many products as outputs, each a few times the cost of the constraints.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_PRODUCTS_H
#define HN_NEAREST_PRODUCTS_H

#include "autodiff/program_spec.h"
#include "core/nearest_layout.h"

hn_status nearest_products_create(struct nearest_products *products, const hn_model *model, bool optimal, bool split,
                                  uint32_t stride, hn_error *error);
void nearest_products_release(struct nearest_products *products);

#endif
