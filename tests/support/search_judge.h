/* search_judge.h - what nearest and optimal say about a sample, evaluated anew: rows, bounds, J' l and, where there is one, df/dy.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_SEARCH_JUDGE_H
#define HN_TESTS_SUPPORT_SEARCH_JUDGE_H

#include "hardnet/evaluate.h"

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
