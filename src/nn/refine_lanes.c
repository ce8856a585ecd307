/* refine_lanes.c - steps of refine_step.h for LANES samples at a time.
 *
 * SPDX-License-Identifier: MIT */
#include "base/lanes.h"
#include "cpu/backend.h"
#include "nn/refine_step.h"

#define REFINE_AT_ONCE             LANES
#define REFINE_STRIDE              LANES
#define REFINE_SLOT(slots, offset) ((slots)[offset])
#include "core/refine_qp.h"

static struct refine_sample sample_of(const struct refine_stepper *r, const struct refine_batch *b, size_t s) {
    return (struct refine_sample){.x = b->x + s * r->plan.inputs,
                                  .y = b->y + s * r->plan.outputs,
                                  .y_new = b->y_new + s * r->plan.outputs,
                                  .multipliers = b->multipliers + s * r->plan.rows,
                                  .known = b->known,
                                  .length = b->length[s]};
}

void refine_stepper_run(const struct refine_stepper *r, double *memory, const struct refine_batch *batch) {
    for (size_t first = 0; first < batch->count; first += LANES) {
        struct refine_sample samples[LANES] = {{.known = false}};
        size_t left = batch->count - first, count = left < LANES ? left : LANES;
        for (size_t i = 0; i < count; i++)
            samples[i] = sample_of(r, batch, first + i);
        refine_group(&r->backend, &r->plan.places, memory, samples, count);
    }
}

/* ---- life ---- */

hn_status refine_stepper_create(struct refine_stepper *r, const hn_model *model, hn_instructions instructions,
                                hn_error *error) {
    *r = (struct refine_stepper){.plan = {.stride = LANES}};
    hn_status status = backend_choose(&r->backend, instructions, error);
    return status == HN_OK ? refine_plan_create(&r->plan, model, LANES, error) : status;
}

void refine_stepper_release(struct refine_stepper *r) {
    refine_plan_release(&r->plan);
}

void refine_stepper_begin(const struct refine_stepper *r, double *memory) {
    refine_plan_prepare(&r->plan, memory);
}
