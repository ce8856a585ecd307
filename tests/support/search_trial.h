/* search_trial.h - what tests of nearest and optimal share: one problem run alone, random directions, inner products.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_SEARCH_TRIAL_H
#define HN_TESTS_SUPPORT_SEARCH_TRIAL_H

#include "base/random.h"
#include "hardnet/layer.h"
#include "support/random_problem.h"

/* What a method makes of one problem; l: multipliers, zeros where the method has none. */
struct outcome {
    double *y, *l, *proof_y;
    hn_report report;
};

struct outcome run_one(const struct random_problem *problem, hn_method method);
void outcome_release(struct outcome *outcome);

/* Between the two; the caller frees it. */
double *draw(struct random *random, size_t count, double low, double high);

double inner(const double *a, const double *b, size_t count);

#endif
