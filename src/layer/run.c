/* run.c - runs a layer on the caller's thread or on a pool of threads, and checks the arguments.
 *
 * The threads of a pool take samples from a common counter; the caller waits once, at the end. Each has its own workspace,
 * allocated with the pool. The bits of a sample do not depend on the thread that computes it. With large samples, idle
 * threads help the others with a sample (base/helpers.h).
 *
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/helpers.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/structs.h"
#include "base/thread_pool.h"
#include "layer/driver.h"

#include <math.h>
#include <string.h>

/* A call with checked arguments: forward, or backward with a gradient. */
struct call {
    const hn_layer *layer;
    hn_batch batch;
    hn_gradient gradient;
    bool backward;
    struct queue queue;
};

/* ---- arguments ---- */

/* Whether all arrays of the batch are within PTRDIFF_MAX bytes, the largest possible object. */
static bool fits(const hn_layer *layer, const hn_batch *batch) {
    const struct plan *plan = layer->plan;
    size_t inputs = batch->repeat_x ? 0 : plan->inputs - batch->shared_count;
    size_t numbers = plan->outputs > inputs ? plan->outputs : inputs;
    if ((batch->residual || batch->multipliers) && plan->rows > numbers)
        numbers = plan->rows;
    size_t bytes = size_product(numbers, sizeof(double));
    if (batch->reports && batch->report_size > bytes)
        bytes = batch->report_size;
    return size_product(batch->count, bytes) <= PTRDIFF_MAX && (!batch->tape || tape_bytes(plan, batch->count) > 0);
}

static hn_status check_shared(const hn_batch *batch, size_t inputs, hn_error *error) {
    const size_t *list = batch->shared_inputs;
    if (batch->shared_count > inputs)
        return error_about(error, HN_INVALID, error_argument("batch.shared_count"),
                           "batch.shared_count %zu: the model has %zu inputs", batch->shared_count, inputs);
    if (batch->shared_count && !batch->shared)
        return error_about(error, HN_INVALID, error_argument("batch.shared"),
                           "batch: shared, with the values of %zu inputs, is missing", batch->shared_count);
    for (size_t i = 0; list && i < batch->shared_count; i++)
        if (list[i] >= inputs || (i > 0 && list[i] <= list[i - 1]))
            return error_about(error, HN_INVALID, error_argument("batch.shared_inputs"),
                               "batch.shared_inputs: entry %zu is %zu; the entries must ascend and be below %zu, the "
                               "number of inputs",
                               i, list[i], inputs);
    return HN_OK;
}

static hn_status check_batch(const hn_layer *layer, const hn_batch *batch, hn_error *error) {
    size_t unused;
    if (batch->count == 0)
        return HN_OK;
    if (check_shared(batch, layer->plan->inputs, error) != HN_OK)
        return HN_INVALID;
    if (!fits(layer, batch))
        return error_about(error, HN_LIMIT, error_argument("batch.count"),
                           "batch.count %zu: arrays of so many samples are larger than the address space",
                           batch->count);
    if (!batch->x && layer->plan->inputs > batch->shared_count)
        return error_about(error, HN_INVALID, error_argument("batch.x"), "batch: x is missing; the model has %u inputs",
                           layer->plan->inputs);
    if (!batch->y)
        return error_about(error, HN_INVALID, error_argument("batch.y"),
                           "batch: y, where the corrected outputs go, is missing");
    if (batch->repeat_y && batch->y == batch->y_raw && batch->count > 1)
        return error_about(error, HN_INVALID, error_argument("batch.y"),
                           "batch: y must not be y_raw when one row is repeated");
    if (batch->reports && batch->report_size < sizeof(hn_outcome))
        return error_about(error, HN_INVALID, error_argument("batch.report_size"),
                           "batch: the size of a report is not set; write .report_size = sizeof(hn_report)");
    if (batch->reports && batch->report_size < sizeof(hn_report) && batch->report_size % _Alignof(hn_report) != 0 &&
        batch->report_size != sizeof(hn_outcome))
        return error_about(error, HN_INVALID, error_argument("batch.report_size"),
                           "batch: a report of %zu bytes ends within a field; write .report_size = sizeof(hn_report)",
                           batch->report_size);
    if (batch->fallback && !point_all_finite(batch->fallback, 1, layer->plan->outputs, &unused))
        return error_about(error, HN_INVALID, error_argument("batch.fallback"),
                           "batch: entry %zu of the fallback is not finite", unused);
    if ((unsigned)batch->not_ok >= HN_NOT_OK_COUNT)
        return error_about(error, HN_INVALID, error_argument("batch.not_ok"), "batch.not_ok %d: unknown choice",
                           (int)batch->not_ok);
    if (batch->multipliers && !method_searches(layer->options.method))
        return error_about(error, HN_INVALID, error_argument("batch.multipliers"),
                           "batch: the method %s has no multipliers, only nearest and optimal have",
                           hn_method_text(layer->options.method));
    if (batch->proof_y && !method_searches(layer->options.method))
        return error_about(error, HN_INVALID, error_argument("batch.proof_y"),
                           "batch: the method %s has no proofs, only nearest and optimal have",
                           hn_method_text(layer->options.method));
    if (!(batch->seconds >= 0 && batch->seconds < INFINITY))
        return error_about(error, HN_INVALID, error_argument("batch.seconds"),
                           "batch.seconds %s: a deadline is a finite number from 0 on, and 0 means none",
                           error_number(batch->seconds).text);
    return HN_OK;
}

static hn_status take_batch(struct call *call, const hn_layer *layer, const hn_batch *given, hn_error *error) {
    const char *missing = !layer ? "layer" : !given ? "batch" : NULL;
    if (missing)
        return error_about(error, HN_INVALID, error_argument(missing), "there is no %s to run", missing);
    hn_status status = STRUCT_TAKE(hn_batch, &call->batch, given, error);
    if (status == HN_OK)
        status = arithmetic_check(error);
    return status == HN_OK ? check_batch(layer, &call->batch, error) : status;
}

static hn_status take_gradient(struct call *call, const hn_layer *layer, const hn_gradient *given, hn_error *error) {
    const hn_batch *batch = &call->batch;
    hn_gradient *gradient = &call->gradient;
    hn_status status = given ? STRUCT_TAKE(hn_gradient, gradient, given, error) : HN_OK;
    if (status != HN_OK)
        return status;
    if (!gradient->grad_y || !gradient->grad_y_raw)
        return error_about(error, HN_INVALID, error_argument("gradient"),
                           "gradient: grad_y and grad_y_raw must be given");
    if (gradient->grad_multipliers && !method_searches(layer->options.method))
        return error_about(error, HN_INVALID, error_argument("gradient.grad_multipliers"),
                           "gradient: the method %s has no multipliers, only nearest and optimal have",
                           hn_method_text(layer->options.method));
    if (gradient->grad_weights && layer->options.method != HN_METHOD_NEAREST)
        return error_about(error, HN_INVALID, error_argument("gradient.grad_weights"),
                           "gradient: the method %s has no weights, only nearest has",
                           hn_method_text(layer->options.method));
    if (!batch->shared_count && (gradient->grad_shared || gradient->shared_each))
        return error_about(error, HN_INVALID, error_argument("batch.shared_count"),
                           "gradient: grad_shared and shared_each need a batch with shared inputs");
    if (gradient->grad_shared && !gradient->shared_each)
        return error_about(error, HN_INVALID, error_argument("gradient.shared_each"),
                           "gradient: grad_shared is the sum of the rows of shared_each, which is missing");
    if (!batch->tape || !batch->reports)
        return error_about(error, HN_INVALID, error_argument(batch->tape ? "batch.reports" : "batch.tape"),
                           "gradient: the batch was run without %s", batch->tape ? "reports" : "a tape");
    return HN_OK;
}

/* The deadline of the call starts. */
static hn_status call_open(struct call *call, const hn_layer *layer, const hn_batch *batch, hn_error *error) {
    *call = (struct call){.layer = layer};
    hn_status status = take_batch(call, layer, batch, error);
    call->queue.deadline = call->batch.seconds > 0 ? clock_seconds() + call->batch.seconds : 0;
    return status;
}

static hn_status call_open_gradient(struct call *call, const hn_layer *layer, const hn_batch *batch,
                                    const hn_gradient *gradient, hn_error *error) {
    hn_status status = call_open(call, layer, batch, error);
    call->backward = true;
    return status == HN_OK && call->batch.count > 0 ? take_gradient(call, layer, gradient, error) : status;
}

/* The sum over the samples in their order, after all threads have ended. */
static void add_shared(const struct call *call) {
    const hn_gradient *gradient = &call->gradient;
    size_t shared = call->batch.shared_count;
    for (size_t i = 0; gradient->grad_shared && i < call->batch.count; i++)
        for (size_t j = 0; j < shared; j++)
            gradient->grad_shared[j] += gradient->shared_each[i * shared + j];
}

/* ---- on the caller's thread ---- */

/* One thread's part of a call with samples. Threads that join `helpers` (NULL: none) work on its samples. */
static void call_work(struct call *call, void *workspace, struct helpers *helpers) {
    struct worker worker;
    worker_begin(&worker, call->layer, call->batch.count, workspace, helpers);
    worker.batch = &call->batch;
    worker.queue = &call->queue;
    if (call->backward)
        worker_gradient(&worker, &call->gradient);
    else
        worker_run(&worker);
}

static hn_status run_here(struct call *call, void *workspace, size_t bytes, hn_error *error) {
    size_t needed = hn_layer_workspace_bytes(call->layer);
    if (call->batch.count == 0)
        return HN_OK;
    if (!workspace || bytes < needed)
        return error_about(error, HN_INVALID, error_argument("bytes"),
                           "the workspace has %zu bytes, the layer needs %zu", bytes, needed);
    call_work(call, workspace, NULL);
    add_shared(call);
    return HN_OK;
}

hn_status hn_layer_run(const hn_layer *layer, const hn_batch *batch, void *workspace, size_t bytes, hn_error *error) {
    struct call call;
    hn_status status = call_open(&call, layer, batch, error);
    return status == HN_OK ? run_here(&call, workspace, bytes, error) : status;
}

hn_status hn_layer_gradient(const hn_layer *layer, const hn_batch *batch, const hn_gradient *gradient, void *workspace,
                            size_t bytes, hn_error *error) {
    struct call call;
    hn_status status = call_open_gradient(&call, layer, batch, gradient, error);
    return status == HN_OK ? run_here(&call, workspace, bytes, error) : status;
}

/* ---- on a pool ---- */

struct hn_pool {
    const hn_layer *layer;
    struct thread_pool *thread_pool;
    void **workspaces;       /* one per thread */
    struct helpers *helpers; /* one per thread; NULL: samples are not shared */
    struct call *call;       /* the present one */
};

static void work(void *context, int member) {
    hn_pool *pool = context;
    void *workspace = pool->workspaces[member];
    struct helpers *helpers = pool->helpers ? &pool->helpers[member] : NULL;
    if (!helpers) {
        call_work(pool->call, workspace, NULL);
        return;
    }
    if ((size_t)member < pool->call->batch.count) {
        if (member > 0)
            helpers_open(helpers);
        call_work(pool->call, workspace, helpers);
        helpers_close(helpers);
    }
    helpers_help(pool->helpers, (size_t)thread_pool_size(pool->thread_pool), worker_memory(pool->layer, workspace));
}

/* Small batches that fit into the lanes of one thread do not wake the others. The caller opens its helpers before any
 * other thread requests work. */
static hn_status run_call(hn_pool *pool, struct call *call, hn_error *error) {
    if (call->batch.count == 0)
        return HN_OK;
    if (thread_pool_claim(pool->thread_pool, "the pool", error) != HN_OK)
        return HN_INVALID;
    pool->call = call;
    if (pool->helpers)
        helpers_open(&pool->helpers[0]);
    if (pool->helpers || call->batch.count > pool->layer->lanes.width)
        thread_pool_run(pool->thread_pool, work, pool);
    else
        work(pool, 0);
    thread_pool_yield(pool->thread_pool);
    add_shared(call);
    return HN_OK;
}

hn_status hn_pool_run(hn_pool *pool, const hn_batch *batch, hn_error *error) {
    struct call call;
    hn_status status = call_open(&call, pool ? pool->layer : NULL, batch, error);
    return status == HN_OK ? run_call(pool, &call, error) : status;
}

hn_status hn_pool_gradient(hn_pool *pool, const hn_batch *batch, const hn_gradient *gradient, hn_error *error) {
    struct call call;
    hn_status status = call_open_gradient(&call, pool ? pool->layer : NULL, batch, gradient, error);
    return status == HN_OK ? run_call(pool, &call, error) : status;
}

static hn_status make_threads(hn_pool *pool, int threads, hn_error *error) {
    hn_status status = thread_pool_create(&pool->thread_pool, threads, error);
    if (status != HN_OK)
        return status;
    pool->workspaces = thread_pool_create_workspaces(pool->thread_pool, hn_layer_workspace_bytes(pool->layer));
    return pool->workspaces ? HN_OK : error_no_memory(error, "the pool's workspaces");
}

static hn_status make_helpers(hn_pool *pool, hn_error *error) {
    size_t members = (size_t)thread_pool_size(pool->thread_pool), capacity = 0;
    if (members == 1 || !layer_shares(pool->layer))
        return HN_OK;
    pool->helpers = array_grow(NULL, &capacity, members, sizeof *pool->helpers);
    for (size_t i = 0; pool->helpers && i < members; i++)
        helpers_make(&pool->helpers[i]);
    return pool->helpers ? HN_OK : error_no_memory(error, "the pool's threads");
}

hn_status hn_pool_create(hn_pool **out, const hn_layer *layer, int threads, hn_error *error) {
    if (!out)
        return error_missing(error, "hn_pool_create", "out");
    *out = NULL;
    if (!layer)
        return error_missing(error, "hn_pool_create", "layer");
    hn_pool *pool = base_allocate(sizeof *pool);
    if (!pool)
        return error_no_memory(error, "the pool");
    *pool = (hn_pool){.layer = layer};
    hn_status status = make_threads(pool, threads, error);
    if (status == HN_OK)
        status = make_helpers(pool, error);
    if (status == HN_OK)
        *out = pool;
    else
        hn_pool_destroy(pool);
    return status;
}

void hn_pool_destroy(hn_pool *pool) {
    if (!pool)
        return;
    bool running = pool->helpers && !thread_pool_is_forked(pool->thread_pool);
    for (int i = 0; running && i < thread_pool_size(pool->thread_pool); i++)
        helpers_release(&pool->helpers[i]);
    base_release(pool->helpers);
    thread_pool_destroy_workspaces(pool->thread_pool, pool->workspaces);
    thread_pool_destroy(pool->thread_pool);
    base_release(pool);
}

int hn_pool_threads(const hn_pool *pool) {
    return pool ? thread_pool_size(pool->thread_pool) : 0;
}

/* ---- reports ---- */

static unsigned char *report_at(const hn_batch *batch, size_t sample) {
    return (unsigned char *)batch->reports + sample * batch->report_size;
}

void report_write(const hn_batch *batch, size_t sample, const hn_report *report) {
    size_t common = batch->report_size < sizeof *report ? batch->report_size : sizeof *report;
    memcpy(report_at(batch, sample), report, common);
    memset(report_at(batch, sample) + common, 0, batch->report_size - common);
}

hn_outcome report_outcome(const hn_batch *batch, size_t sample) {
    hn_outcome outcome;
    memcpy(&outcome, report_at(batch, sample) + offsetof(hn_report, outcome), sizeof outcome);
    return outcome;
}
