/* test_wrong_calls.c - arguments that are missing and settings out of their range, in the calls around networks and their training:
 * each is refused with words that name it.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "hardnet/hardnet.h"

static hn_model *model, *plain; /* with an objective, and without */
static hn_network *network;
static hn_error error;
static const double x[2] = {1, 2};
static double y[4];

static hn_model *model_of(const char *text) {
    const hn_text all = {"m", text, strlen(text)};
    hn_model *made;
    assert_int_equal(hn_model_read_memory(&made, 1, &all, NULL, NULL), HN_OK);
    return made;
}

FIXTURE(set_up) {
    const hn_network_options sizes = {.inputs = 1, .outputs = 2, .hidden_count = 1, .hidden = {3}, .seed = 1};
    model = model_of("param a; var y{1..2}; minimize f: y[1]^2 + y[2]; subject to c: y[1]^2 + y[2]^2 <= 1 + a^2;");
    plain = model_of("param a; var y{1..2}; subject to c: y[1] + y[2] <= a;");
    assert_int_equal(hn_network_create(&network, &sizes, NULL), HN_OK);
    return 0;
}

FIXTURE(tear_down) {
    hn_network_destroy(network);
    hn_model_destroy(model);
    hn_model_destroy(plain);
    return 0;
}

static void refused(hn_status status, const char *words) {
    assert_error(status, HN_INVALID, error, words);
}

static void policy_is_refused(const hn_model *of, hn_policy_options options, const char *words) {
    hn_policy *policy;
    refused(hn_policy_create(&policy, of, network, &options, &error), words);
    assert_null(policy);
}

TEST(a_policy_s_settings_have_ranges) {
    hn_policy_options good = hn_policy_defaults(), options = good;
    options.candidates = 0;
    policy_is_refused(model, options, "candidates 0");
    options.candidates = HN_POLICY_MOST_CANDIDATES + 1;
    policy_is_refused(model, options, "candidates");
    options.candidates = 2; /* the network has outputs for one */
    policy_is_refused(model, options, "outputs");
    policy_is_refused(plain, options, "candidates need one");
    options = good;
    options.refine = -1;
    policy_is_refused(model, options, "refine -1");
    options.refine = HN_POLICY_MOST_REFINE + 1;
    policy_is_refused(model, options, "refine");
    options.refine = 1;
    policy_is_refused(plain, options, "refinement steps need one");
}

TEST(a_policy_that_runs_names_what_it_has_not_got) {
    hn_policy *policy;
    size_t chosen[2];
    assert_int_equal(hn_policy_create(&policy, model, network, NULL, &error), HN_OK);
    refused(hn_policy_run(NULL, 1, x, y, NULL, NULL, &error), "policy");
    refused(hn_policy_run(policy, 1, NULL, y, NULL, NULL, &error), "x");
    refused(hn_policy_run_chosen(NULL, 1, x, y, NULL, NULL, chosen, &error), "policy");
    refused(hn_policy_run_chosen(policy, 1, NULL, y, NULL, NULL, chosen, &error), "x");
    assert_int_equal(hn_policy_run(policy, 0, NULL, NULL, NULL, NULL, &error), HN_OK);
    assert_int_equal(hn_policy_run_chosen(policy, 0, NULL, NULL, NULL, NULL, NULL, &error), HN_OK);
    hn_policy_destroy(policy);
}

static void trainer_is_refused(const hn_model *of, hn_train_options options, const char *words) {
    hn_trainer *trainer;
    refused(hn_trainer_create(&trainer, of, network, &options, &error), words);
    assert_null(trainer);
}

TEST(a_training_s_settings_have_ranges) {
    hn_train_options good = hn_train_defaults(), options = good;
    static const double wrong[] = {0, -1, INFINITY, NAN};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        options.rate = wrong[i];
        trainer_is_refused(model, options, "rate");
    }
    options = good;
    options.improve = -1;
    trainer_is_refused(model, options, "improve -1");
    options.improve = 1 << 20;
    trainer_is_refused(model, options, "improve");
    options = good;
    options.huber = -1;
    trainer_is_refused(model, options, "huber");
    options = good;
    options.improve = 0;
    trainer_is_refused(plain, options, "no objective");
    options = good;
    options.layer.weights = x;
    trainer_is_refused(model, options, "weights");
    options = good;
    options.policy.layer.weights = x;
    trainer_is_refused(model, options, "weights");
}

TEST(a_step_names_what_it_has_not_got) {
    hn_trainer *trainer;
    assert_int_equal(hn_trainer_create(&trainer, model, network, NULL, &error), HN_OK);
    refused(hn_trainer_step(NULL, 1, x, NULL, NULL, &error), "trainer");
    refused(hn_trainer_step(trainer, 1, NULL, NULL, NULL, &error), "x");
    refused(hn_trainer_step(trainer, 0, x, NULL, NULL, &error), "x");
    refused(hn_trainer_step_from(NULL, 1, x, y, NULL, &error), "trainer");
    refused(hn_trainer_step_from(trainer, 1, NULL, y, NULL, &error), "x");
    refused(hn_trainer_step_from(trainer, 1, x, NULL, NULL, &error), "starts");
    hn_trainer_destroy(trainer);
}

TEST(scaling_names_what_it_has_not_got) {
    static const size_t beyond[] = {7}, one[] = {0};
    hn_scaling good = {.count = 2, .x = x, .threads = 1}, scaling = good;
    hn_network_options sizes = {.inputs = 2, .outputs = 3, .hidden_count = 1, .hidden = {2}, .seed = 1};
    hn_network *other;
    refused(hn_network_scale(NULL, model, &scaling, &error), "network");
    refused(hn_network_scale(network, NULL, &scaling, &error), "model");
    refused(hn_network_scale(network, model, NULL, &error), "scaling");
    scaling.x = NULL;
    refused(hn_network_scale(network, model, &scaling, &error), "x");
    scaling.count = 0;
    refused(hn_network_scale(network, model, &scaling, &error), "x");
    scaling = good;
    scaling.data = x;
    refused(hn_network_scale(network, model, &scaling, &error), "data");
    scaling = good;
    scaling.columns = beyond;
    scaling.column_count = 1;
    refused(hn_network_scale(network, model, &scaling, &error), "no column 7");
    scaling.columns = one;
    scaling.column_count = 0;
    refused(hn_network_scale(network, model, &scaling, &error), "the network has");
    assert_int_equal(hn_network_create(&other, &sizes, NULL), HN_OK);
    refused(hn_network_scale(other, model, &good, &error), "the network has 2 inputs");
    hn_network_destroy(other);
    refused(hn_sample_inputs(NULL, 1, 1, 1, y, &error), "model");
    refused(hn_sample_inputs(model, 1, 1, 1, NULL, &error), "x");
}

TEST(files_name_what_they_have_not_got) {
    hn_array array;
    hn_array_rows *rows;
    const hn_checkpoint checkpoint = {.parts = NULL};
    char text[8];
    refused(hn_array_read(NULL, "a.npy", 0, &error), "array");
    refused(hn_array_read(&array, NULL, 0, &error), "path");
    refused(hn_array_write(NULL, 1, 1, x, &error), "path");
    refused(hn_array_write("a.npy", 1, 1, NULL, &error), "values");
    refused(hn_array_rows_open(NULL, "a.npy", &error), "rows");
    refused(hn_array_rows_open(&rows, NULL, &error), "path");
    refused(hn_array_rows_read(NULL, 0, 1, y, &error), "rows");
    refused(hn_checkpoint_save(NULL, "a", &error), "checkpoint");
    refused(hn_checkpoint_save(&checkpoint, NULL, &error), "path");
    refused(hn_checkpoint_load(NULL, "a", &error), "checkpoint");
    refused(hn_checkpoint_load(&checkpoint, NULL, &error), "path");
    refused(hn_checkpoint_read_text(NULL, "k", sizeof text, text, &error), "path");
    refused(hn_checkpoint_read_text("a", NULL, sizeof text, text, &error), "key");
    refused(hn_checkpoint_read_text("a", "k", sizeof text, NULL, &error), "text");
    refused(hn_checkpoint_read_text("a", "k", 0, text, &error), "text");
}

TEST(models_and_emission_name_what_they_have_not_got) {
    hn_emitted files;
    hn_emit_options options = {.size = sizeof options};
    hn_model *open;
    assert_int_equal(hn_emit_get_defaults(&options, NULL), HN_OK);
    refused(hn_emit(NULL, model, NULL, &options, &error), "out");
    refused(hn_emit(&files, NULL, NULL, &options, &error), "model");
    refused(hn_emit(&files, model, NULL, NULL, &error), "options");
    refused(hn_model_evaluate(model, 1, NULL, x, y, y, &error), "exprs");
    refused(hn_model_fingerprint(model, NULL, &error), "out");
    assert_int_equal(hn_model_create(&open, NULL, NULL), HN_OK);
    hn_expr a = hn_output(open, "a");
    refused(hn_model_evaluate(model, 1, &a, x, y, NULL, &error), "values");
    hn_linear(open, 1, NULL, &a);
    refused(hn_model_finish(open, &error), "hn_linear: coefficients is NULL");
    hn_model_destroy(open);
    assert_int_equal(hn_model_create(&open, NULL, NULL), HN_OK);
    hn_output(open, "a");
    hn_linear(open, 1, x, NULL);
    refused(hn_model_finish(open, &error), "hn_linear: terms is NULL");
    hn_model_destroy(open);
}

static void emission_is_refused(hn_emit_options options, const hn_model *of, const hn_network *with,
                                const char *words) {
    hn_emitted files;
    refused(hn_emit(&files, of, with, &options, &error), words);
    assert_null(files.source);
    refused(hn_emit_check(of, with, &options, &error), words);
}

TEST(an_emission_s_candidates_and_refinement_have_ranges) {
    hn_emit_options good = {.size = sizeof good};
    assert_int_equal(hn_emit_get_defaults(&good, NULL), HN_OK);
    good.name = "layer";
    hn_emit_options options = good;
    options.candidates = 0;
    emission_is_refused(options, model, network, "candidates 0: choose 1");
    options.candidates = 2; /* the network has outputs for one */
    emission_is_refused(options, model, network, "for each of 2 candidates");
    options = good;
    options.keep = 2;
    emission_is_refused(options, model, network, "candidates 2: the network has 1");
    options = good;
    options.refine = -1;
    emission_is_refused(options, model, network, "refine -1");
    options.refine = HN_POLICY_MOST_REFINE + 1;
    emission_is_refused(options, model, network, "refine 1001");
    options.refine = 1;
    emission_is_refused(options, model, NULL, "with a network only");
    emission_is_refused(options, plain, network, "no objective");
    assert_int_equal(hn_emit_check(model, network, &options, &error), HN_OK);
    options.adjoint = true;
    assert_error(hn_emit_check(model, network, &options, &error), HN_UNSUPPORTED, error, "not differentiated");
    refused(hn_emit_check(NULL, network, &good, &error), "model");
    good.name = NULL; /* a check needs none */
    assert_int_equal(hn_emit_check(model, network, &good, &error), HN_OK);
}

TEST_GROUP(set_up, tear_down)
