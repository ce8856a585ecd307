/* test_threads.c - one constant model, one constant program and one constant layer, many threads: the bits of a serial
 * run.
 *
 * Built a second time with ThreadSanitizer, which must stay silent.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "support/check.h"
#include "support/run_layer.h"

#include "autodiff/derivatives.h"
#include "base/random.h"
#include "cpu/backend.h"
#include "hardnet/layer.h"

enum { THREADS = 8, ROUNDS = 50, OUTPUTS = 6 };

struct shared {
    hn_model *model;
    hn_expr bodies[OUTPUTS];
    struct program *program;
};

struct job {
    const struct shared *shared;
    uint64_t seed;
    double sum; /* of everything computed */
};

static void build(struct shared *shared) {
    char name[24];
    hn_expr y[OUTPUTS];
    assert_int_equal(hn_model_create(&shared->model, NULL, NULL), HN_OK);
    for (int i = 0; i < OUTPUTS; i++) {
        snprintf(name, sizeof name, "y[%d]", i);
        y[i] = hn_output(shared->model, name);
    }
    for (int i = 0; i < OUTPUTS; i++) {
        snprintf(name, sizeof name, "row[%d]", i);
        shared->bodies[i] = hn_add(hn_sin(hn_mul(y[i], y[(i + 1) % OUTPUTS])), hn_exp(hn_neg(y[i])));
        hn_constrain(shared->model, name, -1, shared->bodies[i], 1);
    }
    assert_int_equal(hn_model_finish(shared->model, NULL), HN_OK);
    struct problem problem;
    struct node_matrix jacobian;
    assert_int_equal(problem_create(&problem, shared->model, NULL), HN_OK);
    assert_int_equal(
        derivatives_jacobian(&jacobian, &problem.graph, problem.body, problem.rows, SPACE_Y, OUTPUTS, NULL), HN_OK);
    struct program_request request = {
        .stride = LANES, .graph = &problem.graph, .outputs = jacobian.node, .output_count = jacobian.count};
    request.leaf_count[SPACE_Y] = OUTPUTS;
    request.phase[SPACE_Y] = 1;
    assert_int_equal(program_create(&shared->program, &request, NULL), HN_OK);
    node_matrix_release(&jacobian);
    problem_release(&problem);
}

static void *work(void *argument) {
    struct job *job = argument;
    const struct program *program = job->shared->program;
    struct random random = random_start(job->seed, 0);
    double *slots = aligned_alloc(64, program->slots * LANES * sizeof *slots), y[OUTPUTS], c[OUTPUTS];
    struct backend backend;
    backend_at(0, &backend);
    program_prepare(program, slots);
    job->sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < OUTPUTS * LANES; i++)
            slots[program->leaf_slot[SPACE_Y] * LANES + i] = random_normal(&random);
        for (int phase = 0; phase < PHASES; phase++)
            backend.run(program, phase, slots);
        for (size_t i = 0; i < program->output_count; i++)
            job->sum += slots[(size_t)program->output_slot[i] * LANES + (size_t)round % LANES];
        for (int i = 0; i < OUTPUTS; i++)
            y[i] = random_normal(&random);
        hn_model_evaluate(job->shared->model, OUTPUTS, job->shared->bodies, NULL, y, c, NULL);
        for (int i = 0; i < OUTPUTS; i++)
            job->sum += c[i];
    }
    free(slots);
    return NULL;
}

TEST(threads_that_share_a_model_and_a_program_get_serial_bits) {
    struct shared shared;
    struct job serial[THREADS], parallel[THREADS];
    pthread_t threads[THREADS];
    build(&shared);
    for (int i = 0; i < THREADS; i++) {
        serial[i] = parallel[i] = (struct job){&shared, (uint64_t)i / 2, 0};
        work(&serial[i]);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &parallel[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_true(parallel[i].sum == serial[i].sum);
    assert_true(serial[0].sum != serial[2].sum);
    program_destroy(shared.program);
    hn_model_destroy(shared.model);
}

/* ---- a pool over one layer, and threads with workspaces of their own ---- */

enum { SAMPLES = 100, MEMBERS = 4 };

struct correction {
    const hn_layer *layer;
    double y[SAMPLES * OUTPUTS], grad[SAMPLES * OUTPUTS], raw[SAMPLES * OUTPUTS];
    hn_report reports[SAMPLES];
    hn_batch batch;
    hn_gradient gradient;
};

static struct correction *correction_of(const hn_layer *layer) {
    struct correction *c = calloc(1, sizeof *c);
    struct random random = random_start(9, 0);
    c->layer = layer;
    for (int i = 0; i < SAMPLES * OUTPUTS; i++)
        c->raw[i] = 2 * random_normal(&random);
    c->batch = batch_of(SAMPLES, NULL, c->raw, c->y, c->reports);
    c->batch.tape = malloc(hn_layer_tape_bytes(layer, SAMPLES));
    c->gradient = (hn_gradient){.size = sizeof(hn_gradient), .grad_y = c->raw, .grad_y_raw = c->grad};
    return c;
}

static void correction_release(struct correction *c) {
    free(c->batch.tape);
    free(c);
}

static void *correct(void *argument) {
    struct correction *c = argument;
    size_t bytes = hn_layer_workspace_bytes(c->layer);
    void *workspace = malloc(bytes);
    hn_layer_run(c->layer, &c->batch, workspace, bytes, NULL);
    hn_layer_gradient(c->layer, &c->batch, &c->gradient, workspace, bytes, NULL);
    free(workspace);
    return NULL;
}

static void assert_same_correction(const struct correction *a, const struct correction *b) {
    assert_memory_equal(a->y, b->y, sizeof a->y);
    assert_memory_equal(a->grad, b->grad, sizeof a->grad);
    for (int s = 0; s < SAMPLES; s++)
        assert_true(a->reports[s].outcome == b->reports[s].outcome && a->reports[s].steps == b->reports[s].steps);
}

TEST(a_pool_and_threads_that_share_a_layer_get_serial_bits) {
    struct shared shared;
    hn_layer *layer;
    hn_pool *pool;
    pthread_t threads[MEMBERS];
    struct correction *own[MEMBERS];
    hn_layer_options options = hn_layer_defaults();
    options.method = HN_METHOD_LM;
    build(&shared);
    assert_int_equal(hn_layer_create(&layer, shared.model, &options, NULL), HN_OK);
    struct correction *serial = correction_of(layer), *pooled = correction_of(layer);
    correct(serial);
    assert_int_equal(hn_pool_create(&pool, layer, MEMBERS, NULL), HN_OK);
    for (int round = 0; round < 5; round++) {
        assert_int_equal(hn_pool_run(pool, &pooled->batch, NULL), HN_OK);
        assert_int_equal(hn_pool_gradient(pool, &pooled->batch, &pooled->gradient, NULL), HN_OK);
        assert_same_correction(pooled, serial);
    }
    for (int i = 0; i < MEMBERS; i++) {
        own[i] = correction_of(layer);
        assert_int_equal(pthread_create(&threads[i], NULL, correct, own[i]), 0);
    }
    for (int i = 0; i < MEMBERS; i++) {
        pthread_join(threads[i], NULL);
        assert_same_correction(own[i], serial);
        correction_release(own[i]);
    }
    hn_pool_destroy(pool);
    correction_release(serial);
    correction_release(pooled);
    hn_layer_destroy(layer);
    program_destroy(shared.program);
    hn_model_destroy(shared.model);
}

/* ---- one pool, several threads: a call is right or refused ---- */

enum { CALLS = 40 };

struct caller {
    hn_pool *pool;
    const struct correction *serial;
    struct correction *own;
    int right, refused, wrong;
};

static void count_call(struct caller *caller, hn_status status, const hn_error *error, bool same) {
    bool busy = status == HN_INVALID && strstr(error->text, "the pool is busy with another call");
    caller->right += status == HN_OK && same;
    caller->refused += busy;
    caller->wrong += !busy && !(status == HN_OK && same);
}

static void *call_often(void *argument) {
    struct caller *caller = argument;
    struct correction *own = caller->own;
    for (int i = 0; i < CALLS; i++) {
        hn_error error = {.text = ""};
        memset(own->y, 0, sizeof own->y);
        hn_status status = hn_pool_run(caller->pool, &own->batch, &error);
        count_call(caller, status, &error, memcmp(own->y, caller->serial->y, sizeof own->y) == 0);
        if (status != HN_OK)
            continue;
        memset(own->grad, 0, sizeof own->grad);
        status = hn_pool_gradient(caller->pool, &own->batch, &own->gradient, &error);
        count_call(caller, status, &error, memcmp(own->grad, caller->serial->grad, sizeof own->grad) == 0);
    }
    return NULL;
}

static void start_callers(struct caller *callers, hn_pool *pool, const struct correction *serial) {
    pthread_t threads[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        callers[i] = (struct caller){.pool = pool, .serial = serial, .own = correction_of(serial->layer)};
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < MEMBERS; i++) {
        pthread_join(threads[i], NULL);
        correction_release(callers[i].own);
    }
}

TEST(threads_that_share_a_pool_get_serial_bits_or_are_refused) {
    struct shared shared;
    hn_layer *layer;
    hn_pool *pool;
    struct caller callers[MEMBERS];
    int right = 0;
    build(&shared);
    assert_int_equal(hn_layer_create(&layer, shared.model, NULL, NULL), HN_OK);
    struct correction *serial = correction_of(layer);
    correct(serial);
    assert_int_equal(hn_pool_create(&pool, layer, MEMBERS, NULL), HN_OK);
    start_callers(callers, pool, serial);
    for (int i = 0; i < MEMBERS; i++) {
        assert_int_equal(callers[i].wrong, 0);
        right += callers[i].right;
    }
    assert_true(right > 0);
    hn_pool_destroy(pool);
    correction_release(serial);
    hn_layer_destroy(layer);
    program_destroy(shared.program);
    hn_model_destroy(shared.model);
}

/* The watch is called within a call: the pool is certain to be busy then. */
static void call_again(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation,
                       hn_real damping) {
    struct caller *caller = context;
    hn_error error = {.text = ""};
    (void)y, (void)violation, (void)damping;
    if (sample == 0 && iteration == 0)
        count_call(caller, hn_pool_run(caller->pool, &caller->own->batch, &error), &error, false);
}

TEST(a_call_within_a_call_of_the_same_pool_is_refused) {
    struct shared shared;
    hn_layer *layer;
    build(&shared);
    assert_int_equal(hn_layer_create(&layer, shared.model, NULL, NULL), HN_OK);
    for (int threads = 1; threads <= MEMBERS; threads += MEMBERS - 1) {
        struct correction *serial = correction_of(layer), *outer = correction_of(layer);
        struct caller caller = {.serial = serial, .own = correction_of(layer)};
        correct(serial);
        assert_int_equal(hn_pool_create(&caller.pool, layer, threads, NULL), HN_OK);
        outer->batch.watch = call_again;
        outer->batch.watch_context = &caller;
        assert_int_equal(hn_pool_run(caller.pool, &outer->batch, NULL), HN_OK);
        assert_memory_equal(outer->y, serial->y, sizeof serial->y);
        assert_true(caller.refused == 1 && caller.wrong == 0);
        outer->batch.watch = NULL; /* the pool is free again */
        assert_int_equal(hn_pool_run(caller.pool, &outer->batch, NULL), HN_OK);
        hn_pool_destroy(caller.pool);
        correction_release(caller.own);
        correction_release(outer);
        correction_release(serial);
    }
    hn_layer_destroy(layer);
    program_destroy(shared.program);
    hn_model_destroy(shared.model);
}
