/* core_layer_call.c - calls of a layer: pools, and interruption by Ctrl-C.
 *
 * A pool serves one call at a time, so that a layer keeps a stack of idle ones: a call takes one, or
 * makes one, and puts it back. The interpreter's lock guards the stack.
 *
 * A call that may take long is attended (core_call.c): another thread computes while this one looks
 * for signals. That costs a tenth of a millisecond, most of it for memory that the other core has
 * to fetch. What a forward call may take says little: samples may take thousands of steps, and
 * take ten. So where calls were quick lately the next is tried without, under a deadline; one that
 * exceeds it is run again, attended. The bits of a sample do not depend on any of this. How long a
 * gradient takes is known from the steps of its samples.
 *
 * SPDX-License-Identifier: MIT */
#include "core_layer.h"

#include <fenv.h>
#include <stdlib.h>
#include <time.h>

static const double LONG_WORK = 1e9;       /* operations: a quarter of a second, or more on slow processors */
static const double PIECE_WORK = 2.5e8;    /* of a gradient between two looks at signals */
static const size_t PIECE_BYTES = 1 << 24; /* of its rows of hn_gradient.shared_each, or 64 samples */
static const double QUICK_SECONDS = 0.05;  /* calls expected to be faster run on the calling thread */
static const double TRY_SECONDS = 0.25;    /* for so long */

/* ---- pools ---- */

static hn_pool *take_pool(core_layer *self) {
    if (self->idle_count > 0)
        return self->idle[--self->idle_count];
    hn_pool *pool;
    hn_error error;
    if (hn_pool_create(&pool, self->layer, self->threads, &error) != HN_OK)
        core_raise(&error);
    return pool;
}

static void give_back(core_layer *self, hn_pool *pool) {
    if (self->idle_count < MOST_IDLE)
        self->idle[self->idle_count++] = pool;
    else
        hn_pool_destroy(pool);
}

/* ---- how long ---- */

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The operations of one step. */
static double step_work(const core_layer *self) {
    return (double)self->info.operators + (double)self->info.multiply_adds + 100;
}

/* Forward at most; backward just those that there were, each about four times a step forward. */
static double work_of(const core_layer *self, const layer_call *call) {
    if (!call->backward)
        return (double)call->batch.count * self->options.iterations * step_work(self);
    double steps = 0;
    for (size_t i = 0; i < call->batch.count; i++)
        steps += call->batch.reports[i].steps;
    return 4 * steps * step_work(self);
}

/* Whether a forward call should be over soon, and could be run again if it is not. */
static bool may_be_tried(const core_layer *self, const layer_call *call) {
    const hn_batch *batch = &call->batch;
    bool repeatable = batch->reports && batch->seconds == 0 && !batch->warm && batch->y != batch->y_raw;
    return !call->backward && repeatable && self->pace > 0 && self->pace * (double)batch->count < QUICK_SECONDS;
}

static void note_pace(core_layer *self, const layer_call *call, double seconds) {
    if (call->backward || call->batch.count == 0)
        return;
    double pace = seconds / (double)call->batch.count;
    self->pace = pace > 0.7 * self->pace ? pace : 0.7 * self->pace;
}

/* Whether time may have been too short for some sample. What nearest and optimal had found until then is ok, and not
 * certified, or locally infeasible without a proof. */
static bool any_cancelled(const layer_call *call) {
    hn_method method = hn_layer_options_of(call->layer->layer).method;
    bool proves = method == HN_METHOD_NEAREST || method == HN_METHOD_OPTIMAL;
    for (size_t i = 0; i < call->batch.count; i++) {
        const hn_report *report = &call->batch.reports[i];
        bool open = proves && ((report->outcome == HN_OUTCOME_OK && !(report->kkt <= HN_CERTIFIED)) ||
                               (report->outcome == HN_OUTCOME_LOCALLY_INFEASIBLE && isinf(report->proof)));
        if (report->outcome == HN_OUTCOME_CANCELLED || open)
            return true;
    }
    return false;
}

/* ---- running ---- */

/* A sub-batch of `count` samples from `first` on. */
static void slice(const core_layer *self, const layer_call *call, size_t first, size_t count, layer_call *out) {
    size_t inputs = self->info.inputs - call->batch.shared_count, outputs = self->info.outputs, rows = self->info.rows;
    size_t tape = hn_layer_tape_bytes(self->layer, 2) - hn_layer_tape_bytes(self->layer, 1);
    *out = (layer_call){.batch = call->batch, .gradient = call->gradient};
    hn_batch *b = &out->batch;
    hn_gradient *g = &out->gradient;
    b->count = count;
    b->x += b->x && !b->repeat_x ? first * inputs : 0;
    b->y_raw += b->y_raw && !b->repeat_y ? first * outputs : 0;
    b->y += first * outputs;
    b->reports += first;
    b->tape = (char *)b->tape + first * tape;
    g->grad_y += first * outputs;
    g->grad_y_raw += first * outputs;
    g->grad_x += g->grad_x ? first * inputs : 0;
    g->grad_lower += g->grad_lower ? first * rows : 0;
    g->grad_upper += g->grad_upper ? first * rows : 0;
    g->flagged += g->flagged ? first : 0;
    g->grad_multipliers += g->grad_multipliers ? first * rows : 0;
    g->grad_weights += g->grad_weights ? first * outputs : 0;
}

/* Samples of a piece of the gradient. */
static size_t piece_of(const layer_call *call) {
    size_t pieces = 1 + (size_t)(work_of(call->layer, call) / PIECE_WORK);
    size_t most = call->batch.count / pieces + 64, shared = call->batch.shared_count;
    size_t fit = shared ? PIECE_BYTES / sizeof(double) / shared : most;
    return fit < most ? (fit > 64 ? fit : 64) : most;
}

/* The library's gradient cannot be cancelled: a long one is computed in pieces, so that Ctrl-C stops it between two. All
 * add to grad_shared, through the same rows of shared_each. */
static void run_pieces(layer_call *call, size_t most) {
    size_t first = 0, count = call->batch.count;
    layer_call part;
    do {
        slice(call->layer, call, first, count - first < most ? count - first : most, &part);
        call->status = hn_pool_gradient(call->pool, &part.batch, &part.gradient, &call->error);
        first += most;
    } while (first < count && call->status == HN_OK && !__atomic_load_n(&call->cancel, __ATOMIC_RELAXED));
}

static void run_back(layer_call *call) {
    size_t most = piece_of(call), rows = most < call->batch.count ? most : call->batch.count;
    double *each = call->gradient.grad_shared ? malloc((rows * call->batch.shared_count + 1) * sizeof *each) : NULL;
    call->gradient.shared_each = each;
    if (each || !call->gradient.grad_shared) {
        run_pieces(call, most);
    } else {
        call->status = HN_NO_MEMORY;
        call->error = (hn_error){.status = HN_NO_MEMORY, .text = "out of memory: the gradient of shared inputs"};
    }
    free(each);
}

static void run_call(void *context) {
    layer_call *call = context;
    if (call->backward)
        run_back(call);
    else
        call->status = hn_pool_run(call->pool, &call->batch, &call->error);
}

/* Whether the call was over in time. */
static bool try_call(layer_call *call) {
    call->batch.seconds = TRY_SECONDS;
    core_run(run_call, call, false, &call->cancel);
    call->batch.seconds = 0;
    return call->status != HN_OK || !any_cancelled(call);
}

static PyObject *execute(core_layer *self, layer_call *call) {
    call->layer = self;
    call->pool = take_pool(self);
    if (!call->pool)
        return NULL;
    double begin = seconds_now();
    bool lengthy = work_of(self, call) > LONG_WORK, quiet = true;
    if (!lengthy || !may_be_tried(self, call) || !try_call(call))
        quiet = core_run(run_call, call, lengthy, &call->cancel);
    note_pace(self, call, seconds_now() - begin);
    give_back(self, call->pool);
    if (!quiet)
        return NULL;
    if (call->status != HN_OK)
        return core_raise(&call->error);
    Py_RETURN_NONE;
}

/* XLA calls back with subnormal numbers taken for zero: the library's arithmetic is the standard one, and threads that
 * a pool starts in here inherit it. */
PyObject *core_layer_execute(core_layer *self, layer_call *call) {
    fenv_t theirs;
    fegetenv(&theirs);
    fesetenv(FE_DFL_ENV);
    PyObject *result = execute(self, call);
    fesetenv(&theirs);
    return result;
}
