/* fused_auto.h - rounds of auto's near stage over all samples of an executor: what goes in and out. Library and generated kernels are
 * compiled with the same text.
 *
 * A round evaluates, decides about every sample by core/damping.h, and steps. It ends where a sample holds the tolerance; before
 * anything is decided where one needs another decision than to go on. Arrays have one element per sample; flags are 0 or -1.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_FUSED_AUTO_H
#define HN_CPU_FUSED_AUTO_H

#include "base/lanes.h"

#include <stdint.h>

struct fused_auto {
    int64_t count; /* rounds, at most; out: that have begun */
    double tolerance, damping, least_eps;
    int64_t joint;         /* -1: inequalities in several outputs may be left out of the first step */
    int64_t trusts;        /* -1: weights were looked at, and none but those of fresh samples are new; out: so */
    int64_t undecided;     /* out: y was evaluated, and others have to decide */
    int64_t busy[LANES];   /* a sample in this stage; the others do not matter */
    int64_t fresh[LANES];  /* its y has not been evaluated yet, nor has any before */
    int64_t ended[LANES];  /* out: it holds the tolerance; its y is in `best`, and nothing else was decided about it */
    int64_t leads[LANES];  /* the last step left inequalities in several outputs out */
    double left[LANES];    /* steps after which others decide */
    double done[LANES];    /* steps so far */
    double measure[LANES]; /* out: the last one */
    double before[LANES];  /* out: the first one, of a fresh sample */
    double best[LANES];    /* the smallest one */
    double best_at[LANES]; /* `done` where it was found; out: unchanged where none was */
    double squares[LANES]; /* |W r|^2 where the last step began, */
    double halved[LANES];  /* and when it was last halved, */
    double waited[LANES];  /* so many steps ago */
    double eps[LANES];     /* of the last step */
    double *tape[LANES];   /* where y goes before the step, of one round; NULL: nowhere */
    int64_t tapes;         /* -1: there are such */
};

#endif
