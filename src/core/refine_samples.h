/* refine_samples.h - refinement of samples, and improved outputs as targets of training: the decisions after a step,
 * for one sample or input.
 *
 *     y <- layer(y + d)   if that is ok and lowers f, or if y was not ok;   else the next step is a quarter as long
 *
 * d is the step of refine_qp.h. nn/refiner.h describes the rest.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_REFINE_SAMPLES_H
#define HN_CORE_REFINE_SAMPLES_H

#include "core/samples.h"

/* Accepts trial point s if it is ok and lowers the objective. */
SHARED_FUNCTION void refine_keep(const struct samples *kept, const struct samples *tried, double *length,
                                 size_t outputs, size_t s) {
    hn_report *report = &kept->reports[s];
    const hn_report *other = &tried->reports[s];
    bool replaced = choice_replaces(samples_ok(tried, s), tried->objective[s], samples_ok(kept, s), kept->objective[s]);
    report->iterations += other->iterations;
    length[s] = choice_next_length(length[s], replaced);
    if (!replaced)
        return;
    report->outcome = other->outcome;
    report->violation = other->violation;
    report->worst = other->worst;
    report->kkt = report->complementarity = report->proof = REAL_INFINITY; /* now of another point and raw output */
    kept->objective[s] = tried->objective[s];
    samples_copy(kept->y + s * outputs, tried->y + s * outputs, outputs);
}

/* The distance between refined and raw output. */
SHARED_FUNCTION void refine_measure(const struct samples *kept, size_t outputs, size_t s) {
    double squares = samples_squared_distance(kept->y + s * outputs, kept->raw + s * outputs, outputs);
    kept->reports[s].moved = kept->reports[s].distance = real_sqrt(squares);
}

/* ---- improved outputs as targets ---- */

struct improve_task {
    size_t outputs;
    struct samples samples; /* refined: the candidates of all inputs */
    struct candidates among;
    double *targets; /* samples x outputs */
    /* exploration */
    struct samples beyond;  /* one per input */
    const double *starts;   /* inputs x outputs; NULL: the best raw output of another input of the same chunk, */
    size_t chunk, distance; /* at this distance in the chunk */
    double explore;         /* required relative decrease of the objective */
};

/* A sample that could not be corrected has its raw output as its target, so its gradient is 0. */
SHARED_FUNCTION void improve_target(const struct improve_task *t, size_t s) {
    const double *from = samples_ok(&t->samples, s) ? t->samples.y : t->samples.raw;
    samples_copy(t->targets + s * t->outputs, from + s * t->outputs, t->outputs);
}

SHARED_FUNCTION void improve_start(const struct improve_task *t, size_t i) {
    size_t n = t->outputs, first = i / t->chunk * t->chunk, left = t->among.inputs - first;
    size_t inputs = left < t->chunk ? left : t->chunk;
    const double *other = t->samples.raw + t->among.best[first + (i - first + t->distance) % inputs] * n;
    samples_copy(t->beyond.raw + i * n, t->starts ? t->starts + i * n : other, n);
}

/* The candidate of input i whose raw output is nearest to y. */
SHARED_FUNCTION size_t improve_nearest(const struct improve_task *t, size_t i, const double *y) {
    size_t best = i;
    double least = REAL_INFINITY;
    for (size_t s = i; s < t->samples.count; s += t->among.inputs) {
        double distance = samples_squared_distance(t->samples.raw + s * t->outputs, y, t->outputs);
        best = distance < least ? s : best;
        least = distance < least ? distance : least;
    }
    return best;
}

/* The result of exploration becomes the target of the nearest candidate if it improves enough. */
SHARED_FUNCTION void improve_adopt(const struct improve_task *t, size_t i) {
    double known = t->samples.objective[t->among.best[i]], found = t->beyond.objective[i];
    const double *y = t->beyond.y + i * t->outputs;
    double size = known < 0 ? -known : known;
    if (!samples_ok(&t->beyond, i) || !(found < known - t->explore * size))
        return;
    t->among.best[i] = improve_nearest(t, i, y);
    samples_copy(t->targets + t->among.best[i] * t->outputs, y, t->outputs);
}

#endif
