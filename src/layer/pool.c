/* pool.c - threads that share a batch: each takes samples from one counter, the caller waits once, at the end.
 *
 * Threads live as long as the pool and sleep between calls; the calling thread works too. Each has a workspace of its own, made
 * with the pool. Since a sample's bits depend on that sample alone it does not matter which thread takes it.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "layer/layer_parts.h"

#include <pthread.h>
#include <unistd.h>

enum { MOST_THREADS = 1024 };

/* What one call wants done. */
struct job {
    const hn_batch *batch;
    const hn_gradient *gradient; /* NULL: forward */
    struct queue queue;
};

struct member {
    hn_pool *pool;
    void *workspace;
    pthread_t thread;
};

struct hn_pool {
    const hn_layer *layer;
    int threads, started; /* the first member is the caller */
    size_t bytes;
    struct member *members;
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    unsigned long call; /* number of the present job */
    int working;        /* members that have not finished it */
    bool quit;
    struct job job;
};

static void work(hn_pool *pool, const struct member *member) {
    struct worker worker;
    worker_begin(&worker, pool->layer, pool->job.batch->count, member->workspace, pool->bytes);
    worker.batch = pool->job.batch;
    worker.queue = &pool->job.queue;
    if (pool->job.gradient)
        worker_gradient(&worker, pool->job.gradient);
    else
        worker_run(&worker);
}

static void *member_main(void *argument) {
    struct member *member = argument;
    hn_pool *pool = member->pool;
    unsigned long seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->quit && pool->call == seen)
            pthread_cond_wait(&pool->wake, &pool->mutex);
        if (pool->quit)
            break;
        seen = pool->call;
        pthread_mutex_unlock(&pool->mutex);
        work(pool, member);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->working == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* Small batches that fill the lanes of one thread are not worth waking others for. */
static void run_job(hn_pool *pool) {
    bool shared = pool->threads > 1 && pool->job.batch->count > LANES;
    if (shared) {
        pthread_mutex_lock(&pool->mutex);
        pool->call++;
        pool->working = pool->threads - 1;
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
    work(pool, &pool->members[0]);
    if (shared) {
        pthread_mutex_lock(&pool->mutex);
        while (pool->working > 0)
            pthread_cond_wait(&pool->done, &pool->mutex);
        pthread_mutex_unlock(&pool->mutex);
    }
}

/* ---- life ---- */

static hn_status make_members(hn_pool *pool, hn_error *error) {
    size_t capacity = 0;
    pool->members = array_grow(NULL, &capacity, (size_t)pool->threads, sizeof *pool->members);
    if (!pool->members)
        return error_no_memory(error, "the pool");
    for (int i = 0; i < pool->threads; i++)
        pool->members[i] = (struct member){.pool = pool};
    for (int i = 0; i < pool->threads; i++) {
        pool->members[i].workspace = base_allocate(pool->bytes);
        if (!pool->members[i].workspace)
            return error_no_memory(error, "the pool's workspaces");
    }
    return HN_OK;
}

static hn_status start_threads(hn_pool *pool, hn_error *error) {
    pool->started = 1;
    for (int i = 1; i < pool->threads; i++) {
        if (pthread_create(&pool->members[i].thread, NULL, member_main, &pool->members[i]) != 0)
            return error_set(error, HN_NO_MEMORY, "the pool: thread %d of %d could not be started", i + 1,
                             pool->threads);
        pool->started++;
    }
    return HN_OK;
}

static int count_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (cores < 1)
        return 1;
    return cores < MOST_THREADS ? (int)cores : MOST_THREADS;
}

static hn_status start(hn_pool *pool, hn_error *error) {
    pthread_mutex_init(&pool->mutex, NULL); /* with default attributes these cannot fail on Linux */
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    hn_status status = make_members(pool, error);
    return status == HN_OK ? start_threads(pool, error) : status;
}

hn_status hn_pool_create(hn_pool **out, const hn_layer *layer, int threads, hn_error *error) {
    *out = NULL;
    if (!layer)
        return error_set(error, HN_INVALID, "hn_pool_create: there is no layer");
    if (threads < 0 || threads > MOST_THREADS)
        return error_set(error, HN_INVALID, "hn_pool_create: %d threads; choose 0 (one per core) to %d", threads,
                         MOST_THREADS);
    hn_pool *pool = base_allocate(sizeof *pool);
    if (!pool)
        return error_no_memory(error, "the pool");
    *pool = (hn_pool){.layer = layer, .threads = threads ? threads : count_cores()};
    pool->bytes = hn_layer_workspace_bytes(layer);
    hn_status status = start(pool, error);
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
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 1; i < pool->started; i++)
        pthread_join(pool->members[i].thread, NULL);
    for (int i = 0; pool->members && i < pool->threads; i++)
        base_release(pool->members[i].workspace);
    base_release(pool->members);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->mutex);
    base_release(pool);
}

int hn_pool_threads(const hn_pool *pool) {
    return pool ? pool->threads : 0;
}

/* ---- running ---- */

hn_status hn_pool_run(hn_pool *pool, const hn_batch *batch, hn_error *error) {
    hn_status status = check_batch(pool ? pool->layer : NULL, batch, error);
    if (status != HN_OK || batch->count == 0)
        return status;
    pool->job = (struct job){.batch = batch};
    pool->job.queue.deadline = batch->seconds > 0 ? clock_seconds() + batch->seconds : 0;
    run_job(pool);
    return HN_OK;
}

hn_status hn_pool_gradient(hn_pool *pool, const hn_batch *batch, const hn_gradient *gradient, hn_error *error) {
    hn_status status = check_gradient(pool ? pool->layer : NULL, batch, gradient, error);
    if (status != HN_OK || batch->count == 0)
        return status;
    pool->job = (struct job){.batch = batch, .gradient = gradient};
    run_job(pool);
    return HN_OK;
}
