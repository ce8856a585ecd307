/* refiner.c - see refiner.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/refiner.h"

enum { EXPLORE_EVERY = 4 }; /* rounds; exploration costs as much as a training step */
enum { GRAIN = 8 };         /* chunk sizes are multiples of this, to fill the lanes */

/* ---- life ---- */

hn_status refiner_create(struct refiner *r, const hn_model *model, const hn_layer *layer, const struct loss *loss,
                         hn_instructions instructions, hn_error *error) {
    *r = (struct refiner){.layer = layer, .loss = loss};
    return refine_stepper_create(&r->stepper, model, instructions, error);
}

void refiner_release(struct refiner *r) {
    refine_stepper_release(&r->stepper);
}

void refiner_place(struct layout *layout, const struct refiner *r, size_t samples, struct refine_memory *m) {
    const struct refine_plan *plan = &r->stepper.plan;
    m->steps = layout_take(layout, plan->bytes, 1);
    samples_place(layout, &m->trial, samples, 0, plan->outputs);
    m->multipliers = layout_take(layout, samples * plan->rows, sizeof *m->multipliers);
    m->length = layout_take(layout, samples, sizeof *m->length);
}

void refiner_begin(const struct refiner *r, const struct refine_memory *m) {
    refine_stepper_begin(&r->stepper, m->steps);
}

/* ---- samples ---- */

void samples_place(struct layout *layout, struct samples *s, size_t count, size_t inputs, size_t outputs) {
    s->count = count;
    s->x = layout_take(layout, count, inputs * sizeof *s->x);
    s->raw = layout_take(layout, count, outputs * sizeof *s->raw);
    s->y = layout_take(layout, count, outputs * sizeof *s->y);
    s->objective = layout_take(layout, count, sizeof *s->objective);
    s->residual = layout_take(layout, count, sizeof *s->residual);
    s->reports = layout_take(layout, count, sizeof *s->reports);
}

hn_batch samples_as_batch(const struct samples *s) {
    return (hn_batch){.size = sizeof(hn_batch),
                      .count = s->count,
                      .x = s->x,
                      .y_raw = s->raw,
                      .y = s->y,
                      .report_size = sizeof(hn_report),
                      .reports = s->reports};
}

void choose_best(const struct candidates *c) {
    for (size_t i = 0; i < c->inputs; i++)
        candidates_choose(c, i);
}

/* ---- running ---- */

void refiner_correct(const struct refiner *r, const struct refine_memory *m, const struct samples *samples) {
    const struct loss_batch values = {samples->count, samples->x,         samples->y,
                                      NULL,           samples->objective, samples->residual};
    const hn_batch batch = samples_as_batch(samples);
    hn_layer_run(r->layer, &batch, m->workspace, hn_layer_workspace_bytes(r->layer), NULL);
    loss_run(r->loss, m->loss, &values, OBJECTIVE_ONLY);
}

void refiner_run(const struct refiner *r, const struct refine_memory *m, const struct samples *samples, bool known,
                 int steps) {
    size_t outputs = r->stepper.plan.outputs;
    struct samples trial = m->trial;
    trial.count = samples->count;
    trial.x = samples->x;
    trial.residual = samples->residual;
    for (size_t s = 0; s < samples->count; s++)
        m->length[s] = 1;
    for (int k = 0; k < steps; k++) {
        const struct refine_batch step = {samples->count, samples->x,     samples->y, trial.raw,
                                          m->multipliers, known || k > 0, m->length};
        refine_stepper_run(&r->stepper, m->steps, &step);
        refiner_correct(r, m, &trial);
        for (size_t s = 0; s < samples->count; s++)
            refine_keep(samples, &trial, m->length, outputs, s);
    }
    for (size_t s = 0; steps > 0 && s < samples->count; s++)
        refine_measure(samples, outputs, s);
}

/* ---- improved outputs as targets ---- */

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
