/* precision.h - constants of the decisions that depend on precision and range.
 *
 * A float has 24 bits: rounding errors are 2^29 times those of double, their square roots 2^14.5 times, and all values, squares
 * included, must stay within 2^-126 .. 2^127. Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_PRECISION_H
#define HN_CORE_PRECISION_H

#include "base/real.h"

#ifdef REAL_SINGLE
#define PRECISION_OF(of_double, of_float) REAL(of_float)
#else
#define PRECISION_OF(of_double, of_float) REAL(of_double)
#endif

/* Splits a number at its leading bit: 2^(p-1) + 1 and 1 - 2^-p for p bits. */
SAMPLE_CONSTANT real SAMPLE_SPLIT = PRECISION_OF(0x1p52, 0x1p23) + 1;
SAMPLE_CONSTANT real SAMPLE_BELOW_ONE = 1 - PRECISION_OF(0x1p-53, 0x1p-24);

/* Numbers beyond these are scaled by the factor before they are split. */
SAMPLE_CONSTANT real SAMPLE_SMALL = PRECISION_OF(0x1p-900, 0x1p-60);
SAMPLE_CONSTANT real SAMPLE_LARGE = PRECISION_OF(0x1p900, 0x1p60);
SAMPLE_CONSTANT real SAMPLE_INSIDE = PRECISION_OF(0x1p600, 0x1p50);

/* An accepted step that leaves more than this share of |W r|^2 is no progress; in short attempts of auto. */
SAMPLE_CONSTANT real SAMPLE_SLOW = 1 - PRECISION_OF(0x1p-40, 0x1p-16);
SAMPLE_CONSTANT real SAMPLE_SLOW_AUTO = 1 - PRECISION_OF(0x1p-20, 0x1p-12);
SAMPLE_CONSTANT real SAMPLE_LEAST_PIVOT = PRECISION_OF(1e-13, 1e-5); /* relative to the largest, without damping */

/* |J' r| / (|J| |r|) below which a point counts as stationary; the smaller bound, where steps no longer change y. */
SAMPLE_CONSTANT real SAMPLE_STATIONARY = PRECISION_OF(1e-8, 1e-4);
SAMPLE_CONSTANT real SAMPLE_STATIONARY_STUCK = PRECISION_OF(1e-6, 1e-3);
SAMPLE_CONSTANT real SAMPLE_REACH =
    PRECISION_OF(0x1p30, 0x1p15); /* largest distance of a reachable point, in units of max(1, |y|) */

SAMPLE_CONSTANT real SAMPLE_LEAST_EPS = PRECISION_OF(0x1p-46, 0x1p-20);
SAMPLE_CONSTANT real SAMPLE_LEAST_EPS_OUTPUTS =
    PRECISION_OF(0x1p-30, 0x1p-14); /* the condition of A' A + eps I may reach 1 / eps */

#endif
