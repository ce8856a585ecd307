/* plain_layer.h - the step of the layer once more, dense and one sample at a time, over 80-bit complex numbers.
 *
 *     y+ = y - A' (A A' + eps I)^-1 W r,   A = W J,   rows with w = 0 with a 1 on the diagonal
 *
 * Written from the equations of docs/method.md; it shares c and J, as graphs, with the layer, and no line of code. The
 * real part judges steps; the imaginary part, started at a tiny number in one entry of x or y, is the derivative by it
 * to the last digit. Which rows are active, and their scales, follow the real parts.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_PLAIN_LAYER_H
#define HN_TESTS_SUPPORT_PLAIN_LAYER_H

#include <complex.h>

#include "autodiff/derivatives.h"

/* Seeds of the imaginary parts: squares vanish, quotients do not. */
#define PLAIN_SEED 1e-400L

struct plain_layer {
    size_t inputs, outputs, rows;
    struct problem problem;
    struct node_matrix jacobian;
};

void plain_layer_create(struct plain_layer *out, const hn_model *model);
void plain_layer_release(struct plain_layer *layer);

/* c, bounds, r and J at a point; lists of the caller's to be freed with plain_rows_release. */
struct plain_rows {
    long double complex *c, *lower, *upper, *r; /* rows */
    long double complex *J;                     /* rows x outputs */
};

struct plain_rows plain_layer_rows(const struct plain_layer *layer, const long double complex *x,
                                   const long double complex *y);
void plain_rows_release(struct plain_rows *rows);

bool plain_is_equality(const struct plain_rows *rows, size_t i);

/* Powers of two, 2^-e for a row whose largest entry of J is 1.f 2^e >= 1, else 1: the scales of lm, at its first
 * iterate. */
void plain_scales(const struct plain_layer *layer, const struct plain_rows *rows, double *scales);

/* One step from y to next; scales NULL: all 1 and every row kept, else violated rows and equalities only. Returns |W
 * r|^2 at y. */
long double plain_step(const struct plain_layer *layer, const struct plain_rows *rows, const double *scales, double eps,
                       const long double complex *y, long double complex *next);

/* The same with every row's weight as it is given (0: the row is left out), and an eps that may have a derivative. */
void plain_weighted_step(const struct plain_layer *layer, const struct plain_rows *rows, const double *weights,
                         long double complex eps, const long double complex *y, long double complex *next);

#endif
