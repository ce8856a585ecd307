/* candidate_choice.h - which of two outputs is better, and the length of the next refinement step: for refiner.c, kernels of a device and
 * emitted files.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_CANDIDATE_CHOICE_H
#define HN_CORE_CANDIDATE_CHOICE_H

/* Candidate a is better than b: ok before not ok, then the smaller value; NaN is the worst value. */
static inline bool choice_is_better(bool a_ok, double a, bool b_ok, double b) {
    if (a_ok != b_ok)
        return a_ok;
    return a < b || (b != b && a == a);
}

/* A refined output replaces the one before it if it is ok and lowers the objective, or if the one before it was not ok. */
static inline bool choice_replaces(bool is_ok, double is, bool was_ok, double was) {
    return is_ok && (!was_ok || is < was);
}

static inline double choice_next_length(double length, bool replaced) {
    if (!replaced)
        return 0.25 * length;
    return 4 * length < 1 ? 4 * length : 1;
}

#endif
