/* test_bad_input.c - NaN, infinity and the ends of the number line at every entry of x and y_raw.
 *
 * What is not finite is caught when it comes in, with the number of the entry; what is merely extreme gets an honest
 * outcome. Neighbours keep every bit, a batch of one gives the same bits, and all that comes out is finite. Then what stands in for unusable samples:
 * fallback, start values, bounds.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"

#include <float.h>

enum { INPUTS = 3, OUTPUTS = 5, COUNT = 11, BAD = 4 };

static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_HARDNET, HN_METHOD_LM, HN_METHOD_AUTO};

static const double strange[] = {NAN, -NAN,    INFINITY, -INFINITY, 5e-324, -5e-324, 1e-310, -0.0,
                                 0,   DBL_MAX, -DBL_MAX, DBL_MIN,   1e154,  -1e200,  1e-200};

/* Four rows that use every input and every output. */
static hn_model *mixed_model(void) {
    static const char *const inputs[] = {"x1", "x2", "x3"}, *const outputs[] = {"y1", "y2", "y3", "y4", "y5"};
    hn_model *m = model_new();
    hn_expr x[INPUTS], y[OUTPUTS];
    for (int i = 0; i < INPUTS; i++)
        x[i] = hn_input(m, inputs[i]);
    for (int j = 0; j < OUTPUTS; j++)
        y[j] = hn_output(m, outputs[j]);
    hn_constrain_between(m, "sum", x[0], hn_add(y[0], hn_add(y[1], y[2])), hn_shift(x[0], 1));
    hn_constrain(m, "circle", 1, hn_add(hn_mul(y[2], y[2]), hn_mul(y[3], y[3])), 1);
    hn_constrain(m, "bent", -INFINITY, hn_sub(hn_exp(hn_scale(0.1, y[4])), hn_mul(x[1], y[0])), 2);
    hn_output_between(y[4], hn_neg(hn_exp(x[2])), hn_constant(m, 4));
    model_finish_good(m);
    return m;
}

struct samples {
    double x[COUNT * INPUTS], raw[COUNT * OUTPUTS], grad_y[COUNT * OUTPUTS];
};

static struct samples draw_samples(void) {
    struct samples s;
    struct random random = random_start(13, 0);
    for (int i = 0; i < COUNT * INPUTS; i++)
        s.x[i] = random_between(&random, -1, 1);
    for (int i = 0; i < COUNT * OUTPUTS; i++) {
        s.raw[i] = 2 * random_normal(&random);
        s.grad_y[i] = random_normal(&random);
    }
    return s;
}

/* `count` of the samples, from `first` on. */
static struct layer_results run_some(const hn_layer *layer, const struct samples *s, size_t first, size_t count) {
    return run_and_pull(layer, count, s->x + first * INPUTS, s->raw + first * OUTPUTS, s->grad_y + first * OUTPUTS);
}

static struct layer_results run(const hn_layer *layer, const struct samples *s) {
    return run_some(layer, s, 0, COUNT);
}

/* Sample BAD has `value` at its entry `at`, inputs first. */
static void check_injection(const hn_model *model, const hn_layer *layer, const struct layer_results *clean, size_t at,
                            double value) {
    struct samples s = draw_samples();
    *(at < INPUTS ? &s.x[BAD * INPUTS + at] : &s.raw[BAD * OUTPUTS + at - INPUTS]) = value;
    struct layer_results r = run(layer, &s), alone = run_some(layer, &s, BAD, 1);
    const hn_report *report = &r.reports[BAD];
    const double *y = r.y + BAD * OUTPUTS;
    assert_finite_results(&r);
    assert_true(same_results(&alone, 0, &r, BAD));
    results_release(&alone);
    for (size_t i = 0; i < COUNT; i++)
        if (i != BAD)
            assert_true(same_results(&r, i, clean, i));
    assert_int_equal(report->outcome == HN_OUTCOME_NONFINITE_INPUT, !isfinite(value));
    assert_true(report->moved >= 0 && report->violation >= 0);
    if (!isfinite(value)) {
        assert_int_equal(report->culprit, at);
        assert_int_equal(report->iterations, 0);
    } else if (report->outcome == HN_OUTCOME_BAD_BOUNDS) {
        assert_true(at < INPUTS && report->culprit < r.rows);
    } else {
        assert_int_equal(report->culprit, SIZE_MAX);
        double found = judged_violation(model, s.x + BAD * INPUTS, y, false, NULL);
        assert_int_equal(report->outcome == HN_OUTCOME_OK, found <= 1e-8);
    }
    assert_true(r.flagged[BAD] || report->outcome == HN_OUTCOME_OK);
    results_release(&r);
}

TEST(what_is_strange_stays_in_its_sample) {
    hn_model *model = mixed_model();
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        hn_layer *layer = layer_of(model, layer_steps(methods[k], 30));
        struct samples s = draw_samples();
        struct layer_results clean = run(layer, &s);
        for (size_t at = 0; at < INPUTS + OUTPUTS; at++)
            for (size_t v = 0; v < COUNT_OF(strange); v++)
                check_injection(model, layer, &clean, at, strange[v]);
        results_release(&clean);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}

TEST(the_first_entry_that_is_not_finite_is_named) {
    hn_model *model = mixed_model();
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_LM));
    struct samples s = draw_samples();
    s.x[1] = NAN, s.x[2] = INFINITY, s.raw[0] = NAN;                 /* sample 0: input 1 */
    s.raw[OUTPUTS + 3] = INFINITY, s.raw[OUTPUTS + 4] = NAN;         /* sample 1: output 3 */
    s.x[2 * INPUTS + 2] = -INFINITY, s.raw[2 * OUTPUTS] = -INFINITY; /* sample 2: input 2 */
    struct layer_results r = run(layer, &s);
    static const size_t culprits[] = {1, INPUTS + 3, 2};
    for (size_t i = 0; i < COUNT_OF(culprits); i++) {
        assert_int_equal(r.reports[i].outcome, HN_OUTCOME_NONFINITE_INPUT);
        assert_int_equal(r.reports[i].culprit, culprits[i]);
        assert_true(r.reports[i].moved == INFINITY || i != 1);
    }
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* ---- what stands in ---- */

/* Starts: y1 at 3 x, clipped to [0, x]; y2 at log(x); y3 at 7, without bounds; y4 fixed at x. */
static hn_model *start_model(void) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2"), y3 = hn_output(m, "y3");
    hn_expr y4 = hn_output(m, "y4");
    hn_output_start(y1, hn_scale(3, x));
    hn_output_between(y1, hn_constant(m, 0), x);
    hn_output_start(y2, hn_log(x));
    hn_output_start(y3, hn_constant(m, 7));
    hn_output_fix(y4, x);
    hn_constrain(m, "sum", -100, hn_add(y1, hn_add(y2, hn_add(y3, y4))), 100);
    model_finish_good(m);
    return m;
}

struct one {
    double y[4];
    hn_report report;
};

static struct one run_by(hn_method method, const hn_model *model, double x, const double *raw, const double *fallback) {
    struct one one;
    hn_layer *layer = layer_of(model, layer_method(method));
    hn_batch batch = batch_of(1, &x, raw, one.y, &one.report);
    batch.fallback = fallback;
    memset(&one, 0xff, sizeof one);
    layer_run(layer, &batch);
    assert_all_finite(one.y, 4);
    hn_layer_destroy(layer);
    return one;
}

static struct one run_one(const hn_model *model, double x, const double *raw, const double *fallback) {
    return run_by(HN_METHOD_LM, model, x, raw, fallback);
}

TEST(without_raw_outputs_the_start_values_are_corrected) {
    hn_model *m = start_model();
    struct one one = run_one(m, 2, NULL, NULL);
    assert_int_equal(one.report.outcome, HN_OUTCOME_OK);
    assert_in_interval(one.y[0], 2 - 1e-8, 2 + 1e-8);
    assert_in_interval(one.y[1], log(2) - 1e-15, log(2) + 1e-15);
    assert_true(one.y[2] == 7 && one.y[3] == 2);
    assert_in_interval(one.report.moved, 4 - 1e-7, 4.5); /* from 6 to 2 */
    hn_model_destroy(m);
}

TEST(a_start_value_that_x_drives_away_is_named) {
    hn_model *m = start_model();
    struct one one = run_one(m, -0.0, NULL, NULL); /* log -0 */
    assert_int_equal(one.report.outcome, HN_OUTCOME_NONFINITE_INPUT);
    assert_int_equal(one.report.culprit, 1 + 1);
    hn_model_destroy(m);
}

/* The first, one between, the last: the number of the entry, inputs first. */
TEST(whichever_start_value_it_is) {
    static const char *const inputs[] = {"x1", "x2", "x3"}, *const outputs[] = {"y1", "y2", "y3"};
    hn_model *m = model_new();
    hn_expr sum = hn_constant(m, 0);
    for (int j = 0; j < 3; j++) {
        hn_expr y = hn_output(m, outputs[j]);
        hn_output_start(y, hn_log(hn_input(m, inputs[j])));
        sum = hn_add(sum, hn_mul(y, y));
    }
    hn_constrain(m, "ball", -1, sum, 4);
    model_finish_good(m);
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_LM));
    for (size_t bad = 0; bad < 3; bad++) {
        double x[] = {1, 1, 1};
        x[bad] = -1;
        struct layer_results r = run_forward(layer, 1, x, NULL);
        assert_int_equal(r.reports[0].outcome, HN_OUTCOME_NONFINITE_INPUT);
        assert_int_equal(r.reports[0].culprit, 3 + bad);
        assert_all_finite(r.y, 3);
        results_release(&r);
    }
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

/* A zero on its bound is inside, whatever its sign. */
TEST(a_start_value_on_its_bound_keeps_its_bits) {
    static const double raw[] = {NAN, 0};
    hn_model *m = model_new();
    hn_expr low = hn_output(m, "low"), high = hn_output(m, "high");
    hn_output_start(low, hn_constant(m, -0.0));
    hn_output_bounds(low, 0, 1);
    hn_output_start(high, hn_constant(m, 0));
    hn_output_bounds(high, -1, -0.0);
    hn_constrain(m, "sum", -2, hn_add(low, high), 2);
    model_finish_good(m);
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_LM));
    struct layer_results r = run_forward(layer, 1, NULL, raw);
    assert_int_equal(r.reports[0].outcome, HN_OUTCOME_NONFINITE_INPUT);
    assert_same_bits(r.y[0], -0.0);
    assert_same_bits(r.y[1], 0.0);
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(an_unusable_sample_returns_start_values_clipped_to_their_bounds) {
    static const double raw[] = {0, NAN, 0, 0}, good[] = {0, 0, 0, 0};
    hn_model *m = start_model();
    struct one one = run_one(m, 2, raw, NULL);
    assert_int_equal(one.report.outcome, HN_OUTCOME_NONFINITE_INPUT);
    assert_true(one.y[0] == 2 && one.y[2] == 7 && one.y[3] == 2);
    assert_in_interval(one.y[1], log(2) - 1e-15, log(2) + 1e-15);
    one = run_one(m, NAN, good, NULL); /* start, bound and fixed value are NaN with x: zeros */
    assert_int_equal(one.report.outcome, HN_OUTCOME_NONFINITE_INPUT);
    assert_true(one.y[1] == 0 && one.y[2] == 7);
    one = run_one(m, -3, good, NULL); /* 0 <= y1 <= -3 */
    assert_int_equal(one.report.outcome, HN_OUTCOME_BAD_BOUNDS);
    one = run_one(m, -INFINITY, good, NULL);
    assert_int_equal(one.report.outcome, HN_OUTCOME_NONFINITE_INPUT);
    hn_model_destroy(m);
}

TEST(an_unusable_sample_returns_the_caller_s_fallback) {
    static const double raw[] = {0, NAN, 0, 0}, good[] = {0.5, 0, 0, 0}, fallback[] = {0.125, 0.25, 0.5, 2};
    hn_model *m = start_model();
    struct one one = run_one(m, 2, raw, fallback);
    assert_int_equal(one.report.outcome, HN_OUTCOME_NONFINITE_INPUT);
    assert_memory_equal(one.y, fallback, sizeof fallback);
    one = run_one(m, -3, good, fallback);
    assert_int_equal(one.report.outcome, HN_OUTCOME_BAD_BOUNDS);
    assert_memory_equal(one.y, fallback, 3 * sizeof *fallback);
    one = run_one(m, 2, good, fallback); /* a usable one does not */
    assert_int_equal(one.report.outcome, HN_OUTCOME_OK);
    assert_true(one.y[0] == 0.5 && one.y[3] == 2);
    hn_model_destroy(m);
}

TEST(a_fixed_output_holds_its_value_whatever_comes_in) {
    static const double raw[] = {-1, 300, -200, 1e300};
    hn_model *m = start_model();
    struct one one = run_one(m, 1.5, raw, NULL);
    assert_int_equal(one.report.outcome, HN_OUTCOME_OK);
    assert_same_bits(one.y[3], 1.5);
    hn_model_destroy(m);
}

/* Nobody looks at the raw value of a fixed output, and yet it says that something is wrong with the sample. */
TEST(a_raw_value_that_is_no_number_is_named_at_a_fixed_output_too) {
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    hn_model *m = start_model();
    for (size_t i = 0; i < COUNT_OF(methods) * COUNT_OF(bad); i++) {
        double raw[] = {0.5, 0, 0, bad[i / COUNT_OF(methods)]};
        struct one one = run_by(methods[i % COUNT_OF(methods)], m, 1.5, raw, NULL);
        assert_int_equal(one.report.outcome, HN_OUTCOME_NONFINITE_INPUT);
        assert_int_equal(one.report.culprit, 1 + 3);
        assert_same_bits(one.y[3], 1.5);
        assert_true(one.y[0] == 1.5 && one.y[2] == 7); /* starts, clipped */
    }
    hn_model_destroy(m);
}

TEST(a_fixed_value_that_is_no_number_is_never_ok) {
    static const double x[] = {-1, 1};
    static const double raw[] = {3, 4, 5, 6};
    for (int used = 0; used < 2; used++) {
        hn_model *m = model_new();
        hn_expr y[4], input = hn_input(m, "x");
        static const char *const names[] = {"y1", "y2", "y3", "y4"};
        for (int j = 0; j < 4; j++)
            y[j] = hn_output(m, names[j]);
        hn_output_fix(y[3], hn_log(input));
        hn_constrain(m, "row", 0, used ? hn_add(y[0], y[3]) : y[0], 5);
        model_finish_good(m);
        assert_int_not_equal(run_one(m, x[0], raw, NULL).report.outcome, HN_OUTCOME_OK);
        assert_int_equal(run_one(m, x[1], raw, NULL).report.outcome, HN_OUTCOME_OK);
        hn_model_destroy(m);
    }
}

/* y1 >= 2 x fixed at 1, and y2 between 0 and 1 fixed at x: bounds or values that only a sample has. */
TEST(a_fixed_value_outside_the_bounds_of_its_sample_is_never_ok) {
    static const double raw[] = {0, 0, 1, 0}, good[] = {0, 0.25, 0.5}, bad[] = {-0.5, 0.75, 3}, over[] = {0.5, 0.5, 5};
    hn_model *m = model_of_text("param x; var y1 >= 2*x; var y2 >= 0, <= 1; var y3; var y4; row: y1 + y3 = 2; last: 0 "
                                "<= y4 <= 9; fix y1 := 1; fix y2 := x;");
    for (size_t i = 0; i < COUNT_OF(methods) * COUNT_OF(good); i++) {
        size_t k = i / COUNT_OF(methods);
        assert_int_equal(run_by(methods[i % COUNT_OF(methods)], m, good[k], raw, NULL).report.outcome, HN_OUTCOME_OK);
        struct one one = run_by(methods[i % COUNT_OF(methods)], m, bad[k], raw, NULL);
        assert_int_not_equal(one.report.outcome, HN_OUTCOME_OK);
        assert_true(one.report.violation == over[k] && one.y[0] == 1 && one.y[1] == bad[k]);
    }
    hn_model_destroy(m);
}
