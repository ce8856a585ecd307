/* test_thread_faults.c - every thread of a pool fails to start in turn: an error that says which, and nothing is left.
 *
 * A pool has as many threads as were asked for, or it is none. A team that is content with fewer does all of its work with those
 * that there are.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/failing.h"

#include "base/thread_pool.h"
#include "hardnet/layer.h"

enum { THREADS = 5, PIECES = 100 };

static hn_layer *half_line(void) {
    hn_model *model;
    hn_layer *layer;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    hn_constrain(model, "line", 1, hn_output(model, "y"), 2);
    assert_int_equal(hn_model_finish(model, NULL), HN_OK);
    assert_int_equal(hn_layer_create(&layer, model, NULL, NULL), HN_OK);
    hn_model_destroy(model);
    return layer;
}

TEST(a_pool_whose_thread_does_not_start_is_none) {
    hn_layer *layer = half_line();
    size_t blocks = memory_live_blocks();
    for (int k = 1; k < THREADS; k++) {
        hn_pool *pool = (hn_pool *)(void *)layer;
        hn_error error;
        char which[64];
        threads_fail_at(k);
        snprintf(which, sizeof which, "thread %d of %d could not be started", k + 1, THREADS);
        assert_int_equal(hn_pool_create(&pool, layer, THREADS, &error), HN_NO_MEMORY);
        assert_null(pool);
        assert_contains(error.text, which);
        assert_int_equal(memory_live_blocks(), blocks);
    }
    threads_fail_at(0);
    hn_layer_destroy(layer);
}

/* A pool of one needs no thread but the caller's. */
TEST(a_pool_of_one_thread_starts_none) {
    hn_layer *layer = half_line();
    hn_pool *pool;
    threads_fail_at(1);
    assert_int_equal(hn_pool_create(&pool, layer, 1, NULL), HN_OK);
    assert_int_equal(hn_pool_threads(pool), 1);
    threads_fail_at(0);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
}

static void count_piece(void *context, int member, size_t number) {
    unsigned *done = context;
    (void)member;
    __atomic_fetch_add(&done[number], 1, __ATOMIC_RELAXED);
}

TEST(a_gathered_team_works_with_those_that_started) {
    for (int k = 1; k < THREADS; k++) {
        struct thread_pool *thread_pool;
        unsigned done[PIECES] = {0};
        threads_fail_at(k);
        assert_int_equal(thread_pool_gather(&thread_pool, THREADS, NULL), HN_OK);
        threads_fail_at(0);
        assert_int_equal(thread_pool_size(thread_pool), k);
        thread_pool_share(thread_pool, PIECES, count_piece, done);
        for (int i = 0; i < PIECES; i++)
            assert_int_equal(done[i], 1);
        thread_pool_destroy(thread_pool);
    }
    assert_int_equal(memory_live_blocks(), 0);
}
