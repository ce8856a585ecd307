/* test_full_rows.c - full rows that are constant: what is kept as a matrix of numbers gives right results also where rows depend on each
 * other or contradict each other, and the same results as samples that are alone.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/shape_models.h"

#include "base/random.h"
#include "layer/driver.h"

enum { OUTPUTS = 90, EQUALITIES = 40, INEQUALITIES = 30, SAMPLES = 6 };

/* What the last equality does to the first: nothing, says it again, says something else. */
enum last_row { INDEPENDENT, REPEATED, CONTRARY };

static hn_model *full_model(enum last_row last) {
    hn_model *m = model_new();
    struct random random = random_start(3, 0);
    hn_expr y[OUTPUTS], terms[OUTPUTS];
    double first[OUTPUTS];
    char name[32];
    for (int j = 0; j < OUTPUTS; j++) {
        snprintf(name, sizeof name, "y[%d]", j);
        y[j] = hn_output(m, name);
    }
    for (int i = 0; i < EQUALITIES + INEQUALITIES; i++) {
        bool again = i == EQUALITIES - 1 && last != INDEPENDENT;
        for (int j = 0; j < OUTPUTS; j++) {
            double a = again ? first[j] : random_normal(&random);
            first[j] = i == 0 ? a : first[j];
            terms[j] = hn_scale(a, y[j]);
        }
        snprintf(name, sizeof name, "row[%d]", i);
        double at = i == 0 || again ? 0.5 : random_normal(&random);
        at += again && last == CONTRARY ? 1 : 0;
        hn_constrain(m, name, i < EQUALITIES ? at : -INFINITY, hn_sum(m, OUTPUTS, terms), at);
    }
    model_finish_good(m);
    return m;
}

static void draw(double *values, size_t count, uint64_t stream) {
    struct random random = random_start(4, stream);
    for (size_t i = 0; i < count; i++)
        values[i] = random_normal(&random);
}

static void check_all(enum last_row last, hn_method method) {
    hn_model *m = full_model(last);
    hn_layer *layer = layer_of(m, layer_method(method));
    double raw[SAMPLES * OUTPUTS], grad[SAMPLES * OUTPUTS];
    draw(raw, SAMPLES * OUTPUTS, 0);
    draw(grad, SAMPLES * OUTPUTS, 1);
    assert_int_equal(layer->plan->system.kind, FACTOR_TILED);
    struct layer_results all = run_and_pull(layer, SAMPLES, NULL, raw, grad);
    assert_finite_results(&all);
    for (size_t i = 0; i < SAMPLES; i++) {
        double violation = judged_violation(m, NULL, all.y + i * OUTPUTS, false, NULL);
        struct layer_results one = run_and_pull(layer, 1, NULL, raw + i * OUTPUTS, grad + i * OUTPUTS);
        assert_true(same_results(&all, i, &one, 0));
        results_release(&one);
        assert_int_equal(all.reports[i].outcome, last == CONTRARY ? HN_OUTCOME_LOCALLY_INFEASIBLE : HN_OUTCOME_OK);
        if (last == CONTRARY)
            assert_true(violation >= 0.5 - 1e-12 && violation < 0.51);
        else
            assert_true(violation <= 1e-8);
    }
    results_release(&all);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(a_full_factor_has_all_entries_below_its_diagonal) {
    hn_model *m = full_model(INDEPENDENT);
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_AUTO));
    size_t order = EQUALITIES + INEQUALITIES;
    assert_int_equal(hn_layer_info_of(layer).factor_nonzeros, order * (order - 1) / 2);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(independent_rows_are_met) {
    check_all(INDEPENDENT, HN_METHOD_AUTO);
    check_all(INDEPENDENT, HN_METHOD_LM);
}

TEST(a_row_that_is_said_twice_does_no_harm) {
    check_all(REPEATED, HN_METHOD_AUTO);
    check_all(REPEATED, HN_METHOD_LM);
}

TEST(rows_that_contradict_each_other_are_found_out) {
    check_all(CONTRARY, HN_METHOD_AUTO);
    check_all(CONTRARY, HN_METHOD_LM);
}

TEST(one_step_without_damping_meets_equalities) {
    hn_model *m = full_model(INDEPENDENT);
    hn_layer_options options = layer_method(HN_METHOD_LM);
    options.damping = 1e-12;
    options.iterations = 1;
    hn_layer *layer = layer_of(m, options);
    double raw[OUTPUTS];
    draw(raw, OUTPUTS, 2);
    struct layer_results r = run_forward(layer, 1, NULL, raw);
    for (size_t i = 0; i < EQUALITIES; i++)
        assert_true(fabs(r.residual[i]) < 1e-9);
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}
