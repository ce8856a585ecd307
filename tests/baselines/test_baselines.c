/* test_baselines.c - the schemes none and dc3: gradients by the weights against differences, outputs by the equations, honest outcomes.
 *
 * SPDX-License-Identifier: MIT */
#include "baselines/baselines_making.h"

#include "support/check.h"
#include "support/differences.h"
#include "support/model_check.h"
#include "support/numbers.h"
#include "support/scratch.h"

enum { SAMPLES = 50 };

/* ---- gradients ---- */

static void gradient_holds(const char *path, enum scheme scheme, double level, double rate) {
    hn_model *model = model_of_file(path);
    struct trained options = training_of(scheme);
    options.baseline.correction_rate = rate;
    options.train.policy.layer.tolerance = 1e-10; /* which completions aim at a hundredth of */
    options.train.rate = 1e-300;
    hn_network *network = network_for(model, applied_by(&options), level);
    hn_trainer *trainer = trainer_of(model, network, &options);
    struct difference_verdict verdict = {.worst = 0};
    for (uint64_t k = 0; k < 20; k++) {
        double x[MOST];
        draw(model, x, 1, k);
        difference_check(trainer, x, k, &verdict);
    }
    print_message("%s, %s: %zu of 20 directions agree, to %.1e; %.0f correction steps in the mean\n", path,
                  scheme_text(scheme), verdict.good, verdict.worst, verdict.steps / 20);
    assert_true(verdict.good >= 18); /* a row may enter or leave the violated ones within the difference */
    assert_true(verdict.worst < 1e-6);
    trainer_release(trainer, network, model);
}

TEST_AROUND(the_gradient_of_a_penalty_is_that_of_differences, NULL, destroy_heads) {
    gradient_holds("models/unicycle.mod", SCHEME_NONE, 0.5, 0.1);
    gradient_holds("models/pooling.mod", SCHEME_NONE, 0.5, 0.1);
    gradient_holds("models/opf.mod", SCHEME_NONE, 0.5, 0.1);
}

TEST_AROUND(the_gradient_of_dc3_is_that_of_differences, NULL, destroy_heads) {
    gradient_holds("models/unicycle.mod", SCHEME_DC3, 1, 0.01);
    gradient_holds("models/pooling.mod", SCHEME_DC3, 0.5, 0.1);
    gradient_holds("models/opf.mod", SCHEME_DC3, 0.2, 0.02);
    gradient_holds("models/ellipse.mod", SCHEME_DC3, 1, 0.01);
}

/* ---- dependent outputs ---- */

TEST_AROUND(the_states_of_the_unicycle_depend_on_its_controls, NULL, destroy_heads) {
    hn_model *model = model_of_file("models/unicycle.mod");
    struct applied options = scheme_of(SCHEME_DC3);
    size_t columns[MOST];
    assert_int_equal(width_of(model, &options.baseline, columns), 20);
    for (size_t k = 0; k < 20; k++)
        assert_int_equal(columns[k], 30 + k);
    options.baseline.scheme = SCHEME_NONE;
    assert_int_equal(width_of(model, &options.baseline, columns), 50);
    hn_model_destroy(model);
}

/* Two of three equalities say the same, one speaks of a fixed output only; b has the larger slope, c vanishes at times. */
static const char redundant[] = "param p >= 1, <= 2; var a; var b; var c; var d; fix d := p;"
                                "s.t. one: a + 10*b + (a - 0.5)*c = p; s.t. same: 2*a + 20*b + (2*a - 1)*c = 2*p;"
                                "s.t. given: d = p; s.t. room: b >= 0; minimize f: a^2 + b^2 + c^2;";

TEST_AROUND(equalities_that_depend_on_others_are_left_out, NULL, destroy_heads) {
    hn_model *model = model_of(redundant);
    struct applied options = scheme_of(SCHEME_DC3);
    size_t columns[MOST];
    assert_int_equal(width_of(model, &options.baseline, columns), 2);
    assert_int_equal(columns[0], 0);
    assert_int_equal(columns[1], 2);
    hn_network *network = network_for(model, options, 0.2);
    hn_policy *policy = policy_of(model, network, &options);
    double x[SAMPLES], y[4 * SAMPLES];
    hn_report reports[SAMPLES];
    draw(model, x, SAMPLES, 1);
    assert_int_equal(hn_policy_run(policy, SAMPLES, x, y, NULL, reports, NULL), HN_OK);
    for (size_t i = 0; i < SAMPLES; i++) {
        assert_int_equal(reports[i].outcome, HN_OUTCOME_OK);
        assert_same_bits(y[4 * i + 3], x[i]);
    }
    policy_release(policy, network, model);
}

TEST_AROUND(models_that_leave_nothing_to_learn_are_refused, NULL, destroy_heads) {
    hn_model *model =
        model_of("param p >= 1, <= 2; var a; var b; s.t. c: a + b = p; s.t. d: a - b = 0; minimize f: a;");
    struct applied options = scheme_of(SCHEME_DC3);
    hn_error error;
    assert_int_equal(make_head(model, &options.baseline, &options.policy, &error), HN_INVALID);
    assert_contains(error.text, "the equalities determine all 2 outputs");
    hn_model_destroy(model);
}

/* ---- outputs, judged by the model's own equations ---- */

struct judged {
    double equalities, others; /* largest violations */
};

static struct judged judge_rows(const hn_model *model, const double *x, const double *y) {
    struct judged judged = {0, 0};
    for (size_t i = 0; i < hn_model_row_count(model); i++) {
        hn_row_info row = hn_model_row(model, i);
        hn_expr exprs[] = {row.lower, row.body, row.upper};
        double v[3];
        assert_int_equal(hn_model_evaluate(model, 3, exprs, x, y, v, NULL), HN_OK);
        double r = fmax(0, fmax(v[0] - v[1], v[1] - v[2])), *most = v[0] == v[2] ? &judged.equalities : &judged.others;
        *most = fmax(*most, r);
    }
    return judged;
}

TEST_AROUND(dc3_holds_equalities_and_says_what_it_violates, NULL, destroy_heads) {
    static const char *const paths[] = {"models/unicycle.mod", "models/pooling.mod", "models/simplex.mod"};
    for (size_t m = 0; m < COUNT_OF(paths); m++) {
        hn_model *model = model_of_file(paths[m]);
        struct applied options = scheme_of(SCHEME_DC3);
        options.baseline.correction_rate = 0.02;
        options.policy.candidates = 2;
        hn_network *network = network_for(model, options, 1);
        hn_policy *policy = policy_of(model, network, &options);
        size_t inputs = hn_model_input_count(model), outputs = hn_model_output_count(model), ok = 0;
        double x[SAMPLES * MOST], y[SAMPLES * MOST];
        hn_report reports[SAMPLES];
        draw(model, x, SAMPLES, 2);
        assert_int_equal(hn_policy_run(policy, SAMPLES, x, y, NULL, reports, NULL), HN_OK);
        for (size_t i = 0; i < SAMPLES; i++) {
            struct judged judged = judge_rows(model, x + i * inputs, y + i * outputs);
            bool held = fmax(judged.equalities, judged.others) <= 1e-8;
            assert_true(judged.equalities <= 1.1e-10);
            assert_in_interval(reports[i].violation - fmax(judged.equalities, judged.others), -1e-12, 1e-12);
            assert_true(reports[i].violation <= reports[i].violation_before);
            assert_int_equal(reports[i].outcome == HN_OUTCOME_OK, held);
            assert_true(held || reports[i].iterations == options.baseline.correction_steps);
            ok += held;
        }
        print_message("%s: %zu of %d ok\n", paths[m], ok, SAMPLES);
        policy_release(policy, network, model);
    }
}

TEST_AROUND(without_correction_the_raw_output_is_the_output, NULL, destroy_heads) {
    hn_model *model = model_of(redundant);
    struct applied options = scheme_of(SCHEME_NONE);
    hn_network *network = network_for(model, options, 0.2);
    hn_policy *policy = policy_of(model, network, &options);
    double x[SAMPLES], y[4 * SAMPLES], raw[4 * SAMPLES];
    hn_report reports[SAMPLES];
    void *workspace = malloc(hn_network_workspace_bytes(network));
    draw(model, x, SAMPLES, 3);
    assert_int_equal(hn_policy_run(policy, SAMPLES, x, y, NULL, reports, NULL), HN_OK);
    assert_int_equal(hn_network_run(network, SAMPLES, x, raw, workspace, hn_network_workspace_bytes(network), NULL),
                     HN_OK);
    for (size_t i = 0; i < SAMPLES; i++) {
        struct judged judged = judge_rows(model, x + i, y + 4 * i);
        assert_memory_equal(y + 4 * i, raw + 4 * i, 3 * sizeof *y);
        assert_same_bits(y[4 * i + 3], x[i]);
        assert_int_equal(reports[i].outcome, HN_OUTCOME_ITERATION_LIMIT);
        assert_int_equal(reports[i].iterations, 0);
        assert_in_interval(reports[i].violation - fmax(judged.equalities, judged.others), -1e-12, 1e-12);
    }
    free(workspace);
    policy_release(policy, network, model);
}

/* ---- what does not converge ---- */

/* b follows a, and there is none where a is not positive. */
static const char partial[] = "param p >= 5, <= 6; var a := 4; var b := 1.5; s.t. c: exp(b) = a; s.t. d: a <= p;"
                              "minimize f: (a - p)^2 + b^2;";

static void run_partial(double level, double *y, hn_report *reports) {
    hn_model *model = model_of(partial);
    struct applied options = scheme_of(SCHEME_DC3);
    hn_network *network = network_for(model, options, level);
    hn_policy *policy = policy_of(model, network, &options);
    double x[SAMPLES];
    draw(model, x, SAMPLES, 4);
    assert_int_equal(hn_policy_run(policy, SAMPLES, x, y, NULL, reports, NULL), HN_OK);
    policy_release(policy, network, model);
}

TEST_AROUND(a_completion_that_fails_is_not_ok, NULL, destroy_heads) {
    double y[2 * SAMPLES];
    hn_report reports[SAMPLES];
    run_partial(3, y, reports);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_in_interval(exp(y[2 * i + 1]) - y[2 * i], -1e-10, 1e-10);
    run_partial(-2, y, reports);
    for (size_t i = 0; i < SAMPLES; i++) {
        assert_int_equal(reports[i].outcome, HN_OUTCOME_STALLED);
        assert_same_bits(y[2 * i + 1], 1.5);
        assert_true(y[2 * i] < 0 && isinf(reports[i].violation_before) && reports[i].violation > 1);
    }
}

TEST_AROUND(what_cannot_be_completed_is_dropped_in_training, NULL, destroy_heads) {
    hn_model *model = model_of(partial);
    struct trained options = training_of(SCHEME_DC3);
    hn_network *network = network_for(model, applied_by(&options), 0);
    hn_trainer *trainer = trainer_of(model, network, &options);
    double x[SAMPLES];
    hn_train_report report;
    draw(model, x, SAMPLES, 5);
    assert_int_equal(hn_trainer_step(trainer, SAMPLES, x, NULL, &report, NULL), HN_OK);
    assert_int_equal(report.samples + report.dropped, SAMPLES);
    assert_true(isfinite(report.gradient));
    trainer_release(trainer, network, model);
}

/* ---- bits ---- */

static void train_on(int threads, enum scheme scheme, size_t candidates, double *parameters) {
    hn_model *model = model_of_file("models/unicycle.mod");
    struct trained options = training_of(scheme);
    options.train.policy.threads = threads;
    options.train.policy.candidates = candidates;
    hn_network *network = network_for(model, applied_by(&options), 1);
    hn_trainer *trainer = trainer_of(model, network, &options);
    double x[3 * SAMPLES];
    for (uint64_t k = 0; k < 3; k++) {
        draw(model, x, SAMPLES, k);
        assert_int_equal(hn_trainer_step(trainer, SAMPLES, x, NULL, NULL, NULL), HN_OK);
    }
    memcpy(parameters, hn_network_parameters_of(network), hn_network_parameter_count(network) * sizeof *parameters);
    trainer_release(trainer, network, model);
}

TEST_AROUND(the_weights_do_not_know_the_number_of_threads, NULL, destroy_heads) {
    enum { NUMBERS = 10000 };
    static double one[NUMBERS], other[NUMBERS]; // NOLINT: of a test
    for (int kind = 0; kind < 4; kind++) {
        enum scheme scheme = kind % 2 ? SCHEME_DC3 : SCHEME_NONE;
        size_t candidates = kind < 2 ? 1 : 2;
        train_on(1, scheme, candidates, one);
        for (int threads = 2; threads <= 3; threads++) {
            train_on(threads, scheme, candidates, other);
            assert_memory_equal(one, other, sizeof one);
        }
    }
}

TEST_AROUND(a_sample_does_not_know_its_neighbours, NULL, destroy_heads) {
    hn_model *model = model_of_file("models/unicycle.mod");
    struct applied options = scheme_of(SCHEME_DC3);
    hn_network *network = network_for(model, options, 1);
    double x[3 * SAMPLES], y[50 * SAMPLES], alone[50];
    draw(model, x, SAMPLES, 6);
    for (size_t set = 0; set < 2; set++) {
        options.policy.layer.instructions = set ? HN_INSTRUCTIONS_PORTABLE : HN_INSTRUCTIONS_BEST;
        hn_policy *policy = policy_of(model, network, &options);
        if (set == 0)
            assert_int_equal(hn_policy_run(policy, SAMPLES, x, y, NULL, NULL, NULL), HN_OK);
        for (size_t i = 0; i < SAMPLES; i++) {
            assert_int_equal(hn_policy_run(policy, 1, x + 3 * i, alone, NULL, NULL, NULL), HN_OK);
            assert_memory_equal(alone, y + 50 * i, sizeof alone);
        }
        hn_policy_destroy(policy);
    }
    hn_network_destroy(network);
    hn_model_destroy(model);
}

/* ---- what does not fit ---- */

static void policy_refused(const hn_model *model, const hn_network *network, const struct applied *options,
                           const char *part) {
    hn_policy_options all = options->policy;
    hn_policy *policy = NULL;
    hn_error error;
    hn_status status = make_head(model, &options->baseline, &all, &error);
    if (status == HN_OK)
        status = hn_policy_create(&policy, model, network, &all, &error);
    assert_int_equal(status, HN_INVALID);
    assert_null(policy);
    assert_contains(error.text, part);
}

TEST_AROUND(settings_that_make_no_sense_are_refused, NULL, destroy_heads) {
    hn_model *model = model_of_file("models/unicycle.mod");
    struct applied good = scheme_of(SCHEME_DC3), bad = good, all = scheme_of(SCHEME_NONE);
    hn_network *network = network_for(model, good, 1), *simd = network_for(model, all, 1);
    policy_refused(model, simd, &good, "the model needs 3 and 20 (1 candidates of its independent outputs)");
    policy_refused(model, network, &all, "the model needs 3 and 50");
    bad.baseline.correction_steps = -1;
    policy_refused(model, network, &bad, "correction steps -1");
    bad = good;
    bad.baseline.correction_rate = 0;
    policy_refused(model, network, &bad, "correction rate 0");
    bad = good;
    bad.baseline.momentum = 1;
    policy_refused(model, network, &bad, "momentum 1");
    bad = all;
    bad.policy.refine = 1;
    policy_refused(model, simd, &bad, "refinement steps need a layer; the scheme is none");
    hn_network_destroy(network);
    hn_network_destroy(simd);
    hn_model_destroy(model);
}

TEST_AROUND(losses_that_do_not_fit_are_refused, NULL, destroy_heads) {
    hn_model *model = model_of_file("models/unicycle.mod");
    struct trained options = training_of(SCHEME_DC3);
    hn_network *network = network_for(model, applied_by(&options), 1);
    hn_trainer *trainer;
    hn_error error;
    double x[3] = {-3, 1.5, 0}, y[50] = {0};
    options.train.policy = headed(model, &options.baseline, options.train.policy);
    options.train.move_weight = 1;
    assert_int_equal(hn_trainer_create(&trainer, model, network, &options.train, &error), HN_INVALID);
    assert_contains(error.text, "move_weight 1: with dc3");
    options.train.move_weight = 0;
    options.train.improve = 1;
    assert_int_equal(hn_trainer_create(&trainer, model, network, &options.train, &error), HN_INVALID);
    assert_contains(error.text, "need a layer");
    options.train.improve = 0;
    trainer = trainer_of(model, network, &options);
    assert_error(hn_trainer_step(trainer, 1, x, y, NULL, &error), HN_INVALID, error, "targets");
    trainer_release(trainer, network, model);
}

/* ---- files ---- */

TEST_AROUND(a_file_brings_its_head_back, NULL, destroy_heads) {
    struct scratch scratch = scratch_create();
    const char *path = scratch_path(&scratch, "net");
    hn_model *model = model_of(redundant);
    struct applied options = scheme_of(SCHEME_DC3);
    options.baseline.correction_steps = 7;
    options.baseline.correction_rate = 0.03;
    options.baseline.momentum = 1.0 / 3;
    options.policy.candidates = 2;
    hn_network *network = network_for(model, options, 0.2);
    hn_policy *policy = policy_of(model, network, &options), *back;
    hn_error error = {.text = ""};
    double x[SAMPLES], y[2][4 * SAMPLES];
    assert_int_equal(hn_policy_save(policy, path, 0, NULL, NULL), HN_OK);
    assert_int_equal(baseline_load(&back, next_head(), model, path, 1, &error), HN_OK);
    const hn_policy_options found = hn_policy_options_of(back);
    const struct baseline same = baseline_of(&found);
    assert_int_equal(same.scheme, SCHEME_DC3);
    assert_int_equal(same.correction_steps, 7);
    assert_same_bits(same.correction_rate, 0.03);
    assert_same_bits(same.momentum, 1.0 / 3);
    draw(model, x, SAMPLES, 9);
    assert_int_equal(hn_policy_run(policy, SAMPLES, x, y[0], NULL, NULL, NULL), HN_OK);
    assert_int_equal(hn_policy_run(back, SAMPLES, x, y[1], NULL, NULL, NULL), HN_OK);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    hn_policy_destroy(back);
    assert_int_equal(hn_policy_load(&back, model, path, 1, &error), HN_INVALID);
    assert_contains(error.text, "policy.scheme is \"dc3\", and there is no such head here");
    policy_release(policy, network, model);
    scratch_remove(&scratch);
}
