/* richardson.h - compares one derivative with finite differences, by Richardson extrapolation.
 *
 * Along a direction a function is known at its centre and at +-h for STEPS steps h, each an eighth of the previous one.
 * With D(h) = (f(h) - f(-h)) / 2h and A the derivative to be checked, E(h) = D(h) - A goes to 0 like h^2; Richardson's
 * table eliminates the powers of h one by one. The smallest |E| in the table, relative to the larger of |A|, |D| and a
 * floor, is the error: rounding dominates at small steps and curvature at large ones, but a wrong A agrees at no step.
 * A PASS is a range of steps; later passes are smaller, for functions that vary fast or are undefined nearby. The floor
 * is at least a small fraction of the steepest D of all passes: if A is 0 because f is flat at the centre, D only tends
 * to 0, and its last value is not a slope.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_RICHARDSON_H
#define HN_CHECK_RICHARDSON_H

#include "check/check_parts.h"

enum { STEPS = CHECK_MOST / 2, PASSES = 3 };

/* Sample 2s is at +h_s, sample 2s + 1 at -h_s. */
double judge_step(int pass, size_t step);

struct verdict {
    double error;      /* infinite until a difference is finite */
    double difference; /* D at that error */
    double steepest;   /* the largest |D| so far */
    bool kink;         /* a corner or a jump at the centre: not differentiable */
};

/* Whether another pass may help. */
bool judge_doubts(const struct verdict *verdict);

/* samples: f at the perturbed points; derivative: A at each step (they differ by the rounding of the points). */
void judge(struct verdict *verdict, int pass, const double *samples, const double *derivative, double centre,
           double floor);

/* Adds one entry to the summary; `at`: its position (point, row, column, together, derivative). */
void judge_record(hn_check_difference *summary, const struct verdict *verdict, hn_check_difference at);

/* Adds the second summary to the first; independent of the order. */
void judge_merge(hn_check_difference *summary, const hn_check_difference *other);

#endif
