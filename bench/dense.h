/* dense.h - the parts of the benchmark of full systems: dense.c times the layer, dense_lapack.c is the yardstick
 * (dense_no_lapack.c where OpenBLAS is missing).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BENCH_DENSE_H
#define HN_BENCH_DENSE_H

#include <stddef.h>

/* n rows in n outputs, the first half of them equalities. */
struct dense_problem {
    size_t n;
    double *matrix; /* J, by rows */
    double *upper;  /* n; the lower bounds of equalities, too */
};

/* What a sample went through: the iterates that a step was taken from. */
struct dense_path {
    size_t count, room;
    size_t *rows; /* of each iterate: how many are equalities or violated */
};

/* Ends the program with the sentence. */
void dense_fail(const char *sentence);

/* OpenBLAS and its kernel, in words; NULL: it was not there when this was built. */
const char *dense_lapack_name(void);

/* Seconds of processor time for what LAPACK does on such a path, once J J' is known: at each iterate the products J y and J' z,
 * and a factor and a solution in as many unknowns as rows count there. */
double dense_lapack_seconds(const struct dense_problem *problem, const struct dense_path *path);

/* Seconds for J J' itself. */
double dense_lapack_product(const struct dense_problem *problem);

#endif
