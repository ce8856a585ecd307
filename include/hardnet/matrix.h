/* hardnet/matrix.h - constraints and objectives in matrix form. Included by hardnet/model.h.
 *
 * A row of a matrix becomes one expression, however many columns it has, whereas a sum of hn_scale creates an
 * expression per entry. Values and derivatives are bitwise those of that sum: terms are added from left to right.
 *
 *     hn_matrix a = {.size = sizeof a, .rows = m, .columns = n, .values = A};          (m x n, by rows)
 *     hn_constrain_affine(model, "limit", &a, y, NULL, b);                             (A y <= b)
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_MATRIX_H
#define HARDNET_MATRIX_H

#include "hardnet/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix of finite numbers, by rows, read during the call only. If first is NULL it is dense: values[i * leading +
 * j]. Else sparse: row i has the entries e from first[i] up to first[i + 1], values[e] in column[e], without duplicate
 * columns. */
typedef struct hn_matrix {
    size_t size; /* sizeof(hn_matrix) */
    size_t rows, columns;
    const hn_real *values;
    size_t leading;         /* distance between rows; 0: columns */
    const size_t *first;    /* rows + 1, from 0 on */
    const uint32_t *column; /* counted from 0 */
} hn_matrix;

/* sum_j coefficients[j] * terms[j]: hn_sum of hn_scale. */
hn_expr hn_linear(hn_model *model, size_t count, const hn_real *coefficients, const hn_expr *terms);

/* products[i] = sum_j matrix(i, j) * terms[j]: terms has one element per column of the matrix, products one per row.
 * After an error the products are not expressions. */
void hn_products(hn_model *model, const hn_matrix *matrix, const hn_expr *terms, hn_expr *products);

/* terms' Q terms / 2 with a square matrix Q, of which only the symmetric part matters. */
hn_expr hn_quadratic(hn_model *model, const hn_matrix *matrix, const hn_expr *terms);

/* Rows lower[i] <= sum_j matrix(i, j) * terms[j] <= upper[i] with the names name[1], name[2], ... If lower or upper is
 * NULL that side is infinite. */
void hn_constrain_affine(hn_model *model, const char *name, const hn_matrix *matrix, const hn_expr *terms,
                         const hn_real *lower, const hn_real *upper);
void hn_constrain_affine_between(hn_model *model, const char *name, const hn_matrix *matrix, const hn_expr *terms,
                                 const hn_expr *lower, const hn_expr *upper);

#ifdef __cplusplus
}
#endif

#endif
