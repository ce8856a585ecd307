/* dense_models.h - models whose linear system is no list of statements on a device, of every kind that there is.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_DEVICE_DENSE_MODELS_H
#define HN_TESTS_DEVICE_DENSE_MODELS_H

#include "linalg/damped_system.h"

/* Numbers between -1 and 1 that no two rows share. */
#define DENSE_MIXED "((i*i*7 + j*j*j*3 + i*j*5) mod 41 - 20)/20"

struct dense_model {
    const char *name, *text;
    enum factor_kind kind; /* by every method */
};

static const struct dense_model dense_models[] = {
    {"rows that all change",
     "param a >= 1 <= 2; var y{1..26} := 0.4;\n"
     "subject to tie{i in 1..9}: sum{j in 1..26} " DENSE_MIXED " * sin(y[j] + i/7) = a * (i - 5)/9;\n"
     "subject to cap{i in 10..22}: sum{j in 1..26} " DENSE_MIXED " * y[j]^2 <= a - (i mod 3);",
     FACTOR_DENSE},
    {"constant rows and others, some of them sparse",
     "param a >= 1 <= 2; var y{1..70} := 0.4; subject to box{j in 1..6}: -0.5 <= y[j] <= 1.5;\n"
     "subject to tie{i in 1..20}: sum{j in 1..70} " DENSE_MIXED " * y[j] = a * (i - 5)/9;\n"
     "subject to bend{i in 21..30}: sum{j in 1..70} " DENSE_MIXED " * sin(y[j] + i/7) <= a/9;\n"
     "subject to few{i in 31..40}: sum{j in 1..9} " DENSE_MIXED " * y[i + j]^2 >= -a;\n"
     "subject to part{i in 41..60}: sum{j in 5..50} " DENSE_MIXED " * y[j] <= a;",
     FACTOR_TILED},
    {"constant rows, equalities in tridiagonal form",
     "param a{1..30} >= 1 <= 2; var y{1..90} := 0.4;\n"
     "subject to tie{i in 1..30}: sum{j in 1..90} " DENSE_MIXED " * y[j] = a[i] * (i - 5)/9;\n"
     "subject to cap{i in 31..60}: sum{j in 1..90} " DENSE_MIXED " * y[j] <= a[i - 30] - 2;",
     FACTOR_TILED},
};

/* By methods without damping the factor is too full for lists of its products, and a column is kept out. */
static const char walked_model[] =
    "param a >= 1 <= 2; var y{1..1000} := 0.5;\n"
    "subject to tie{i in 1..770}:\n"
    "  sum{k in 1..4} (1 + ((i*k) mod 7)/7) * y[1 + (i*i*(k + 3) + i*k*k*31 + k*17) mod 999]\n"
    "  + y[1 + (i*i*i + 5) mod 997]^2 + y[1000] * (1 + (i mod 3)) <= a * ((i mod 5) - 2);";

#endif
