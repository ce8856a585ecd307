/* network_task.h - the operations of which the forward and the backward pass of a multilayer perceptron consist, as
 * plain data.
 *
 * nn/perceptron.c makes the sequence of operations. The CPU runs them with the SIMD kernels of nn/, a device with one
 * thread per element (cuda/kernels/policy_kernels.h). Matrices are row-major; rows are samples.
 *
 *     C (rows x columns) = start + A (rows x inner) B (inner x columns)
 *
 * An element's sum begins with its start and runs over `inner` in ascending order; every product is rounded before it
 * is added. So its bits depend only on its row of A, its column of B and its start.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NETWORK_TASK_H
#define HN_CORE_NETWORK_TASK_H

#include "base/real.h"

#ifndef FREESTANDING
#include "hardnet/network.h"
#endif

/* X(name): described at struct network_task. */
#define NETWORK_OPERATION_LIST(X)                                                                                      \
    X(input)                                                                                                           \
    X(output)                                                                                                          \
    X(scale)                                                                                                           \
    X(add)                                                                                                             \
    X(carry)                                                                                                           \
    X(multiply)                                                                                                        \
    X(activate)                                                                                                        \
    X(activate_back)                                                                                                   \
    X(normalize)                                                                                                       \
    X(normalize_back)                                                                                                  \
    X(parameters)

#define NETWORK_ENUMERATE(name) NETWORK_##name,
enum network_operation { NETWORK_OPERATION_LIST(NETWORK_ENUMERATE) NETWORK_OPERATIONS };
#undef NETWORK_ENUMERATE

/* ---- products ---- */

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
    size_t c_row;            /* distance between rows */
    enum matrix_start start;
    const double *first; /* the row for MATRIX_FROM_ROW */
};

/* ---- elements ---- */

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

/* Shifts and scales by column, to = f(from); or sums of two matrices. */
struct element_task {
    size_t rows, width;
    const double *from, *shift, *scale;
    double *to;
    double *carried;
    bool residual;
};

SHARED_FUNCTION void network_input(const struct element_task *t, size_t i, size_t column) {
    t->to[i] = (t->from[i] - t->shift[column]) * t->scale[column];
}

SHARED_FUNCTION void network_output(const struct element_task *t, size_t i, size_t column) {
    t->to[i] = t->shift[column] + t->scale[column] * t->from[i];
}

SHARED_FUNCTION void network_scale(const struct element_task *t, size_t i, size_t column) {
    t->to[i] = t->scale[column] * t->from[i];
}

SHARED_FUNCTION void network_add(const struct element_task *t, size_t i) {
    t->to[i] += t->from[i];
}

/* A residual layer adds the output of the previous layer; `carried` keeps the sum for the next one. */
SHARED_FUNCTION void network_carry(const struct element_task *t, size_t i) {
    if (t->residual)
        t->to[i] += t->carried[i];
    t->carried[i] = t->to[i];
}

/* ---- tasks ---- */

struct network_task {
    enum network_operation operation;
    union {
        struct element_task element;   /* input, output, scale, add, carry */
        struct matrix_product product; /* multiply; parameters: dL/dW += G' H, followed by dL/db += sum of rows of G */
        struct activation_task activation; /* activate, activate_back */
        struct normalize_task normal;      /* normalize, normalize_back */
    } of;
};

#endif
