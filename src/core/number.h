/* number.h - operations of branch-free decisions, for one sample; SIMD lanes define their own before they include it.
 *
 * NUMBER_SELECT evaluates one of its arguments for a single sample and both for lanes. Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NUMBER_H
#define HN_CORE_NUMBER_H

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

#include "base/real.h"
#include "core/precision.h"

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
