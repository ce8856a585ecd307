/* candidate_choice.h - which of two outputs is better, and the length of the next refinement step: for refiner.c, kernels of a device and
 * emitted files.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_CANDIDATE_CHOICE_H
#define HN_CORE_CANDIDATE_CHOICE_H

#include "base/real.h"

/* Candidate a is better than b: ok before not ok, then the smaller value; NaN is the worst value. */
SHARED_FUNCTION bool choice_is_better(bool a_ok, real a, bool b_ok, real b) {
    if (a_ok != b_ok)
        return a_ok;
    return a < b || (b != b && a == a);
}

/* A refined output replaces the previous one if it is ok and has a lower objective, or if that one was not ok. */
SHARED_FUNCTION bool choice_replaces(bool is_ok, real is, bool was_ok, real was) {
    return is_ok && (!was_ok || is < was);
}

SHARED_FUNCTION real choice_next_length(real length, bool replaced) {
    if (!replaced)
        return REAL(0.25) * length;
    return 4 * length < 1 ? 4 * length : 1;
}

#endif
