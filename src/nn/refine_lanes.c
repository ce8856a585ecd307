/* refine_lanes.c - steps of refine_plan.h for LANES samples at a time.
 *
 * SPDX-License-Identifier: MIT */
#include "base/lanes.h"
#include "nn/refine_plan.h"

#define REFINE_AT_ONCE             LANES
#define REFINE_STRIDE              LANES
#define REFINE_SLOT(slots, offset) ((slots)[offset])
#include "core/refine_qp.h"

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
