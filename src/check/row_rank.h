/* row_rank.h - linearly dependent rows of a small dense matrix A, and the range of its singular values.
 *
 * Rows are scaled to length 1, so that units do not matter, and orthogonalised, the longest remaining one first
 * (modified Gram-Schmidt with pivoting). A row whose remainder is nearly 0 depends on those before it.
 *
 *     D^-1 A = (Q R P')',    D the lengths of the rows, R by steps and rows, P the order
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_ROW_RANK_H
#define HN_CHECK_ROW_RANK_H

#include <stddef.h>

/* All memory is provided by the caller. */
struct row_rank {
    size_t rows, columns;
    double *a;        /* rows x columns; overwritten */
    double *length;   /* rows: D */
    double *left;     /* rows: remaining length of each, 0 to 1 */
    double *triangle; /* min(rows, columns) x rows: R */
    double *work;     /* 2 rows */
    size_t *pivot;    /* rows: the pivots that express the others, `rank` of them, then the others in ascending order */
    size_t rank;
};

/* Computes length, left, triangle, pivot and rank; a row is dependent if its remainder is at most the tolerance. */
void row_rank_factor(struct row_rank *f, double tolerance);

/* Row j of D^-1 A as a combination of the pivots: rank coefficients. */
void row_rank_combine(const struct row_rank *f, size_t j, double *coefficient);

/* Estimates of the largest singular value of A (a lower bound) and of the smallest nonzero one (of its independent
 * rows). */
double row_rank_largest(const struct row_rank *f);
double row_rank_smallest(const struct row_rank *f);

#endif
