/* loss_lanes.c - the loss of loss.h for LANES samples at a time.
 *
 * SPDX-License-Identifier: MIT */
#include "base/lanes.h"
#include "nn/loss.h"

#include <string.h>

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

/* Inputs and outputs of up to LANES samples. */
struct group {
    const double *x[LANES], *y[LANES];
    size_t count;
};

static struct group group_of(const struct loss *loss, const struct loss_batch *batch, size_t first) {
    struct group g = {.count = batch->count - first < LANES ? batch->count - first : LANES};
    for (size_t s = 0; s < g.count; s++) {
        g.x[s] = batch->x + (first + s) * loss->inputs;
        g.y[s] = batch->y + (first + s) * loss->outputs;
    }
    return g;
}

static void run_objective(const struct loss *loss, double *memory, const struct loss_batch *batch, size_t first) {
    const struct loss_objective *alone = &loss->alone;
    const struct group g = group_of(loss, batch, first);
    double *own = memory + alone->first;
    loss->backend.load(own, alone->x, loss->inputs, g.x);
    loss->backend.load(own, alone->y, loss->outputs, g.y);
    loss->backend.run(alone->program, 0, own);
    loss->backend.run(alone->program, 1, own);
    memcpy(batch->objective + first, own + alone->objective, g.count * sizeof *own);
}

static void run_group(const struct loss *loss, double *memory, const struct loss_batch *batch, size_t first,
                      struct loss_weights weights) {
    const struct group g = group_of(loss, batch, first);
    const struct loss_places *places = &loss->places;
    loss->backend.load(memory, places->x, loss->inputs, g.x);
    loss->backend.load(memory, places->y, loss->outputs, g.y);
    loss->backend.run(loss->program, 0, memory);
    loss->backend.run(loss->program, 1, memory);
    for (size_t s = 0; s < g.count; s++) {
        double size = loss_multipliers(places, memory + s, 1, weights);
        batch->objective[first + s] = memory[places->objective + s];
        if (batch->residual)
            batch->residual[first + s] = size;
    }
    if (!batch->gradient)
        return;
    loss->backend.run(loss->program, 2, memory);
    for (size_t s = 0; s < g.count; s++)
        loss_gradient(places, memory + s, 1, batch->gradient + (first + s) * loss->outputs);
}

void loss_run(const struct loss *loss, double *memory, const struct loss_batch *batch, struct loss_weights weights) {
    for (size_t first = 0; first < batch->count; first += LANES)
        if (!batch->gradient && !batch->residual)
            run_objective(loss, memory, batch, first);
        else
            run_group(loss, memory, batch, first, weights);
}
