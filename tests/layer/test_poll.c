/* test_poll.c - how often a worker looks whether its call is to end: long rounds every time, short ones as often as time asks for it.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/clock.h"
#include "layer/driver.h"

/* A worker of which nothing but its clock is there. */
struct watch {
    struct worker worker;
    struct queue queue;
    hn_batch batch;
};

static void begin(struct watch *watch, double deadline, const int *cancel) {
    memset(watch, 0, sizeof *watch);
    watch->queue.deadline = deadline;
    watch->batch.cancel = cancel;
    watch->worker.queue = &watch->queue;
    watch->worker.batch = &watch->batch;
}

static void pass(double seconds) {
    for (double start = clock_seconds(); clock_seconds() - start < seconds;)
        ;
}

TEST(nobody_looks_where_nobody_waits) {
    struct watch watch;
    begin(&watch, 0, NULL);
    worker_poll(&watch.worker);
    assert_int_equal(worker_unpolled_iterations(&watch.worker), INT32_MAX);
    assert_false(watch.worker.cancelled);
}

TEST(long_rounds_go_one_by_one) {
    struct watch watch;
    begin(&watch, clock_seconds() + 1e6, NULL);
    for (int round = 0; round < 20; round++) {
        worker_poll(&watch.worker);
        assert_int_equal(worker_unpolled_iterations(&watch.worker), 1);
        pass(50e-6);
    }
    assert_false(watch.worker.cancelled);
}

/* Between two looks there are at most twice as many rounds as between the two before; the executor goes them by itself. */
TEST(more_rounds_are_granted_step_by_step) {
    struct watch watch;
    int before = 1, most = 0, cancel = 0;
    begin(&watch, 0, &cancel);
    for (int look = 0; look < 200; look++) {
        worker_poll(&watch.worker);
        int every = watch.worker.pace.every;
        assert_in_interval(every, 1, 2 * before);
        assert_in_interval(worker_unpolled_iterations(&watch.worker), 1, every);
        worker_count_iterations(&watch.worker, worker_unpolled_iterations(&watch.worker));
        before = every;
        most = every > most ? every : most;
    }
    assert_in_interval(most, 2, 256);
}

TEST(a_flag_is_seen_before_the_next_round) {
    struct watch watch;
    int cancel = 0;
    begin(&watch, 0, &cancel);
    for (int round = 0; round < 100; round++)
        worker_poll(&watch.worker);
    assert_false(watch.worker.cancelled);
    cancel = 1;
    worker_poll(&watch.worker);
    assert_true(watch.worker.cancelled);
}

/* However short rounds had been: a deadline that passes in one is seen within as many as were granted. */
TEST(a_deadline_is_seen_within_the_rounds_that_were_granted) {
    struct watch watch;
    begin(&watch, clock_seconds() + 1e6, NULL);
    for (int round = 0; round < 1000; round++)
        worker_poll(&watch.worker);
    watch.queue.deadline = clock_seconds();
    pass(1e-6);
    worker_count_iterations(&watch.worker, worker_unpolled_iterations(&watch.worker));
    worker_poll(&watch.worker);
    assert_true(watch.worker.cancelled);
}
