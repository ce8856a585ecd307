/* nearest_products.h - the Hessian of the Lagrangian by products with it, where its entries one by one are too many nodes.
 *
 * In comes a model; out go the pattern of sigma Hess f + sum_i lambda_i Hess c_i, groups of its columns of which no row has two (Curtis,
 * Powell, Reid, "On the estimation of sparse Jacobian matrices", 1974), and a program for the product with a vector t: with t = 1 on
 * the columns of a group it gives every entry in them. A pattern lists an entry (j, k) where df/dy_j, or the rows' part of it, has y_k in
 * it. Norms of affine forms over all outputs are the case in mind: as many products as outputs, each a few times the work of the rows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_PRODUCTS_H
#define HN_NEAREST_PRODUCTS_H

#include "autodiff/program_spec.h"
#include "core/nearest_layout.h"
#include "cpu/backend.h"

hn_status nearest_products_create(struct nearest_products *products, const hn_model *model, bool optimal, bool split,
                                  uint32_t stride, hn_error *error);
void nearest_products_release(struct nearest_products *products);

/* All entries for all samples side by side. own: memory of products->bytes, in which program_prepare was called. */
void nearest_products_run(const struct nearest_products *products, const struct backend *backend, double *own,
                          const struct product_places *places);

#endif
