/* node_matrices.h - matrices of derivative nodes as tests want them: made or failed, looked up by place, checked for form.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_NODE_MATRICES_H
#define HN_TESTS_SUPPORT_NODE_MATRICES_H

#include "autodiff/derivatives.h"

/* derivatives_jacobian, derivatives_hessian_block and derivatives_weights with derivatives_contract; the test fails when they do,
 * or when the matrix has no proper form: row starts rising, columns ascending within range, no entry the constant 0. Entries
 * that are numbers become nodes. */
struct node_matrix jacobian_of(struct graph *graph, const uint32_t *nodes, size_t count, enum space space,
                               size_t columns);
struct node_matrix hessian_of(struct problem *problem);

struct product_form {
    bool multipliers, second_pair;
};
struct node_matrix product_of(struct graph *graph, const struct node_matrix *matrix, struct product_form form,
                              enum space space, size_t columns);

/* The node at a place, 0 where the pattern has none; its value in a list of all values, 0 likewise. */
uint32_t matrix_node(const struct node_matrix *matrix, size_t row, size_t column);
double matrix_value(const struct node_matrix *matrix, size_t row, size_t column, const double *values);
long double matrix_long(const struct node_matrix *matrix, size_t row, size_t column, const long double *values);

/* |value - expected| <= tolerance, which no NaN is; what and which name the culprit. */
void check_close(long double value, long double expected, long double tolerance, const char *what, size_t which);

#endif
