/* worker.c - a worker's memory, the queue it takes samples from, and the small things that both directions need.
 *
 * SPDX-License-Identifier: MIT */
#include "base/layout.h"
#include "base/size.h"
#include "layer/layer_parts.h"

#include <math.h>
#include <string.h>

/* ---- memory ---- */

static void lay_out(struct layout *layout, struct worker *worker) {
    worker->slots = layout_take(layout, worker->layer->slots * LANES, sizeof *worker->slots);
    worker->row = layout_take(layout, worker->layer->outputs, sizeof *worker->row);
}

size_t hn_layer_workspace_bytes(const hn_layer *layer) {
    struct worker worker = {.layer = layer};
    struct layout layout = layout_measure();
    lay_out(&layout, &worker);
    return layout_bytes(&layout);
}

size_t hn_layer_gradient_workspace_bytes(const hn_layer *layer) {
    return hn_layer_workspace_bytes(layer);
}

static void fill(double *slot, double value) {
    for (int lane = 0; lane < LANES; lane++)
        slot[lane] = value;
}

bool worker_begin(struct worker *worker, const hn_layer *layer, void *workspace, size_t bytes) {
    *worker = (struct worker){.layer = layer};
    if (!workspace || bytes < hn_layer_workspace_bytes(layer))
        return false;
    struct layout layout = layout_over(workspace);
    lay_out(&layout, worker);
    size_t own = layer->program->slots;
    program_prepare(layer->program, worker->slots);
    memset(worker->slots + own * LANES, 0, (layer->slots - own) * LANES * sizeof *worker->slots);
    for (size_t i = 0; i < layer->system.constant_count; i++)
        fill(worker->slots + layer->system.constants[i].place, layer->system.constants[i].value);
    fill(worker->slots + layer->task.eps, layer->options.damping);
    return true;
}

bool queue_take(struct queue *queue, size_t count, size_t *sample) {
    if (__atomic_load_n(&queue->next, __ATOMIC_RELAXED) >= count)
        return false;
    *sample = __atomic_fetch_add(&queue->next, 1, __ATOMIC_RELAXED);
    return *sample < count;
}

/* ---- lanes ---- */

void mask_set(const struct worker *worker, uint32_t place, int lane, bool value) {
    int64_t bits = -(int64_t)value;
    memcpy(lane_at(worker, place, lane), &bits, sizeof bits);
}

bool mask_get(const struct worker *worker, uint32_t place, int lane) {
    int64_t bits;
    memcpy(&bits, lane_at(worker, place, lane), sizeof bits);
    return bits != 0;
}

void lane_read(const struct worker *worker, uint32_t place, int lane, size_t count, double *to) {
    const double *from = lane_at(worker, place, lane);
    for (size_t i = 0; i < count; i++)
        to[i] = from[i * LANES];
}

void lane_write(const struct worker *worker, uint32_t place, int lane, size_t count, const double *from) {
    double *to = lane_at(worker, place, lane);
    for (size_t i = 0; i < count; i++)
        to[i * LANES] = from[i];
}

bool all_finite(const double *values, size_t count, size_t *culprit) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) {
            *culprit = i;
            return false;
        }
    return true;
}

void worker_load_inputs(struct worker *worker, int lane, size_t sample) {
    const hn_batch *batch = worker->batch;
    size_t inputs = worker->layer->inputs;
    if (inputs)
        lane_write(worker, worker->layer->x, lane, inputs, batch->x + (batch->repeat_x ? 0 : sample * inputs));
}

/* ---- the tape ---- */

size_t tape_stride(const hn_layer *layer) {
    size_t steps = (size_t)layer->options.iterations, numbers, stride;
    if (!size_multiply(steps, layer->outputs + 1, &numbers) || !size_add(numbers, 1, &stride))
        return 0;
    return stride;
}

size_t hn_layer_tape_bytes(const hn_layer *layer, size_t count) {
    size_t stride = tape_stride(layer), numbers, bytes;
    if (stride == 0 || !size_multiply(stride, count, &numbers) || !size_multiply(numbers, sizeof(double), &bytes) ||
        !size_add(bytes, sizeof(double), &bytes))
        return 0;
    return bytes;
}

/* The caller's memory may begin anywhere. */
double *tape_of(const hn_layer *layer, const hn_batch *batch, size_t sample) {
    uintptr_t begin = ((uintptr_t)batch->tape + sizeof(double) - 1) & ~(uintptr_t)(sizeof(double) - 1);
    return (double *)begin + sample * tape_stride(layer); // NOLINT(performance-no-int-to-ptr)
}
