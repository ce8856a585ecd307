/* damped_judge.h - judges the solutions of a trial (damped_trial.h) in 128-bit arithmetic, or in 80-bit where the compiler has no other.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_DAMPED_JUDGE_H
#define HN_TESTS_SUPPORT_DAMPED_JUDGE_H

#include "damped_trial.h"

enum { JUDGE_SMALL = 40 }; /* of systems with more unknowns two lanes are judged, else all */

/* |b - H z| / (|M| |M'| |z| + E |z| + |b|) of one lane, norms of the largest entry. */
double judge_backward_error(const struct trial *trial, size_t lane, const double *b, const double *z);

/* The largest |z - y| over the largest |y|, y the solution of one lane by a full Cholesky factor in the judge's arithmetic. */
double judge_forward_error(const struct trial *trial, size_t lane, const double *b, const double *z);

/* Solves by every backend and by the kernels for one sample, which must give the same bits: the largest backward error over lanes
 * and sides, in units of n 2^-53. */
double judge_trial(struct trial *trial, int sides);

#endif
