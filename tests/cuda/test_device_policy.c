/* test_device_policy.c - policies and their training on a device have the CPU's bits: outputs, objectives, reports, weights.
 *
 * On the device that is there; where there is none on that of fake_device.h, which runs the same text.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/fake_open.h"
#include "support/check.h"
#include "support/model_check.h"
#include "support/numbers.h"
#include "support/scratch.h"

#include "hardnet/hardnet.h"
#include "nn/refiner.h"

enum { BATCH = 2 * IMPROVE_CHUNK + 11, STEPS = 4 };

static const hn_device_options device = {.size = sizeof device};
static const hn_device_options floats = {.size = sizeof floats, .precision = HN_PRECISION_FLOAT32};

/* ---- the scene ---- */

/* Outputs within bounds of their own, a curved row, sines in the objective, an equality. */
static hn_model *model_of(bool objective) {
    static const char text[] = "param a >= 1, <= 2; param b >= -1, <= 1;\n"
                               "var y{1..3} >= -2, <= 2;\n"
                               "minimize f: (y[1] - 3)^2 + sin(b + y[2]) + exp(0.3 * y[3]) + y[1] * y[2];\n"
                               "subject to disc: y[1]^2 + y[2]^2 <= a^2;\n"
                               "subject to line: y[1] + 2 * y[2] + y[3] = b;\n"
                               "subject to wave: cos(y[3]) + y[1] >= 0.1;\n";
    const char *own = objective ? text : "param a >= 1; param b; var y{1..3}; subject to r: y[1] * a + y[2] + b <= 1;";
    return model_of_text(own);
}

/* With silu it is residual and normalised, with tanh residual only. */
static hn_network *network_of(size_t candidates, hn_activation activation) {
    const hn_network_options options = {.inputs = 2,
                                        .outputs = 3 * candidates,
                                        .hidden_count = 3,
                                        .hidden = {17, 12, 12},
                                        .activation = activation,
                                        .seed = 3,
                                        .residual = activation != HN_ACTIVATION_RELU,
                                        .layer_norm = activation == HN_ACTIVATION_SILU};
    return network_with(options);
}

static void draw_inputs(const hn_model *model, double *x) {
    hn_error error;
    if (hn_sample_inputs(model, 5, 1, BATCH, x, &error) != HN_OK)
        fail_msg("%s", error.text);
}

/* ---- running ---- */

struct results {
    double y[BATCH * 3], objective[BATCH];
    hn_report reports[BATCH];
};

static void run_policy(const hn_model *model, const hn_network *network, hn_policy_options options, struct results *r) {
    static double x[BATCH * 2];
    hn_policy *policy;
    hn_error error = {.text = ""};
    draw_inputs(model, x);
    memset(r, 0, sizeof *r);
    if (hn_policy_create(&policy, model, network, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    for (size_t first = 0; first < BATCH; first += BATCH / 2 + 1) { /* in two calls, the second of which is smaller */
        size_t left = BATCH - first, count = left < BATCH / 2 + 1 ? left : BATCH / 2 + 1;
        if (hn_policy_run(policy, count, x + 2 * first, r->y + 3 * first, r->objective + first, r->reports + first,
                          &error) != HN_OK)
            fail_msg("%s", error.text);
    }
    hn_policy_destroy(policy);
}

static void compare_policies(const hn_model *model, hn_policy_options options, hn_activation activation) {
    static struct results ours, theirs;
    hn_network *network = network_of(options.candidates, activation);
    options.threads = 2;
    run_policy(model, network, options, &ours);
    options.device = &device;
    run_policy(model, network, options, &theirs);
    assert_memory_equal(ours.y, theirs.y, sizeof ours.y);
    assert_memory_equal(ours.objective, theirs.objective, sizeof ours.objective);
    assert_memory_equal(ours.reports, theirs.reports, sizeof ours.reports);
    hn_network_destroy(network);
}

TEST(policies_have_the_cpu_s_bits) {
    hn_model *model = model_of(true);
    hn_policy_options options = hn_policy_defaults();
    compare_policies(model, options, HN_ACTIVATION_TANH);
    options.candidates = 3;
    compare_policies(model, options, HN_ACTIVATION_SILU);
    options.refine = 2;
    compare_policies(model, options, HN_ACTIVATION_RELU);
    hn_model_destroy(model);
}

TEST(policies_that_correct_nothing_have_them_too) {
    hn_model *model = model_of(true);
    hn_policy_options options = hn_policy_defaults();
    options.uncorrected = true;
    options.candidates = 2;
    compare_policies(model, options, HN_ACTIVATION_TANH);
    hn_model_destroy(model);
}

TEST(a_model_without_objective_has_them) {
    hn_model *model = model_of(false);
    compare_policies(model, hn_policy_defaults(), HN_ACTIVATION_TANH);
    hn_model_destroy(model);
}

/* ---- training ---- */

struct trained {
    double parameters[1000], moments[1000];
    hn_train_report reports[STEPS];
    size_t count;
};

static void train(const hn_model *model, hn_train_options options, bool targets, struct trained *out) {
    static double x[BATCH * 2], goals[BATCH * 3];
    hn_network *network = network_of(options.policy.candidates, HN_ACTIVATION_SILU);
    hn_trainer *trainer;
    hn_error error = {.text = ""};
    memset(out, 0, sizeof *out);
    draw_inputs(model, x);
    for (size_t i = 0; i < BATCH * 3; i++)
        goals[i] = 0.1 * (double)(i % 7) - 0.2;
    if (hn_trainer_create(&trainer, model, network, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    for (int step = 0; step < STEPS; step++)
        if (hn_trainer_step(trainer, BATCH - (size_t)step, x, targets ? goals : NULL, &out->reports[step], &error) !=
            HN_OK)
            fail_msg("%s", error.text);
    out->count = hn_network_parameter_count(network);
    assert_true(out->count <= COUNT_OF(out->parameters));
    memcpy(out->parameters, hn_network_parameters(network), out->count * sizeof *out->parameters);
    memcpy(out->moments, hn_trainer_moment(trainer, 1), out->count * sizeof *out->moments);
    hn_trainer_destroy(trainer);
    hn_network_destroy(network);
}

static void compare_training(hn_train_options options, bool targets) {
    static struct trained ours, theirs;
    hn_model *model = model_of(true);
    options.warmup = 2;
    options.rate = 0.01;
    options.policy.threads = 2;
    train(model, options, targets, &ours);
    options.policy.device = &device;
    train(model, options, targets, &theirs);
    assert_memory_equal(ours.parameters, theirs.parameters, sizeof ours.parameters);
    assert_memory_equal(ours.moments, theirs.moments, sizeof ours.moments);
    assert_memory_equal(ours.reports, theirs.reports, sizeof ours.reports);
    assert_true(ours.reports[0].gradient > 0 && ours.reports[STEPS - 1].loss != ours.reports[0].loss);
    hn_model_destroy(model);
}

TEST(training_by_the_objective_has_the_cpu_s_bits) {
    hn_train_options options = hn_train_defaults();
    options.improve = 0;
    compare_training(options, false);
    options.policy.candidates = 2;
    options.square_weight = 0.5;
    options.clip_batch = 0.5;
    options.clip_sample = 1;
    compare_training(options, false);
}

/* The row has a value for about half of the outputs; samples of the others are dropped, here and there. */
TEST(samples_with_an_undefined_row_are_dropped_on_both) {
    static const char text[] = "param a >= 1, <= 2; param b >= -1, <= 1; var y{1..3};\n"
                               "minimize f: (y[1] - 3)^2 + y[2]^2 + y[3]^2;\n"
                               "subject to sure: y[2] <= a; subject to half: log(y[1] + 0.1 * b) <= 0.5;";
    static struct trained ours, theirs;
    hn_model *model = model_of_text(text);
    hn_train_options options = hn_train_defaults();
    options.improve = 0;
    options.layer.method = HN_METHOD_PAPER; /* which does not look for a point that has a value */
    options.layer.iterations = 0;
    options.policy.candidates = 2;
    options.policy.threads = 2;
    train(model, options, false, &ours);
    options.policy.device = &device;
    train(model, options, false, &theirs);
    assert_memory_equal(ours.parameters, theirs.parameters, sizeof ours.parameters);
    assert_memory_equal(ours.reports, theirs.reports, sizeof ours.reports);
    assert_true(ours.reports[0].undefined > 0 && ours.reports[0].undefined < 2 * BATCH);
    assert_int_equal(ours.reports[0].dropped, ours.reports[0].undefined);
    assert_string_equal(hn_model_row(model, ours.reports[0].undefined_row).name, "half");
    hn_model_destroy(model);
}

TEST(training_by_targets_has_the_cpu_s_bits) {
    hn_train_options options = hn_train_defaults();
    options.policy.candidates = 2;
    compare_training(options, true);
    options.improve = 0;
    compare_training(options, true);
}

TEST(training_by_improvement_has_the_cpu_s_bits) {
    hn_train_options options = hn_train_defaults();
    compare_training(options, false);
    options.policy.candidates = 2;
    compare_training(options, false);
}

/* ---- corrections in float32 ---- */

/* ok means what it means everywhere; objectives, after a step of refinement in double, too, are near those of the CPU. */
TEST(policies_of_floats_are_near_the_cpu_s) {
    static struct results ours, theirs;
    hn_model *model = model_of(true);
    hn_network *network = network_of(2, HN_ACTIVATION_SILU);
    hn_policy_options options = hn_policy_defaults();
    options.candidates = 2;
    for (options.refine = 0; options.refine < 2; options.refine++) {
        options.device = NULL;
        run_policy(model, network, options, &ours);
        options.device = &floats;
        run_policy(model, network, options, &theirs);
        for (size_t i = 0; i < BATCH; i++) {
            assert_int_equal(theirs.reports[i].outcome, ours.reports[i].outcome);
            assert_true(theirs.reports[i].violation <= 1e-8);
            assert_true(fabs(theirs.objective[i] - ours.objective[i]) <= 1e-2 * (1 + fabs(ours.objective[i])));
        }
    }
    hn_network_destroy(network);
    hn_model_destroy(model);
}

/* Without steps nothing is rounded. */
TEST(policies_of_floats_that_correct_nothing_have_the_cpu_s_outputs) {
    static struct results ours, theirs;
    hn_model *model = model_of(true);
    hn_network *network = network_of(1, HN_ACTIVATION_TANH);
    hn_policy_options options = hn_policy_defaults();
    options.uncorrected = true;
    run_policy(model, network, options, &ours);
    options.device = &floats;
    run_policy(model, network, options, &theirs);
    assert_memory_equal(ours.y, theirs.y, sizeof ours.y);
    assert_memory_equal(ours.objective, theirs.objective, sizeof ours.objective);
    hn_network_destroy(network);
    hn_model_destroy(model);
}

TEST(training_through_floats_begins_as_the_cpu_s_does) {
    static struct trained ours, theirs;
    hn_model *model = model_of(true);
    hn_train_options options = hn_train_defaults();
    options.improve = 0;
    train(model, options, false, &ours);
    options.policy.device = &floats;
    train(model, options, false, &theirs);
    assert_true(fabs(theirs.reports[0].loss - ours.reports[0].loss) <= 1e-4 * fabs(ours.reports[0].loss));
    assert_true(fabs(theirs.reports[0].gradient - ours.reports[0].gradient) <= 1e-3 * ours.reports[0].gradient);
    assert_true(theirs.reports[STEPS - 1].loss != theirs.reports[0].loss);
    hn_model_destroy(model);
}

/* ---- the device ---- */

TEST_GROUP(scratch_set_up_cache, scratch_tear_down_cache)

int main(void) {
    if (!some_device())
        return TEST_SKIPPED;
    return run_registered_tests();
}
