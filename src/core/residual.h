/* residual.h - the residual of one row, as losses and baselines use it, on the processor and on a device.
 *
 *     r = max(0, c - bu) - max(0, bl - c)
 *
 * A value or a bound that is not a number gives a residual that is not a number, never 0: the sample is dropped from the loss.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_RESIDUAL_H
#define HN_CORE_RESIDUAL_H

static double residual_of(double c, double lower, double upper) {
    if (!(c <= upper))
        return c - upper;
    return lower <= c ? 0 : c - lower;
}

#endif
