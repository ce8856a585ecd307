/* team.h - threads that do one job together: the caller hands out a function, every member runs it, the caller waits once.
 *
 * Threads live as long as the team and sleep between jobs; the calling thread is member 0 and works too. What a member
 * does with its number is the function's business: usually it takes pieces of work from a shared counter.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_TEAM_H
#define HN_BASE_TEAM_H

#include "hardnet/base.h"

enum { TEAM_MOST = 1024 };

struct team;

/* 0 threads: one per core. */
hn_status team_create(struct team **out, int threads, hn_error *error);
void team_destroy(struct team *team);
int team_size(const struct team *team);

/* Runs work(context, member) on every member and returns when all have. One job at a time. */
void team_run(struct team *team, void (*work)(void *context, int member), void *context);

#endif
