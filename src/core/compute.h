/* compute.h - what the decisions compute with besides + - * / and sqrt. Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_COMPUTE_H
#define HN_CORE_COMPUTE_H

#include "base/real.h"
#include "core/number.h"

SAMPLE_FUNCTION bool sample_is_finite(real a) {
    return ROUNDED_DIFFERENCE(a, a) == 0; /* NaN for what is not */
}

SAMPLE_FUNCTION real sample_greater(real a, real b) {
    return a < b ? b : a;
}

SAMPLE_FUNCTION real sample_power_of_two(real a) {
    return number_power_of_two(a);
}

/* One more, up to a number that no limit of iterations reaches: whoever proves an emitted file free of overflow need not know them. */
SAMPLE_FUNCTION int sample_one_more(int count) {
    return count < 2000000000 ? count + 1 : count;
}

#endif
