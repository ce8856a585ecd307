/* test_outcomes.c - every outcome arises where it should, with a report that is true (design.md, section 4).
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "hardnet/read.h"

#include <float.h>

enum { MOST = 8 };

static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_HARDNET, HN_METHOD_LM};

/* One sample of a small model: what came out. */
struct answer {
    hn_report report;
    double y[MOST], residual[MOST];
};

/* Runs one sample, checks what holds for every answer, and destroys the layer. */
static struct answer correct(const hn_model *model, hn_layer_options options, const double *x, const double *raw) {
    struct answer answer = {.y = {0}};
    hn_layer *layer = layer_of(model, options);
    struct layer_results r = run_forward(layer, 1, x, raw);
    answer.report = r.reports[0];
    memcpy(answer.y, r.y, r.outputs * sizeof *r.y);
    memcpy(answer.residual, r.residual, r.rows * sizeof *r.residual);
    for (size_t j = 0; j < r.outputs; j++)
        assert_true(isfinite(answer.y[j]));
    bool ok = judged_violation(model, x, answer.y, options.relative, NULL) <= options.tolerance;
    if (answer.report.outcome != HN_OUTCOME_BAD_BOUNDS && answer.report.outcome != HN_OUTCOME_NONFINITE_INPUT)
        assert_int_equal(answer.report.outcome == HN_OUTCOME_OK, ok);
    results_release(&r);
    hn_layer_destroy(layer);
    return answer;
}

/* lower <= y^2 <= upper */
static hn_model *square_model(double lower, double upper) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    hn_constrain(m, "square", lower, hn_mul(y, y), upper);
    model_finish_good(m);
    return m;
}

/* The unit circle, and y1 between x and 2. */
static hn_model *circle_model(void) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2");
    hn_constrain(m, "circle", 1, hn_add(hn_mul(y1, y1), hn_mul(y2, y2)), 1);
    hn_output_between(y1, x, hn_constant(m, 2));
    model_finish_good(m);
    return m;
}

/* ---- ok ---- */

TEST(a_feasible_output_is_left_alone) {
    static const double x = 0.25, raw[] = {0.6, 0.8}, negative[] = {1, -0.0};
    hn_model *m = circle_model();
    struct answer a = correct(m, layer_method(HN_METHOD_LM), &x, raw);
    assert_int_equal(a.report.outcome, HN_OUTCOME_OK);
    assert_int_equal(a.report.iterations, 0);
    assert_int_equal(a.report.steps, 0);
    assert_memory_equal(a.y, raw, sizeof raw);
    assert_true(a.report.moved == 0);
    a = correct(m, layer_method(HN_METHOD_LM), &x, negative);
    assert_memory_equal(a.y, negative, sizeof negative);
    hn_model_destroy(m);
}

TEST(an_output_is_corrected_and_the_report_is_true) {
    static const double x = 0.25, raw[] = {-1, 3};
    hn_model *m = circle_model();
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        struct answer a = correct(m, layer_steps(methods[i], 200), &x, raw);
        assert_int_equal(a.report.outcome, HN_OUTCOME_OK);
        assert_true(a.report.violation <= 1e-8);
        assert_same_bits(a.report.violation_before, 9);
        assert_in_interval(a.report.moved, hypot(a.y[0] - raw[0], a.y[1] - raw[1]) * (1 - 1e-14),
                           hypot(a.y[0] - raw[0], a.y[1] - raw[1]) * (1 + 1e-14));
        assert_int_equal(a.report.culprit, SIZE_MAX);
        assert_true(a.report.steps <= a.report.iterations && a.report.steps > 0);
        assert_true(a.report.iterations == 200 || methods[i] == HN_METHOD_LM); /* paper and hardnet never stop early */
        assert_in_interval(a.residual[0], -1e-8, 1e-8);
    }
    hn_model_destroy(m);
}

TEST(the_damping_of_the_last_step_is_told) {
    static const double x = 0.25, raw[] = {-1, 3}, feasible[] = {0.6, 0.8};
    hn_model *m = circle_model();
    hn_layer_options options = layer_steps(HN_METHOD_PAPER, 3);
    assert_in_interval(correct(m, options, &x, raw).report.damping, 0.3, 0.3);
    options.damping = 0.75;
    assert_in_interval(correct(m, options, &x, raw).report.damping, 0.75, 0.75);
    options.method = HN_METHOD_LM;
    assert_in_interval(correct(m, options, &x, raw).report.damping, 0.75, 0.75);
    assert_in_interval(correct(m, layer_method(HN_METHOD_LM), &x, raw).report.damping, 1e-30, 1e3);
    assert_in_interval(correct(m, layer_steps(HN_METHOD_HARDNET, 3), &x, raw).report.damping, 0, 0);
    assert_false(correct(m, layer_method(HN_METHOD_LM), &x, feasible).report.damping < 0); /* no step, no damping */
    hn_model_destroy(m);
}

TEST(a_model_without_rows_is_always_ok) {
    static const double raw[] = {4, -5};
    hn_model *m = model_new();
    hn_output(m, "a");
    hn_output(m, "b");
    model_finish_good(m);
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        struct answer a = correct(m, layer_steps(methods[i], 3), NULL, raw);
        assert_int_equal(a.report.outcome, HN_OUTCOME_OK);
        assert_memory_equal(a.y, raw, sizeof raw);
        assert_int_equal(a.report.worst, SIZE_MAX);
    }
    hn_model_destroy(m);
}

TEST(relative_measures_a_row_by_its_bound) {
    static const struct {
        double raw;
        bool relative, ok;
    } cases[] = {{1e6 + 5e-3, true, true}, {1e6 + 5e-3, false, false}, {1e6 + 2e-2, true, false},
                 {-5e-9, true, true},      {-2e-8, true, false},       {1e6 - 1, true, true}};
    hn_model *m = model_of_text("var y; wide: 0 <= y <= 1e6;");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        hn_layer_options options = layer_steps(HN_METHOD_LM, 0);
        options.relative = cases[i].relative;
        struct answer a = correct(m, options, NULL, &cases[i].raw);
        assert_int_equal(a.report.outcome, cases[i].ok ? HN_OUTCOME_OK : HN_OUTCOME_ITERATION_LIMIT);
        double r = fmax(0, cases[i].raw - 1e6) + fmax(0, -cases[i].raw); /* the report stays in the row's units */
        assert_in_interval(a.report.violation, r, r);
    }
    hn_model_destroy(m);
}

TEST(one_ulp_beyond_the_tolerance_is_not_ok) {
    hn_model *m = model_of_text("var y; below: y <= 0;");
    const double on = 1e-8, beyond = nextafter(on, 1);
    for (int method = 0; method < HN_METHOD_OPTIMAL; method++) { /* which needs an objective */
        hn_layer_options options = layer_steps((hn_method)method, 0);
        options.tolerance = on;
        assert_int_equal(correct(m, options, NULL, &on).report.outcome, HN_OUTCOME_OK);
        assert_int_equal(correct(m, options, NULL, &beyond).report.outcome, HN_OUTCOME_ITERATION_LIMIT);
    }
    hn_model_destroy(m);
}

TEST(a_way_too_long_for_a_number_is_infinite) {
    static const double raw[] = {1.7e308, 5};
    hn_model *m = model_of_text("var fixed; var y; row: 0 <= y <= 1; fix fixed := -1.7e308;");
    struct answer a = correct(m, layer_method(HN_METHOD_AUTO), NULL, raw);
    assert_int_equal(a.report.outcome, HN_OUTCOME_OK);
    assert_true(a.report.moved == INFINITY);
    hn_model_destroy(m);
}

/* A bound that is NaN with x is violated whatever is on its other side. */
TEST(a_bound_that_is_no_number_counts_as_violated) {
    static const double x = NAN, raw[] = {0, 0};
    for (int side = 0; side < 2; side++) {
        hn_model *m = model_new();
        hn_expr in = hn_input(m, "x"), one = hn_constant(m, 1);
        hn_expr sum = hn_add(hn_output(m, "y"), hn_output(m, "z"));
        hn_constrain_between(m, "row", side ? one : in, sum, side ? in : one);
        model_finish_good(m);
        const double fallback[] = {side ? -5 : 5, 0};
        hn_layer *layer = layer_of(m, layer_method(HN_METHOD_AUTO));
        struct layer_results r = results_of(layer, 1);
        hn_batch batch = batch_into(&r, &x, raw);
        batch.fallback = fallback;
        layer_run(layer, &batch);
        assert_int_equal(r.reports[0].outcome, HN_OUTCOME_NONFINITE_INPUT);
        assert_true(r.reports[0].violation == INFINITY);
        results_release(&r);
        hn_layer_destroy(layer);
        hn_model_destroy(m);
    }
}

TEST(a_tolerance_of_zero_asks_for_zero) {
    static const double raw = 3;
    hn_model *m = model_of_text("var y; half: 0 <= y <= 0.5;");
    hn_layer_options options = layer_method(HN_METHOD_LM);
    options.tolerance = 0;
    options.damping = 0;
    struct answer a = correct(m, options, NULL, &raw);
    assert_int_equal(a.report.outcome, HN_OUTCOME_OK);
    assert_same_bits(a.y[0], 0.5);
    hn_model_destroy(m);
}

/* ---- not ok ---- */

TEST(too_few_steps_are_an_iteration_limit) {
    static const double raw = 100;
    hn_model *m = square_model(2, 2);
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        for (int steps = 0; steps < 3; steps++) {
            struct answer a = correct(m, layer_steps(methods[i], steps), NULL, &raw);
            assert_int_equal(a.report.outcome, HN_OUTCOME_ITERATION_LIMIT);
            assert_int_equal(a.report.iterations, steps);
            assert_in_interval(a.report.violation, 0, 9998);
            assert_int_equal(a.report.worst, 0);
        }
    hn_model_destroy(m);
}

TEST(where_the_violation_cannot_be_lowered_it_is_locally_infeasible) {
    static const double raws[] = {0, 0.5, -3, 1e-3};
    hn_model *m = square_model(-INFINITY, -1);
    for (size_t i = 0; i < COUNT_OF(raws); i++) {
        struct answer a = correct(m, layer_method(HN_METHOD_LM), NULL, &raws[i]);
        assert_true(a.report.outcome == HN_OUTCOME_LOCALLY_INFEASIBLE ||
                    (raws[i] != 0 && a.report.outcome == HN_OUTCOME_STALLED));
        assert_in_interval(a.report.violation, 1, 1 + raws[i] * raws[i]);
        assert_in_interval(a.y[0], -0.2, 0.5);
    }
    for (size_t i = 0; i < COUNT_OF(methods); i++) { /* J = 0 from the beginning */
        struct answer a = correct(m, layer_steps(methods[i], 5), NULL, &raws[0]);
        assert_int_equal(a.report.outcome, HN_OUTCOME_LOCALLY_INFEASIBLE);
        assert_true(a.y[0] == 0);
    }
    hn_model_destroy(m);
}

/* Two rows that contradict: the least squares between them is where J'r = 0. */
TEST(contradicting_rows_are_locally_infeasible) {
    static const double raw[] = {5, 5};
    hn_model *m = model_of_text("var y1; var y2; below: y1 + y2 <= 1; above: y1 + y2 >= 2;");
    struct answer a = correct(m, layer_method(HN_METHOD_LM), NULL, raw);
    assert_int_equal(a.report.outcome, HN_OUTCOME_LOCALLY_INFEASIBLE);
    assert_in_interval(a.y[0] + a.y[1], 1.5 - 1e-3, 1.5 + 1e-3);
    assert_in_interval(a.report.violation, 0.5 - 1e-3, 0.5 + 1e-3);
    hn_model_destroy(m);
}

/* The point of least squares, which the model file gives, is not far: rows weigh differently, steps stop early. */
TEST(a_disc_and_a_half_plane_that_do_not_meet_are_never_ok) {
    static const char *const path = "models/infeasible.mod";
    static const double raws[][2] = {{-1, 2}, {0, 0}, {3, 3}, {-5, 0.1}};
    const double t = cbrt(0.5);
    hn_model *m = model_of_file(path);
    for (size_t i = 0; i < COUNT_OF(raws); i++) {
        struct answer a = correct(m, layer_method(HN_METHOD_LM), NULL, raws[i]);
        assert_true(a.report.outcome == HN_OUTCOME_LOCALLY_INFEASIBLE || a.report.outcome == HN_OUTCOME_STALLED);
        assert_in_interval(a.y[0], t - 0.01, t + 0.25);
        assert_in_interval(a.y[1], t - 0.01, t + 0.25);
        for (size_t k = 0; k < 2; k++)
            assert_int_not_equal(correct(m, layer_steps(methods[k], 100), NULL, raws[i]).report.outcome, HN_OUTCOME_OK);
    }
    hn_model_destroy(m);
}

TEST(hardnet_stalls_on_rows_that_depend_on_each_other) {
    static const double raw[] = {5, 5, 5};
    hn_model *m = model_of_text("var y1; var y2; var y3; once: y1 + y2 = 1; twice: 2*(y1 + y2) = 3;");
    struct answer a = correct(m, layer_steps(HN_METHOD_HARDNET, 5), NULL, raw);
    assert_true(a.report.outcome == HN_OUTCOME_STALLED || a.report.outcome == HN_OUTCOME_LOCALLY_INFEASIBLE);
    assert_memory_equal(a.y, raw, sizeof raw);
    hn_model_destroy(m);
}

/* ---- bounds ---- */

TEST(bounds_that_cross_by_x_are_bad_and_the_row_is_named) {
    static const double raw[] = {0.6, 0.8}, crossed[] = {2.5, 1e300, DBL_MAX};
    hn_model *m = circle_model();
    for (size_t i = 0; i < COUNT_OF(crossed); i++)
        for (size_t k = 0; k < COUNT_OF(methods); k++) {
            struct answer a = correct(m, layer_steps(methods[k], 3), &crossed[i], raw);
            assert_int_equal(a.report.outcome, HN_OUTCOME_BAD_BOUNDS);
            assert_int_equal(a.report.culprit, 1);
            assert_int_equal(a.report.worst, 1);
            assert_int_equal(a.report.iterations, 0);
            assert_true(a.report.violation == INFINITY);
        }
    static const double touching = 2;
    assert_int_not_equal(correct(m, layer_method(HN_METHOD_LM), &touching, raw).report.outcome, HN_OUTCOME_BAD_BOUNDS);
    hn_model_destroy(m);
}

TEST(bounds_that_are_no_numbers_by_x_are_bad) {
    static const double x[][2] = {{-1, 1}, {1, -1}, {0, 1}, {1, 0}, {1, 1}};
    static const size_t row[] = {0, 1, SIZE_MAX, SIZE_MAX, SIZE_MAX}; /* log 0 is a bound at infinity: none at all */
    static const double raw[] = {1, 2};
    hn_model *m = model_new();
    hn_expr a = hn_input(m, "a"), b = hn_input(m, "b");
    hn_expr inf = hn_constant(m, INFINITY);
    hn_constrain_between(m, "r[0]", hn_log(a), hn_output(m, "y1"), inf);
    hn_constrain_between(m, "r[1]", hn_neg(inf), hn_output(m, "y2"), hn_neg(hn_log10(hn_scale(1e-3, b))));
    model_finish_good(m);
    for (size_t i = 0; i < COUNT_OF(x); i++) {
        struct answer answer = correct(m, layer_method(HN_METHOD_LM), x[i], raw);
        assert_int_equal(answer.report.outcome, row[i] == SIZE_MAX ? HN_OUTCOME_OK : HN_OUTCOME_BAD_BOUNDS);
        assert_int_equal(answer.report.culprit, row[i]);
    }
    hn_model_destroy(m);
}

TEST(an_infinite_bound_on_the_wrong_side_is_bad) {
    static const double x[] = {0.0, -0.0, 1};
    static const double raw = 1;
    hn_model *m = model_of_text("param x; var y; r: y >= 1/x;");
    struct answer a = correct(m, layer_method(HN_METHOD_LM), &x[0], &raw);
    assert_int_equal(a.report.outcome, HN_OUTCOME_BAD_BOUNDS);
    assert_int_equal(correct(m, layer_method(HN_METHOD_LM), &x[1], &raw).report.outcome, HN_OUTCOME_OK);
    assert_int_equal(correct(m, layer_method(HN_METHOD_LM), &x[2], &raw).report.outcome, HN_OUTCOME_OK);
    hn_model_destroy(m);
}

TEST(constant_bounds_that_cross_are_an_error_of_the_model) {
    hn_model *m = model_new();
    hn_layer *layer = (hn_layer *)(void *)&m;
    hn_layer_options options = layer_method(HN_METHOD_LM);
    hn_error error;
    hn_constrain(m, "speed[7]", 3, hn_output(m, "y"), 2);
    assert_int_equal(hn_model_finish(m, NULL), HN_INVALID);
    assert_int_equal(hn_layer_create(&layer, m, &options, &error), HN_INVALID);
    assert_null(layer);
    assert_string_equal(error.text, "constraint speed[7]: lower bound 3 exceeds upper bound 2");
    hn_model_destroy(m);
}

/* ---- evaluations ---- */

TEST(an_evaluation_that_overflows_is_told) {
    static const double raws[] = {1, 0.8, 1e300, 0.7, 0.1, -1, 0.0006};
    hn_model *m = model_new();
    hn_constrain(m, "steep", -INFINITY, hn_exp(hn_scale(1e3, hn_output(m, "y"))), 2);
    model_finish_good(m);
    for (size_t i = 0; i < COUNT_OF(raws); i++)
        for (size_t k = 0; k < COUNT_OF(methods); k++) {
            struct answer a = correct(m, layer_steps(methods[k], 20), NULL, &raws[i]);
            if (raws[i] > 0.71) {
                assert_int_equal(a.report.outcome, HN_OUTCOME_NONFINITE_EVALUATION);
                assert_same_bits(a.y[0], raws[i]);
                assert_true(a.report.violation == INFINITY && a.report.violation_before == INFINITY);
                assert_int_equal(a.report.worst, 0);
            }
            if (raws[i] < 0)
                assert_int_equal(a.report.outcome, HN_OUTCOME_OK);
        }
    struct answer a = correct(m, layer_method(HN_METHOD_LM), NULL, &raws[4]);
    assert_true(a.report.outcome == HN_OUTCOME_OK || a.report.outcome == HN_OUTCOME_ITERATION_LIMIT);
    hn_model_destroy(m);
}

/* a + b = 3 with 1 <= sqrt(a) <= 2 below it. */
static hn_model *root_model(void) {
    hn_model *m = model_new();
    hn_expr a = hn_output(m, "a"), b = hn_output(m, "b");
    hn_constrain(m, "sum", 3, hn_add(a, b), 3);
    hn_constrain(m, "root", 1, hn_sqrt(a), 2);
    model_finish_good(m);
    return m;
}

TEST(a_value_or_a_derivative_that_is_no_number_is_told) {
    static const struct {
        double raw[2];
        bool finite; /* the value; at 0 the derivative is not */
    } cases[] = {{{-1, 9}, false}, {{0, 9}, true}, {{-5e-324, 1}, false}, {{-0.0, 2.5}, true}};
    hn_model *m = root_model();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (size_t k = 0; k < COUNT_OF(methods); k++) {
            struct answer a = correct(m, layer_steps(methods[k], 20), NULL, cases[i].raw);
            assert_int_equal(a.report.outcome, HN_OUTCOME_NONFINITE_EVALUATION);
            assert_memory_equal(a.y, cases[i].raw, sizeof cases[i].raw);
            double sum = fabs(cases[i].raw[0] + cases[i].raw[1] - 3), worst = fmax(1, sum);
            assert_same_bits(a.report.violation, cases[i].finite ? worst : INFINITY);
            assert_int_equal(a.report.worst, !cases[i].finite || sum <= 1 ? 1 : 0);
        }
        /* auto begins anew elsewhere. */
        assert_int_equal(correct(m, layer_method(HN_METHOD_AUTO), NULL, cases[i].raw).report.outcome, HN_OUTCOME_OK);
    }
    hn_model_destroy(m);
}

enum { SIDE_BY_SIDE = 11 };

/* The same samples, one of them another one: everything about the others stays as it was. */
TEST(a_derivative_that_is_no_number_leaves_neighbours_alone) {
    hn_model *m = root_model();
    for (int method = 0; method < HN_METHOD_OPTIMAL; method++) /* which needs an objective */
        for (size_t at = 0; at < SIDE_BY_SIDE; at += 5) {
            double raw[2 * SIDE_BY_SIDE];
            hn_layer *layer = layer_of(m, layer_steps((hn_method)method, 20));
            struct layer_results good = results_of(layer, SIDE_BY_SIDE), spoiled = results_of(layer, SIDE_BY_SIDE);
            for (size_t i = 0; i < COUNT_OF(raw); i++)
                raw[i] = 0.5 + 0.3 * (double)i;
            hn_batch batch = batch_into(&good, NULL, raw);
            layer_run(layer, &batch);
            raw[2 * at] = 0;
            batch = batch_into(&spoiled, NULL, raw);
            layer_run(layer, &batch);
            for (size_t i = 0; i < SIDE_BY_SIDE; i++)
                assert_int_equal(same_results(&good, i, &spoiled, i), i != at);
            if (method != HN_METHOD_AUTO && method != HN_METHOD_NEAREST)
                assert_int_equal(spoiled.reports[at].outcome, HN_OUTCOME_NONFINITE_EVALUATION);
            results_release(&good);
            results_release(&spoiled);
            hn_layer_destroy(layer);
        }
    hn_model_destroy(m);
}
