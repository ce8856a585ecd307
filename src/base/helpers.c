/* helpers.c - see helpers.h.
 *
 * A ticket packs the number of the job and the range of its remaining pieces into one word. After a successful
 * compare-and-swap the claimed piece is unfinished, so the job is valid; only then is the job read. The leader claims
 * pieces from the front, helpers from the back: over repeated jobs each finds its data in its cache.
 *
 * SPDX-License-Identifier: MIT */
#include "base/helpers.h"

#include "base/clock.h"
#include "base/thread_start.h"

#include <sched.h>

enum {
    PIECE_BITS = 16,
    POLLS = 1000,         /* polls for another piece, some 30 microseconds, */
    POLLS_YIELDING = 100, /* and polls with sched_yield in between, before a helper sleeps */
    POLLS_AT_END = 2000,  /* polls of a leader that waits for the last pieces, before it yields */
    MOST_RESTS = 63,
    TIMINGS = 8 /* measurements of a helper's response time; the minimum is used */
};

static const uint64_t PIECE_MASK = ((uint64_t)1 << PIECE_BITS) - 1;

/* A helper with a slower response has another last-level cache: 0.1 microseconds are usual within one cache, 0.5
 * between two. */
static const double FAR_SECONDS = 0.25e-6;

/* Time limit for a piece after the leader has finished its share: a later helper has been descheduled. */
static const double LATE_SECONDS = 1e-3;

/* ---- pieces ---- */

static size_t ticket_first(uint64_t ticket) {
    return (size_t)(ticket >> PIECE_BITS & PIECE_MASK);
}

static size_t ticket_end(uint64_t ticket) {
    return (size_t)(ticket & PIECE_MASK);
}

static void do_piece(struct helpers *helpers, size_t number, void *own) {
    const struct helpers_job *job = &helpers->job;
    size_t from = number * helpers->units, to = from + helpers->units;
    job->part(job->context, own, from, to < job->count ? to : job->count);
    __atomic_fetch_add(&helpers->finished, 1, __ATOMIC_RELEASE);
}

/* Runs the first remaining piece, or the last; false when none remains. */
static bool take_piece(struct helpers *helpers, void *own, bool leader) {
    uint64_t ticket = __atomic_load_n(&helpers->ticket, __ATOMIC_RELAXED);
    while (ticket_first(ticket) < ticket_end(ticket)) {
        uint64_t after = leader ? ticket + ((uint64_t)1 << PIECE_BITS) : ticket - 1;
        if (!__atomic_compare_exchange_n(&helpers->ticket, &ticket, after, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        do_piece(helpers, leader ? ticket_first(ticket) : ticket_end(ticket) - 1, own);
        return true;
    }
    return false;
}

/* ---- the leader ---- */

void helpers_make(struct helpers *helpers) {
    *helpers = (struct helpers){.open = 0};
    pthread_mutex_init(&helpers->mutex, NULL); /* with default attributes these cannot fail on Linux */
    pthread_cond_init(&helpers->wake, NULL);
}

void helpers_release(struct helpers *helpers) {
    pthread_cond_destroy(&helpers->wake);
    pthread_mutex_destroy(&helpers->mutex);
}

/* A sleeper registers before its last check; a thread that changes the state wakes registered sleepers afterwards. */
static void wake_sleepers(struct helpers *helpers) {
    if (__atomic_load_n(&helpers->sleepers, __ATOMIC_SEQ_CST) == 0)
        return;
    pthread_mutex_lock(&helpers->mutex);
    pthread_cond_broadcast(&helpers->wake);
    pthread_mutex_unlock(&helpers->mutex);
}

static bool is_open(const struct helpers *helpers) {
    return __atomic_load_n(&helpers->open, __ATOMIC_SEQ_CST) != 0;
}

/* Also resets state that a forked process inherited from the helpers of its parent. */
void helpers_open(struct helpers *helpers) {
    if (helpers->rests > 0) {
        helpers->rests--;
        return;
    }
    __atomic_store_n(&helpers->helpers, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&helpers->sleepers, 0, __ATOMIC_RELAXED);
    helpers->timings = 0;
    helpers->response = FAR_SECONDS;
    __atomic_store_n(&helpers->open, 1, __ATOMIC_SEQ_CST);
}

void helpers_close(struct helpers *helpers) {
    if (helpers->rests == 0 && is_open(helpers))
        helpers->penalty = 0;
    __atomic_store_n(&helpers->open, 0, __ATOMIC_SEQ_CST);
    wake_sleepers(helpers);
}

static void cut(struct helpers *helpers, const struct helpers_job *job, size_t members) {
    size_t least = job->least, units = (job->count + least - 1) / least, most = job->each * members;
    size_t each = units > most ? (units + most - 1) / most : 1;
    helpers->job = *job;
    helpers->units = each * least;
    helpers->pieces = (units + each - 1) / each;
    __atomic_store_n(&helpers->finished, 0, __ATOMIC_RELAXED);
}

static bool is_finished(const struct helpers *helpers) {
    return __atomic_load_n(&helpers->finished, __ATOMIC_ACQUIRE) == helpers->pieces;
}

/* Disables helpers for the rest of this call and for the next ones. */
static void back_off(struct helpers *helpers) {
    helpers->penalty = helpers->penalty < MOST_RESTS / 2 ? 2 * helpers->penalty + 1 : MOST_RESTS;
    helpers->rests = helpers->penalty;
    helpers_close(helpers);
}

static void wait_for_pieces(struct helpers *helpers) {
    for (int polls = 0; polls < POLLS_AT_END; polls++) {
        if (is_finished(helpers))
            return;
        relax();
    }
    double begin = clock_seconds();
    while (!is_finished(helpers))
        sched_yield();
    if (clock_seconds() - begin > LATE_SECONDS)
        back_off(helpers);
}

static void offer(struct helpers *helpers) {
    uint64_t number = (__atomic_load_n(&helpers->ticket, __ATOMIC_RELAXED) >> 2 * PIECE_BITS) + 1;
    __atomic_store_n(&helpers->ticket, number << 2 * PIECE_BITS | helpers->pieces, __ATOMIC_SEQ_CST);
    wake_sleepers(helpers);
}

void helpers_share(struct helpers *helpers, const struct helpers_job *job) {
    int count = helpers_count(helpers);
    if (count == 0 || job->count <= job->least) {
        if (job->count > 0)
            job->part(job->context, job->own, 0, job->count);
        return;
    }
    cut(helpers, job, (size_t)count + 1);
    offer(helpers);
    while (take_piece(helpers, job->own, true))
        ;
    wait_for_pieces(helpers);
}

/* ---- detecting a shared cache ---- */

static void nothing(const void *context, void *own, size_t from, size_t to) {
    (void)context, (void)own, (void)from, (void)to;
}

/* Seconds until a helper has run an empty piece; FAR_SECONDS if no helper claims it in time. */
static double time_helper(struct helpers *helpers) {
    const struct helpers_job job = {1, 1, 1, nothing, NULL, NULL};
    double begin = clock_seconds();
    cut(helpers, &job, 1);
    offer(helpers);
    for (int polls = 0; polls < POLLS_AT_END; polls++) {
        if (__atomic_load_n(&helpers->finished, __ATOMIC_ACQUIRE) > 0)
            return clock_seconds() - begin;
        relax();
    }
    take_piece(helpers, NULL, true);
    wait_for_pieces(helpers);
    return FAR_SECONDS;
}

bool helpers_keep_near(struct helpers *helpers) {
    if (helpers_count(helpers) == 0)
        return false;
    for (; helpers->timings < TIMINGS; helpers->timings++) {
        double seconds = time_helper(helpers);
        helpers->response = seconds < helpers->response ? seconds : helpers->response;
    }
    if (helpers->response < FAR_SECONDS)
        return true;
    helpers_close(helpers);
    return false;
}

/* ---- helpers ---- */

static bool has_pieces(const struct helpers *helpers) {
    uint64_t ticket = __atomic_load_n(&helpers->ticket, __ATOMIC_SEQ_CST);
    return ticket_first(ticket) < ticket_end(ticket);
}

static void sleep_until_needed(struct helpers *helpers) {
    pthread_mutex_lock(&helpers->mutex);
    __atomic_fetch_add(&helpers->sleepers, 1, __ATOMIC_SEQ_CST);
    while (is_open(helpers) && !has_pieces(helpers))
        pthread_cond_wait(&helpers->wake, &helpers->mutex);
    __atomic_fetch_sub(&helpers->sleepers, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&helpers->mutex);
}

static void serve(struct helpers *helpers, void *own) {
    unsigned polls = 0;
    __atomic_fetch_add(&helpers->helpers, 1, __ATOMIC_RELAXED);
    while (is_open(helpers)) {
        if (take_piece(helpers, own, false)) {
            polls = 0;
            continue;
        }
        if (polls < POLLS)
            relax();
        else if (polls < POLLS + POLLS_YIELDING)
            sched_yield();
        else
            sleep_until_needed(helpers);
        polls = polls < POLLS + POLLS_YIELDING ? polls + 1 : 0;
    }
    __atomic_fetch_sub(&helpers->helpers, 1, __ATOMIC_RELAXED);
}

/* The open group with the fewest helpers; NULL: none is open. */
static struct helpers *fewest_helpers(struct helpers *groups, size_t count) {
    struct helpers *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (is_open(&groups[i]) && (!found || helpers_count(&groups[i]) < helpers_count(found)))
            found = &groups[i];
    return found;
}

void helpers_help(struct helpers *groups, size_t count, void *own) {
    for (struct helpers *helpers = fewest_helpers(groups, count); helpers; helpers = fewest_helpers(groups, count))
        serve(helpers, own);
}
