/* improver.c - see improver.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/improver.h"

#include <math.h>
#include <string.h>

enum { EXPLORE_EVERY = 4 }; /* rounds; exploration costs as much as a training step */
enum { GRAIN = 8 };         /* chunk sizes are multiples of this, to fill the lanes */

size_t improve_chunk_size(size_t count, size_t threads) {
    size_t share = count / (4 * threads) + 1, size = (share + GRAIN - 1) / GRAIN * GRAIN;
    return size < IMPROVE_CHUNK ? size : IMPROVE_CHUNK;
}

void explore_place(struct layout *layout, const struct refiner *r, struct explore_memory *m) {
    size_t numbers = IMPROVE_CHUNK * r->stepper.plan.outputs;
    m->raw = layout_take(layout, numbers, sizeof *m->raw);
    m->y = layout_take(layout, numbers, sizeof *m->y);
    m->objective = layout_take(layout, IMPROVE_CHUNK, sizeof *m->objective);
    m->residual = layout_take(layout, IMPROVE_CHUNK, sizeof *m->residual);
    m->reports = layout_take(layout, IMPROVE_CHUNK, sizeof *m->reports);
}

static void set_targets(const struct improve_task *t, size_t n) {
    const struct refine_task *samples = &t->samples;
    for (size_t s = 0; s < samples->count; s++) {
        bool ok = samples->reports[s].outcome == HN_OUTCOME_OK;
        memcpy(t->targets + s * n, (ok ? samples->y : samples->raw) + s * n, n * sizeof *t->targets);
    }
}

/* ---- exploring ---- */

bool improve_explores(const struct improve_settings *settings, bool from_starts) {
    return settings->explore > 0 && (from_starts || settings->round % EXPLORE_EVERY == 0);
}

size_t improve_distance(const struct improve_settings *settings) {
    return 1 + (size_t)settings->round / EXPLORE_EVERY % (IMPROVE_CHUNK - 1);
}

/* Starts input i from the best raw output of another input; the distance changes every round. */
static void start_elsewhere(const struct improve_task *t, const struct explore_memory *beyond, size_t distance,
                            size_t n) {
    for (size_t i = 0; i < t->inputs; i++) {
        size_t other = t->best[(i + distance) % t->inputs];
        memcpy(beyond->raw + i * n, t->samples.raw + other * n, n * sizeof *beyond->raw);
    }
}

/* The candidate of input i whose raw output is nearest to y. */
static size_t nearest(const struct improve_task *t, size_t i, const double *y, size_t n) {
    size_t best = i;
    double least = HUGE_VAL;
    for (size_t s = i; s < t->samples.count; s += t->inputs) {
        double distance = 0;
        for (size_t j = 0; j < n; j++)
            distance += (t->samples.raw[s * n + j] - y[j]) * (t->samples.raw[s * n + j] - y[j]);
        best = distance < least ? s : best;
        least = fmin(distance, least);
    }
    return best;
}

static void adopt(const struct improve_task *t, const struct explore_memory *beyond, double share, size_t n) {
    for (size_t i = 0; i < t->inputs; i++) {
        double known = t->samples.objective[t->best[i]], found = beyond->objective[i];
        if (beyond->reports[i].outcome != HN_OUTCOME_OK || !(found < known - share * fabs(known)))
            continue;
        t->best[i] = nearest(t, i, beyond->y + i * n, n);
        memcpy(t->targets + t->best[i] * n, beyond->y + i * n, n * sizeof *t->targets);
    }
}

/* ---- all of it ---- */

void improve_run(const struct refiner *r, const struct refine_memory *m, const struct explore_memory *beyond,
                 const struct improve_task *t, const struct improve_settings *settings) {
    size_t n = r->stepper.plan.outputs;
    const struct candidates among = {t->inputs, t->candidates, t->samples.objective, t->samples.reports};
    refiner_run(r, m, &t->samples, settings->steps);
    choose_best(&among, t->best);
    set_targets(t, n);
    if (!improve_explores(settings, t->starts != NULL))
        return;
    const struct refine_task others = {.count = t->inputs,
                                       .x = t->samples.x, /* x of the first candidates */
                                       .raw = t->starts ? t->starts : beyond->raw,
                                       .y = beyond->y,
                                       .objective = beyond->objective,
                                       .residual = beyond->residual,
                                       .reports = beyond->reports};
    if (!t->starts)
        start_elsewhere(t, beyond, improve_distance(settings), n);
    refiner_correct(r, m, &others);
    refiner_run(r, m, &others, settings->steps + 1);
    adopt(t, beyond, settings->explore, n);
}
