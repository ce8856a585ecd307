/* nn_lanes.c - the loss of loss.h and the steps of refine_plan.h for LANES samples at a time.
 *
 * SPDX-License-Identifier: MIT */
#include "base/lanes.h"
#include "nn/loss.h"
#include "nn/refine_plan.h"

#include <string.h>

#define REFINE_AT_ONCE             LANES
#define REFINE_STRIDE              LANES
#define REFINE_SLOT(slots, offset) ((slots)[offset])
#include "core/refine_qp.h"

/* ---- the loss ---- */

hn_status loss_create(struct loss *loss, const hn_model *model, hn_error *error) {
    *loss = (struct loss){.stride = LANES};
    hn_status status = backend_choose(&loss->backend, HN_INSTRUCTIONS_BEST, error);
    if (status == HN_OK)
        status = loss_compile(loss, model, error);
    return status == HN_OK ? loss_compile_objective(loss, model, error) : status;
}

void loss_begin(const struct loss *loss, double *memory) {
    program_prepare(loss->program, memory);
    program_prepare(loss->alone.program, memory + loss->alone.first);
}

/* Loads up to LANES samples from `first` on, runs the program up to its values, and returns the number of samples. */
static size_t run_values(const struct loss *loss, const struct program *program, double *memory,
                         const struct loss_batch *batch, size_t first) {
    const bool alone = program == loss->alone.program;
    const double *x[LANES], *y[LANES];
    size_t left = batch->count - first, count = left < LANES ? left : LANES;
    for (size_t s = 0; s < LANES; s++) {
        x[s] = s < count ? batch->x + (first + s) * loss->inputs : NULL;
        y[s] = s < count ? batch->y + (first + s) * loss->outputs : NULL;
    }
    loss->backend.load(memory, alone ? loss->alone.x : loss->places.x, loss->inputs, x);
    loss->backend.load(memory, alone ? loss->alone.y : loss->places.y, loss->outputs, y);
    loss->backend.run(program, 0, memory);
    loss->backend.run(program, 1, memory);
    return count;
}

static void run_objective(const struct loss *loss, double *memory, const struct loss_batch *batch, size_t first) {
    double *own = memory + loss->alone.first;
    size_t count = run_values(loss, loss->alone.program, own, batch, first);
    memcpy(batch->objective + first, own + loss->alone.objective, count * sizeof *own);
}

static void run_group(const struct loss *loss, double *memory, const struct loss_batch *batch, size_t first,
                      struct loss_weights weights) {
    const struct loss_places *places = &loss->places;
    size_t count = run_values(loss, loss->program, memory, batch, first);
    for (size_t s = 0; s < count; s++) {
        double size = loss_multipliers(places, memory + s, 1, weights);
        batch->objective[first + s] = memory[places->objective + s];
        if (batch->residual)
            batch->residual[first + s] = size;
    }
    if (!batch->gradient)
        return;
    loss->backend.run(loss->program, 2, memory);
    for (size_t s = 0; s < count; s++)
        loss_gradient(places, memory + s, 1, batch->gradient + (first + s) * loss->outputs);
}

void loss_run(const struct loss *loss, double *memory, const struct loss_batch *batch, struct loss_weights weights) {
    for (size_t first = 0; first < batch->count; first += LANES)
        if (!batch->gradient && !batch->residual)
            run_objective(loss, memory, batch, first);
        else
            run_group(loss, memory, batch, first, weights);
}

/* ---- refinement ---- */

hn_status refine_plan_create_lanes(struct refine_plan *r, const hn_model *model, hn_instructions instructions,
                                   hn_error *error) {
    *r = (struct refine_plan){.stride = LANES};
    hn_status status = refine_plan_create(r, model, LANES, error);
    return status == HN_OK ? backend_choose(&r->backend, instructions, error) : status;
}

static struct refine_sample sample_of(const struct refine_plan *r, const struct refine_batch *b, size_t s) {
    return (struct refine_sample){.x = b->x + s * r->inputs,
                                  .y = b->y + s * r->outputs,
                                  .y_new = b->y_new + s * r->outputs,
                                  .multipliers = b->multipliers + s * r->rows,
                                  .known = b->known,
                                  .length = b->length[s]};
}

void refine_plan_run(const struct refine_plan *r, double *memory, const struct refine_batch *batch) {
    for (size_t first = 0; first < batch->count; first += LANES) {
        struct refine_sample samples[LANES] = {{.known = false}};
        size_t left = batch->count - first, count = left < LANES ? left : LANES;
        for (size_t i = 0; i < count; i++)
            samples[i] = sample_of(r, batch, first + i);
        refine_group(&r->backend, &r->places, memory, samples, count);
    }
}
