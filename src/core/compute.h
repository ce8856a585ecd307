/* compute.h - operations of the decisions besides + - * / and sqrt. Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_COMPUTE_H
#define HN_CORE_COMPUTE_H

#include "base/real.h"
#include "core/number.h"

SAMPLE_FUNCTION bool sample_is_finite(real a) {
    return ROUNDED_DIFFERENCE(a, a) == 0; /* NaN if a is not finite */
}

SAMPLE_FUNCTION real sample_greater(real a, real b) {
    return a < b ? b : a;
}

SAMPLE_FUNCTION real sample_power_of_two(real a) {
    return number_power_of_two(a);
}

/* Saturating increment, so that a proof that an emitted file does not overflow needs no iteration limit. */
SAMPLE_FUNCTION int sample_one_more(int count) {
    return count < 2000000000 ? count + 1 : count;
}

#endif
