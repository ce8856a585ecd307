/* helpers.c - see helpers.h.
 *
 * A ticket says in one word which job there is and which of its pieces are left, so that whoever takes one with a
 * compare-and-swap knows that this job is not over: it cannot be before that piece is finished. Only then is the job read.
 * The leader takes the first piece that is left, helpers the last: in job after job over the same numbers each finds those that
 * its own cache has.
 *
 * SPDX-License-Identifier: MIT */
#include "base/helpers.h"

#include "base/clock.h"
#include "base/spin_wait.h"

#include <sched.h>

enum {
    PIECE_BITS = 16,
    LOOKS = 1000,         /* for another piece, some 30 microseconds, */
    LOOKS_AWAY = 100,     /* and more that give the processor away in between, before a helper sleeps */
    LOOKS_AT_LAST = 2000, /* of a leader that waits for the last pieces, until it gives the processor away */
    MOST_RESTS = 63,
    TIMINGS = 8 /* of a helper's answer; the shortest counts */
};

static const uint64_t PIECE_MASK = ((uint64_t)1 << PIECE_BITS) - 1;

/* A helper that takes longer to answer has another last-level cache: 0.1 microseconds are usual within one, 0.5 between two. */
static const double FAR_SECONDS = 0.25e-6;

/* For a piece, after the leader has done its own and looked for a while: the helper's processor does something else. */
static const double LATE_SECONDS = 1e-3;

/* ---- pieces ---- */

static size_t ticket_first(uint64_t ticket) {
    return (size_t)(ticket >> PIECE_BITS & PIECE_MASK);
}

static size_t ticket_end(uint64_t ticket) {
    return (size_t)(ticket & PIECE_MASK);
}

static void do_piece(struct crew *crew, size_t number, void *own) {
    const struct crew_job *job = &crew->job;
    size_t from = number * crew->stretch, to = from + crew->stretch;
    job->part(job->context, own, from, to < job->count ? to : job->count);
    __atomic_fetch_add(&crew->finished, 1, __ATOMIC_RELEASE);
}

/* The first piece that is left, or the last; false when there is none. */
static bool take_piece(struct crew *crew, void *own, bool leader) {
    uint64_t ticket = __atomic_load_n(&crew->ticket, __ATOMIC_RELAXED);
    while (ticket_first(ticket) < ticket_end(ticket)) {
        uint64_t after = leader ? ticket + ((uint64_t)1 << PIECE_BITS) : ticket - 1;
        if (!__atomic_compare_exchange_n(&crew->ticket, &ticket, after, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        do_piece(crew, leader ? ticket_first(ticket) : ticket_end(ticket) - 1, own);
        return true;
    }
    return false;
}

/* ---- the leader ---- */

void crew_make(struct crew *crew) {
    *crew = (struct crew){.open = 0};
    pthread_mutex_init(&crew->mutex, NULL); /* with default attributes these cannot fail on Linux */
    pthread_cond_init(&crew->wake, NULL);
}

void crew_release(struct crew *crew) {
    pthread_cond_destroy(&crew->wake);
    pthread_mutex_destroy(&crew->mutex);
}

/* A sleeper says so before it looks for the last time; whoever changes what it looks at asks for sleepers afterwards. */
static void wake_sleepers(struct crew *crew) {
    if (__atomic_load_n(&crew->sleepers, __ATOMIC_SEQ_CST) == 0)
        return;
    pthread_mutex_lock(&crew->mutex);
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->mutex);
}

static bool is_open(const struct crew *crew) {
    return __atomic_load_n(&crew->open, __ATOMIC_SEQ_CST) != 0;
}

/* What a process that was forked has inherited from the helpers of another does not count. */
void crew_open(struct crew *crew) {
    if (crew->rests > 0) {
        crew->rests--;
        return;
    }
    __atomic_store_n(&crew->helpers, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&crew->sleepers, 0, __ATOMIC_RELAXED);
    crew->timings = 0;
    crew->answer = FAR_SECONDS;
    __atomic_store_n(&crew->open, 1, __ATOMIC_SEQ_CST);
}

void crew_close(struct crew *crew) {
    if (crew->rests == 0 && is_open(crew))
        crew->penalty = 0;
    __atomic_store_n(&crew->open, 0, __ATOMIC_SEQ_CST);
    wake_sleepers(crew);
}

static void cut(struct crew *crew, const struct crew_job *job, size_t members) {
    size_t least = job->least, units = (job->count + least - 1) / least, most = job->each * members;
    size_t each = units > most ? (units + most - 1) / most : 1;
    crew->job = *job;
    crew->stretch = each * least;
    crew->pieces = (units + each - 1) / each;
    __atomic_store_n(&crew->finished, 0, __ATOMIC_RELAXED);
}

static bool is_finished(const struct crew *crew) {
    return __atomic_load_n(&crew->finished, __ATOMIC_ACQUIRE) == crew->pieces;
}

/* Nobody helps any more in this call, nor in the next ones. */
static void punish(struct crew *crew) {
    crew->penalty = crew->penalty < MOST_RESTS / 2 ? 2 * crew->penalty + 1 : MOST_RESTS;
    crew->rests = crew->penalty;
    crew_close(crew);
}

static void wait_for_pieces(struct crew *crew) {
    for (int looks = 0; looks < LOOKS_AT_LAST; looks++) {
        if (is_finished(crew))
            return;
        relax();
    }
    double begin = clock_seconds();
    while (!is_finished(crew))
        sched_yield();
    if (clock_seconds() - begin > LATE_SECONDS)
        punish(crew);
}

static void offer(struct crew *crew) {
    uint64_t number = (__atomic_load_n(&crew->ticket, __ATOMIC_RELAXED) >> 2 * PIECE_BITS) + 1;
    __atomic_store_n(&crew->ticket, number << 2 * PIECE_BITS | crew->pieces, __ATOMIC_SEQ_CST);
    wake_sleepers(crew);
}

void crew_share(struct crew *crew, const struct crew_job *job) {
    int helpers = crew_helpers(crew);
    if (helpers == 0 || job->count <= job->least) {
        if (job->count > 0)
            job->part(job->context, job->own, 0, job->count);
        return;
    }
    cut(crew, job, (size_t)helpers + 1);
    offer(crew);
    while (take_piece(crew, job->own, true))
        ;
    wait_for_pieces(crew);
}

/* ---- the distance between caches ---- */

static void nothing(const void *context, void *own, size_t from, size_t to) {
    (void)context, (void)own, (void)from, (void)to;
}

/* Seconds until a helper has done a piece with nothing in it; a long time where none takes it. */
static double time_helper(struct crew *crew) {
    const struct crew_job job = {1, 1, 1, nothing, NULL, NULL};
    double begin = clock_seconds();
    cut(crew, &job, 1);
    offer(crew);
    for (int looks = 0; looks < LOOKS_AT_LAST; looks++) {
        if (__atomic_load_n(&crew->finished, __ATOMIC_ACQUIRE) > 0)
            return clock_seconds() - begin;
        relax();
    }
    take_piece(crew, NULL, true);
    wait_for_pieces(crew);
    return FAR_SECONDS;
}

bool crew_keep_near(struct crew *crew) {
    if (crew_helpers(crew) == 0)
        return false;
    for (; crew->timings < TIMINGS; crew->timings++) {
        double seconds = time_helper(crew);
        crew->answer = seconds < crew->answer ? seconds : crew->answer;
    }
    if (crew->answer < FAR_SECONDS)
        return true;
    crew_close(crew);
    return false;
}

/* ---- helpers ---- */

static bool has_pieces(const struct crew *crew) {
    uint64_t ticket = __atomic_load_n(&crew->ticket, __ATOMIC_SEQ_CST);
    return ticket_first(ticket) < ticket_end(ticket);
}

static void sleep_until_needed(struct crew *crew) {
    pthread_mutex_lock(&crew->mutex);
    __atomic_fetch_add(&crew->sleepers, 1, __ATOMIC_SEQ_CST);
    while (is_open(crew) && !has_pieces(crew))
        pthread_cond_wait(&crew->wake, &crew->mutex);
    __atomic_fetch_sub(&crew->sleepers, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&crew->mutex);
}

static void serve(struct crew *crew, void *own) {
    unsigned looks = 0;
    __atomic_fetch_add(&crew->helpers, 1, __ATOMIC_RELAXED);
    while (is_open(crew)) {
        if (take_piece(crew, own, false)) {
            looks = 0;
            continue;
        }
        if (looks < LOOKS)
            relax();
        else if (looks < LOOKS + LOOKS_AWAY)
            sched_yield();
        else
            sleep_until_needed(crew);
        looks = looks < LOOKS + LOOKS_AWAY ? looks + 1 : 0;
    }
    __atomic_fetch_sub(&crew->helpers, 1, __ATOMIC_RELAXED);
}

/* The open one with the fewest helpers; NULL: none is open. */
static struct crew *neediest(struct crew *crews, size_t count) {
    struct crew *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (is_open(&crews[i]) && (!found || crew_helpers(&crews[i]) < crew_helpers(found)))
            found = &crews[i];
    return found;
}

void crew_help(struct crew *crews, size_t count, void *own) {
    for (struct crew *crew = neediest(crews, count); crew; crew = neediest(crews, count))
        serve(crew, own);
}
