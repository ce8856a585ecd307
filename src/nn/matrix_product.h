/* matrix_product.h - a product of dense matrices, as a task for a backend.
 *
 *     C (rows x columns) = start + A (rows x inner) B (inner x columns)
 *
 * An element's sum begins with its start and runs over `inner` in ascending order; every product is rounded before it
 * is added. So its bits depend only on its row of A, its column of B and its start.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_MATRIX_PRODUCT_H
#define HN_NN_MATRIX_PRODUCT_H

#include "hardnet/network.h"

enum matrix_start {
    MATRIX_FROM_ZERO,
    MATRIX_FROM_ROW, /* every row of C starts from the same row */
    MATRIX_ONTO_C
};

/* A read-only matrix: element (i, j) is at[i * row + j * column]. Transposing swaps the strides. */
struct matrix_view {
    const double *at;
    size_t row, column;
};

struct matrix_product {
    size_t rows, columns, inner;
    struct matrix_view a, b; /* b is fastest when one of its strides is 1 */
    double *c;               /* row-major; must not overlap A, B or `first` */
    size_t c_row;            /* from one row to the next */
    enum matrix_start start;
    const double *first; /* the row for MATRIX_FROM_ROW */
};

/* An activation of count numbers z, or its gradient; z, a and the gradients may be one array. */
struct activation_task {
    hn_activation kind;
    size_t count;
    const double *z;
    const double *gradient; /* with respect to a; for the backward pass only */
    double *out;            /* a, or the gradient with respect to z */
};

/* Layer normalisation of rows of neurons, or its gradient (normalize.h). */
struct normalize_task {
    size_t rows, width;
    double *z;        /* rows x width: normalised in place; in the backward pass the normalised values, read only */
    double *inverse;  /* rows: r */
    double *gradient; /* rows x width, in place; for the backward pass only */
};

#endif
