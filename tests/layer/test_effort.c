/* test_effort.c - samples that cannot be corrected end early, with evidence, and the option `effort` stretches what is spent on them.
 *
 * Power flow (models/opf.mod) with loads beyond what the generators give has no solution: lines lose power and never make any.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"

enum { SAMPLES = 60, LOADS = 6, OUTPUTS = 24, FEW = 60 };

static const double nominal[LOADS] = {0.9, 1.0, 1.25, 0.3, 0.35, 0.5}; /* active, reactive */
static const double capacity = 8.2;                                    /* of all generators */

static hn_model *power_flow(void) {
    hn_model *model = model_of_file("models/opf.mod");
    assert_int_equal(hn_model_input_count(model), LOADS);
    assert_int_equal(hn_model_output_count(model), OUTPUTS);
    return model;
}

static hn_layer *layer_with(const hn_model *model, double effort) {
    hn_layer_options options = hn_layer_defaults();
    options.effort = effort;
    return layer_of(model, options);
}

static double active_load(const double *x) {
    return x[0] + x[1] + x[2];
}

/* ---- what is refused ---- */

TEST(an_effort_out_of_range_is_refused_by_name) {
    static const double wrong[] = {0, -1, 1000.5, (double)NAN, (double)INFINITY};
    hn_model *model = power_flow();
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        hn_layer_options options = hn_layer_defaults();
        hn_layer *layer;
        hn_error error;
        options.effort = wrong[i];
        assert_int_equal(hn_layer_create(&layer, model, &options, &error), HN_INVALID);
        assert_null(layer);
        assert_string_equal(error.subject, "effort");
        assert_non_null(strstr(error.text, "it must be above 0 and at most 1000"));
    }
    hn_model_destroy(model);
}

TEST(methods_without_effort_say_so) {
    static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_LM};
    hn_model *model = power_flow();
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        hn_layer_options options = layer_method(methods[i]);
        hn_layer *layer;
        hn_error error;
        options.effort = 2;
        assert_error(hn_layer_create(&layer, model, &options, &error), HN_INVALID, error, "has none, only auto has");
    }
    hn_model_destroy(model);
}

/* A program that was compiled before there was an effort. */
TEST(a_shorter_struct_has_the_usual_effort) {
    hn_model *model = power_flow();
    hn_layer_options options = hn_layer_defaults();
    options.size = offsetof(hn_layer_options, effort);
    options.effort = -7;
    hn_layer *layer = layer_of(model, options);
    assert_true(hn_layer_options_of(layer).effort == 1);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* ---- power flow ---- */

/* Every tenth sample has loads that nobody can serve; the others are within 10 % of nominal. */
static double *mixed_loads(void) {
    struct random random = random_start(4, 0);
    double *x = malloc(SAMPLES * LOADS * sizeof *x);
    for (size_t k = 0; k < SAMPLES; k++)
        for (size_t i = 0; i < LOADS; i++)
            x[k * LOADS + i] = nominal[i] * random_between(&random, 0.9, 1.1) * (k % 10 == 9 ? 3.2 : 1);
    return x;
}

TEST(loads_that_cannot_be_served_cost_little) {
    hn_model *model = power_flow();
    hn_layer *layer = layer_with(model, 1);
    double *x = mixed_loads();
    struct layer_results r = run_forward(layer, SAMPLES, x, NULL);
    for (size_t k = 0; k < SAMPLES; k++) {
        const hn_report *report = &r.reports[k];
        bool served = active_load(x + k * LOADS) < capacity;
        assert_int_equal(served, k % 10 != 9);
        assert_int_equal(report->outcome, served ? HN_OUTCOME_OK : HN_OUTCOME_LOCALLY_INFEASIBLE);
        assert_in_range(report->iterations, 1, FEW);
        assert_true(served ? report->slope == INFINITY : report->slope < 1);
        assert_true(judged_violation(model, x + k * LOADS, r.y + k * OUTPUTS, false, NULL) == report->violation);
    }
    results_release(&r);
    free(x);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* What a sample costs and where it ends does not depend on its neighbours. */
TEST(a_sample_that_ends_early_is_the_same_alone) {
    hn_model *model = power_flow();
    hn_layer *layer = layer_with(model, 1);
    double *x = mixed_loads(), *grad_y = calloc(SAMPLES * OUTPUTS, sizeof *grad_y);
    for (size_t i = 0; i < SAMPLES * OUTPUTS; i++)
        grad_y[i] = i % 3 == 0 ? 1 : -0.25;
    struct layer_results all = run_and_pull(layer, SAMPLES, x, NULL, grad_y);
    for (size_t k = 0; k < SAMPLES; k++) {
        struct layer_results one = run_and_pull(layer, 1, x + k * LOADS, NULL, grad_y + k * OUTPUTS);
        assert_true(same_results(&all, k, &one, 0));
        assert_int_equal(all.flagged[k], k % 10 == 9);
        results_release(&one);
    }
    assert_finite_results(&all);
    results_release(&all);
    free(grad_y);
    free(x);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* ---- large models ---- */

/* One row over so many outputs: a step is half a product, an entry and an operator for each of them. */
static hn_model *long_row(size_t outputs) {
    hn_model *model = model_new();
    char name[32];
    hn_expr x = hn_input(model, "x"), sum = hn_scale(-1, x);
    hn_input_range(x, 0, 1);
    for (size_t j = 0; j < outputs; j++) {
        snprintf(name, sizeof name, "y[%zu]", j);
        sum = hn_add(sum, hn_output(model, name));
    }
    hn_constrain(model, "sum", 0, sum, 0);
    model_finish_good(model);
    return model;
}

TEST(models_whose_steps_take_long_are_not_tried_beforehand) {
    for (int large = 0; large < 2; large++) {
        hn_model *model = long_row(large ? 55000 : 50000); /* 2^17 is between 2.5 times the one and the other */
        hn_layer *layer = layer_with(model, 1);
        assert_int_equal(hn_layer_info_of(layer).usual_steps > 0, !large);
        hn_layer_destroy(layer);
        hn_model_destroy(model);
    }
}

/* ---- more effort ---- */

/* Loads from light to impossible; raw outputs from the start values, near them, and far off. */
static void draw_hard(double *x, double *raw) {
    struct random random = random_start(5, 0);
    for (size_t k = 0; k < SAMPLES; k++) {
        double load = 0.5 + 2.5 * (double)k / SAMPLES, noise = k % 3 == 0 ? 0 : k % 3 == 1 ? 0.2 : 1;
        for (size_t i = 0; i < LOADS; i++)
            x[k * LOADS + i] = nominal[i] * load * random_between(&random, 0.9, 1.1);
        for (size_t j = 0; j < OUTPUTS; j++)
            raw[k * OUTPUTS + j] = (j < 3 || (j >= 6 && j < 15) ? 1 : 0) + noise * random_normal(&random);
    }
}

TEST(more_effort_loses_nothing) {
    static const double efforts[] = {0.01, 0.1, 0.5, 1, 2, 8, 1000};
    double x[SAMPLES * LOADS], raw[SAMPLES * OUTPUTS];
    struct layer_results before = {.count = 0};
    size_t ok[COUNT_OF(efforts)] = {0};
    hn_model *model = power_flow();
    draw_hard(x, raw);
    for (size_t e = 0; e < COUNT_OF(efforts); e++) {
        hn_layer *layer = layer_with(model, efforts[e]);
        struct layer_results r = run_forward(layer, SAMPLES, x, raw);
        for (size_t k = 0; k < SAMPLES; k++) {
            bool held = e > 0 && before.reports[k].outcome == HN_OUTCOME_OK;
            ok[e] += r.reports[k].outcome == HN_OUTCOME_OK;
            assert_true(!held || r.reports[k].outcome == HN_OUTCOME_OK);
            assert_true(!held || r.reports[k].iterations == before.reports[k].iterations);
            assert_true(!held || memcmp(r.y + k * OUTPUTS, before.y + k * OUTPUTS, OUTPUTS * sizeof *r.y) == 0);
            assert_true(e == 0 || r.reports[k].iterations >= before.reports[k].iterations);
        }
        if (e > 0)
            results_release(&before);
        before = r;
        hn_layer_destroy(layer);
    }
    results_release(&before);
    hn_model_destroy(model);
    assert_true(ok[0] < ok[2] && ok[2] <= ok[3] && ok[3] <= ok[COUNT_OF(efforts) - 1]);
}

TEST(no_effort_goes_beyond_the_iterations) {
    enum { ITERATIONS = 6 };
    static const double efforts[] = {0.5, 1, 1.5, 3};
    double x[SAMPLES * LOADS], raw[SAMPLES * OUTPUTS];
    hn_model *model = power_flow();
    draw_hard(x, raw);
    for (size_t e = 0; e < COUNT_OF(efforts); e++) {
        hn_layer_options options = layer_steps(HN_METHOD_AUTO, ITERATIONS);
        options.effort = efforts[e];
        hn_layer *layer = layer_of(model, options);
        int most = 0;
        struct layer_results r = run_forward(layer, SAMPLES, x, raw);
        for (size_t k = 0; k < SAMPLES; k++)
            most = r.reports[k].iterations > most ? r.reports[k].iterations : most;
        assert_int_equal(most, e == 0 ? ITERATIONS / 2 : ITERATIONS);
        results_release(&r);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}

/* ---- affine rows ---- */

/* a + b = 1 and a + b >= 1 + gap, among rows that hold; c is bounded and would have to leave its bound. */
static hn_model *contradiction(double gap) {
    hn_model *m = model_new();
    hn_expr a = hn_output(m, "a"), b = hn_output(m, "b"), c = hn_output(m, "c");
    hn_constrain(m, "sum", 1, hn_add(a, b), 1);
    hn_constrain(m, "more", 1 + gap, hn_add(hn_add(a, b), c), INFINITY);
    hn_constrain(m, "limit", 0, c, 0.25);
    hn_constrain(m, "curved", -INFINITY, hn_mul(a, a), 100);
    model_finish_good(m);
    return m;
}

TEST(affine_rows_that_contradict_are_proof) {
    static const double raw[] = {5, -4, 7};
    for (int i = 0; i < 2; i++) {
        hn_model *model = contradiction(i == 0 ? 0.5 : 0.25 - 1e-3);
        hn_layer *layer = layer_with(model, 1);
        struct layer_results r = run_forward(layer, 1, NULL, raw);
        assert_int_equal(r.reports[0].outcome, i == 0 ? HN_OUTCOME_LOCALLY_INFEASIBLE : HN_OUTCOME_OK);
        assert_in_range(r.reports[0].iterations, 1, FEW);
        assert_true(i == 1 || r.reports[0].slope < 1e-9);
        results_release(&r);
        hn_layer_destroy(layer);
        hn_model_destroy(model);
    }
}

/* Rows that are all but parallel meet far away: no proof. */
TEST(affine_rows_that_meet_far_away_are_none) {
    static const double raw[] = {0, 0};
    for (double tilt = 1e-2; tilt > 1e-6; tilt /= 10) {
        hn_model *m = model_new();
        hn_expr a = hn_output(m, "a"), b = hn_output(m, "b");
        hn_constrain(m, "flat", 0, a, 0);
        hn_constrain(m, "tilted", 1, hn_add(a, hn_scale(tilt, b)), 1);
        model_finish_good(m);
        hn_layer *layer = layer_with(m, 1);
        struct layer_results r = run_forward(layer, 1, NULL, raw);
        assert_int_equal(r.reports[0].outcome, HN_OUTCOME_OK);
        results_release(&r);
        hn_layer_destroy(layer);
        hn_model_destroy(m);
    }
}
