/* test_executors.c - every executor computes what the plain one does, entry by entry and to the last bit.
 *
 * A script of entries (support/executor_script.h) is run by each of them. The plans are copies at another
 * address; the models that they were made from are gone. In the end whole layers are run and differentiated by the plain executor.
 * `executors 40` takes as many random problems, and three times as many for layers (`make test-long`).
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/executor_script.h"
#include "support/plain_executor.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/shape_models.h"

#include "base/random.h"
#include "cpu/backend.h"
#include "layer/driver.h"

static uint64_t problems = HN_TEST_SHARE > 1 ? 6 : 16;
static bool many;

/* ---- plans ---- */

/* A plan at an address of its own; the model is destroyed. */
static struct plan *moved_plan(hn_model *model, hn_layer_options options) {
    hn_layer *layer = layer_of(model, options);
    struct plan *copy = malloc(layer->plan->bytes);
    memcpy(copy, layer->plan, layer->plan->bytes);
    memset(layer->plan, 0xa5, layer->plan->bytes); /* nothing leads back to it */
    hn_layer_destroy(layer);
    hn_model_destroy(model);
    return copy;
}

/* ---- every executor beside the plain one ---- */

/* Every executor that there is, over one plan. */
static void play_all(const struct plan *plan, uint64_t seed) {
    struct executor plain = plain_executor(plan), executor;
    struct backend backend;
    assert_int_equal(executor_open_single(&executor, plan, NULL), HN_OK);
    play_script(&executor, &plain, seed);
    executor_close(&executor);
    for (size_t i = 0; backend_at(i, &backend); i++) {
        hn_instructions instructions;
        assert_true(hn_instructions_find(backend.name, &instructions));
        assert_int_equal(executor_open_lanes(&executor, plan, instructions, NULL), HN_OK);
        play_script(&executor, &plain, seed);
        executor_close(&executor);
    }
}

static bool fits(const hn_model *model, size_t setting) {
    return layer_settings[setting].method != HN_METHOD_HARDNET ||
           hn_model_row_count(model) <= hn_model_output_count(model);
}

static void check_model(hn_model *model, size_t setting, uint64_t seed) {
    struct plan *plan = moved_plan(model, layer_setting(setting, 60));
    play_all(plan, seed);
    free(plan);
}

TEST(random_problems_leave_the_bits_of_the_plain_executor) {
    for (uint64_t k = 0; k < problems; k++) {
        struct random_problem problem;
        struct random_problem_options options = {.kind = (enum problem_kind)(k % PROBLEM_KINDS)};
        random_problem_create(&problem, options, 77, k);
        hn_model *model = problem.model;
        problem.model = NULL;
        random_problem_release(&problem);
        if (fits(model, k % LAYER_SETTINGS))
            check_model(model, k % LAYER_SETTINGS, k);
        else
            hn_model_destroy(model);
    }
}

TEST(every_kind_of_factor_leaves_them) {
    check_model(dense_model(20, 30, 1), 0, 1); /* nearly full, on the rows' side, */
    check_model(dense_model(21, 30, 2), 4, 2);
    check_model(dense_model(50, 20, 3), 0, 3); /* on the outputs' side, */
    check_model(dense_model(50, 21, 4), 2, 4);
    check_model(mixed_model(67, 70, 1, 6), 3, 7); /* in tiles */
    check_model(mixed_model(70, 75, 2, 7), 5, 8);
    check_model(mixed_model(66, 66, 2, 8), 0, 9);
    check_model(mixed_model(130, 52, 2, 9), 2, 10);
    check_model(bordered_model(60, 1, 2, 10), 0, 11); /* outputs kept out of the system */
    check_model(bordered_model(60, 2, 1, 11), 3, 12);
    check_model(bordered_model(70, 3, 3, 12), 4, 13);
    check_model(affine_model((struct affine_shape){50, 60, 20, 0}, 10), 3, 21); /* constant rows */
    check_model(affine_model((struct affine_shape){56, 60, 3, 0}, 11), 4, 22);
    check_model(affine_model((struct affine_shape){50, 60, 20, 3}, 12), 4, 23);
    check_model(affine_model((struct affine_shape){50, 60, 4, 0}, 13), 0, 24);
    check_model(affine_model((struct affine_shape){90, 50, 8, 0}, 14), 5, 25);
    check_model(dense_model(161, 165, 5), 4, 6);
    if (many)
        check_model(block_model(33, 155, 2, 1), 1, 5); /* too long for lists */
}

/* ---- whole layers ---- */

enum { SAMPLES = 5 };

/* The layer's plan elsewhere, with the plain executor in place of both. */
static hn_layer plain_layer_over(const hn_layer *layer) {
    hn_layer copy = *layer;
    copy.plan = malloc(layer->plan->bytes);
    memcpy(copy.plan, layer->plan, layer->plan->bytes);
    copy.lanes = copy.single = plain_executor(copy.plan);
    return copy;
}

static void check_layer(const struct random_problem *problem, size_t setting, uint64_t seed) {
    hn_layer *layer = layer_of(problem->model, layer_setting(setting, 60));
    hn_layer plain = plain_layer_over(layer);
    size_t n = problem->outputs, k = problem->inputs;
    struct random random = random_start(seed, 9);
    double *x = calloc(SAMPLES * k + 1, sizeof *x), *raw = calloc(SAMPLES * n, sizeof *raw);
    double *grad = calloc(SAMPLES * n, sizeof *grad);
    for (size_t i = 0; i < SAMPLES * n; i++) {
        raw[i] = problem->raw[i % n] + 0.3 * random_normal(&random);
        grad[i] = random_normal(&random);
    }
    for (size_t i = 0; i < SAMPLES * k; i++)
        x[i] = problem->x[i % k];
    struct layer_results a = run_and_pull(layer, SAMPLES, x, raw, grad);
    struct layer_results b = run_and_pull(&plain, SAMPLES, x, raw, grad);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_true(same_results(&a, i, &b, i));
    results_release(&a);
    results_release(&b);
    free(plain.plan);
    hn_layer_destroy(layer);
    free(x);
    free(raw);
    free(grad);
}

TEST(layers_have_the_same_bits_by_the_plain_executor) {
    for (uint64_t k = 0; k < 3 * problems; k++) {
        struct random_problem problem;
        struct random_problem_options options = {.kind = (enum problem_kind)(k / LAYER_SETTINGS % PROBLEM_KINDS)};
        random_problem_create(&problem, options, 78, k);
        if (fits(problem.model, k % LAYER_SETTINGS))
            check_layer(&problem, k % LAYER_SETTINGS, k);
        random_problem_release(&problem);
    }
}

int main(int count, char **words) {
    many = count > 1;
    if (many)
        problems = strtoull(words[1], NULL, 10);
    return run_registered_tests();
}
