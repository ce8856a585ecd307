/* dense_no_lapack.c - stands in for the yardstick where OpenBLAS is not installed. See dense.h.
 *
 * SPDX-License-Identifier: MIT */
#include "dense.h"

#include <math.h>

const char *dense_lapack_name(void) {
    return NULL;
}

double dense_lapack_seconds(const struct dense_problem *problem, const struct dense_path *path) {
    (void)problem, (void)path;
    return NAN;
}

double dense_lapack_product(const struct dense_problem *problem) {
    (void)problem;
    return NAN;
}
