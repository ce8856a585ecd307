/* loss_lanes.c - the loss of loss.h for LANES samples at a time.
 *
 * SPDX-License-Identifier: MIT */
#include "base/lanes.h"
#include "core/residual.h"
#include "nn/loss.h"

#include <math.h>
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

/* |r|, and the multipliers (size / |r| + 2 square) r for the gradient. */
static double set_multipliers(const struct loss *loss, double *memory, size_t lane, struct loss_weights weights) {
    double squares = 0;
    for (size_t i = 0; i < loss->rows; i++) {
        double r =
            residual_of(memory[loss->value[i] + lane], memory[loss->lower[i] + lane], memory[loss->upper[i] + lane]);
        memory[loss->multiplier + i * LANES + lane] = r;
        squares += r * r;
    }
    double size = sqrt(squares), scale = (size > 0 ? weights.size / size : 0) + 2 * weights.square;
    for (size_t i = 0; i < loss->rows; i++)
        memory[loss->multiplier + i * LANES + lane] *= scale;
    return size;
}

static void write_gradient(const struct loss *loss, const double *memory, size_t lane, double *gradient) {
    memset(gradient, 0, loss->outputs * sizeof *gradient);
    for (size_t e = 0; e < loss->gradient_count; e++)
        gradient[loss->gradient_entry[e]] += memory[loss->gradient_at[e] + lane];
    for (size_t e = 0; e < loss->pull_count; e++)
        gradient[loss->pull_entry[e]] += memory[loss->pull_at[e] + lane];
}

static void run_group(const struct loss *loss, double *memory, const struct loss_batch *batch, size_t first,
                      struct loss_weights weights) {
    const struct group g = group_of(loss, batch, first);
    loss->backend.load(memory, loss->x, loss->inputs, g.x);
    loss->backend.load(memory, loss->y, loss->outputs, g.y);
    loss->backend.run(loss->program, 0, memory);
    loss->backend.run(loss->program, 1, memory);
    for (size_t s = 0; s < g.count; s++) {
        double size = set_multipliers(loss, memory, s, weights);
        batch->objective[first + s] = memory[loss->objective + s];
        if (batch->residual)
            batch->residual[first + s] = size;
    }
    if (!batch->gradient)
        return;
    loss->backend.run(loss->program, 2, memory);
    for (size_t s = 0; s < g.count; s++)
        write_gradient(loss, memory, s, batch->gradient + (first + s) * loss->outputs);
}

void loss_run(const struct loss *loss, double *memory, const struct loss_batch *batch, struct loss_weights weights) {
    for (size_t first = 0; first < batch->count; first += LANES)
        if (!batch->gradient && !batch->residual)
            run_objective(loss, memory, batch, first);
        else
            run_group(loss, memory, batch, first, weights);
}
