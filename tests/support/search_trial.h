/* search_trial.h - what tests of nearest and optimal share: one problem run alone, random directions, inner products, a judge.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_SEARCH_TRIAL_H
#define HN_TESTS_SUPPORT_SEARCH_TRIAL_H

#include "base/random.h"
#include "hardnet/evaluate.h"
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

/* ---- the judge: what was found about a sample, evaluated anew: rows, bounds, J' l and, where there is one, df/dy ---- */

struct judge {
    hn_evaluator *evaluator;
    size_t outputs, rows;
    double *c, *lower, *upper;     /* rows */
    double *pulled, *slope;        /* outputs: J' l and df/dy, zeros where there is no objective */
    double objective, *multiplier; /* rows: l as it was given */
    void *workspace;
};

struct judge judge_of(const hn_model *model);
void judge_release(struct judge *judge);

/* At x and y, with multipliers l. */
void judge_look(struct judge *judge, const double *x, const double *y, const double *l);

/* Of what was looked at: the largest violation or complementarity of a row, and max(1, |l|). */
double judge_rows(const struct judge *judge, double *largest);

/* The sum of what a bound's multipliers weigh: above 0 where rows are beyond their bounds, below where they have room; infinite where
 * a multiplier belongs to a bound that is not there. */
double judge_weighed(const struct judge *judge);

#endif
