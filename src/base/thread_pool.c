/* thread_pool.c - see thread_pool.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/thread_pool.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/thread_start.h"

#include <pthread.h>
#include <unistd.h>

/* Number of polls before a thread sleeps: a caller that waits for the others (some microseconds); a worker that waits
 * for the next job (some 30 microseconds: calls often follow each other, and waking a thread costs more). */
enum { POLLS = 200, POLLS_FOR_JOB = 1000 };

struct member {
    struct thread_pool *pool;
    int number;
    pthread_t thread;
};

struct thread_pool {
    int size, started; /* the first member is the caller */
    pid_t process;     /* the process that owns the other threads */
    pid_t claimed;     /* the process in which a call uses the pool, or 0 */
    struct member *members;
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    unsigned long job; /* number of the current job, or of the last */
    bool open;         /* there is a current job: members may begin it */
    int working;       /* other members that have begun it and not finished */
    bool quit;
    void (*work)(void *context, int member);
    void *context;
};

/* Call with the lock held; it is released while polling. */
static void poll_for_job(struct thread_pool *pool, unsigned long seen) {
    pthread_mutex_unlock(&pool->mutex);
    for (int polls = 0; polls < POLLS_FOR_JOB && __atomic_load_n(&pool->job, __ATOMIC_RELAXED) == seen; polls++)
        relax();
    pthread_mutex_lock(&pool->mutex);
}

static void *member_main(void *argument) {
    const struct member *member = argument;
    struct thread_pool *pool = member->pool;
    unsigned long seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        poll_for_job(pool, seen);
        while (!pool->quit && !(pool->open && pool->job != seen))
            pthread_cond_wait(&pool->wake, &pool->mutex);
        if (pool->quit)
            break;
        seen = pool->job;
        __atomic_add_fetch(&pool->working, 1, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&pool->mutex);
        pool->work(pool->context, member->number);
        pthread_mutex_lock(&pool->mutex);
        if (__atomic_sub_fetch(&pool->working, 1, __ATOMIC_RELEASE) == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* In a child process the other members do not exist, and the lock may never be released. */
bool thread_pool_is_forked(const struct thread_pool *pool) {
    return pool->process != getpid();
}

static bool is_working(const struct thread_pool *pool) {
    return __atomic_load_n(&pool->working, __ATOMIC_ACQUIRE) > 0;
}

void thread_pool_run(struct thread_pool *pool, void (*work)(void *context, int member), void *context) {
    if (pool->size == 1 || thread_pool_is_forked(pool)) {
        work(context, 0);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->work = work;
    pool->context = context;
    __atomic_fetch_add(&pool->job, 1, __ATOMIC_RELAXED);
    pool->open = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    work(context, 0);
    for (int polls = 0; polls < POLLS && is_working(pool); polls++)
        relax();
    pthread_mutex_lock(&pool->mutex);
    pool->open = false;
    while (is_working(pool))
        pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

/* A child forked during a call of its parent has the parent's number here, which is ignored. */
hn_status thread_pool_claim(struct thread_pool *pool, const char *owner, hn_error *error) {
    pid_t self = getpid(), seen = __atomic_load_n(&pool->claimed, __ATOMIC_RELAXED);
    while (seen != self)
        if (__atomic_compare_exchange_n(&pool->claimed, &seen, self, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return HN_OK;
    return error_set(error, HN_INVALID, "%s is busy with another call; create one for each thread that makes calls",
                     owner);
}

void thread_pool_yield(struct thread_pool *pool) {
    __atomic_store_n(&pool->claimed, 0, __ATOMIC_RELEASE);
}

struct share {
    size_t next, count;
    void (*piece)(void *context, int member, size_t number);
    void *context;
};

static void take_pieces(void *context, int member) {
    struct share *share = context;
    for (;;) {
        size_t number = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED);
        if (number >= share->count)
            return;
        share->piece(share->context, member, number);
    }
}

void thread_pool_share(struct thread_pool *pool, size_t count, void (*piece)(void *context, int member, size_t number),
                       void *context) {
    struct share share = {.count = count, .piece = piece, .context = context};
    thread_pool_run(pool, take_pieces, &share);
}

/* ---- lifetime ---- */

int thread_pool_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (cores < 1)
        return 1;
    return cores < THREAD_POOL_MOST ? (int)cores : THREAD_POOL_MOST;
}

static hn_status start_threads(struct thread_pool *pool, bool fewer, hn_error *error) {
    size_t capacity = 0;
    pool->members = array_grow(NULL, &capacity, (size_t)pool->size, sizeof *pool->members);
    if (!pool->members)
        return error_no_memory(error, "threads");
    for (int i = 1; i < pool->size; i++) {
        pool->members[i] = (struct member){.pool = pool, .number = i};
        if (!thread_start(&pool->members[i].thread, member_main, &pool->members[i]))
            break;
        pool->started++;
    }
    if (pool->started < pool->size && !fewer)
        return error_set(error, HN_NO_MEMORY, "out of memory: thread %d of %d could not be started", pool->started + 1,
                         pool->size);
    pool->size = pool->started;
    return HN_OK;
}

static hn_status create(struct thread_pool **out, int threads, bool fewer, hn_error *error) {
    *out = NULL;
    if (threads < 0 || threads > THREAD_POOL_MOST)
        return error_about(error, HN_INVALID, error_argument("threads"), "%d threads: choose 0 (one per core) to %d",
                           threads, THREAD_POOL_MOST);
    if (arithmetic_check(error) != HN_OK) /* new threads inherit the floating-point mode */
        return HN_UNSUPPORTED;
    struct thread_pool *pool = base_allocate(sizeof *pool);
    if (!pool)
        return error_no_memory(error, "threads");
    *pool = (struct thread_pool){.size = threads ? threads : thread_pool_cores(), .started = 1, .process = getpid()};
    pthread_mutex_init(&pool->mutex, NULL); /* with default attributes these cannot fail on Linux */
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    hn_status status = start_threads(pool, fewer, error);
    if (status == HN_OK)
        *out = pool;
    else
        thread_pool_destroy(pool);
    return status;
}

hn_status thread_pool_create(struct thread_pool **out, int threads, hn_error *error) {
    return create(out, threads, false, error);
}

hn_status thread_pool_gather(struct thread_pool **out, int threads, hn_error *error) {
    return create(out, threads, true, error);
}

static void stop_threads(struct thread_pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 1; i < pool->started; i++)
        pthread_join(pool->members[i].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->mutex);
}

void thread_pool_destroy(struct thread_pool *pool) {
    if (!pool)
        return;
    if (!thread_pool_is_forked(pool))
        stop_threads(pool);
    base_release(pool->members);
    base_release(pool);
}

int thread_pool_size(const struct thread_pool *pool) {
    return pool->size;
}

/* ---- memory ---- */

void **thread_pool_create_workspaces(const struct thread_pool *pool, size_t bytes) {
    size_t capacity = 0;
    void **workspaces = array_grow(NULL, &capacity, (size_t)pool->size, sizeof *workspaces);
    bool complete = workspaces != NULL;
    for (int i = 0; workspaces && i < pool->size; i++) {
        workspaces[i] = complete ? base_allocate(bytes) : NULL;
        complete = complete && workspaces[i];
    }
    if (complete)
        return workspaces;
    thread_pool_destroy_workspaces(pool, workspaces);
    return NULL;
}

void thread_pool_destroy_workspaces(const struct thread_pool *pool, void **workspaces) {
    for (int i = 0; workspaces && i < pool->size; i++)
        base_release(workspaces[i]);
    base_release(workspaces);
}
