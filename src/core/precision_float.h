/* precision_float.h - the constants of the decisions (core/precision.h) where numbers are floats.
 *
 * A float has 24 bits: what follows from rounding is 2^29 times as large as for double, its square root 2^14.5 times, and nothing may
 * leave 2^-126 .. 2^127, squares included.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_PRECISION_FLOAT_H
#define HN_CORE_PRECISION_FLOAT_H

SAMPLE_CONSTANT float SAMPLE_SPLIT = 0x1p23f + 1;
SAMPLE_CONSTANT float SAMPLE_BELOW_ONE = 1 - 0x1p-24f;

SAMPLE_CONSTANT float SAMPLE_SMALL = 0x1p-60f;
SAMPLE_CONSTANT float SAMPLE_LARGE = 0x1p60f;
SAMPLE_CONSTANT float SAMPLE_INSIDE = 0x1p50f;

SAMPLE_CONSTANT float SAMPLE_SLOW = 1 - 0x1p-16f;
SAMPLE_CONSTANT float SAMPLE_SLOW_AUTO = 1 - 0x1p-12f;
SAMPLE_CONSTANT float SAMPLE_LEAST_PIVOT = 1e-5f;
SAMPLE_CONSTANT float SAMPLE_STATIONARY = 1e-4f;
SAMPLE_CONSTANT float SAMPLE_STATIONARY_STUCK = 1e-3f;
SAMPLE_CONSTANT float SAMPLE_REACH = 0x1p15f;

SAMPLE_CONSTANT float SAMPLE_LEAST_EPS = 0x1p-20f;
SAMPLE_CONSTANT float SAMPLE_LEAST_EPS_OUTPUTS = 0x1p-14f;
SAMPLE_CONSTANT float SAMPLE_BOLD_EPS = 0x1p-14f;

#endif
