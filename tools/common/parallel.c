/* parallel.c - see parallel.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/parallel.h"

#include "base/team.h"

size_t parallel_threads(size_t wished) {
    size_t threads = wished > 0 ? wished : (size_t)team_cores();
    return threads < PARALLEL_MOST ? threads : PARALLEL_MOST;
}

void parallel_run(size_t threads, size_t jobs, void (*job)(void *context, int worker, size_t number), void *context) {
    struct team *team = NULL;
    threads = threads < jobs ? threads : jobs;
    threads = threads < PARALLEL_MOST ? threads : PARALLEL_MOST;
    if (threads > 1)
        team_gather(&team, (int)threads, NULL);
    if (team)
        team_share(team, jobs, job, context);
    for (size_t i = 0; !team && i < jobs; i++)
        job(context, 0, i);
    team_destroy(team);
}
