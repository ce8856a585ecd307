/* pool.c - threads that share a batch: each takes samples from a common counter; the caller waits once, at the end.
 *
 * Each thread has its own workspace, allocated with the pool. The bits of a sample do not depend on the thread that
 * computes it. With large samples, idle threads help the others with a sample (base/helpers.h).
 *
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/error.h"
#include "base/helpers.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "layer/driver.h"

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
 * other thread looks for work. */
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

/* ---- create and destroy ---- */

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
