/* test_crew.c - threads that help a leader: every unit of a job is done once, by whoever is there, and nobody waits in vain.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/helpers.h"
#include "base/thread_pool.h"

#include <time.h>

enum { UNITS = 1000, LEADERS = 2, HELPERS = 4, JOBS = 300, MOST_JOBS = 20000 };

struct tally {
    unsigned done[UNITS];
    unsigned by_others; /* pieces */
    size_t least;
    bool uneven; /* a piece that does not begin on a multiple of the least */
};

/* own: not NULL for helpers */
static void count_units(const void *context, void *own, size_t from, size_t to) {
    struct tally *tally = (struct tally *)(uintptr_t)context;
    for (size_t i = from; i < to; i++)
        __atomic_fetch_add(&tally->done[i], 1, __ATOMIC_RELAXED);
    if (own)
        __atomic_fetch_add(&tally->by_others, 1, __ATOMIC_RELAXED);
    if (from % tally->least != 0)
        __atomic_store_n(&tally->uneven, true, __ATOMIC_RELAXED);
}

static struct tally share_out(struct helpers *helpers, size_t count, size_t least, size_t each) {
    struct tally tally;
    memset(&tally, 0, sizeof tally);
    tally.least = least;
    const struct helpers_job job = {count, least, each, count_units, &tally, NULL};
    helpers_share(helpers, &job);
    return tally;
}

static bool all_once(const struct tally *tally, size_t count) {
    for (size_t i = 0; i < UNITS; i++)
        if (tally->done[i] != (i < count))
            return false;
    return !tally->uneven;
}

TEST(without_a_crew_the_caller_does_everything) {
    struct tally tally = share_out(NULL, UNITS, 1, 4);
    assert_true(all_once(&tally, UNITS));
    assert_int_equal(tally.by_others, 0);
    tally = share_out(NULL, 0, 1, 1);
    assert_true(all_once(&tally, 0));
}

TEST(a_crew_that_nobody_has_joined_does_everything_alone) {
    struct helpers helpers;
    helpers_make(&helpers);
    helpers_open(&helpers);
    struct tally tally = share_out(&helpers, UNITS, 7, 2);
    assert_false(helpers_keep_near(&helpers));
    helpers_close(&helpers);
    helpers_help(&helpers, 1, NULL); /* which returns: no crew is open */
    helpers_release(&helpers);
    assert_true(all_once(&tally, UNITS));
    assert_int_equal(tally.by_others, 0);
}

/* ---- with helpers ---- */

struct meeting {
    struct helpers crews[LEADERS];
    int leaders;
    bool rests;           /* leaders rest now and then, until helpers sleep */
    unsigned wrong, help; /* jobs that were not done once; pieces that others did */
};

static void rest(void) {
    const struct timespec pause = {.tv_nsec = 3000000};
    nanosleep(&pause, NULL);
}

static void wait_for_help(const struct helpers *helpers) {
    for (int i = 0; i < 300 && helpers_count(helpers) == 0; i++)
        rest();
}

static void lead(struct meeting *meeting, struct helpers *helpers) {
    static const size_t counts[] = {UNITS, 1, 2, 0, 37, 999};
    unsigned help = 0;
    wait_for_help(helpers);
    for (size_t i = 0; i < JOBS || (help == 0 && i < MOST_JOBS); i++) { /* on a busy machine helpers come late */
        size_t count = counts[i % COUNT_OF(counts)];
        struct tally tally = share_out(helpers, count, 1 + i % 5, 1 + i % 4);
        __atomic_fetch_add(&meeting->wrong, !all_once(&tally, count), __ATOMIC_RELAXED);
        help += tally.by_others;
        if ((meeting->rests || i > JOBS) && i % 50 == 0)
            rest();
    }
    __atomic_fetch_add(&meeting->help, help, __ATOMIC_RELAXED);
}

static void meet(void *context, int member) {
    struct meeting *meeting = context;
    if (member < meeting->leaders) {
        lead(meeting, &meeting->crews[member]);
        helpers_close(&meeting->crews[member]);
    }
    helpers_help(meeting->crews, LEADERS, meeting);
}

static struct meeting hold(int threads, int leaders, bool rests) {
    struct meeting meeting = {.leaders = leaders, .rests = rests};
    struct thread_pool *thread_pool;
    for (int i = 0; i < LEADERS; i++)
        helpers_make(&meeting.crews[i]);
    assert_int_equal(thread_pool_create(&thread_pool, threads, NULL), HN_OK);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < leaders; i++)
            helpers_open(&meeting.crews[i]);
        thread_pool_run(thread_pool, meet, &meeting);
    }
    thread_pool_destroy(thread_pool);
    for (int i = 0; i < LEADERS; i++)
        helpers_release(&meeting.crews[i]);
    return meeting;
}

TEST(every_unit_is_done_once_whoever_helps) {
    for (int leaders = 1; leaders <= LEADERS; leaders++) {
        struct meeting meeting = hold(leaders + HELPERS, leaders, false);
        assert_int_equal(meeting.wrong, 0);
        assert_true(meeting.help > 0);
    }
}

TEST(helpers_that_sleep_wake_for_the_next_job) {
    struct meeting meeting = hold(1 + HELPERS, 1, true);
    assert_int_equal(meeting.wrong, 0);
    assert_true(meeting.help > 0);
}

/* ---- late helpers ---- */

/* The leader takes the first piece, so that a helper has the last. */
static void come_late(const void *context, void *own, size_t from, size_t to) {
    unsigned *late = (unsigned *)(uintptr_t)context;
    (void)from, (void)to;
    if (!own)
        rest();
    else {
        for (int i = 0; i < 20; i++)
            rest();
        __atomic_fetch_add(late, 1, __ATOMIC_RELAXED);
    }
}

static void lead_late(void *context, int member) {
    struct meeting *meeting = context;
    const struct helpers_job job = {2, 1, 1, come_late, &meeting->help, NULL};
    if (member == 0) {
        wait_for_help(&meeting->crews[0]);
        for (int i = 0; i < 100 && __atomic_load_n(&meeting->help, __ATOMIC_RELAXED) == 0; i++)
            helpers_share(&meeting->crews[0], &job);
        helpers_close(&meeting->crews[0]);
    }
    helpers_help(meeting->crews, 1, meeting);
}

static bool opens(struct helpers *helpers) {
    helpers_open(helpers);
    bool open = helpers->open;
    helpers_close(helpers);
    return open;
}

TEST(a_crew_with_a_late_helper_rests) {
    struct meeting meeting = {.leaders = 1};
    struct thread_pool *thread_pool;
    helpers_make(&meeting.crews[0]);
    assert_int_equal(thread_pool_create(&thread_pool, 2, NULL), HN_OK);
    helpers_open(&meeting.crews[0]);
    thread_pool_run(thread_pool, lead_late, &meeting);
    thread_pool_destroy(thread_pool);
    assert_true(meeting.help > 0);
    assert_false(opens(&meeting.crews[0]));
    assert_true(opens(&meeting.crews[0]));
    helpers_release(&meeting.crews[0]);
}
