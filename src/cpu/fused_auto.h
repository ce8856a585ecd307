/* fused_auto.h - arguments and results of fused iterations of auto's near stage over all lanes of an executor. The
 * library and generated kernels share this header.
 *
 * An iteration evaluates, decides for every sample with core/damping.h, and steps. The loop ends when a sample reaches
 * the tolerance, or, before any decision, when a sample needs a decision other than to continue. Arrays have one
 * element per lane; flags are 0 or -1.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_FUSED_AUTO_H
#define HN_CPU_FUSED_AUTO_H

#include "base/lanes.h"

#include <stdint.h>

struct fused_auto {
    int64_t count; /* maximum number of iterations; out: iterations started */
    double tolerance, damping, least_eps;
    int64_t joint;         /* -1: inequalities in several outputs may be left out of the first step */
    int64_t trusts;        /* -1: weights were checked, and only fresh samples have new ones; out: the same */
    int64_t undecided;     /* out: y was evaluated, and the caller must decide */
    int64_t busy[LANES];   /* a sample in this stage; other lanes are ignored */
    int64_t fresh[LANES];  /* a new sample without any evaluation */
    int64_t ended[LANES];  /* out: it reached the tolerance; its y is in `best`; no other decision was made */
    int64_t leads[LANES];  /* the last step left out inequalities in several outputs */
    double left[LANES];    /* steps until the caller must decide */
    double done[LANES];    /* steps so far */
    double measure[LANES]; /* out: the last one */
    double before[LANES];  /* out: the first one, of a fresh sample */
    double best[LANES];    /* the smallest one */
    double best_at[LANES]; /* `done` at that iterate; out: unchanged if there was no better one */
    double squares[LANES]; /* |W r|^2 at the start of the last step */
    double halved[LANES];  /* |W r|^2 when it was last halved */
    double waited[LANES];  /* steps since then */
    double eps[LANES];     /* of the last step */
    double *tape[LANES];   /* receives y before the step of one iteration; NULL: not recorded */
    int64_t tapes;         /* -1: some lane has a tape */
};

#endif
