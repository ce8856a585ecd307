/* pool.c - threads that share a batch: each takes samples from a common counter; the caller waits once, at the end.
 *
 * Each thread has its own workspace, allocated with the pool. The bits of a sample do not depend on the thread that
 * computes it. With large samples, idle threads help the others with a sample (base/helpers.h).
 *
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/helpers.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "layer/driver.h"

struct hn_pool {
    const hn_layer *layer;
    struct thread_pool *thread_pool;
    size_t bytes;
    void **workspaces;     /* one per thread */
    struct helpers *crews; /* one per thread; NULL: samples are not shared */
    /* the present call */
    const hn_batch *batch;
    const hn_gradient *gradient; /* NULL: forward */
    struct queue queue;
};

static void take_samples(hn_pool *pool, int member) {
    struct worker worker;
    worker_begin(&worker, pool->layer, pool->batch->count, pool->workspaces[member], pool->bytes,
                 pool->crews ? &pool->crews[member] : NULL);
    worker.batch = pool->batch;
    worker.queue = &pool->queue;
    if (pool->gradient)
        worker_gradient(&worker, pool->gradient);
    else
        worker_run(&worker);
}

static void pool_work(void *context, int member) {
    hn_pool *pool = context;
    struct helpers *helpers = pool->crews ? &pool->crews[member] : NULL;
    if (!helpers) {
        take_samples(pool, member);
        return;
    }
    if ((size_t)member < pool->batch->count) {
        if (member > 0)
            helpers_open(helpers);
        take_samples(pool, member);
        helpers_close(helpers);
    }
    helpers_help(pool->crews, (size_t)thread_pool_size(pool->thread_pool),
                 worker_memory(pool->layer, pool->workspaces[member]));
}

/* Small batches that fit into the lanes of one thread do not wake the others. The caller opens its helpers before any
 * other thread looks for work. */
static hn_status run_job(hn_pool *pool, const hn_batch *batch, const hn_gradient *gradient, hn_error *error) {
    if (thread_pool_claim(pool->thread_pool, "the pool", error) != HN_OK)
        return HN_INVALID;
    pool->batch = batch;
    pool->gradient = gradient;
    pool->queue = (struct queue){.deadline = batch->seconds > 0 ? clock_seconds() + batch->seconds : 0};
    if (pool->crews)
        helpers_open(&pool->crews[0]);
    if (pool->crews || batch->count > pool->layer->lanes.width)
        thread_pool_run(pool->thread_pool, pool_work, pool);
    else
        pool_work(pool, 0);
    thread_pool_yield(pool->thread_pool);
    return HN_OK;
}

/* ---- create and destroy ---- */

static hn_status make_workspaces(hn_pool *pool, hn_error *error) {
    pool->bytes = hn_layer_workspace_bytes(pool->layer);
    pool->workspaces = thread_pool_create_workspaces(pool->thread_pool, pool->bytes);
    return pool->workspaces ? HN_OK : error_no_memory(error, "the pool's workspaces");
}

static hn_status make_crews(hn_pool *pool, hn_error *error) {
    size_t members = (size_t)thread_pool_size(pool->thread_pool), capacity = 0;
    if (members == 1 || !layer_shares(pool->layer))
        return HN_OK;
    pool->crews = array_grow(NULL, &capacity, members, sizeof *pool->crews);
    for (size_t i = 0; pool->crews && i < members; i++)
        helpers_make(&pool->crews[i]);
    return pool->crews ? HN_OK : error_no_memory(error, "the pool's threads");
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
    hn_status status = thread_pool_create(&pool->thread_pool, threads, error);
    if (status == HN_OK)
        status = make_workspaces(pool, error);
    if (status == HN_OK)
        status = make_crews(pool, error);
    if (status != HN_OK) {
        hn_pool_destroy(pool);
        return status;
    }
    *out = pool;
    return HN_OK;
}

void hn_pool_destroy(hn_pool *pool) {
    if (!pool)
        return;
    for (int i = 0; pool->crews && !thread_pool_is_forked(pool->thread_pool) && i < thread_pool_size(pool->thread_pool);
         i++)
        helpers_release(&pool->crews[i]);
    base_release(pool->crews);
    thread_pool_destroy_workspaces(pool->thread_pool, pool->workspaces);
    thread_pool_destroy(pool->thread_pool);
    base_release(pool);
}

int hn_pool_threads(const hn_pool *pool) {
    return pool ? thread_pool_size(pool->thread_pool) : 0;
}

/* ---- running ---- */

hn_status hn_pool_run(hn_pool *pool, const hn_batch *batch, hn_error *error) {
    hn_batch own = {.size = sizeof own};
    hn_status status = take_batch(pool ? pool->layer : NULL, batch, &own, error);
    return status == HN_OK && own.count > 0 ? run_job(pool, &own, NULL, error) : status;
}

hn_status hn_pool_gradient(hn_pool *pool, const hn_batch *batch, const hn_gradient *gradient, hn_error *error) {
    hn_batch own = {.size = sizeof own};
    hn_gradient pull;
    hn_status status = take_batch(pool ? pool->layer : NULL, batch, &own, error);
    if (status == HN_OK)
        status = take_gradient(pool->layer, &own, gradient, &pull, error);
    return status == HN_OK && own.count > 0 ? run_job(pool, &own, &pull, error) : status;
}
