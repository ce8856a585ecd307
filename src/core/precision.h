/* precision.h - the constants of the decisions that follow from how precise and how large numbers are: those of double.
 *
 * Where numbers are floats, precision_float.h stands in this place. Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_PRECISION_H
#define HN_CORE_PRECISION_H

/* Splits a number at its leading bit: 2^(p-1) + 1 and 1 - 2^-p for p bits. */
SAMPLE_CONSTANT double SAMPLE_SPLIT = 0x1p52 + 1;
SAMPLE_CONSTANT double SAMPLE_BELOW_ONE = 1 - 0x1p-53;

/* Beyond these, numbers are brought inside by the factor before they are split. */
SAMPLE_CONSTANT double SAMPLE_SMALL = 0x1p-900;
SAMPLE_CONSTANT double SAMPLE_LARGE = 0x1p900;
SAMPLE_CONSTANT double SAMPLE_INSIDE = 0x1p600;

SAMPLE_CONSTANT double SAMPLE_SLOW = 1 - 0x1p-40; /* an accepted step that leaves more than this has gained nothing; */
SAMPLE_CONSTANT double SAMPLE_SLOW_AUTO = 1 - 0x1p-20; /* in short attempts of auto */
SAMPLE_CONSTANT double SAMPLE_LEAST_PIVOT = 1e-13;     /* of the largest, without damping */
SAMPLE_CONSTANT double SAMPLE_STATIONARY = 1e-8;       /* |J' r| / (|J| |r|) below which r cannot be lowered, */
SAMPLE_CONSTANT double SAMPLE_STATIONARY_STUCK = 1e-6; /* where steps have come to a stand */
SAMPLE_CONSTANT double SAMPLE_REACH = 0x1p30;          /* how far a point can be, in units of max(1, |y|) */

SAMPLE_CONSTANT double SAMPLE_LEAST_EPS = 0x1p-46;
SAMPLE_CONSTANT double SAMPLE_LEAST_EPS_OUTPUTS = 0x1p-30; /* A' A + eps I may be as bad as 1 / eps */
SAMPLE_CONSTANT double SAMPLE_BOLD_EPS = 0x1p-30;          /* next to none */

#endif
