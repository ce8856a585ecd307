/* richardson.c - see richardson.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/richardson.h"

#include <math.h>

static const double CLEAR = 1e-8;   /* smaller errors need no further pass */
static const double SLIGHT = 1e-12; /* relative to the steepest difference: smaller slopes count as 0 */

double judge_step(int pass, size_t step) {
    static const double steps[PASSES][STEPS] = {
        {0x1p-5, 0x1p-8, 0x1p-11, 0x1p-14},
        {0x1p-12, 0x1p-15, 0x1p-18, 0x1p-21},
        {0x1p-20, 0x1p-23, 0x1p-26, 0x1p-29},
    };
    return steps[pass][step];
}

bool judge_doubts(const struct verdict *verdict) {
    return !(verdict->error <= CLEAR);
}

static void consider(struct verdict *verdict, double e, double derivative, double floor) {
    double difference = derivative + e;
    double scale = fabs(derivative) > fabs(difference) ? fabs(derivative) : fabs(difference);
    scale = floor > scale ? floor : scale;
    if (!isfinite(e) || !isfinite(scale))
        return;
    double error = e == 0 ? 0 : fabs(e) / scale;
    if (error < verdict->error) {
        verdict->error = error;
        verdict->difference = difference;
    }
}

/* The second difference over h decreases with h where f is smooth, not at a corner; at a jump it grows. */
static bool is_kink(const double *samples, int pass, double centre, double floor) {
    double simd = judge_step(pass, 0), narrow = judge_step(pass, STEPS - 1);
    const double *last = samples + (size_t)2 * (STEPS - 1);
    double at_wide = fabs(samples[0] - 2 * centre + samples[1]) / simd;
    double at_narrow = fabs(last[0] - 2 * centre + last[1]) / narrow;
    return at_narrow > floor && !(at_narrow < 0.1 * at_wide);
}

void judge(struct verdict *verdict, int pass, const double *samples, const double *derivative, double centre,
           double floor) {
    double table[STEPS];
    for (size_t s = 0; s < STEPS; s++) {
        double slope = (samples[2 * s] - samples[2 * s + 1]) / (2 * judge_step(pass, s));
        if (isfinite(slope) && fabs(slope) > verdict->steepest)
            verdict->steepest = fabs(slope);
    }
    if (SLIGHT * verdict->steepest > floor)
        floor = SLIGHT * verdict->steepest;
    for (size_t s = 0; s < STEPS; s++) {
        double e = (samples[2 * s] - samples[2 * s + 1]) / (2 * judge_step(pass, s)) - derivative[s], power = 1;
        consider(verdict, e, derivative[s], floor);
        for (size_t k = 0; k < s; k++) { /* on entry table[k] is the value k columns to the right, one step before */
            double before = table[k];
            table[k] = e;
            power *= 64; /* h^2 decreases by a factor 64 per step */
            e += (e - before) / (power - 1);
            consider(verdict, e, derivative[s], floor);
        }
        table[s] = e;
    }
    if (pass == PASSES - 1 && judge_doubts(verdict))
        verdict->kink = is_kink(samples, pass, centre, floor);
}

/* ---- summaries ---- */

static bool is_worse(const hn_check_difference *a, const hn_check_difference *b) {
    if (a->error != b->error)
        return a->error > b->error;
    if (a->point != b->point)
        return a->point < b->point;
    return a->row != b->row ? a->row < b->row : a->column < b->column;
}

void judge_record(hn_check_difference *summary, const struct verdict *verdict, hn_check_difference at) {
    at.checked = at.kinks = at.not_finite = 0;
    at.error = 0;
    if (verdict->kink)
        at.kinks = 1;
    else if (isinf(verdict->error))
        at.not_finite = 1;
    else {
        at.checked = 1;
        at.error = verdict->error;
        at.difference = verdict->difference;
    }
    judge_merge(summary, &at);
}

void judge_merge(hn_check_difference *summary, const hn_check_difference *other) {
    size_t checked = summary->checked + other->checked;
    size_t kinks = summary->kinks + other->kinks, not_finite = summary->not_finite + other->not_finite;
    if (other->checked > 0 && (summary->checked == 0 || is_worse(other, summary)))
        *summary = *other;
    summary->checked = checked;
    summary->kinks = kinks;
    summary->not_finite = not_finite;
}
