/* test_team.c - threads that share a job: every piece is done once, and a forked process does its jobs by itself.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"

#include "base/thread_pool.h"
#include "hardnet/layer.h"

#include <sys/wait.h>
#include <unistd.h>

enum { PIECES = 1000, PATIENCE = 20 }; /* seconds until a child counts as hanging */

struct tally {
    unsigned done[PIECES];
    unsigned by_others;
};

static void count_piece(void *context, int member, size_t number) {
    struct tally *tally = context;
    __atomic_fetch_add(&tally->done[number], 1, __ATOMIC_RELAXED);
    if (member > 0)
        __atomic_fetch_add(&tally->by_others, 1, __ATOMIC_RELAXED);
}

static bool all_once(const struct tally *tally, size_t count) {
    for (size_t i = 0; i < PIECES; i++)
        if (tally->done[i] != (i < count))
            return false;
    return true;
}

static struct tally share_out(struct thread_pool *thread_pool, size_t count) {
    struct tally tally;
    memset(&tally, 0, sizeof tally);
    thread_pool_share(thread_pool, count, count_piece, &tally);
    return tally;
}

TEST(every_piece_is_done_once) {
    static const size_t counts[] = {0, 1, 2, PIECES};
    for (int threads = 1; threads <= 5; threads++) {
        struct thread_pool *thread_pool;
        assert_int_equal(thread_pool_create(&thread_pool, threads, NULL), HN_OK);
        assert_int_equal(thread_pool_size(thread_pool), threads);
        for (size_t i = 0; i < COUNT_OF(counts); i++) {
            struct tally tally = share_out(thread_pool, counts[i]);
            assert_true(all_once(&tally, counts[i]));
        }
        thread_pool_destroy(thread_pool);
    }
}

TEST(a_team_is_claimed_by_one_call_at_a_time_and_by_a_child_again) {
    struct thread_pool *thread_pool;
    hn_error error = {.text = ""};
    int status = -1;
    assert_int_equal(thread_pool_create(&thread_pool, 2, NULL), HN_OK);
    assert_int_equal(thread_pool_claim(thread_pool, "the owner", &error), HN_OK);
    assert_int_equal(thread_pool_claim(thread_pool, "the owner", &error), HN_INVALID);
    assert_string_equal(error.text, "the owner is busy with another call; create one for each thread that makes calls");
    pid_t child = fork();
    if (child == 0) /* the call of the parent does not go on here */
        _exit(thread_pool_claim(thread_pool, "the owner", NULL) == HN_OK &&
              thread_pool_claim(thread_pool, "the owner", NULL) == HN_INVALID);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    thread_pool_yield(thread_pool);
    assert_int_equal(thread_pool_claim(thread_pool, "the owner", NULL), HN_OK);
    thread_pool_yield(thread_pool);
    thread_pool_destroy(thread_pool);
}

TEST(every_member_has_a_workspace_of_its_own) {
    enum { MEMBERS = 3, BYTES = 100 };
    struct thread_pool *thread_pool;
    assert_int_equal(thread_pool_create(&thread_pool, MEMBERS, NULL), HN_OK);
    void **workspaces = thread_pool_create_workspaces(thread_pool, BYTES);
    assert_non_null(workspaces);
    for (int i = 0; i < MEMBERS; i++)
        memset(workspaces[i], i, BYTES);
    for (int i = 0; i < MEMBERS; i++)
        for (size_t k = 0; k < BYTES; k++)
            assert_int_equal(((unsigned char *)workspaces[i])[k], i);
    thread_pool_destroy_workspaces(thread_pool, workspaces);
    assert_null(thread_pool_create_workspaces(thread_pool, SIZE_MAX / 2));
    thread_pool_destroy_workspaces(thread_pool, NULL);
    thread_pool_destroy(thread_pool);
}

TEST(a_number_of_threads_out_of_range_is_refused) {
    struct thread_pool *thread_pool;
    hn_error error;
    assert_error(thread_pool_create(&thread_pool, -1, &error), HN_INVALID, error, "-1 threads");
    assert_null(thread_pool);
    assert_int_equal(thread_pool_gather(&thread_pool, THREAD_POOL_MOST + 1, &error), HN_INVALID);
    assert_null(thread_pool);
}

TEST(a_gathered_team_works_like_another) {
    struct thread_pool *thread_pool;
    assert_int_equal(thread_pool_gather(&thread_pool, 3, NULL), HN_OK);
    struct tally tally = share_out(thread_pool, PIECES);
    assert_true(all_once(&tally, PIECES));
    thread_pool_destroy(thread_pool);
}

/* ---- forked processes ---- */

/* Whether the child ends by itself and calls its work good. A child that hangs is ended by its alarm. */
static bool child_succeeds(bool (*work)(void *context), void *context) {
    pid_t child = fork();
    if (child == 0) {
        alarm(PATIENCE);
        _exit(work(context) ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool work_and_destroy(void *context) {
    struct thread_pool *thread_pool = context;
    struct tally tally = share_out(thread_pool, PIECES);
    thread_pool_destroy(thread_pool);
    return all_once(&tally, PIECES) && tally.by_others == 0;
}

TEST(a_forked_process_does_the_job_by_itself) {
    struct thread_pool *thread_pool;
    assert_int_equal(thread_pool_create(&thread_pool, 4, NULL), HN_OK);
    share_out(thread_pool, PIECES);
    assert_true(child_succeeds(work_and_destroy, thread_pool));
    struct tally tally = share_out(thread_pool, PIECES);
    assert_true(all_once(&tally, PIECES));
    thread_pool_destroy(thread_pool);
}

/* A forked process may inherit the lock while another thread holds it: it must not ask for it. */
static void fork_inside(void *context, int member, size_t number) {
    struct thread_pool *thread_pool = context;
    (void)member, (void)number;
    assert_true(child_succeeds(work_and_destroy, thread_pool));
}

TEST(a_process_forked_in_the_middle_of_a_job_does_not_hang) {
    struct thread_pool *thread_pool;
    assert_int_equal(thread_pool_create(&thread_pool, 3, NULL), HN_OK);
    thread_pool_share(thread_pool, 6, fork_inside, thread_pool);
    thread_pool_destroy(thread_pool);
}

enum { SAMPLES = 64 };

struct pool_job {
    hn_pool *pool;
    hn_batch batch;
    double wanted[2 * SAMPLES];
};

static hn_model *circle_model(void) {
    return model_of_text("param radius; var a; var b; circle: a*a + b*b = radius*radius;");
}

static bool run_pool_and_destroy(void *context) {
    struct pool_job *job = context;
    memset(job->batch.y, 0, sizeof job->wanted);
    bool good = hn_pool_run(job->pool, &job->batch, NULL) == HN_OK;
    good = good && memcmp(job->batch.y, job->wanted, sizeof job->wanted) == 0;
    hn_pool_destroy(job->pool);
    return good;
}

TEST(a_pool_in_a_forked_process_gives_the_same_bits) {
    hn_model *model = circle_model();
    hn_layer *layer;
    struct pool_job job;
    double x[SAMPLES], raw[2 * SAMPLES], y[2 * SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++) {
        x[i] = 1 + (double)i / SAMPLES;
        raw[2 * i] = 2 - (double)i / 10;
        raw[2 * i + 1] = 0.5 + (double)i / 7;
    }
    assert_int_equal(hn_layer_create(&layer, model, NULL, NULL), HN_OK);
    assert_int_equal(hn_pool_create(&job.pool, layer, 3, NULL), HN_OK);
    job.batch = (hn_batch){.size = sizeof(hn_batch), .count = SAMPLES, .x = x, .y_raw = raw, .y = y};
    assert_int_equal(hn_pool_run(job.pool, &job.batch, NULL), HN_OK);
    memcpy(job.wanted, y, sizeof y);
    assert_true(child_succeeds(run_pool_and_destroy, &job));
    hn_pool_destroy(job.pool);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}
