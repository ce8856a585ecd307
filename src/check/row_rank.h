/* row_rank.h - which rows of a small dense matrix A depend on the others, and how far its singular values spread.
 *
 * Rows are scaled to length 1, so that units play no part, and orthogonalised one after the other, the one that is left longest
 * first (modified Gram-Schmidt with pivoting). A row of which next to nothing is left depends on those before it.
 *
 *     D^-1 A = (Q R P')',    D the lengths of the rows, R by steps and rows, P the order
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_ROW_RANK_H
#define HN_CHECK_ROW_RANK_H

#include <stddef.h>

/* All memory is the caller's. */
struct row_rank {
    size_t rows, columns;
    double *a;        /* rows x columns; overwritten */
    double *length;   /* rows: D */
    double *left;     /* rows: what is left of each, 0 to 1 */
    double *triangle; /* min(rows, columns) x rows: R */
    double *work;     /* 2 rows */
    size_t *pivot; /* rows: those that the others are expressed by, rank of them, then the others in ascending order */
    size_t rank;
};

/* Fills length, left, triangle, pivot and rank; a row depends on others when at most the tolerance is left of it. */
void row_rank_factor(struct row_rank *f, double tolerance);

/* Row j of D^-1 A as a combination of the pivots: rank coefficients. */
void row_rank_combine(const struct row_rank *f, size_t j, double *coefficient);

/* Estimates of the largest singular value of A (from below) and of the smallest one that is not 0 (of its independent rows). */
double row_rank_largest(const struct row_rank *f);
double row_rank_smallest(const struct row_rank *f);

#endif
