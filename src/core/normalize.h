/* normalize.h - layer normalisation of one sample: Ba, Kiros, Hinton, "Layer normalization", 2016, without gains and shifts.
 *
 *     n = (z - mean) r,   r = 1 / sqrt(variance + 1e-5);   back: dL/dz = r (g - mean(g) - n mean(g n)),  g = dL/dn
 *
 * Sums run in ascending order. Emitted files and devices use the same text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NORMALIZE_H
#define HN_CORE_NORMALIZE_H

#include "base/real.h"

/* Normalises in place; returns r. */
SHARED_FUNCTION real normalize(real *z, size_t count) {
    real sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += z[i];
    real mean = sum / (real)count;
    for (size_t i = 0; i < count; i++) {
        z[i] -= mean;
        squares += z[i] * z[i];
    }
    real r = REAL(1.0) / real_sqrt(squares / (real)count + REAL(1e-5));
    for (size_t i = 0; i < count; i++)
        z[i] *= r;
    return r;
}

/* The gradient, g in place. */
SHARED_FUNCTION void normalize_back(const real *n, size_t count, real r, real *g) {
    real sum = 0, along = 0;
    for (size_t i = 0; i < count; i++) {
        sum += g[i];
        along += g[i] * n[i];
    }
    real mean = sum / (real)count, slope = along / (real)count;
    for (size_t i = 0; i < count; i++)
        g[i] = r * (g[i] - mean - n[i] * slope);
}

#endif
