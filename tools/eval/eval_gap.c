/* eval_gap.c - the gaps of samples to their optima. See eval.h.
 *
 * Two figures are relative. The suboptimality is max(0, f - f*) / max(|f*|, 1e-8), which explodes where an optimum
 * happens to be near 0; the relative gap divides by max(|f*|, typical |f*| of the set), which does not. The absolute
 * gap is reported as well.
 *
 * SPDX-License-Identifier: MIT */
#include "common/figures.h"
#include "eval/eval.h"

#include <math.h>

const double eval_gap_shares[GAP_SHARES] = {0.001, 0.01, 0.1};

static const double FAR_BELOW = 0.01; /* of the typical optimum */

/* ---- one sample ---- */

double eval_gap(const struct eval *eval, size_t sample) {
    if (!eval->optima || !eval_counts(eval, sample) || isnan(eval->optima[sample].objective))
        return NAN;
    return fmax(0, eval->objective[sample] - eval->optima[sample].objective);
}

static double size_of_optimum(const struct eval *eval, size_t sample) {
    return fabs(eval->optima[sample].objective);
}

double eval_suboptimality(const struct eval *eval, size_t sample) {
    double gap = eval_gap(eval, sample);
    return isnan(gap) ? gap : gap / fmax(size_of_optimum(eval, sample), EVAL_LEAST_SCALE);
}

double eval_relative_gap(const struct eval *eval, size_t sample) {
    double gap = eval_gap(eval, sample);
    return isnan(gap) || isnan(eval->gap.typical) ? (double)NAN
                                                  : gap / fmax(size_of_optimum(eval, sample), eval->gap.typical);
}

/* ---- all of them ---- */

/* Of sorted numbers, between the two neighbours in proportion. */
static double quantile(const double *values, size_t count, double share) {
    double place = share * (double)(count - 1);
    size_t below = (size_t)place, above = below + 1 < count ? below + 1 : below;
    return values[below] + (place - (double)below) * (values[above] - values[below]);
}

/* Leaves the numbers sorted. */
static struct suboptimality summary_of(const struct eval *eval, double (*value_of)(const struct eval *, size_t),
                                       double *values) {
    struct suboptimality s = {.mean = NAN, .max = NAN, .median = NAN, .ninety = NAN, .ninety_nine = NAN};
    double sum = 0;
    for (size_t k = 0; k < eval->reached; k++) {
        double value = value_of(eval, k);
        if (isnan(value))
            continue;
        values[s.count++] = value;
        sum += value;
    }
    if (s.count == 0)
        return s;
    s.max = figures_spread(values, s.count).most;
    s.mean = sum / (double)s.count;
    s.median = quantile(values, s.count, 0.5);
    s.ninety = quantile(values, s.count, 0.9);
    s.ninety_nine = quantile(values, s.count, 0.99);
    return s;
}

static double optimum_of(const struct eval *eval, size_t sample) {
    double best = eval->optima[sample].objective;
    return isnan(best) ? best : fabs(best);
}

static double typical_of(const struct suboptimality *optima) {
    if (optima->median >= EVAL_LEAST_SCALE)
        return optima->median;
    return optima->mean >= EVAL_LEAST_SCALE ? optima->mean : (double)NAN;
}

void eval_summarise(struct eval *eval, double *values) {
    struct gap *gap = &eval->gap;
    struct suboptimality optima = summary_of(eval, optimum_of, values);
    *gap = (struct gap){.typical = typical_of(&optima)};
    gap->near_zero = optima.count > 0 && !(values[0] >= FAR_BELOW * gap->typical);
    eval->suboptimality = summary_of(eval, eval_suboptimality, values);
    gap->absolute = summary_of(eval, eval_gap, values);
    gap->relative = summary_of(eval, eval_relative_gap, values);
    for (size_t k = 0; k < gap->relative.count; k++)
        for (int i = 0; i < GAP_SHARES; i++)
            gap->within[i] += values[k] <= eval_gap_shares[i];
}
