/* thread_pool.h - a thread pool: every member runs the caller's function, and the caller waits once.
 *
 * Threads live as long as the pool and sleep between jobs; the calling thread is member 0 and works too. A job is cut
 * into numbered pieces; free members claim them. A forked process has the memory of a pool but not its threads: there
 * the caller does everything.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_THREAD_POOL_H
#define HN_BASE_THREAD_POOL_H

#include "hardnet/base.h"

enum { THREAD_POOL_MOST = 1024 };

struct thread_pool;

/* 0 threads: one per core. */
hn_status thread_pool_create(struct thread_pool **out, int threads, hn_error *error);
void thread_pool_destroy(struct thread_pool *pool);
int thread_pool_size(const struct thread_pool *pool);

/* Whether this process was forked from the one that made the pool; the caller is then the only member. */
bool thread_pool_is_forked(const struct thread_pool *pool);

/* A block of this size for each member, allocated by base_allocate; NULL when out of memory. */
void **thread_pool_create_workspaces(const struct thread_pool *pool, size_t bytes);
void thread_pool_destroy_workspaces(const struct thread_pool *pool, void **workspaces);

/* Around a call that uses the pool: HN_INVALID if another thread is using it, with a message that names the owner ("the
 * pool"). The thread that claims it must yield it. A forked process starts unclaimed. */
hn_status thread_pool_claim(struct thread_pool *pool, const char *owner, hn_error *error);
void thread_pool_yield(struct thread_pool *pool);

/* The number of threads if 0 is requested. */
int thread_pool_cores(void);

/* The same, with fewer threads if the system cannot start more. */
hn_status thread_pool_gather(struct thread_pool **out, int threads, hn_error *error);

/* Runs work(context, member) on the caller, which is member 0, and on the others, and returns when all that have begun
 * are done: members that have not started by the time the caller finishes are skipped. So `work` must not rely on every
 * member running: it claims pieces from a shared counter. One job at a time. */
void thread_pool_run(struct thread_pool *pool, void (*work)(void *context, int member), void *context);

/* Runs piece(context, member, number) once for every number below count. One job at a time. */
void thread_pool_share(struct thread_pool *pool, size_t count, void (*piece)(void *context, int member, size_t number),
                       void *context);

#endif
