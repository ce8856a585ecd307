/* normalize.h - layer normalisation of one sample: Ba, Kiros, Hinton, "Layer normalization", 2016, without gains and shifts.
 *
 *     n = (z - mean) r,   r = 1 / sqrt(variance + 1e-5);   back: dL/dz = r (g - mean(g) - n mean(g n)),  g = dL/dn
 *
 * Sums run in ascending order. The text is also that of emitted files and of devices.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NORMALIZE_H
#define HN_CORE_NORMALIZE_H

#include <math.h>
#include <stddef.h>

/* In place; r. */
static inline double normalize(double *z, size_t count) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += z[i];
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        z[i] -= mean;
        squares += z[i] * z[i];
    }
    double r = 1.0 / sqrt(squares / (double)count + 1e-5);
    for (size_t i = 0; i < count; i++)
        z[i] *= r;
    return r;
}

/* g in place. */
static inline void normalize_back(const double *n, size_t count, double r, double *g) {
    double sum = 0, along = 0;
    for (size_t i = 0; i < count; i++) {
        sum += g[i];
        along += g[i] * n[i];
    }
    double mean = sum / (double)count, slope = along / (double)count;
    for (size_t i = 0; i < count; i++)
        g[i] = r * (g[i] - mean - n[i] * slope);
}

#endif
