/* residual.h - the residual of one row, in the library and in CUDA kernels; row_values_kernel.h computes the same over SIMD
 * vectors.
 *
 *     r = max(0, c - bu) - max(0, bl - c)
 *
 * NaN values or bounds give a NaN residual, never 0; the sample is dropped from the loss.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_RESIDUAL_H
#define HN_CORE_RESIDUAL_H

#include "base/real.h"

SHARED_FUNCTION double residual_of(double c, double lower, double upper) {
    if (!(c <= upper))
        return c - upper;
    return lower <= c ? 0 : c - lower;
}

#endif
