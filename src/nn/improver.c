/* improver.c - see improver.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/improver.h"

enum { EXPLORE_EVERY = 4 }; /* rounds; exploration costs as much as a training step */
enum { GRAIN = 8 };         /* chunk sizes are multiples of this, to fill the lanes */

size_t improve_chunk_size(size_t count, size_t threads) {
    size_t share = count / (4 * threads) + 1, size = (share + GRAIN - 1) / GRAIN * GRAIN;
    return size < IMPROVE_CHUNK ? size : IMPROVE_CHUNK;
}

bool improve_explores(const struct improve_settings *settings, bool from_starts) {
    return settings->explore > 0 && (from_starts || settings->round % EXPLORE_EVERY == 0);
}

size_t improve_distance(const struct improve_settings *settings) {
    return 1 + (size_t)settings->round / EXPLORE_EVERY % (IMPROVE_CHUNK - 1);
}

void improve_run(const struct refiner *r, const struct refine_memory *m, struct improve_task *t,
                 const struct improve_settings *settings) {
    t->outputs = r->stepper.plan.outputs;
    t->chunk = IMPROVE_CHUNK;
    t->distance = improve_distance(settings);
    t->explore = settings->explore;
    refiner_run(r, m, &t->samples, false, settings->steps);
    choose_best(&t->among);
    for (size_t s = 0; s < t->samples.count; s++)
        improve_target(t, s);
    if (!improve_explores(settings, t->starts != NULL))
        return;
    t->beyond.count = t->among.inputs;
    t->beyond.x = t->samples.x; /* of the first candidates */
    t->beyond.residual = NULL;
    for (size_t i = 0; i < t->beyond.count; i++)
        improve_start(t, i);
    refiner_correct(r, m, &t->beyond);
    refiner_run(r, m, &t->beyond, false, settings->steps + 1);
    for (size_t i = 0; i < t->beyond.count; i++)
        improve_adopt(t, i);
}
