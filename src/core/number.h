/* number.h - constants and operations of decisions, for one sample; SIMD lanes define their own operations before they include it.
 *
 * NUMBER_SELECT evaluates one of its arguments for a single sample and both for lanes. Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NUMBER_H
#define HN_CORE_NUMBER_H

#include "base/real.h"

#ifndef NUMBER
#define NUMBER                    real
#define NUMBER_FLAG               bool
#define NUMBER_FUNCTION           SAMPLE_FUNCTION
#define NUMBER_ALL(value)         (value)
#define NUMBER_LESS(a, b)         ((a) < (b)) /* comparisons are false for NaN */
#define NUMBER_LESS_EQUAL(a, b)   ((a) <= (b))
#define NUMBER_SELECT(flag, a, b) ((flag) ? (a) : (b))
#define NUMBER_SQUARE_ROOT(a)     real_sqrt(a)
#endif

/* A difference of rounded operands, also when the compiler fuses products with sums. */
#ifndef ROUNDED_DIFFERENCE
#define ROUNDED_DIFFERENCE(a, b) ((a) - (b))
#endif

/* ---- constants that depend on precision and range ----
 *
 * A float has 24 bits: rounding errors are 2^29 times those of double, their square roots 2^14.5 times, and all values, squares
 * included, must stay within 2^-126 .. 2^127. */

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

/* In short attempts of auto: an accepted step that leaves more than this share of |W r|^2 counts as no progress. */
SAMPLE_CONSTANT real SAMPLE_SLOW = 1 - PRECISION_OF(0x1p-40, 0x1p-16);
SAMPLE_CONSTANT real SAMPLE_SLOW_AUTO = 1 - PRECISION_OF(0x1p-20, 0x1p-12);
SAMPLE_CONSTANT real SAMPLE_LEAST_PIVOT = PRECISION_OF(1e-13, 1e-5); /* relative to the largest, without damping */

/* |J' r| / (|J| |r|) below which a point counts as stationary; the smaller bound, once steps no longer change y. */
SAMPLE_CONSTANT real SAMPLE_STATIONARY = PRECISION_OF(1e-8, 1e-4);
SAMPLE_CONSTANT real SAMPLE_STATIONARY_STUCK = PRECISION_OF(1e-6, 1e-3);
SAMPLE_CONSTANT real SAMPLE_REACH = PRECISION_OF(0x1p30, 0x1p15); /* largest reachable distance, times max(1, |y|) */

SAMPLE_CONSTANT real SAMPLE_LEAST_EPS = PRECISION_OF(0x1p-46, 0x1p-20);
SAMPLE_CONSTANT real SAMPLE_LEAST_EPS_OUTPUTS = PRECISION_OF(0x1p-30, 0x1p-14); /* condition up to 1 / eps */

/* ---- powers of two ---- */

NUMBER_FUNCTION NUMBER number_split(NUMBER a, NUMBER scale) {
    NUMBER q = NUMBER_ALL(SAMPLE_SPLIT) * (a / scale);
    return ROUNDED_DIFFERENCE(q, NUMBER_ALL(SAMPLE_BELOW_ONE) * q) * scale;
}

/* The largest power of two not above a; 0 unless a > 0. Four operations, exact in effect: Rump, "Error estimation of floating-point
 * summation and dot product", 2012. Numbers near the ends of the range are scaled first. */
NUMBER_FUNCTION NUMBER number_power_of_two(NUMBER a) {
    NUMBER down = NUMBER_SELECT(NUMBER_LESS(NUMBER_ALL(SAMPLE_LARGE), a), NUMBER_ALL(SAMPLE_INSIDE), NUMBER_ALL(1));
    NUMBER scale = NUMBER_SELECT(NUMBER_LESS(a, NUMBER_ALL(SAMPLE_SMALL)), NUMBER_ALL(1 / SAMPLE_INSIDE), down);
    NUMBER_FLAG finite = NUMBER_LESS_EQUAL(ROUNDED_DIFFERENCE(a, a), NUMBER_ALL(0));
    NUMBER whole = NUMBER_SELECT(finite, number_split(a, scale), a);
    return NUMBER_SELECT(NUMBER_LESS(NUMBER_ALL(0), a), whole, NUMBER_ALL(0));
}

#endif
