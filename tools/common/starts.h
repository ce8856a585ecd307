/* starts.h - multistart for the samples of a chunk; keeps the best result.
 *
 * Input: a pool whose layer has the method optimal, and a batch run from start 0; better results replace its results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_STARTS_H
#define HN_TOOLS_STARTS_H

#include "hardnet/evaluate.h"
#include "hardnet/layer.h"

struct starts {
    size_t outputs, rows, bytes;
    bool maximizes;
    hn_evaluator *evaluator;
    void *workspace;
    double *base, *raw, *y, *multipliers, *residual; /* of a chunk */
    double *noise;                                   /* outputs */
    const uint64_t *seeds; /* the caller's: of the disturbances of each sample of the chunk; NULL: the same for all */
    hn_report *reports;
};

/* For chunks of up to `room` samples. Ended in either case. */
hn_status starts_begin(struct starts *starts, const hn_model *model, size_t room, hn_error *error);
void starts_end(struct starts *starts);

/* Seconds left until this time; 0: no limit. After the deadline the remaining samples are evaluated and cancelled. */
double starts_time_left(double until);

/* After the batch was run from start 0: from those up to count, better ones in their place; winner: the start of each
 * sample; until: when the clock ends it, 0: never. */
hn_status starts_run(struct starts *starts, hn_pool *pool, const hn_batch *first, size_t count, uint32_t *winner,
                     double until, hn_error *error);

#endif
