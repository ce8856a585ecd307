/* dense_lapack.c - the yardstick: the same number of steps by a tuned LAPACK on one thread, with J J' known.
 *
 *     H = J J'                 dsyrk, once per model
 *     c = J y,  s = J' z       dgemv, at each iterate
 *     H = L L',  z = H^-1 r    dpotrf and dpotrs, at each iterate, of the rows that count there
 *
 * The rows that count are taken to be the first ones: which they are does not matter for the time.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "dense.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fortran's names, as every LAPACK has them. */
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *a,
            const int *lda, const double *beta, double *c, const int *ldc);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dpotrs_(const char *uplo, const int *n, const int *sides, const double *a, const int *lda, double *b,
             const int *ldb, int *info);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void openblas_set_num_threads(int threads);
char *openblas_get_corename(void);
char *openblas_get_config(void);

static const int ONE = 1;
static const double PLUS = 1, ZERO = 0;

const char *dense_lapack_name(void) {
    static char text[256];
    snprintf(text, sizeof text, "%.180s, kernel %.60s", openblas_get_config(), openblas_get_corename());
    return text;
}

static double *numbers(size_t count) {
    double *memory = calloc(count, sizeof *memory);
    if (!memory)
        dense_fail("out of memory");
    return memory;
}

/* J lies by rows: to Fortran it is J', by columns. */
static void product(const struct dense_problem *problem, double *h) {
    int n = (int)problem->n;
    dsyrk_("L", "T", &n, &n, &PLUS, problem->matrix, &n, &ZERO, h, &n);
    for (size_t i = 0; i < problem->n; i++)
        h[i * problem->n + i] += 1e-6;
}

double dense_lapack_product(const struct dense_problem *problem) {
    double *h = numbers(problem->n * problem->n), begin = 0;
    openblas_set_num_threads(1);
    product(problem, h); /* finds its memory */
    begin = clock_busy_seconds();
    product(problem, h);
    double seconds = clock_busy_seconds() - begin;
    free(h);
    return seconds;
}

static void step(const struct dense_problem *problem, const double *h, double *factor, double *vectors, size_t rows) {
    int n = (int)problem->n, order = (int)rows, info;
    double *y = vectors, *c = vectors + n;
    dgemv_("T", &n, &n, &PLUS, problem->matrix, &n, y, &ONE, &ZERO, c, &ONE);
    for (size_t j = 0; j < rows; j++)
        memcpy(factor + j * rows + j, h + j * problem->n + j, (rows - j) * sizeof *h);
    dpotrf_("L", &order, factor, &order, &info);
    if (info != 0)
        dense_fail("LAPACK finds no factor");
    dpotrs_("L", &order, &ONE, factor, &order, c, &order, &info);
    dgemv_("N", &n, &order, &PLUS, problem->matrix, &n, c, &ONE, &ZERO, y, &ONE);
}

double dense_lapack_seconds(const struct dense_problem *problem, const struct dense_path *path) {
    size_t n = problem->n;
    double *h = numbers(n * n), *factor = numbers(n * n), *vectors = numbers(2 * n);
    openblas_set_num_threads(1);
    product(problem, h);
    for (size_t i = 0; i < 2 * n; i++)
        vectors[i] = 1;
    double begin = clock_busy_seconds();
    for (size_t k = 0; k < path->count; k++)
        step(problem, h, factor, vectors, path->rows[k]);
    double seconds = clock_busy_seconds() - begin;
    free(h);
    free(factor);
    free(vectors);
    return seconds;
}
