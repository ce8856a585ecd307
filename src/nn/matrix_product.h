/* matrix_product.h - a product of dense matrices, as a task for a backend.
 *
 *     C (rows x columns) = start + A (rows x inner) B (inner x columns)
 *
 * The sum of an element begins with its start and goes on over `inner` in ascending order; every product is rounded before it
 * is added. So its bits depend on its own row of A, its own column of B and its own start, and on nothing else.
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

/* Where element (i, j) of a matrix that is only read stands: at[i * row + j * column]. Transposing exchanges the two strides. */
struct matrix_view {
    const double *at;
    size_t row, column;
};

struct matrix_product {
    size_t rows, columns, inner;
    struct matrix_view a, b; /* b is read fastest when one of its strides is 1 */
    double *c;               /* row by row, apart from A, B and the row it starts from */
    size_t c_row;            /* from one row to the next */
    enum matrix_start start;
    const double *first; /* the row for MATRIX_FROM_ROW */
};

/* count numbers z through an activation, and the gradient back through it; z, a and the gradients may be one array. */
struct activation_task {
    hn_activation kind;
    size_t count;
    const double *z;
    const double *gradient; /* of a; for the backward pass only */
    double *out;            /* a, or the gradient of z */
};

/* Layer normalisation of rows of neurons, and the gradient back through it (normalize.h). */
struct normalize_task {
    size_t rows, width;
    double *z;        /* rows x width: normalised in place; for the way back what came of that, which is only read */
    double *inverse;  /* rows: r */
    double *gradient; /* rows x width, in place; for the backward pass only */
};

#endif
