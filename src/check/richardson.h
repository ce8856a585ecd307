/* richardson.h - one derivative against differences.
 *
 * Along a direction a function is known at its centre and at +-h for STEPS steps h, each an eighth of the one before. With
 * D(h) = (f(h) - f(-h)) / 2h and A the derivative to be judged, E(h) = D(h) - A goes to 0 like h^2; Richardson's table takes
 * the powers of h out one by one. The smallest |E| in the table, relative to the larger of |A|, |D| and a floor, is the
 * error: rounding spoils small steps and curvature large ones, but a wrong A agrees at none. A PASS is a range of steps;
 * later passes are smaller, for functions that vary fast or end nearby. The floor is at least a small share of the steepest D of
 * all passes: where A is 0 because f is flat at the centre, D only goes to 0, and its last value is not a slope.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_RICHARDSON_H
#define HN_CHECK_RICHARDSON_H

#include "check/check_parts.h"

enum { STEPS = CHECK_MOST / 2, PASSES = 3 };

/* Sample 2s holds +h_s, sample 2s + 1 holds -h_s. */
double judge_step(int pass, size_t step);

struct verdict {
    double error;      /* infinite until a difference was finite */
    double difference; /* D at that error */
    double steepest;   /* the largest |D| so far */
    bool kink;         /* a corner or a jump at the centre: there is nothing to judge */
};

/* Whether a further pass may help. */
bool judge_doubts(const struct verdict *verdict);

/* samples: f at the moved points; derivative: A at each step (they differ by the rounding of the moved points). */
void judge(struct verdict *verdict, int pass, const double *samples, const double *derivative, double centre,
           double floor);

/* Adds one judged entry to the summary; `at` says where (point, row, column, together, derivative). */
void judge_record(hn_check_difference *summary, const struct verdict *verdict, hn_check_difference at);

/* Adds the second summary to the first, the same in whatever order. */
void judge_merge(hn_check_difference *summary, const hn_check_difference *other);

#endif
