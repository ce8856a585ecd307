/* thread_pool.c - see thread_pool.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/thread_pool.h"
#include "base/arithmetic.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/spin_wait.h"
#include "base/thread_start.h"

#include <pthread.h>
#include <unistd.h>

/* Before a member sleeps: of a caller that has finished, for the others, some microseconds; of the others for the next job, some 30,
 * since calls often follow each other and waking a thread takes longer. */
enum { LOOKS = 200, LOOKS_FOR_JOB = 1000 };

struct member {
    struct team *team;
    int number;
    pthread_t thread;
};

struct team {
    int size, started; /* the first member is the caller */
    pid_t process;     /* whose threads the others are */
    pid_t claimed;     /* the process in which a call uses the team; 0: none */
    struct member *members;
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    unsigned long job; /* number of the present one, or of the last */
    bool open;         /* there is a present one: members may begin it */
    int working;       /* other members that have begun it and not finished */
    bool quit;
    void (*work)(void *context, int member);
    void *context;
};

/* With the lock, without which it looks. */
static void look_for_job(struct team *team, unsigned long seen) {
    pthread_mutex_unlock(&team->mutex);
    for (int looks = 0; looks < LOOKS_FOR_JOB && __atomic_load_n(&team->job, __ATOMIC_RELAXED) == seen; looks++)
        relax();
    pthread_mutex_lock(&team->mutex);
}

static void *member_main(void *argument) {
    const struct member *member = argument;
    struct team *team = member->team;
    unsigned long seen = 0;
    pthread_mutex_lock(&team->mutex);
    for (;;) {
        look_for_job(team, seen);
        while (!team->quit && !(team->open && team->job != seen))
            pthread_cond_wait(&team->wake, &team->mutex);
        if (team->quit)
            break;
        seen = team->job;
        __atomic_add_fetch(&team->working, 1, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&team->mutex);
        team->work(team->context, member->number);
        pthread_mutex_lock(&team->mutex);
        if (__atomic_sub_fetch(&team->working, 1, __ATOMIC_RELEASE) == 0)
            pthread_cond_signal(&team->done);
    }
    pthread_mutex_unlock(&team->mutex);
    return NULL;
}

/* In a child of the process that made the team the other members do not exist, and the lock may be held for ever. */
bool team_is_forked(const struct team *team) {
    return team->process != getpid();
}

static bool is_working(const struct team *team) {
    return __atomic_load_n(&team->working, __ATOMIC_ACQUIRE) > 0;
}

void team_run(struct team *team, void (*work)(void *context, int member), void *context) {
    if (team->size == 1 || team_is_forked(team)) {
        work(context, 0);
        return;
    }
    pthread_mutex_lock(&team->mutex);
    team->work = work;
    team->context = context;
    __atomic_fetch_add(&team->job, 1, __ATOMIC_RELAXED);
    team->open = true;
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
    work(context, 0);
    for (int looks = 0; looks < LOOKS && is_working(team); looks++)
        relax();
    pthread_mutex_lock(&team->mutex);
    team->open = false;
    while (is_working(team))
        pthread_cond_wait(&team->done, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
}

/* A child that was forked during a call of its parent has the parent's number here, which does not count. */
hn_status team_claim(struct team *team, const char *owner, hn_error *error) {
    pid_t self = getpid(), seen = __atomic_load_n(&team->claimed, __ATOMIC_RELAXED);
    while (seen != self)
        if (__atomic_compare_exchange_n(&team->claimed, &seen, self, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return HN_OK;
    return error_set(error, HN_INVALID, "%s is busy with another call; create one for each thread that makes calls",
                     owner);
}

void team_yield(struct team *team) {
    __atomic_store_n(&team->claimed, 0, __ATOMIC_RELEASE);
}

/* ---- pieces ---- */

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

void team_share(struct team *team, size_t count, void (*piece)(void *context, int member, size_t number),
                void *context) {
    struct share share = {.count = count, .piece = piece, .context = context};
    team_run(team, take_pieces, &share);
}

/* ---- life ---- */

int team_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (cores < 1)
        return 1;
    return cores < TEAM_MOST ? (int)cores : TEAM_MOST;
}

static hn_status start_threads(struct team *team, bool fewer, hn_error *error) {
    size_t capacity = 0;
    team->members = array_grow(NULL, &capacity, (size_t)team->size, sizeof *team->members);
    if (!team->members)
        return error_no_memory(error, "threads");
    for (int i = 1; i < team->size; i++) {
        team->members[i] = (struct member){.team = team, .number = i};
        if (!thread_start(&team->members[i].thread, member_main, &team->members[i]))
            break;
        team->started++;
    }
    if (team->started < team->size && !fewer)
        return error_set(error, HN_NO_MEMORY, "out of memory: thread %d of %d could not be started", team->started + 1,
                         team->size);
    team->size = team->started;
    return HN_OK;
}

static hn_status create(struct team **out, int threads, bool fewer, hn_error *error) {
    *out = NULL;
    if (threads < 0 || threads > TEAM_MOST)
        return error_about(error, HN_INVALID, error_argument("threads"), "%d threads: choose 0 (one per core) to %d",
                           threads, TEAM_MOST);
    if (arithmetic_check(error) != HN_OK) /* new threads inherit it, whatever it is by the time they work */
        return HN_UNSUPPORTED;
    struct team *team = base_allocate(sizeof *team);
    if (!team)
        return error_no_memory(error, "threads");
    *team = (struct team){.size = threads ? threads : team_cores(), .started = 1, .process = getpid()};
    pthread_mutex_init(&team->mutex, NULL); /* with default attributes these cannot fail on Linux */
    pthread_cond_init(&team->wake, NULL);
    pthread_cond_init(&team->done, NULL);
    hn_status status = start_threads(team, fewer, error);
    if (status != HN_OK) {
        team_destroy(team);
        return status;
    }
    *out = team;
    return HN_OK;
}

hn_status team_create(struct team **out, int threads, hn_error *error) {
    return create(out, threads, false, error);
}

hn_status team_gather(struct team **out, int threads, hn_error *error) {
    return create(out, threads, true, error);
}

static void dismiss(struct team *team) {
    pthread_mutex_lock(&team->mutex);
    team->quit = true;
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
    for (int i = 1; i < team->started; i++)
        pthread_join(team->members[i].thread, NULL);
    pthread_cond_destroy(&team->wake);
    pthread_cond_destroy(&team->done);
    pthread_mutex_destroy(&team->mutex);
}

void team_destroy(struct team *team) {
    if (!team)
        return;
    if (!team_is_forked(team))
        dismiss(team);
    base_release(team->members);
    base_release(team);
}

int team_size(const struct team *team) {
    return team->size;
}

/* ---- memory ---- */

void **team_create_workspaces(const struct team *team, size_t bytes) {
    size_t capacity = 0;
    void **workspaces = array_grow(NULL, &capacity, (size_t)team->size, sizeof *workspaces);
    bool complete = workspaces != NULL;
    for (int i = 0; workspaces && i < team->size; i++) {
        workspaces[i] = complete ? base_allocate(bytes) : NULL;
        complete = complete && workspaces[i];
    }
    if (complete)
        return workspaces;
    team_destroy_workspaces(team, workspaces);
    return NULL;
}

void team_destroy_workspaces(const struct team *team, void **workspaces) {
    for (int i = 0; workspaces && i < team->size; i++)
        base_release(workspaces[i]);
    base_release(workspaces);
}
