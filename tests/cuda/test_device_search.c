/* test_device_search.c - the methods nearest and optimal on a device have the CPU's bits: outputs, reports, multipliers, and the gradients of
 * all that a solution depends on.
 *
 * On the device that is there; where there is none on that of fake_device.h, which runs the same text.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/fake_open.h"
#include "support/check.h"
#include "support/model_check.h"
#include "support/numbers.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/scratch.h"

#include "base/random.h"
#include "hardnet/device.h"
#include "hardnet/train.h"

enum { SAMPLES = 37, PROBLEMS = HN_TEST_SHARE > 1 ? 1 : 4 };

/* Rows that are affine, with an objective that is quadratic; one output is fixed by an input. */
static const char affine[] =
    "param a >= -1, <= 1; var y{1..4} >= -1.5; var z = 0.5*a;\n"
    "minimize f: sum{i in 1..4} i*(y[i] - 0.3*i*a)^2 + y[1]*y[2] + z;\n"
    "subject to sums: sum{i in 1..4} y[i] + z = 1 + a;\n"
    "subject to most: 2*y[1] - y[3] <= 0.25; subject to span: -1 <= y[2] + y[4] <= 0.5*a + 0.5;";

/* Rows that are curved, and some that no y meets where a is above 1.2. */
static const char curved[] = "param a >= 0, <= 2; var y{1..3} >= -2, <= 2;\n"
                             "maximize f: y[1] + sin(a + y[2]) - exp(0.3*y[3]) - (y[1]*y[2] - a)^2;\n"
                             "subject to disc: y[1]^2 + y[2]^2 <= 1.5 - a; subject to line: y[1] + 2*y[2] + y[3] = a;\n"
                             "subject to wave: cos(y[3]) + y[1] >= 0.1;";

/* Rows that are affine, with an objective that does not see two of the outputs, so that it is no programme of affine.h. */
static const char flat[] = "param a >= -1, <= 1; var y{1..3} >= -1, <= 1; minimize f: (y[1] - a)^2;\n"
                           "subject to total: y[1] + y[2] + y[3] = 0.5*a; subject to most: y[2] - y[3] <= 0.25;";

/* So many unknowns that a team of threads shares a sample: rows that chain outputs, rows over all of them, and sines beside cosines. */
static const char simd_curved[] =
    "param a >= 0, <= 1; var y{1..30} >= -2, <= 2, := 0.1; set K := 1..29;\n"
    "minimize f: sum{k in K} (y[k] - 0.1*k*a)^2 + exp(0.1*y[30]) + sin(y[1])*cos(y[2]);\n"
    "subject to chain{k in K}: y[k+1] - cos(y[k])*y[k] + sin(y[k])*a <= 0.4 + 0.01*k;\n"
    "subject to disc: sum{k in 1..30} y[k]^2 <= 9 - a; subject to line: sum{k in 1..30} (k mod 7)*y[k] = 1 + a;";
static const char simd_affine[] = "param a >= 0, <= 1; var y{1..30} >= -1, <= 1; set K := 1..29;\n"
                                  "minimize f: sum{k in 1..30} (1 + (k mod 3))*(y[k] - a/k)^2 + y[1]*y[2];\n"
                                  "subject to chain{k in K}: -0.2 <= y[k+1] - 0.9*y[k] <= 0.1 + 0.5*a;\n"
                                  "subject to all_of_them: sum{k in 1..30} y[k] = 1 + a;";

/* Kinks that can be split and one that cannot, equalities that repeat each other, and where a is below 0 nothing that bounds the objective. */
static const char kinked[] =
    "param a >= -1, <= 1; var y{1..3} >= -2, := 0.5; var u;\n"
    "minimize f: abs(y[1] - a) + max(y[2], 0.5*y[3], a) + <<0, 1; -1, 0.5, 2>> y[3] + min(0, a)*u^2;\n"
    "subject to total: y[1] + y[2] + y[3] = 0.5*a; subject to again: 2*y[1] + 2*y[2] + 2*y[3] = a;\n"
    "subject to ball: abs(y[1]) + abs(u) <= 1 + 1e6*max(0, -a) + 0*min(y[1], u);";

/* ---- one batch on both ---- */

struct scene {
    const hn_model *model;
    hn_layer *layer;
    hn_device_layer *device;
    size_t inputs, outputs, rows;
    double *x, *raw, *grad_y, *grad_multipliers;
    bool weighs;
};

static struct scene open_scene(const hn_model *model, hn_layer_options options, uint64_t seed) {
    struct random random = random_start(seed, 23);
    hn_error error = {.text = ""};
    struct scene s = {.model = model, .weighs = options.weights != NULL};
    s.inputs = hn_model_input_count(model);
    s.outputs = hn_model_output_count(model);
    s.rows = hn_model_row_count(model);
    s.layer = layer_of(model, options);
    if (hn_device_layer_create(&s.device, model, &options, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    s.x = normal_numbers(&random, SAMPLES * s.inputs);
    if (s.inputs > 0)
        assert_int_equal(hn_sample_inputs(model, seed, 0, SAMPLES, s.x, NULL), HN_OK);
    s.raw = normal_numbers(&random, SAMPLES * s.outputs);
    s.grad_y = normal_numbers(&random, SAMPLES * s.outputs);
    s.grad_multipliers = normal_numbers(&random, SAMPLES * s.rows);
    s.raw[s.outputs] = NAN;
    return s;
}

static void close_scene(struct scene *s) {
    hn_layer_destroy(s->layer);
    hn_device_layer_destroy(s->device);
    free(s->x);
    free(s->raw);
    free(s->grad_y);
    free(s->grad_multipliers);
}

/* With gradients by multipliers and weights, which results_of has no place for. */
static struct layer_results run(const struct scene *s, const double *raw, bool on_device, double *weights) {
    struct layer_results r = results_of(s->layer, SAMPLES);
    hn_batch batch = batch_into(&r, s->x, raw);
    hn_gradient gradient = gradient_into(&r, s->grad_y);
    hn_error error = {.text = ""};
    gradient.grad_multipliers = s->grad_multipliers;
    gradient.grad_weights = s->weighs ? weights : NULL;
    if (!on_device) {
        layer_run(s->layer, &batch);
        layer_pull(s->layer, &batch, &gradient);
    } else if (hn_device_run_host(s->device, &batch, &gradient, &error) != HN_OK)
        fail_msg("%s", error.text);
    return r;
}

/* How many of its samples are certified. */
static size_t compare(const struct scene *s, const double *raw) {
    double *weights[2] = {calloc(SAMPLES * s->outputs + 1, sizeof(double)),
                          calloc(SAMPLES * s->outputs + 1, sizeof(double))};
    struct layer_results ours = run(s, raw, false, weights[0]), theirs = run(s, raw, true, weights[1]);
    size_t certified = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        assert_true(same_results(&ours, i, &theirs, i));
        certified += ours.reports[i].kkt <= HN_CERTIFIED;
    }
    for (size_t i = 0; i < SAMPLES * s->outputs; i++)
        assert_same_bits(weights[0][i], weights[1][i]);
    results_release(&ours);
    results_release(&theirs);
    free(weights[0]);
    free(weights[1]);
    return certified;
}

static size_t judge(const hn_model *model, hn_layer_options options, uint64_t seed) {
    struct scene s = open_scene(model, options, seed);
    size_t certified = compare(&s, s.raw) + compare(&s, NULL);
    close_scene(&s);
    return certified;
}

/* ---- tests ---- */

static void judge_text(const char *text, hn_method method, const double *weights) {
    hn_model *model = model_of_text(text);
    hn_layer_options options = layer_method(method);
    options.weights = weights;
    options.relative = weights != NULL;
    assert_true(judge(model, options, 3) > 0);
    hn_model_destroy(model);
}

TEST(solutions_under_affine_rows_have_the_cpu_s_bits) {
    static const double weights[] = {1, 0.5, 2, 1, 3};
    judge_text(affine, HN_METHOD_NEAREST, NULL);
    judge_text(affine, HN_METHOD_NEAREST, weights);
    judge_text(affine, HN_METHOD_OPTIMAL, NULL);
    judge_text(flat, HN_METHOD_OPTIMAL, NULL);
}

TEST(solutions_under_curved_rows_have_them) {
    static const double weights[] = {0.25, 1, 3};
    judge_text(curved, HN_METHOD_NEAREST, NULL);
    judge_text(curved, HN_METHOD_NEAREST, weights);
    judge_text(curved, HN_METHOD_OPTIMAL, NULL);
}

TEST(solutions_at_kinks_have_them) {
    judge_text(kinked, HN_METHOD_OPTIMAL, NULL);
}

TEST(solutions_of_teams_have_them) {
    judge_text(simd_curved, HN_METHOD_OPTIMAL, NULL);
    if (HN_TEST_SHARE > 1) /* sanitizers take long to compile one */
        return;
    judge_text(simd_curved, HN_METHOD_NEAREST, NULL);
    judge_text(simd_affine, HN_METHOD_OPTIMAL, NULL);
}

TEST(random_problems_have_them) {
    for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
        struct random_problem_options options = {.kind = (enum problem_kind)(seed % PROBLEM_KINDS)};
        struct random_problem problem;
        options.objective = seed % 2 == 0;
        options.bounds_are_inputs = seed == 1;
        random_problem_create(&problem, options, 23, seed);
        judge(problem.model, layer_method(seed % 2 == 0 ? HN_METHOD_OPTIMAL : HN_METHOD_NEAREST), seed);
        random_problem_release(&problem);
    }
}

TEST(they_are_computed_in_double) {
    const hn_device_options floats = {.size = sizeof floats, .precision = HN_PRECISION_FLOAT32};
    hn_layer_options options = layer_method(HN_METHOD_NEAREST);
    hn_model *model = model_of_text(affine);
    hn_device_layer *layer;
    hn_error error = {.text = ""};
    assert_int_equal(hn_device_layer_create(&layer, model, &options, &floats, &error), HN_INVALID);
    assert_contains(error.text, "precision float32: the method nearest is one of float64");
    assert_null(layer);
    hn_model_destroy(model);
}

/* What only they have is refused elsewhere. */
TEST(other_methods_have_no_multipliers) {
    double y[5] = {0}, x[1] = {0}, numbers[16];
    hn_model *model = model_of_text(affine);
    hn_device_layer *layer;
    hn_error error = {.text = ""};
    hn_batch batch = {.size = sizeof batch, .count = 1, .x = x, .y_raw = y, .y = y, .multipliers = numbers};
    assert_int_equal(hn_device_layer_create(&layer, model, NULL, NULL, &error), HN_OK);
    assert_int_equal(hn_device_run_host(layer, &batch, NULL, &error), HN_INVALID);
    assert_contains(error.text, "batch.multipliers: only the methods nearest and optimal have them");
    hn_device_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST_GROUP(scratch_set_up_cache, scratch_tear_down_cache)

int main(void) {
    if (!some_device())
        return TEST_SKIPPED;
    fake_watch();
    return run_registered_tests();
}
