/* refiner.c - see refiner.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/refiner.h"

#include "core/candidate_choice.h"

#include <math.h>
#include <string.h>

static const struct loss_weights OBJECTIVE_ONLY = {0, 0};

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
    m->trial = layout_take(layout, samples * plan->outputs, sizeof *m->trial);
    m->objective = layout_take(layout, samples, sizeof *m->objective);
    m->reports = layout_take(layout, samples, sizeof *m->reports);
    m->multipliers = layout_take(layout, samples * plan->rows, sizeof *m->multipliers);
    m->length = layout_take(layout, samples, sizeof *m->length);
}

void refiner_begin(const struct refiner *r, const struct refine_memory *m) {
    refine_stepper_begin(&r->stepper, m->steps);
}

/* ---- running ---- */

/* The batch with its size fields set. */
static void correct(const struct refiner *r, const struct refine_memory *m, const hn_batch *rows) {
    hn_batch batch = *rows;
    batch.size = sizeof batch;
    batch.report_size = sizeof(hn_report);
    hn_layer_run(r->layer, &batch, m->workspace, hn_layer_workspace_bytes(r->layer), NULL);
}

void refiner_correct(const struct refiner *r, const struct refine_memory *m, const struct refine_task *t) {
    const struct loss_batch values = {t->count, t->x, t->y, NULL, t->objective, t->residual};
    const hn_batch batch = {.count = t->count, .x = t->x, .y_raw = t->raw, .y = t->y, .reports = t->reports};
    correct(r, m, &batch);
    loss_run(r->loss, m->loss, &values, OBJECTIVE_ONLY);
}

/* One step for every sample, corrected, with its objective. */
static void try_step(const struct refiner *r, const struct refine_memory *m, const struct refine_task *t, bool known) {
    const struct refine_batch step = {t->count, t->x, t->y, m->trial, m->multipliers, known, m->length};
    const hn_batch batch = {.count = t->count, .x = t->x, .y_raw = m->trial, .y = m->trial, .reports = m->reports};
    const struct loss_batch values = {t->count, t->x, m->trial, NULL, m->objective, t->residual};
    refine_stepper_run(&r->stepper, m->steps, &step);
    correct(r, m, &batch);
    loss_run(r->loss, m->loss, &values, OBJECTIVE_ONLY);
}

/* Accepts the trial points that are ok and lower the objective. */
static void keep_better(const struct refine_memory *m, const struct refine_task *t, size_t outputs) {
    for (size_t s = 0; s < t->count; s++) {
        hn_report *kept = &t->reports[s];
        const hn_report *tried = &m->reports[s];
        bool was_ok = kept->outcome == HN_OUTCOME_OK, is_ok = tried->outcome == HN_OUTCOME_OK;
        kept->iterations += tried->iterations;
        bool replaced = choice_replaces(is_ok, m->objective[s], was_ok, t->objective[s]);
        m->length[s] = choice_next_length(m->length[s], replaced);
        if (!replaced)
            continue;
        kept->outcome = tried->outcome;
        kept->violation = tried->violation;
        kept->worst = tried->worst;
        kept->kkt = kept->complementarity = kept->proof = HUGE_VAL; /* these belong to another point and raw output */
        t->objective[s] = m->objective[s];
        memcpy(t->y + s * outputs, m->trial + s * outputs, outputs * sizeof *t->y);
    }
}

static double refiner_distance(const double *a, const double *b, size_t count) {
    double squares = 0;
    for (size_t j = 0; j < count; j++)
        squares += (a[j] - b[j]) * (a[j] - b[j]);
    return sqrt(squares);
}

void refiner_run(const struct refiner *r, const struct refine_memory *m, const struct refine_task *t, int steps) {
    size_t outputs = r->stepper.plan.outputs;
    if (steps == 0)
        return;
    for (size_t s = 0; s < t->count; s++)
        m->length[s] = 1;
    for (int k = 0; k < steps; k++) {
        try_step(r, m, t, t->known || k > 0);
        keep_better(m, t, outputs);
    }
    for (size_t s = 0; s < t->count; s++)
        t->reports[s].moved = t->reports[s].distance =
            refiner_distance(t->y + s * outputs, t->raw + s * outputs, outputs);
}

/* ---- the choice ---- */

static bool is_better(const struct candidates *c, size_t a, size_t b) {
    bool a_ok = c->reports[a].outcome == HN_OUTCOME_OK, b_ok = c->reports[b].outcome == HN_OUTCOME_OK;
    return choice_is_better(a_ok, c->values[a], b_ok, c->values[b]);
}

void choose_best(const struct candidates *c, size_t *best) {
    for (size_t i = 0; i < c->inputs; i++) {
        best[i] = i;
        for (size_t k = 1; k < c->candidates; k++)
            if (is_better(c, k * c->inputs + i, best[i]))
                best[i] = k * c->inputs + i;
    }
}
