/* arithmetic.h - what the decisions compute with besides + - * / and sqrt. Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_SAMPLE_ARITHMETIC_H
#define HN_SAMPLE_ARITHMETIC_H

#include "sample/precision.h"

SAMPLE_FUNCTION bool sample_is_finite(double a) {
    return a - a == 0; /* NaN for what is not */
}

SAMPLE_FUNCTION double sample_greater(double a, double b) {
    return a < b ? b : a;
}

/* The largest power of two that is not above a; 0 for what is not above 0. Four operations, all exact in effect: Rump, "Error
 * estimation of floating-point summation and dot product", 2012. What is near the ends of the range is brought inside first. */
SAMPLE_FUNCTION double sample_power_of_two(double a) {
    double scale = 1;
    if (!(a > 0))
        return 0;
    if (a < SAMPLE_SMALL)
        scale = 1 / SAMPLE_INSIDE;
    else if (a > SAMPLE_LARGE)
        scale = SAMPLE_INSIDE;
    double q = SAMPLE_SPLIT * (a / scale);
    return sample_is_finite(a) ? (q - SAMPLE_BELOW_ONE * q) * scale : a;
}

#endif
