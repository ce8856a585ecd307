/* row_rank.c - see row_rank.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/row_rank.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 100 };
static const double CONVERGED = 1e-9;

static double dot(const double *a, const double *b, size_t count) {
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < count; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* ---- factorisation ---- */

static void scale_rows(struct row_rank *f) {
    for (size_t i = 0; i < f->rows; i++) {
        double *row = f->a + i * f->columns, length = 0;
        for (size_t j = 0; j < f->columns; j++)
            length = hypot(length, row[j]);
        for (size_t j = 0; j < f->columns && length > 0; j++)
            row[j] /= length;
        f->length[i] = length;
        f->left[i] = length > 0;
        f->pivot[i] = i;
    }
}

/* The position in the order of the longest remaining row; ties go to the first row. */
static size_t longest(const struct row_rank *f) {
    size_t best = f->rank;
    for (size_t k = f->rank; k < f->rows; k++) {
        double gain = f->left[f->pivot[k]] - f->left[f->pivot[best]];
        if (gain > 1e-12 || (gain >= -1e-12 && f->pivot[k] < f->pivot[best]))
            best = k;
    }
    return best;
}

/* Moves it to the front; the others keep their order. */
static size_t row_rank_take(struct row_rank *f, size_t k) {
    size_t row = f->pivot[k];
    memmove(f->pivot + f->rank + 1, f->pivot + f->rank, (k - f->rank) * sizeof *f->pivot);
    f->pivot[f->rank] = row;
    return row;
}

static void row_rank_eliminate(struct row_rank *f, size_t row) {
    double *q = f->a + row * f->columns, *r = f->triangle + f->rank * f->rows, size = sqrt(dot(q, q, f->columns));
    memset(r, 0, f->rows * sizeof *r);
    for (size_t j = 0; j < f->columns; j++)
        q[j] /= size;
    r[row] = size;
    for (size_t k = f->rank + 1; k < f->rows; k++) {
        size_t i = f->pivot[k];
        double *other = f->a + i * f->columns, part = dot(q, other, f->columns);
        for (size_t j = 0; j < f->columns; j++)
            other[j] -= part * q[j];
        r[i] = part;
        f->left[i] = sqrt(dot(other, other, f->columns));
    }
}

void row_rank_factor(struct row_rank *f, double tolerance) {
    size_t most = f->rows < f->columns ? f->rows : f->columns;
    f->rank = 0;
    scale_rows(f);
    while (f->rank < most) {
        size_t k = longest(f);
        if (f->left[f->pivot[k]] <= tolerance)
            return;
        row_rank_eliminate(f, row_rank_take(f, k));
        f->rank++;
    }
}

/* ---- solving with the triangle T = R over the pivots: T(k, l) = R(k, pivot l), upper ---- */

static double entry(const struct row_rank *f, size_t k, size_t l) {
    return f->triangle[k * f->rows + f->pivot[l]];
}

static void row_rank_solve(const struct row_rank *f, double *v) {
    for (size_t k = f->rank; k-- > 0;) {
        for (size_t l = k + 1; l < f->rank; l++)
            v[k] -= entry(f, k, l) * v[l];
        v[k] /= entry(f, k, k);
    }
}

static void solve_transposed(const struct row_rank *f, double *v) {
    for (size_t k = 0; k < f->rank; k++) {
        v[k] /= entry(f, k, k);
        for (size_t l = k + 1; l < f->rank; l++)
            v[l] -= entry(f, k, l) * v[k];
    }
}

void row_rank_combine(const struct row_rank *f, size_t j, double *coefficient) {
    for (size_t k = 0; k < f->rank; k++)
        coefficient[k] = f->triangle[k * f->rows + j];
    row_rank_solve(f, coefficient);
}

/* ---- singular values: power iteration with A A' = D P R' R P' D, and with the inverse of D_p T' T D_p ---- */

static double normalise(double *v, size_t count) {
    double size = sqrt(dot(v, v, count));
    for (size_t i = 0; i < count && size > 0; i++)
        v[i] /= size;
    return size;
}

/* Pseudorandom positive numbers. */
static void row_rank_begin(double *v, size_t count) {
    for (size_t i = 0; i < count; i++)
        v[i] = 1 + (double)((i * 2654435761u) % 1024) / 1024;
    normalise(v, count);
}

double row_rank_largest(const struct row_rank *f) {
    double *v = f->work, *scaled = f->work + f->rows, square = 0, before = 0;
    row_rank_begin(v, f->rows);
    for (int n = 0; n < ITERATIONS && (n < 2 || square > before * (1 + CONVERGED)); n++) {
        before = square;
        for (size_t i = 0; i < f->rows; i++)
            scaled[i] = f->length[i] * v[i];
        memset(v, 0, f->rows * sizeof *v);
        for (size_t k = 0; k < f->rank; k++) {
            const double *r = f->triangle + k * f->rows;
            double part = dot(r, scaled, f->rows);
            for (size_t i = 0; i < f->rows; i++)
                v[i] += part * r[i];
        }
        for (size_t i = 0; i < f->rows; i++)
            v[i] *= f->length[i];
        square = normalise(v, f->rows);
    }
    return sqrt(square);
}

double row_rank_smallest(const struct row_rank *f) {
    double *v = f->work, inverse = 0, before = 0;
    row_rank_begin(v, f->rank);
    for (int n = 0; n < ITERATIONS && (n < 2 || inverse > before * (1 + CONVERGED)); n++) {
        before = inverse;
        for (size_t k = 0; k < f->rank; k++)
            v[k] /= f->length[f->pivot[k]];
        solve_transposed(f, v);
        row_rank_solve(f, v);
        for (size_t k = 0; k < f->rank; k++)
            v[k] /= f->length[f->pivot[k]];
        inverse = normalise(v, f->rank);
    }
    return inverse > 0 ? 1 / sqrt(inverse) : 0;
}
