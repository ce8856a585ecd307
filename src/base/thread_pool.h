/* thread_pool.h - threads that do one job together: the caller hands out a function, every member runs it, the caller waits once.
 *
 * Threads live as long as the team and sleep between jobs; the calling thread is member 0 and works too. A job is cut into
 * numbered pieces; each goes to the next member that is free. A process that was forked has the memory of a team and none of
 * its threads: there the caller does everything.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_THREAD_POOL_H
#define HN_BASE_THREAD_POOL_H

#include "hardnet/base.h"

enum { TEAM_MOST = 1024 };

struct team;

/* 0 threads: one per core. */
hn_status team_create(struct team **out, int threads, hn_error *error);
void team_destroy(struct team *team);
int team_size(const struct team *team);

/* Whether this process was forked from the one that made the team, so that the caller is its only member. */
bool team_is_forked(const struct team *team);

/* A block of so many bytes for each member, from base_allocate; NULL when memory is out. */
void **team_create_workspaces(const struct team *team, size_t bytes);
void team_destroy_workspaces(const struct team *team, void **workspaces);

/* Around a call that uses the team: HN_INVALID if another thread is within one, with a sentence that names the owner ("the
 * pool"). What has been claimed is yielded by the same thread. A forked process starts unclaimed. */
hn_status team_claim(struct team *team, const char *owner, hn_error *error);
void team_yield(struct team *team);

/* What 0 threads come to. */
int team_cores(void);

/* The same, content with fewer threads where the system has no more to give. */
hn_status team_gather(struct team **out, int threads, hn_error *error);

/* Runs work(context, member) on the caller, which is member 0, and on the others, and returns when all that have begun are done:
 * those that did not get a processor before the caller was through are not waited for. So a work that is not run by some members
 * must leave nothing undone: it takes pieces from a shared counter. One job at a time. */
void team_run(struct team *team, void (*work)(void *context, int member), void *context);

/* Runs piece(context, member, number) for every number below count, each once. One job at a time. */
void team_share(struct team *team, size_t count, void (*piece)(void *context, int member, size_t number),
                void *context);

#endif
