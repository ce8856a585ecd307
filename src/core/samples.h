/* samples.h - samples as rows of arrays, and the choice among the candidates of an input: for the CPU and for CUDA
 * kernels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SAMPLES_H
#define HN_CORE_SAMPLES_H

#include "base/real.h"
#include "core/candidate_choice.h"

#ifndef FREESTANDING
#include "hardnet/layer.h"
#endif

/* Row s of each array belongs to sample s. */
struct samples {
    size_t count;
    double *x, *raw, *y;          /* inputs; outputs before and after the correction */
    double *objective, *residual; /* f(y), and |r(y)| in the 2-norm */
    hn_report *reports;
};

SHARED_FUNCTION void samples_copy(double *to, const double *from, size_t count) {
    for (size_t j = 0; j < count; j++)
        to[j] = from[j];
}

SHARED_FUNCTION double samples_squared_distance(const double *a, const double *b, size_t count) {
    double squares = 0;
    for (size_t j = 0; j < count; j++)
        squares += (a[j] - b[j]) * (a[j] - b[j]);
    return squares;
}

SHARED_FUNCTION bool samples_ok(const struct samples *m, size_t s) {
    return m->reports[s].outcome == HN_OUTCOME_OK;
}

/* ---- candidates ---- */

/* Candidate k of input i is sample k * inputs + i. */
struct candidates {
    size_t inputs, candidates;
    const double *values;
    const hn_report *reports;
    size_t *best; /* index of each input's best sample */
};

/* The criterion for comparing sample s. Without correction many samples are not ok: the best of these has the smallest
 * violation. */
SHARED_FUNCTION double candidates_value(const struct samples *m, bool corrected, size_t s) {
    return corrected || samples_ok(m, s) ? m->objective[s] : m->reports[s].violation;
}

/* Chooses the best candidate of input i: ok before not ok, then the smallest value; NaN is the worst. */
SHARED_FUNCTION void candidates_choose(const struct candidates *c, size_t i) {
    size_t best = i;
    for (size_t s = i + c->inputs; s < c->candidates * c->inputs; s += c->inputs)
        if (choice_is_better(c->reports[s].outcome == HN_OUTCOME_OK, c->values[s],
                             c->reports[best].outcome == HN_OUTCOME_OK, c->values[best]))
            best = s;
    c->best[i] = best;
}

#endif
