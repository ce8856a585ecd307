/* team.c - see team.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/team.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <pthread.h>
#include <unistd.h>

struct member {
    struct team *team;
    int number;
    pthread_t thread;
};

struct team {
    int size, started; /* the first member is the caller */
    struct member *members;
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    unsigned long job; /* number of the present one */
    int working;       /* members that have not finished it */
    bool quit;
    void (*work)(void *context, int member);
    void *context;
};

static void *member_main(void *argument) {
    const struct member *member = argument;
    struct team *team = member->team;
    unsigned long seen = 0;
    pthread_mutex_lock(&team->mutex);
    for (;;) {
        while (!team->quit && team->job == seen)
            pthread_cond_wait(&team->wake, &team->mutex);
        if (team->quit)
            break;
        seen = team->job;
        pthread_mutex_unlock(&team->mutex);
        team->work(team->context, member->number);
        pthread_mutex_lock(&team->mutex);
        if (--team->working == 0)
            pthread_cond_signal(&team->done);
    }
    pthread_mutex_unlock(&team->mutex);
    return NULL;
}

void team_run(struct team *team, void (*work)(void *context, int member), void *context) {
    pthread_mutex_lock(&team->mutex);
    team->work = work;
    team->context = context;
    team->job++;
    team->working = team->size - 1;
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
    work(context, 0);
    pthread_mutex_lock(&team->mutex);
    while (team->working > 0)
        pthread_cond_wait(&team->done, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
}

/* ---- life ---- */

static int count_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (cores < 1)
        return 1;
    return cores < TEAM_MOST ? (int)cores : TEAM_MOST;
}

static hn_status start_threads(struct team *team, hn_error *error) {
    size_t capacity = 0;
    team->members = array_grow(NULL, &capacity, (size_t)team->size, sizeof *team->members);
    if (!team->members)
        return error_no_memory(error, "threads");
    for (int i = 1; i < team->size; i++) {
        team->members[i] = (struct member){.team = team, .number = i};
        if (pthread_create(&team->members[i].thread, NULL, member_main, &team->members[i]) != 0)
            return error_set(error, HN_NO_MEMORY, "out of memory: thread %d of %d could not be started", i + 1,
                             team->size);
        team->started++;
    }
    return HN_OK;
}

hn_status team_create(struct team **out, int threads, hn_error *error) {
    *out = NULL;
    if (threads < 0 || threads > TEAM_MOST)
        return error_set(error, HN_INVALID, "%d threads: choose 0 (one per core) to %d", threads, TEAM_MOST);
    struct team *team = base_allocate(sizeof *team);
    if (!team)
        return error_no_memory(error, "threads");
    *team = (struct team){.size = threads ? threads : count_cores(), .started = 1};
    pthread_mutex_init(&team->mutex, NULL); /* with default attributes these cannot fail on Linux */
    pthread_cond_init(&team->wake, NULL);
    pthread_cond_init(&team->done, NULL);
    hn_status status = start_threads(team, error);
    if (status != HN_OK) {
        team_destroy(team);
        return status;
    }
    *out = team;
    return HN_OK;
}

void team_destroy(struct team *team) {
    if (!team)
        return;
    pthread_mutex_lock(&team->mutex);
    team->quit = true;
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
    for (int i = 1; i < team->started; i++)
        pthread_join(team->members[i].thread, NULL);
    base_release(team->members);
    pthread_cond_destroy(&team->wake);
    pthread_cond_destroy(&team->done);
    pthread_mutex_destroy(&team->mutex);
    base_release(team);
}

int team_size(const struct team *team) {
    return team->size;
}
