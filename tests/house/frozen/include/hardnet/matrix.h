/* SPDX-License-Identifier: MIT */
#ifndef HARDNET_MATRIX_H
#define HARDNET_MATRIX_H
#include "hardnet/model.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct hn_matrix {
    size_t size;
    size_t rows, columns;
    const hn_real *values;
    size_t leading;
    const size_t *first;
    const uint32_t *column;
} hn_matrix;
hn_expr hn_linear(hn_model *model, size_t count, const hn_real *coefficients, const hn_expr *terms);
void hn_products(hn_model *model, const hn_matrix *matrix, const hn_expr *terms, hn_expr *products);
hn_expr hn_quadratic(hn_model *model, const hn_matrix *matrix, const hn_expr *terms);
void hn_constrain_affine(hn_model *model, const char *name, const hn_matrix *matrix, const hn_expr *terms,
                         const hn_real *lower, const hn_real *upper);
void hn_constrain_affine_between(hn_model *model, const char *name, const hn_matrix *matrix, const hn_expr *terms,
                                 const hn_expr *lower, const hn_expr *upper);
#ifdef __cplusplus
}
#endif
#endif
