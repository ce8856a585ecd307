/* test_batch_bits.c - a sample's bits depend on that sample only.
 *
 * Every sample is first corrected and differentiated in a batch of its own. Then the same samples come again in
 * batches of 1, 2, 3, 7, 8, 64 and 1000, in any order, more than once, beside neighbours that are NaN, infinite, huge
 * or have crossed bounds; on pools of 1 to 4 threads; and with every instruction set that this processor has. Outputs,
 * reports, residuals, multipliers and gradients are the same bits each time.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"
#include "cpu/backend.h"

enum {
    SAMPLES = 40,
    STRANGE = 10,
    MODELS = HN_TEST_SHARE > 1 ? 6 : 20,
    SEARCHED = HN_TEST_SHARE > 1 ? 2 : 8
}; /* sanitizers are slow */

static const size_t batches[] = {1, 2, 3, 7, 8, 64, 1000};
enum { BATCHES = COUNT_OF(batches) - (HN_TEST_SHARE > 1) };

/* A model with samples, and what each of them gives alone. */
struct scene {
    const hn_model *model;
    hn_layer_options options;
    size_t inputs, outputs, rows, batches;
    double *x, *raw, *grad_y, *grad_multipliers; /* of all samples */
    struct layer_results alone[SAMPLES];
    struct random random;
};

/* A batch drawn from the samples. */
struct drawn {
    size_t count, *sample;
    double *x, *raw, *grad_y, *grad_multipliers;
};

static struct drawn draw(struct scene *scene, size_t count) {
    size_t n = scene->outputs, k = scene->inputs, m = scene->rows;
    struct drawn d = {.count = count, .sample = calloc(count, sizeof *d.sample)};
    d.x = calloc(count * k + 1, sizeof *d.x);
    d.raw = calloc(count * n, sizeof *d.raw);
    d.grad_y = calloc(count * n, sizeof *d.grad_y);
    d.grad_multipliers = calloc(count * m + 1, sizeof *d.grad_multipliers);
    for (size_t i = 0; i < count; i++) {
        size_t s = d.sample[i] = random_below(&scene->random, SAMPLES);
        memcpy(d.x + i * k, scene->x + s * k, k * sizeof *d.x);
        memcpy(d.raw + i * n, scene->raw + s * n, n * sizeof *d.raw);
        memcpy(d.grad_y + i * n, scene->grad_y + s * n, n * sizeof *d.grad_y);
        memcpy(d.grad_multipliers + i * m, scene->grad_multipliers + s * m, m * sizeof *d.grad_multipliers);
    }
    return d;
}

static void drawn_release(struct drawn *d) {
    free(d->sample);
    free(d->x);
    free(d->raw);
    free(d->grad_y);
    free(d->grad_multipliers);
}

/* On a pool, or on a workspace when there is none. */
static struct layer_results run_drawn(const hn_layer *layer, hn_pool *pool, const struct drawn *d) {
    struct layer_results r = results_of(layer, d->count);
    hn_batch batch = batch_into(&r, d->x, d->raw);
    hn_gradient gradient = gradient_into(&r, d->grad_y);
    gradient.grad_multipliers = r.multipliers ? d->grad_multipliers : NULL;
    if (pool) {
        assert_int_equal(hn_pool_run(pool, &batch, NULL), HN_OK);
        assert_int_equal(hn_pool_gradient(pool, &batch, &gradient, NULL), HN_OK);
    } else {
        layer_run(layer, &batch);
        layer_pull(layer, &batch, &gradient);
    }
    return r;
}

static void check_drawn(struct scene *scene, const hn_layer *layer, hn_pool *pool, size_t count) {
    struct drawn d = draw(scene, count);
    struct layer_results r = run_drawn(layer, pool, &d);
    for (size_t i = 0; i < count; i++)
        if (!same_results(&r, i, &scene->alone[d.sample[i]], 0))
            fail_msg("method %s, %s, batch of %zu, place %zu, sample %zu", hn_method_text(scene->options.method),
                     hn_instructions_text(hn_layer_info_of(layer).instructions), count, i, d.sample[i]);
    results_release(&r);
    drawn_release(&d);
}

/* ---- scenes ---- */

/* Samples around (x, raw); the last ones are strange. */
static void scene_begin(struct scene *scene, const hn_model *model, hn_layer_options options, const double *x,
                        const double *raw) {
    static const double strange[] = {NAN, INFINITY, -INFINITY, 1e308, -1e300, 1e160, 5e-324, -0.0};
    bool searches = options.method == HN_METHOD_NEAREST || options.method == HN_METHOD_OPTIMAL; /* which takes time */
    *scene = (struct scene){.model = model,
                            .options = options,
                            .rows = hn_model_row_count(model),
                            .batches = searches ? COUNT_OF(batches) - 1 : BATCHES,
                            .random = random_start(81, 0)};
    size_t n = scene->outputs = hn_model_output_count(model), k = scene->inputs = hn_model_input_count(model);
    scene->x = calloc(SAMPLES * k + 1, sizeof *scene->x);
    scene->raw = calloc(SAMPLES * n, sizeof *scene->raw);
    scene->grad_y = calloc(SAMPLES * n, sizeof *scene->grad_y);
    scene->grad_multipliers = calloc(SAMPLES * scene->rows + 1, sizeof *scene->grad_multipliers);
    for (size_t i = 0; i < SAMPLES * k; i++)
        scene->x[i] = x[i % k] + 0.05 * random_normal(&scene->random);
    for (size_t i = 0; i < SAMPLES * n; i++) {
        scene->raw[i] = raw[i % n] + 0.3 * random_normal(&scene->random);
        scene->grad_y[i] = random_normal(&scene->random);
    }
    for (size_t i = 0; i < SAMPLES * scene->rows; i++)
        scene->grad_multipliers[i] = cos((double)i);
    for (size_t s = SAMPLES - STRANGE; s < SAMPLES; s++) {
        double value = strange[s % COUNT_OF(strange)];
        if (s % 2 && k > 0)
            scene->x[s * k + random_below(&scene->random, k)] = value;
        else
            scene->raw[s * n + random_below(&scene->random, n)] = value;
    }
    hn_layer *layer = layer_of(model, options);
    for (size_t s = 0; s < SAMPLES; s++) {
        struct drawn one = {.count = 1, .x = scene->x + s * k, .raw = scene->raw + s * n};
        one.grad_y = scene->grad_y + s * n;
        one.grad_multipliers = scene->grad_multipliers + s * scene->rows;
        scene->alone[s] = run_drawn(layer, NULL, &one);
    }
    hn_layer_destroy(layer);
}

static bool all_finite(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* The strange samples are as strange as they are meant to be. */
static void scene_count(const struct scene *scene, size_t outcomes[HN_OUTCOME_COUNT]) {
    size_t n = scene->outputs, k = scene->inputs;
    for (size_t s = 0; s < SAMPLES; s++) {
        hn_outcome outcome = scene->alone[s].reports[0].outcome;
        bool finite = all_finite(scene->x + s * k, k) && all_finite(scene->raw + s * n, n);
        assert_int_equal(outcome == HN_OUTCOME_NONFINITE_INPUT, !finite);
        outcomes[outcome]++;
    }
}

static void scene_end(struct scene *scene) {
    for (size_t s = 0; s < SAMPLES; s++)
        results_release(&scene->alone[s]);
    free(scene->x);
    free(scene->raw);
    free(scene->grad_y);
    free(scene->grad_multipliers);
}

static void check_batches(struct scene *scene) {
    hn_layer *layer = layer_of(scene->model, scene->options);
    for (size_t i = 0; i < scene->batches; i++)
        check_drawn(scene, layer, NULL, batches[i]);
    hn_layer_destroy(layer);
}

static void check_pools(struct scene *scene) {
    hn_layer *layer = layer_of(scene->model, scene->options);
    for (int threads = 1; threads <= 4; threads++) {
        hn_pool *pool;
        assert_int_equal(hn_pool_create(&pool, layer, threads, NULL), HN_OK);
        assert_int_equal(hn_pool_threads(pool), threads);
        for (size_t i = 0; i < scene->batches; i++)
            check_drawn(scene, layer, pool, batches[i]);
        hn_pool_destroy(pool);
    }
    hn_layer_destroy(layer);
}

static void check_instructions(struct scene *scene) {
    struct backend backend;
    for (size_t b = 0; backend_at(b, &backend); b++) {
        hn_layer_options options = scene->options;
        assert_true(hn_instructions_find(backend.name, &options.instructions));
        hn_layer *layer = layer_of(scene->model, options);
        assert_int_equal(hn_layer_info_of(layer).instructions, options.instructions);
        check_drawn(scene, layer, NULL, 1);
        check_drawn(scene, layer, NULL, 9);
        check_drawn(scene, layer, NULL, 100);
        hn_layer_destroy(layer);
    }
}

typedef void check(struct scene *scene);

/* ---- the unicycle, and random models ---- */

static hn_layer_options steps(hn_method method, int iterations) {
    hn_layer_options options = layer_method(method);
    options.iterations = iterations;
    return options;
}

static void on_the_unicycle(check *checks) {
    static const char *const path = "models/unicycle.mod";
    static const double x[] = {-3, 0.4, 0.1};
    double raw[50] = {0};
    hn_model *model = model_of_file(path);
    for (int j = 0; j < 50; j++)
        raw[j] = j < 30 ? -3 + 0.1 * j : 1;
    const hn_layer_options options[] = {steps(HN_METHOD_PAPER, 25), steps(HN_METHOD_LM, -1), steps(HN_METHOD_AUTO, -1),
                                        steps(HN_METHOD_ENFORCE, -1), steps(HN_METHOD_SNARENET, -1)};
    size_t outcomes[HN_OUTCOME_COUNT] = {0};
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        struct scene scene;
        scene_begin(&scene, model, options[i], x, raw);
        scene_count(&scene, outcomes);
        checks(&scene);
        scene_end(&scene);
    }
    assert_true(outcomes[HN_OUTCOME_NONFINITE_INPUT] > 0 && outcomes[HN_OUTCOME_NONFINITE_EVALUATION] > 0);
    assert_true(outcomes[HN_OUTCOME_OK] > SAMPLES);
    hn_model_destroy(model);
}

/* Half of them with more outputs than rows, half with fewer: the system is solved on both sides. */
static void on_random_models(check *checks) {
    size_t outputs_side = 0, rows_side = 0, outcomes[HN_OUTCOME_COUNT] = {0};
    for (uint64_t stream = 0; stream < MODELS; stream++) {
        struct random_problem_options shape = {.outputs = stream % 2 ? 12 : 5, .rows = stream % 2 ? 4 : 16};
        shape.bounds_are_inputs = stream % 3 == 0;
        struct random_problem problem;
        random_problem_create(&problem, shape, 91, stream);
        const hn_layer_options options[] = {steps(HN_METHOD_PAPER, 10),   steps(HN_METHOD_LM, -1),
                                            steps(HN_METHOD_AUTO, -1),    steps(HN_METHOD_HARDNET, 3),
                                            steps(HN_METHOD_ENFORCE, -1), steps(HN_METHOD_SNARENET, -1)};
        for (size_t i = 0; i < COUNT_OF(options); i++) {
            struct scene scene;
            if (options[i].method == HN_METHOD_HARDNET && problem.rows > problem.outputs)
                continue;
            hn_layer *layer = layer_of(problem.model, options[i]);
            outputs_side += hn_layer_info_of(layer).outputs_side;
            rows_side += !hn_layer_info_of(layer).outputs_side;
            hn_layer_destroy(layer);
            scene_begin(&scene, problem.model, options[i], problem.x, problem.raw);
            scene_count(&scene, outcomes);
            checks(&scene);
            scene_end(&scene);
        }
        random_problem_release(&problem);
    }
    assert_true(outcomes[HN_OUTCOME_NONFINITE_INPUT] > 0 && outcomes[HN_OUTCOME_NONFINITE_EVALUATION] > 0);
    assert_true(outcomes[HN_OUTCOME_BAD_BOUNDS] > 0 && outcomes[HN_OUTCOME_OK] > 0);
    assert_true(outputs_side >= MODELS / 2 && rows_side >= MODELS / 2);
}

/* nearest and optimal, where there is a solution and where there is none. */
static void on_searched_models(check *checks) {
    size_t outcomes[HN_OUTCOME_COUNT] = {0}, certified = 0;
    for (uint64_t stream = 0; stream < SEARCHED; stream++) {
        struct random_problem_options shape = {.kind = stream % 4 == 3 ? PROBLEM_INFEASIBLE : PROBLEM_FEASIBLE};
        struct random_problem problem;
        shape.objective = true;
        random_problem_create(&problem, shape, 92, stream);
        const hn_layer_options options[] = {steps(HN_METHOD_NEAREST, -1), steps(HN_METHOD_OPTIMAL, -1)};
        for (size_t i = 0; i < COUNT_OF(options); i++) {
            struct scene scene;
            scene_begin(&scene, problem.model, options[i], problem.x, problem.raw);
            scene_count(&scene, outcomes);
            for (size_t s = 0; s < SAMPLES; s++)
                certified += scene.alone[s].reports[0].kkt <= HN_CERTIFIED;
            checks(&scene);
            scene_end(&scene);
        }
        random_problem_release(&problem);
    }
    assert_true(certified > SEARCHED * SAMPLES / 2 && outcomes[HN_OUTCOME_NONFINITE_INPUT] > 0);
}

TEST(the_unicycle_s_bits_do_not_know_the_batch) {
    on_the_unicycle(check_batches);
}

TEST(the_unicycle_s_bits_do_not_know_the_threads) {
    on_the_unicycle(check_pools);
}

TEST(the_unicycle_s_bits_do_not_know_the_instructions) {
    on_the_unicycle(check_instructions);
}

TEST(random_models_bits_do_not_know_the_batch) {
    on_random_models(check_batches);
}

TEST(random_models_bits_do_not_know_the_threads) {
    on_random_models(check_pools);
}

TEST(random_models_bits_do_not_know_the_instructions) {
    on_random_models(check_instructions);
}

TEST(searched_bits_do_not_know_the_batch) {
    on_searched_models(check_batches);
}

TEST(searched_bits_do_not_know_the_threads) {
    on_searched_models(check_pools);
}

TEST(searched_bits_do_not_know_the_instructions) {
    on_searched_models(check_instructions);
}
