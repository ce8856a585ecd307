/* evaluate_pool.c - threads that share an evaluation: each claims ranges of samples from one counter.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "evaluate/evaluate_parts.h"

#include <stdatomic.h>

enum { STRETCH = 64 }; /* samples per range: enough to amortise initialising constants */

struct hn_evaluator_pool {
    const hn_evaluator *evaluator;
    struct thread_pool *thread_pool;
    void **workspaces; /* one per member */
    const hn_evaluation *evaluation;
    atomic_size_t next; /* range */
};

static void evaluate_pool_work(void *context, int member) {
    hn_evaluator_pool *pool = context;
    size_t count = pool->evaluation->count, stretches = count / STRETCH + (count % STRETCH != 0), stretch;
    while ((stretch = atomic_fetch_add(&pool->next, 1)) < stretches) {
        size_t first = stretch * STRETCH, end = count - first < STRETCH ? count : first + STRETCH;
        evaluator_run(pool->evaluator, pool->evaluation, first, end, pool->workspaces[member]);
    }
}

/* ---- creation ---- */

static hn_status make_workspaces(hn_evaluator_pool *pool, hn_error *error) {
    pool->workspaces = thread_pool_create_workspaces(pool->thread_pool, pool->evaluator->bytes);
    return pool->workspaces ? HN_OK : error_no_memory(error, "the evaluator's pool");
}

hn_status hn_evaluator_pool_create(hn_evaluator_pool **out, const hn_evaluator *evaluator, int threads,
                                   hn_error *error) {
    if (!out)
        return error_missing(error, "hn_evaluator_pool_create", "out");
    *out = NULL;
    if (!evaluator)
        return error_missing(error, "hn_evaluator_pool_create", "evaluator");
    hn_evaluator_pool *pool = base_allocate(sizeof *pool);
    if (!pool)
        return error_no_memory(error, "the evaluator's pool");
    *pool = (hn_evaluator_pool){.evaluator = evaluator};
    hn_status status = thread_pool_create(&pool->thread_pool, threads, error);
    if (status == HN_OK)
        status = make_workspaces(pool, error);
    if (status == HN_OK)
        *out = pool;
    else
        hn_evaluator_pool_destroy(pool);
    return status;
}

void hn_evaluator_pool_destroy(hn_evaluator_pool *pool) {
    if (!pool)
        return;
    thread_pool_destroy_workspaces(pool->thread_pool, pool->workspaces);
    thread_pool_destroy(pool->thread_pool);
    base_release(pool);
}

/* ---- running ---- */

hn_status hn_evaluator_pool_run(hn_evaluator_pool *pool, const hn_evaluation *evaluation, hn_error *error) {
    hn_evaluation own = {.size = 0};
    hn_status status = evaluation_check(&own, pool ? pool->evaluator : NULL, evaluation, error);
    if (status == HN_OK && own.count > 0)
        status = thread_pool_claim(pool->thread_pool, "the evaluator's pool", error);
    if (status != HN_OK || own.count == 0)
        return status;
    pool->evaluation = &own;
    atomic_store(&pool->next, 0);
    if (own.count > STRETCH)
        thread_pool_run(pool->thread_pool, evaluate_pool_work, pool);
    else
        evaluate_pool_work(pool, 0);
    pool->evaluation = NULL;
    thread_pool_yield(pool->thread_pool);
    return HN_OK;
}
