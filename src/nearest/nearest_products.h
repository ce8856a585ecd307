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

#include "backends/backend.h"
#include "program/recipe.h"

struct product_entry {
    uint32_t row, entry; /* of the result, and in the pattern */
};

struct nearest_products {
    struct program *program; /* NULL: there is none */
    uint32_t stride;
    size_t bytes, outputs, rows, inputs;
    uint32_t x, y, sigma, lambda, t; /* offsets of leaves */
    uint32_t *result;                /* offsets, by output; the program's zero slot where there is none */
    size_t *first;                   /* outputs + 1: the lower triangle by rows, */
    uint32_t *column;                /* with the diagonal; columns ascending */
    size_t groups;
    size_t *group_first; /* groups + 1: columns of each group */
    uint32_t *member;    /* columns */
    size_t *entry_first; /* groups + 1: entries that each gives */
    struct product_entry *entries;
    bool objective;
    struct arena arena;
};

hn_status nearest_products_create(struct nearest_products *products, const hn_model *model, bool optimal,
                                  uint32_t stride, hn_error *error);
void nearest_products_release(struct nearest_products *products);

/* Where the plan has what the products need, and the first of the entries that are written; offsets in its memory. */
struct product_places {
    double *memory;
    uint32_t x, y, sigma, lambda, entries;
};

/* All entries for all samples side by side. own: memory of products->bytes, in which program_prepare was called. */
void nearest_products_run(const struct nearest_products *products, const struct backend *backend, double *own,
                          const struct product_places *places);

#endif
