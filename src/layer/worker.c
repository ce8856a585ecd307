/* worker.c - a worker's memory, the queue of samples, and helpers shared by the forward and backward pass.
 *
 * SPDX-License-Identifier: MIT */
#include "base/layout.h"
#include "layer/driver.h"
#include "linalg/blocked_ldl.h"

#include <string.h>

/* ---- memory: one block, sized for the larger of the two executors ---- */

static void worker_lay_out(struct layout *layout, void *context) {
    struct worker_workspace *memory = context;
    const hn_layer *layer = memory->layer;
    size_t bytes = layer->lanes.bytes > layer->single.bytes ? layer->lanes.bytes : layer->single.bytes;
    memory->slots = layout_take(layout, bytes / sizeof *memory->slots, sizeof *memory->slots);
    memory->row = layout_take(layout, layer->plan->outputs, sizeof *memory->row);
    if (method_searches(layer->options.method)) {
        size_t own = worker_near_numbers(layer->plan);
        size_t lanes = layer->near_lanes.bytes, single = layer->near_single.bytes;
        memory->near = layout_take(layout, lanes > single ? lanes : single, 1);
        lanes = layer->split_lanes.bytes, single = layer->split_single.bytes;
        memory->split = layout_take(layout, lanes > single ? lanes : single, 1);
        memory->near_rows = layout_take(layout, layer->lanes.width * own, sizeof *memory->near_rows);
        size_t numbers = 3 * (size_t)layer->plan->rows + layer->plan->outputs + layer->affine.numbers;
        memory->affine = layout_take(layout, numbers, sizeof *memory->affine);
        memory->goal = layout_take(layout, affine_goal_numbers(&layer->affine), sizeof *memory->goal);
    }
}

size_t hn_layer_workspace_bytes(const hn_layer *layer) {
    struct worker_workspace memory = {.layer = layer};
    return layer ? layout_size(worker_lay_out, &memory) : 0;
}

size_t hn_layer_gradient_workspace_bytes(const hn_layer *layer) {
    return hn_layer_workspace_bytes(layer);
}

size_t hn_layer_tape_bytes(const hn_layer *layer, size_t count) {
    return layer ? tape_bytes(layer->plan, count) : 0;
}

static void begin_lane(struct worker *worker, uint32_t lane) {
    const hn_layer *layer = worker->layer;
    struct lane *own = &worker->lane[lane];
    const size_t outputs = worker->plan->outputs;
    memset(own, 0, sizeof *own);
    own->solver.plan = worker->plan;
    own->solver.options = &worker->plan->options;
    own->solver.point = (struct point){worker->plan, worker->slots + lane, worker->width};
    own->solver.row = worker->row;
    if (!method_searches(layer->options.method))
        return;
    double *rows = worker_near_row(worker, lane);
    own->solver.search = &own->search;
    own->search = (struct solver_search){.raw = rows,
                                         .stepped = rows + outputs,
                                         .found = rows + 2 * outputs,
                                         .multipliers = rows + 3 * outputs,
                                         .stalled_multipliers = rows + 3 * outputs + worker->plan->rows,
                                         .weights = layer->weights,
                                         .optimal = layer->options.method == HN_METHOD_OPTIMAL,
                                         .maximizes = layer->maximizes};
}

/* A single sample uses the single executor: an eighth of the memory, which matters once it exceeds the caches. */
bool worker_begin(struct worker *worker, const hn_layer *layer, size_t count, void *workspace, size_t bytes,
                  struct helpers *helpers) {
    bool alone = count == 1 && layer->lanes.width > 1;
    const struct executor *executor = alone ? &layer->single : &layer->lanes;
    memset(worker, 0, offsetof(struct worker, lane));
    worker->layer = worker->memory.layer = layer;
    worker->executor = executor;
    worker->plan = layer->plan;
    worker->width = executor->width;
    if (!workspace || bytes < hn_layer_workspace_bytes(layer))
        return false;
    layout_place(worker_lay_out, &worker->memory, workspace);
    worker->slots = worker->memory.slots;
    worker->row = worker->memory.row;
    if (helpers) {
        worker->helped = *executor;
        worker->helped.helpers = helpers;
        worker->executor = &worker->helped;
    }
    worker->executor->begin(worker->executor, worker->slots);
    for (uint32_t k = 0; k < worker->width; k++)
        begin_lane(worker, k);
    if (method_searches(layer->options.method)) {
        nearest_begin(worker_nearest(worker), worker->memory.near);
        if (worker_split(worker)->parts.plan.program)
            nearest_begin(worker_split(worker), worker->memory.split);
        affine_goal_begin(&layer->affine, worker->memory.goal);
    }
    return true;
}

/* ---- helper threads ---- */

bool layer_shares(const hn_layer *layer) {
    return layer->plan->system.kind == FACTOR_TILED && layer->plan->system.order >= TILED_NEAR;
}

double *worker_memory(const hn_layer *layer, void *workspace) {
    struct worker_workspace memory = {.layer = layer};
    layout_place(worker_lay_out, &memory, workspace);
    return memory.slots;
}

/* ---- the batch ---- */

bool queue_take(struct queue *queue, size_t count, size_t *sample) {
    if (__atomic_load_n(&queue->next, __ATOMIC_RELAXED) >= count)
        return false;
    *sample = __atomic_fetch_add(&queue->next, 1, __ATOMIC_RELAXED);
    return *sample < count;
}

const double *batch_inputs(const struct worker *worker, size_t sample) {
    const hn_batch *batch = worker->batch;
    size_t inputs = worker->plan->inputs;
    return inputs ? batch->x + (batch->repeat_x ? 0 : sample * inputs) : NULL;
}

const double *batch_raw(const struct worker *worker, size_t sample) {
    const hn_batch *batch = worker->batch;
    return batch->y_raw ? batch->y_raw + (batch->repeat_y ? 0 : sample * worker->plan->outputs) : NULL;
}
