/* refiner.c - see refiner.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/refiner.h"

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

void samples_place(struct layout *layout, struct samples *m, size_t count, size_t inputs, size_t outputs) {
    m->count = count;
    m->x = layout_take(layout, count, inputs * sizeof *m->x);
    m->raw = layout_take(layout, count, outputs * sizeof *m->raw);
    m->y = layout_take(layout, count, outputs * sizeof *m->y);
    m->objective = layout_take(layout, count, sizeof *m->objective);
    m->residual = layout_take(layout, count, sizeof *m->residual);
    m->reports = layout_take(layout, count, sizeof *m->reports);
}

hn_batch samples_as_batch(const struct samples *m) {
    return (hn_batch){.size = sizeof(hn_batch),
                      .count = m->count,
                      .x = m->x,
                      .y_raw = m->raw,
                      .y = m->y,
                      .report_size = sizeof(hn_report),
                      .reports = m->reports};
}

void choose_best(const struct candidates *c) {
    for (size_t i = 0; i < c->inputs; i++)
        candidates_choose(c, i);
}

/* ---- running ---- */

void refiner_correct(const struct refiner *r, const struct refine_memory *m, const struct samples *t) {
    const struct loss_batch values = {t->count, t->x, t->y, NULL, t->objective, t->residual};
    const hn_batch batch = samples_as_batch(t);
    hn_layer_run(r->layer, &batch, m->workspace, hn_layer_workspace_bytes(r->layer), NULL);
    loss_run(r->loss, m->loss, &values, OBJECTIVE_ONLY);
}

void refiner_run(const struct refiner *r, const struct refine_memory *m, const struct samples *t, bool known,
                 int steps) {
    size_t outputs = r->stepper.plan.outputs;
    struct samples trial = m->trial;
    trial.count = t->count;
    trial.x = t->x;
    trial.residual = t->residual;
    for (size_t s = 0; s < t->count; s++)
        m->length[s] = 1;
    for (int k = 0; k < steps; k++) {
        const struct refine_batch step = {t->count, t->x, t->y, trial.raw, m->multipliers, known || k > 0, m->length};
        refine_stepper_run(&r->stepper, m->steps, &step);
        refiner_correct(r, m, &trial);
        for (size_t s = 0; s < t->count; s++)
            refine_keep(t, &trial, m->length, outputs, s);
    }
    for (size_t s = 0; steps > 0 && s < t->count; s++)
        refine_measure(t, outputs, s);
}
