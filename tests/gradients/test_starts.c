/* test_starts.c - gradients where start values depend on x: auto's attempt from them, and start values in place of raw outputs.
 *
 * The rows below are flat far away, so that no attempt from y_raw arrives, and hold near the start values.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/run_layer.h"

enum { OUTPUTS = 3 };

/* y1 starts at 5 + x and holds there; y2 is fixed at x^2; y3 must meet y3 = y1 x. */
static hn_model *plateau(bool boxed) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2"), y3 = hn_output(m, "y3");
    hn_expr off = hn_shift(y1, -5);
    hn_constrain(m, "near", 0.5, hn_exp(hn_neg(hn_mul(off, off))), INFINITY);
    hn_constrain(m, "product", 0, hn_sub(y3, hn_mul(y1, x)), 0);
    if (boxed) /* from the start values every sample in here arrives: auto goes there first */
        hn_input_range(x, -0.5, 0.5);
    hn_output_start(y1, hn_shift(x, 5));
    hn_output_fix(y2, hn_mul(x, x));
    model_finish_good(m);
    return m;
}

static void run(const hn_layer *layer, double x, const double *raw, double *y) {
    struct layer_results r = run_forward(layer, 1, &x, raw);
    assert_int_equal(r.reports[0].outcome, HN_OUTCOME_OK);
    for (int j = 0; j < OUTPUTS; j++)
        y[j] = r.y[j];
    results_release(&r);
}

/* d y_j / dx by central differences against the layer's gradient, for every output. */
static void check_by_differences(const hn_layer *layer, double x, const double *raw) {
    const double h = 1e-5;
    double before[OUTPUTS], after[OUTPUTS];
    run(layer, x - h, raw, before);
    run(layer, x + h, raw, after);
    for (int j = 0; j < OUTPUTS; j++) {
        double grad_y[OUTPUTS] = {0};
        grad_y[j] = 1;
        struct layer_results r = run_and_pull(layer, 1, &x, raw, grad_y);
        double quotient = (after[j] - before[j]) / (2 * h);
        assert_false(r.flagged[0]);
        assert_true(fabs(r.grad_x[0] - quotient) <= 1e-7 * (1 + fabs(quotient)));
        results_release(&r);
    }
}

TEST(an_attempt_from_the_start_values_follows_x) {
    const double far[] = {-50, 3, 1};
    int iterations[2];
    for (int boxed = 0; boxed < 2; boxed++) {
        hn_model *model = plateau(boxed == 1);
        hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
        double grad_y[OUTPUTS] = {0, 1, 0}, x = 0.3;
        struct layer_results r = run_and_pull(layer, 1, &x, far, grad_y);
        assert_true(r.grad_x[0] == 0.6); /* of y2 = x^2 */
        assert_true(r.y[0] > 4);         /* which no attempt from far reaches */
        assert_all_zero(r.grad_y_raw, OUTPUTS);
        iterations[boxed] = r.reports[0].iterations;
        results_release(&r);
        check_by_differences(layer, 0.3, far);
        check_by_differences(layer, -0.4, far);
        hn_layer_destroy(layer);
        hn_model_destroy(model);
    }
    assert_true(iterations[1] < iterations[0]);
}

TEST(start_values_in_place_of_raw_outputs_follow_x) {
    static const hn_method methods[] = {HN_METHOD_AUTO, HN_METHOD_LM};
    hn_model *model = plateau(false);
    for (int m = 0; m < 2; m++) {
        hn_layer *layer = layer_of(model, layer_method(methods[m]));
        check_by_differences(layer, 0.2, NULL);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}

/* y1 begins where y_raw has it: it owes nothing to its start value 5 + x, which nobody took. */
TEST(raw_outputs_owe_nothing_to_start_values) {
    const double raw[] = {5.2, 0, 0};
    hn_model *model = plateau(false);
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
    check_by_differences(layer, 0.3, raw);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}
