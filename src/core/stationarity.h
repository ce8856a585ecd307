/* stationarity.h - the outcome when steps stall: determined by the gradient of |W r|^2 / 2 there. Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_STATIONARITY_H
#define HN_CORE_STATIONARITY_H

#include "base/real.h"
#include "core/sample_state.h"

/* Sums over the rows of the last accepted iterate. Entries of A' W r that would push an output on a bound beyond it count as 0. */
struct sample_slope {
    real entries; /* |A|^2 */
    real squares; /* |W r|^2 */
    real slope;   /* |A' W r|^2 */
    real steep;   /* the sum of |A' W r| */
    real size;    /* of the outputs: max |y|, at least 1 */
    bool affine;  /* every violated row is affine */
};

/* The sum of squares f of affine violated rows is convex. At a y that satisfies them 0 >= f + f' (y - here), so some output
 * differs by at least f / |f'|_1; active bounds only increase this. Distances above SAMPLE_REACH count as unreachable. */
SAMPLE_FUNCTION bool sample_is_proof(const struct sample_slope *slope) {
    return slope->affine && slope->squares > SAMPLE_SMALL &&
           SAMPLE_REACH * slope->size * slope->steep < REAL(0.5) * slope->squares;
}

/* Answers sample->asks: sums at the last accepted iterate, or whether the entries of J there are finite. */
SAMPLE_FUNCTION void sample_answer(struct sample *s, const struct sample_slope *slope, bool entries_finite) {
    bool asks_slope = s->asks == SAMPLE_ASKS_SLOPE;
    real scale = slope->entries * slope->squares;
    s->asks = SAMPLE_ASKS_NOTHING;
    if (asks_slope ? !sample_is_finite(slope->entries)
                   : !entries_finite) /* weighted entries are at most 2 if J is finite */
        s->outcome = HN_OUTCOME_NONFINITE_EVALUATION;
    else if (asks_slope && slope->slope <= SAMPLE_STATIONARY_STUCK * SAMPLE_STATIONARY_STUCK * scale)
        s->stationary = true;
    if (asks_slope && scale > 0 && slope->slope < s->slope * scale)
        s->slope = slope->slope / scale;
    if (asks_slope && sample_is_proof(slope)) {
        s->stationary = true;
        s->phase = PHASE_RETURN;
    }
    if (s->stationary)
        s->outcome = HN_OUTCOME_LOCALLY_INFEASIBLE;
}

#endif
