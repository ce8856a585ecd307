/* test_crew.c - threads that help a leader: every unit of a job is done once, by whoever is there, and nobody waits in vain.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/helpers.h"
#include "base/thread_pool.h"

#include <string.h>
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

static struct tally share_out(struct crew *crew, size_t count, size_t least, size_t each) {
    struct tally tally;
    memset(&tally, 0, sizeof tally);
    tally.least = least;
    const struct crew_job job = {count, least, each, count_units, &tally, NULL};
    crew_share(crew, &job);
    return tally;
}

static bool all_once(const struct tally *tally, size_t count) {
    for (size_t i = 0; i < UNITS; i++)
        if (tally->done[i] != (i < count))
            return false;
    return !tally->uneven;
}

static void without_a_crew_the_caller_does_everything(void **state) {
    (void)state;
    struct tally tally = share_out(NULL, UNITS, 1, 4);
    assert_true(all_once(&tally, UNITS));
    assert_int_equal(tally.by_others, 0);
    tally = share_out(NULL, 0, 1, 1);
    assert_true(all_once(&tally, 0));
}

static void a_crew_that_nobody_has_joined_does_everything_alone(void **state) {
    (void)state;
    struct crew crew;
    crew_make(&crew);
    crew_open(&crew);
    struct tally tally = share_out(&crew, UNITS, 7, 2);
    assert_false(crew_keep_near(&crew));
    crew_close(&crew);
    crew_help(&crew, 1, NULL); /* which returns: no crew is open */
    crew_release(&crew);
    assert_true(all_once(&tally, UNITS));
    assert_int_equal(tally.by_others, 0);
}

/* ---- with helpers ---- */

struct meeting {
    struct crew crews[LEADERS];
    int leaders;
    bool rests;           /* leaders rest now and then, until helpers sleep */
    unsigned wrong, help; /* jobs that were not done once; pieces that others did */
};

static void rest(void) {
    const struct timespec pause = {.tv_nsec = 3000000};
    nanosleep(&pause, NULL);
}

static void wait_for_help(const struct crew *crew) {
    for (int i = 0; i < 300 && crew_helpers(crew) == 0; i++)
        rest();
}

static void lead(struct meeting *meeting, struct crew *crew) {
    static const size_t counts[] = {UNITS, 1, 2, 0, 37, 999};
    unsigned help = 0;
    wait_for_help(crew);
    for (size_t i = 0; i < JOBS || (help == 0 && i < MOST_JOBS); i++) { /* on a busy machine helpers come late */
        size_t count = counts[i % COUNT_OF(counts)];
        struct tally tally = share_out(crew, count, 1 + i % 5, 1 + i % 4);
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
        crew_close(&meeting->crews[member]);
    }
    crew_help(meeting->crews, LEADERS, meeting);
}

static struct meeting hold(int threads, int leaders, bool rests) {
    struct meeting meeting = {.leaders = leaders, .rests = rests};
    struct team *team;
    for (int i = 0; i < LEADERS; i++)
        crew_make(&meeting.crews[i]);
    assert_int_equal(team_create(&team, threads, NULL), HN_OK);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < leaders; i++)
            crew_open(&meeting.crews[i]);
        team_run(team, meet, &meeting);
    }
    team_destroy(team);
    for (int i = 0; i < LEADERS; i++)
        crew_release(&meeting.crews[i]);
    return meeting;
}

static void every_unit_is_done_once_whoever_helps(void **state) {
    (void)state;
    for (int leaders = 1; leaders <= LEADERS; leaders++) {
        struct meeting meeting = hold(leaders + HELPERS, leaders, false);
        assert_int_equal(meeting.wrong, 0);
        assert_true(meeting.help > 0);
    }
}

static void helpers_that_sleep_wake_for_the_next_job(void **state) {
    (void)state;
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
    const struct crew_job job = {2, 1, 1, come_late, &meeting->help, NULL};
    if (member == 0) {
        wait_for_help(&meeting->crews[0]);
        for (int i = 0; i < 100 && __atomic_load_n(&meeting->help, __ATOMIC_RELAXED) == 0; i++)
            crew_share(&meeting->crews[0], &job);
        crew_close(&meeting->crews[0]);
    }
    crew_help(meeting->crews, 1, meeting);
}

static bool opens(struct crew *crew) {
    crew_open(crew);
    bool open = crew->open;
    crew_close(crew);
    return open;
}

static void a_crew_with_a_late_helper_rests(void **state) {
    (void)state;
    struct meeting meeting = {.leaders = 1};
    struct team *team;
    crew_make(&meeting.crews[0]);
    assert_int_equal(team_create(&team, 2, NULL), HN_OK);
    crew_open(&meeting.crews[0]);
    team_run(team, lead_late, &meeting);
    team_destroy(team);
    assert_true(meeting.help > 0);
    assert_false(opens(&meeting.crews[0]));
    assert_true(opens(&meeting.crews[0]));
    crew_release(&meeting.crews[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_crew_the_caller_does_everything),
        cmocka_unit_test(a_crew_that_nobody_has_joined_does_everything_alone),
        cmocka_unit_test(every_unit_is_done_once_whoever_helps),
        cmocka_unit_test(helpers_that_sleep_wake_for_the_next_job),
        cmocka_unit_test(a_crew_with_a_late_helper_rests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
