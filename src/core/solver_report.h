/* solver_report.h - the end of a sample: its verdict, from the evaluation at the returned y, and its report. Follows solver.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SOLVER_REPORT_H
#define HN_CORE_SOLVER_REPORT_H

#include "base/real.h"
#include "core/solver.h"

/* Methods with a fixed number of steps take the same time for every outcome. */
#ifndef SOLVER_EVEN
#define SOLVER_EVEN 0
#endif

struct solver_report {
    hn_outcome outcome;
    int iterations, steps;
    real violation_before, violation, moved, damping, slope;
    size_t worst, culprit; /* SIZE_MAX: none */
};

SHARED_FUNCTION hn_outcome solver_verdict(const struct solver *d) {
    const struct sample_options *o = SOLVER_OPTIONS(d);
    real bound = sample_asks_stationarity(&d->state, o, &d->numbers);
    bool asks = bound > 0 || (SOLVER_EVEN && !o->weighted);
    bool stationary = asks && point_stationarity(&d->point, d->row) <= bound * bound && bound > 0;
    return sample_verdict(&d->state, o, &d->numbers, stationary);
}

/* max |r| and its row. With finite numbers and valid bounds the evaluation has found it. */
SHARED_FUNCTION real solver_violation(const struct solver *d, size_t *row) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct sample_numbers *n = &d->numbers;
    const real *r = point_at(&d->point, plan->residual);
    bool known =
        n->finite && sample_is_finite(n->measure) && !SOLVER_OPTIONS(d)->relative && d->state.phase != PHASE_FALLBACK;
    if (!known)
        return point_violation(&d->point, row);
    *row = SIZE_MAX;
    SHARED_LOOP
    for (size_t i = 0; n->measure > 0 && *row == SIZE_MAX && i < plan->rows; i++)
        *row = point_abs(r[i * POINT_WIDTH(&d->point)]) == n->measure ? i : SIZE_MAX;
    return n->measure;
}

/* |S (y - raw)|_2, y in these slots; S = I where weights is NULL. Scaled against overflow; infinite when a term is not finite. */
SHARED_FUNCTION real solver_distance(const struct solver *d, uint32_t y, const real *weights) {
    const size_t outputs = POINT_PLAN(&d->point)->outputs, width = POINT_WIDTH(&d->point);
    const real *at = point_at(&d->point, y);
    real scale = 0, sum = 0;
    bool finite = true;
    SHARED_LOOP
    for (size_t first = 0; first < outputs; first += POINT_AT_ONCE) {
        real part[POINT_AT_ONCE];
        DEVICE_UNROLL
        for (size_t k = 0; k < POINT_AT_ONCE; k++) {
            size_t j = point_index(first + k, outputs);
            part[k] = solver_raw(d, j) - at[j * width];
            part[k] *= weights ? weights[j] : 1;
        }
        DEVICE_UNROLL
        for (size_t k = 0; k < POINT_AT_ONCE; k++) {
            size_t j = point_index(first + k, outputs);
            finite = finite && sample_is_finite(part[k]);
            scale = sample_greater(scale, point_abs(part[k]));
            d->row[j] = part[k];
        }
    }
    if (!finite)
        return REAL_INFINITY;
    SHARED_LOOP
    for (size_t j = 0; j < outputs && scale > 0; j++) {
        real part = d->row[j] / scale;
        sum += part * part;
    }
    return scale * real_sqrt(sum);
}

/* After the verdict; y: the slots of the returned point. */
SHARED_FUNCTION void solver_fill_report(const struct solver *d, uint32_t y, struct solver_report *out) {
    const struct sample *s = &d->state;
    out->outcome = s->outcome;
    out->iterations = s->iteration;
    out->steps = s->best_step;
    out->violation_before = s->before;
    out->damping = s->used;
    out->slope = real_sqrt(s->slope);
    out->culprit = d->culprit;
    out->violation = solver_violation(d, &out->worst);
    if (s->outcome == HN_OUTCOME_BAD_BOUNDS) {
        out->violation = REAL_INFINITY;
        out->worst = d->culprit;
    }
    out->moved = solver_distance(d, y, 0);
}

/* y - raw, the warm start of the next call. */
SHARED_FUNCTION void solver_keep_warm(const struct solver *d, uint32_t y) {
    const real *at = point_at(&d->point, y);
    SHARED_LOOP
    for (size_t j = 0; d->warm && j < POINT_PLAN(&d->point)->outputs; j++)
        d->warm[j] = d->state.outcome == HN_OUTCOME_OK ? at[j * POINT_WIDTH(&d->point)] - solver_raw(d, j) : 0;
}

#endif
