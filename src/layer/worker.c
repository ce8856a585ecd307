/* worker.c - a worker's memory, the queue of samples, and the early end of a call.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/layout.h"
#include "layer/driver.h"
#include "linalg/blocked_ldl.h"

#include <string.h>

static const double LOOK = 20e-6;
enum { MOST_ROUNDS = 256 };

/* ---- memory: one block, sized for the larger of the two executors ---- */

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static void worker_lay_out(struct layout *layout, void *context) {
    struct worker_workspace *memory = context;
    const hn_layer *layer = memory->layer;
    size_t bytes = larger(layer->lanes.bytes, layer->single.bytes);
    memory->slots = layout_take(layout, bytes / sizeof *memory->slots, sizeof *memory->slots);
    memory->row = layout_take(layout, layer->plan->outputs, sizeof *memory->row);
    memory->inputs =
        layout_take(layout, (layer->lanes.width + (size_t)1) * layer->plan->inputs, sizeof *memory->inputs);
    if (method_searches(layer->options.method)) {
        size_t own = worker_near_numbers(layer->plan);
        memory->near = layout_take(layout, larger(layer->near[0].bytes, layer->near[1].bytes), 1);
        memory->split = layout_take(layout, larger(layer->split[0].bytes, layer->split[1].bytes), 1);
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
void worker_begin(struct worker *worker, const hn_layer *layer, size_t count, void *workspace,
                  struct helpers *helpers) {
    bool alone = count == 1 && layer->lanes.width > 1;
    const struct executor *executor = alone ? &layer->single : &layer->lanes;
    memset(worker, 0, offsetof(struct worker, lane));
    worker->layer = worker->memory.layer = layer;
    worker->executor = executor;
    worker->plan = layer->plan;
    worker->width = executor->width;
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

/* The shared inputs and the others, in the order of the model. */
static const double *join_inputs(const struct worker *worker, uint32_t lane, const double *others) {
    const hn_batch *batch = worker->batch;
    double *row = worker_inputs(worker, lane);
    size_t next = 0;
    for (size_t j = 0; j < worker->plan->inputs; j++)
        if (batch_shares(batch, next, j))
            row[j] = batch->shared[next++];
        else
            row[j] = others[j - next];
    return row;
}

const double *batch_inputs(const struct worker *worker, uint32_t lane) {
    const hn_batch *batch = worker->batch;
    size_t others = worker->plan->inputs - batch->shared_count;
    const double *x = others ? batch->x + (batch->repeat_x ? 0 : worker->lane[lane].sample * others) : NULL;
    return batch->shared_count ? join_inputs(worker, lane, x) : x;
}

const double *batch_raw(const struct worker *worker, size_t sample) {
    const hn_batch *batch = worker->batch;
    return batch->y_raw ? batch->y_raw + (batch->repeat_y ? 0 : sample * worker->plan->outputs) : NULL;
}

struct executor_rows worker_rows(const struct worker *worker, const bool *accepted, struct row_masks *masks) {
    const struct plan *plan = worker->plan;
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct solver *d = &worker->lane[k].solver;
        double squares = *point_at(&d->point, plan->summary + SUMMARY_SQUARES);
        masks->hold[k] = sample_hold(&d->state, &plan->options, squares);
        masks->leads[k] = d->state.kind == SAMPLE_LEADING;
        masks->holds[k] = accepted[k] && d->state.phase != PHASE_IDLE && sample_holds_bounds(&d->state);
    }
    return (struct executor_rows){accepted, masks->hold, masks->leads, masks->holds};
}

/* ---- the early end of a call: the caller's flag and the deadline ----
 *
 * A worker polls the flag before every iteration, or between fused iterations; the clock, which costs more, about every
 * LOOK seconds. The number of iterations between two clock reads is measured while running. */

static bool is_watched(const struct worker *worker) {
    return worker->batch->cancel || worker->queue->deadline > 0;
}

/* Iterations until the next clock read: estimated from the last ones, at most twice as many as before. */
static int rounds_to_go(const struct pace *pace, double now) {
    int most = 2 * pace->every < MOST_ROUNDS ? 2 * pace->every : MOST_ROUNDS;
    double passed = now - pace->looked, rounds = (double)pace->since * LOOK;
    if (pace->every == 0)
        return 1;
    return passed * most <= rounds ? most : passed >= rounds ? 1 : (int)(rounds / passed);
}

static bool is_flagged(const struct worker *worker) {
    const int *cancel = worker->batch->cancel;
    return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
}

static bool is_late(const struct worker *worker, double now) {
    return worker->queue->deadline > 0 && now > worker->queue->deadline;
}

void worker_poll(struct worker *worker) {
    struct pace *pace = &worker->pace;
    if (!is_watched(worker))
        return;
    worker->cancelled = worker->cancelled || is_flagged(worker);
    if (pace->since >= pace->every) {
        double now = clock_seconds();
        worker->cancelled = worker->cancelled || is_late(worker, now);
        *pace = (struct pace){.looked = now, .every = rounds_to_go(pace, now)};
    }
    pace->since++;
}

static bool ends(void *context) {
    struct worker *worker = context;
    bool timed = worker->queue->deadline > 0;
    worker->cancelled = worker->cancelled || is_flagged(worker) || (timed && is_late(worker, clock_seconds()));
    return worker->cancelled;
}

struct nearest_watch worker_cancellation(struct worker *worker) {
    return (struct nearest_watch){ends, worker};
}

int worker_unpolled_iterations(const struct worker *worker) {
    int left = worker->pace.every - worker->pace.since;
    return !is_watched(worker) ? INT32_MAX : left > 1 ? left : 1;
}

void worker_count_iterations(struct worker *worker, int rounds) {
    if (is_watched(worker))
        worker->pace.since += rounds;
}
