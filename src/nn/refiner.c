/* refiner.c - see refiner.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/refiner.h"

enum {
    EXPLORE_EVERY = 4, /* rounds; exploration costs as much as a training step */
    GRAIN = 8          /* chunk sizes are multiples of this, to fill the lanes */
};

/* ---- life ---- */

hn_status refiner_create(struct refiner *r, const hn_model *model, const hn_layer *layer, bool refines,
                         hn_error *error) {
    hn_status status = HN_OK;
    *r = (struct refiner){.layer = layer, .refines = refines};
    if (refines || hn_model_objective(model).name)
        status = loss_create(&r->loss, model, error);
    if (status == HN_OK && refines)
        status = refine_plan_create_lanes(&r->plan, model, hn_layer_options_of(layer).instructions, error);
    return status;
}

void refiner_release(struct refiner *r) {
    loss_release(&r->loss);
    refine_plan_release(&r->plan);
}

void refiner_place(struct layout *layout, const struct refiner *r, size_t inputs, size_t candidates, bool improves,
                   struct refine_memory *m) {
    hn_layer_info layer = hn_layer_info_of(r->layer);
    size_t samples = inputs * candidates;
    m->workspace = layout_take(layout, hn_layer_workspace_bytes(r->layer), 1);
    m->loss = layout_take(layout, r->loss.bytes, 1);
    if (r->refines) {
        m->steps = layout_take(layout, r->plan.bytes, 1);
        samples_place(layout, &m->trial, samples, 0, layer.outputs);
        m->multipliers = layout_take(layout, samples * layer.rows, sizeof *m->multipliers);
        m->length = layout_take(layout, samples, sizeof *m->length);
    }
    if (improves) {
        samples_place(layout, &m->beyond, inputs, 0, layer.outputs);
        m->targets = layout_take(layout, samples, layer.outputs * sizeof *m->targets);
    }
    samples_place(layout, &m->samples, samples, layer.inputs, layer.outputs);
    m->best = layout_take(layout, inputs, sizeof *m->best);
}

void refiner_begin(const struct refiner *r, const struct refine_memory *m) {
    if (r->loss.program)
        loss_begin(&r->loss, m->loss);
    if (r->refines)
        refine_plan_prepare(&r->plan, m->steps);
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
    loss_run(&r->loss, m->loss, &values, OBJECTIVE_ONLY);
}

void refiner_run(const struct refiner *r, const struct refine_memory *m, const struct samples *samples, bool known,
                 int steps) {
    size_t outputs = r->plan.outputs;
    struct samples trial = m->trial;
    trial.count = samples->count;
    trial.x = samples->x;
    trial.residual = samples->residual;
    for (size_t s = 0; s < samples->count; s++)
        m->length[s] = 1;
    for (int k = 0; k < steps; k++) {
        const struct refine_batch step = {samples->count, samples->x,     samples->y, trial.raw,
                                          m->multipliers, known || k > 0, m->length};
        refine_plan_run(&r->plan, m->steps, &step);
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

bool improve_explores(const struct improve_settings *settings) {
    return settings->explore > 0 && (settings->starts || settings->round % EXPLORE_EVERY == 0);
}

size_t improve_distance(const struct improve_settings *settings) {
    return 1 + (size_t)settings->round / EXPLORE_EVERY % (IMPROVE_CHUNK - 1);
}

static void explore(const struct refiner *r, const struct refine_memory *m, const struct improve_task *t, int steps) {
    for (size_t i = 0; i < t->beyond.count; i++)
        improve_start(t, i);
    refiner_correct(r, m, &t->beyond);
    refiner_run(r, m, &t->beyond, false, steps);
    for (size_t i = 0; i < t->beyond.count; i++)
        improve_adopt(t, i);
}

void improve_run(const struct refiner *r, const struct refine_memory *m, const struct samples *samples, size_t inputs,
                 const struct improve_settings *settings) {
    struct improve_task t = {.outputs = r->plan.outputs,
                             .samples = *samples,
                             .among = {inputs, samples->count / inputs, samples->objective, samples->reports, m->best},
                             .targets = m->targets,
                             .beyond = m->beyond,
                             .starts = settings->starts,
                             .chunk = IMPROVE_CHUNK,
                             .distance = improve_distance(settings),
                             .explore = settings->explore};
    t.beyond.count = inputs;
    t.beyond.x = samples->x; /* of the first candidates */
    t.beyond.residual = NULL;
    refiner_run(r, m, samples, false, settings->steps);
    choose_best(&t.among);
    for (size_t s = 0; s < samples->count; s++)
        improve_target(&t, s);
    if (improve_explores(settings))
        explore(r, m, &t, settings->steps + 1);
}
