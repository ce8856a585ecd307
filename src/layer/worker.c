/* worker.c - a worker's memory, the queue it takes samples from, and the small things that both directions need.
 *
 * SPDX-License-Identifier: MIT */
#include "base/layout.h"
#include "base/size.h"
#include "layer/layer_parts.h"

#include <math.h>
#include <string.h>

enum { PREFETCH_MOST = 256 }; /* numbers per sample and step; the processor follows longer runs by itself */

/* ---- memory ---- */

static void lay_out(struct layout *layout, struct worker *worker) {
    worker->slots = layout_take(layout, worker->layer->slots * LANES, sizeof *worker->slots);
    worker->row = layout_take(layout, worker->layer->outputs, sizeof *worker->row);
}

size_t hn_layer_workspace_bytes(const hn_layer *layer) {
    struct worker worker = {.layer = layer};
    struct layout layout = layout_measure();
    if (!layer)
        return 0;
    lay_out(&layout, &worker);
    return layout_bytes(&layout);
}

size_t hn_layer_gradient_workspace_bytes(const hn_layer *layer) {
    return hn_layer_workspace_bytes(layer);
}

static void fill(const struct worker *worker, uint32_t place, double value) {
    for (int lane = 0; lane < worker->lanes; lane++)
        *lane_at(worker, place, lane) = value;
}

static void fill_constants(const struct worker *worker) {
    const hn_layer *layer = worker->layer;
    for (size_t i = 0; i < layer->program->constant_count; i++)
        fill(worker, (uint32_t)(i * LANES), layer->program->constants[i]);
    for (size_t i = 0; i < layer->system.constant_count; i++)
        fill(worker, layer->system.constants[i].place, layer->system.constants[i].value);
    fill(worker, layer->task.eps, layer->options.damping);
}

/* A sample that comes alone is computed alone: an eighth of the memory, which counts once that leaves the caches. */
bool worker_begin(struct worker *worker, const hn_layer *layer, size_t count, void *workspace, size_t bytes) {
    *worker = (struct worker){.layer = layer, .backend = layer->backend, .lanes = LANES};
    if (!workspace || bytes < hn_layer_workspace_bytes(layer))
        return false;
    struct layout layout = layout_over(workspace);
    lay_out(&layout, worker);
    if (count == 1) {
        worker->backend = layer->single;
        worker->lanes = 1;
        worker->narrow = LANES_POWER;
    }
    memset(worker->slots, 0, layer->slots * (size_t)worker->lanes * sizeof *worker->slots);
    fill_constants(worker);
    return true;
}

bool queue_take(struct queue *queue, size_t count, size_t *sample) {
    if (__atomic_load_n(&queue->next, __ATOMIC_RELAXED) >= count)
        return false;
    *sample = __atomic_fetch_add(&queue->next, 1, __ATOMIC_RELAXED);
    return *sample < count;
}

/* ---- lanes ---- */

void lane_read(const struct worker *worker, uint32_t place, int lane, size_t count, double *to) {
    const double *from = lane_at(worker, place, lane);
    for (size_t i = 0; i < count; i++)
        to[i] = from[i * (size_t)worker->lanes];
}

void lane_write(const struct worker *worker, uint32_t place, int lane, size_t count, const double *from) {
    double *to = lane_at(worker, place, lane);
    for (size_t i = 0; i < count; i++)
        to[i * (size_t)worker->lanes] = from[i];
}

bool all_finite(const double *values, size_t count, size_t *culprit) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) {
            *culprit = i;
            return false;
        }
    return true;
}

void worker_hold_bounds(const struct worker *worker, const bool *clips) {
    const hn_layer *layer = worker->layer;
    bool any = false;
    for (int lane = 0; lane < worker->lanes; lane++) {
        bool holds = clips[lane] && worker->lane[lane].attempt > UNCLIPPED_ATTEMPT;
        mask_set(worker, layer->mask_hold, lane, holds);
        any = any || holds;
    }
    if (!any)
        return;
    worker->backend.multiply(&layer->system.by_columns, worker->slots, layer->right, layer->step);
    worker->backend.hold_bounds(&layer->task, &layer->clip, worker->slots, layer->step, layer->mask_hold);
}

void worker_load_inputs(struct worker *worker, int lane, size_t sample) {
    const hn_batch *batch = worker->batch;
    size_t inputs = worker->layer->inputs;
    if (inputs)
        lane_write(worker, worker->layer->x, lane, inputs, batch->x + (batch->repeat_x ? 0 : sample * inputs));
}

/* ---- the tape ---- */

/* The tape is larger than the caches; the next iterate is asked for while the present one is worked on. */
void tape_prefetch(const struct worker *worker, int lane, int step, bool write) {
    const hn_layer *layer = worker->layer;
    enum { LINE = 64 / sizeof(double) };
    if (step < 0 || (size_t)step >= layer->tape_steps)
        return;
    const double *tape = tape_of(layer, worker->batch, worker->lane[lane].sample) + TAPE_HEAD;
    const double *y = tape + layer->tape_steps + (size_t)step * layer->outputs;
    size_t most = layer->outputs < PREFETCH_MOST ? layer->outputs : PREFETCH_MOST;
    for (size_t i = 0; i < most; i += LINE)
        if (write)
            __builtin_prefetch(y + i, 1);
        else
            __builtin_prefetch(y + i, 0);
}

void tape_plan(hn_layer *layer) {
    size_t steps = (size_t)layer->options.iterations, numbers;
    layer->tape_steps = layer->options.method == HN_METHOD_AUTO && steps > ATTEMPT_STEPS ? ATTEMPT_STEPS : steps;
    bool fits = size_multiply(layer->tape_steps, layer->outputs + 1, &numbers) &&
                size_add(numbers, TAPE_HEAD, &layer->tape_stride);
    if (!fits)
        layer->tape_stride = 0;
}

size_t hn_layer_tape_bytes(const hn_layer *layer, size_t count) {
    size_t stride = layer ? layer->tape_stride : 0, numbers, bytes;
    if (stride == 0 || !size_multiply(stride, count, &numbers) || !size_multiply(numbers, sizeof(double), &bytes) ||
        !size_add(bytes, sizeof(double), &bytes))
        return 0;
    return bytes;
}
