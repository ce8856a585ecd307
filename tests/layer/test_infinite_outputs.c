/* test_infinite_outputs.c - an output that is not finite is never ok, however well its rows are met there.
 *
 * Rows that saturate hold at infinity. Steps that lead there are refused like evaluations that are not finite, by every method, and so
 * are restarts that would begin there; gradients of such samples are finite and read nothing that is not theirs.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/run_layer.h"

#include "base/random.h"
#include "hardnet/read.h"

static hn_model *model_from(const char *text) {
    const hn_text one = {.name = "text", .bytes = text, .length = strlen(text)};
    hn_model *model = NULL;
    hn_error error = {.text = ""};
    if (hn_model_read_memory(&model, 1, &one, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

/* Runs and differentiates one sample by every method, alone and beside others; returns how many were ok. */
static int check(const char *text, const double *x, const double *raw, size_t outputs) {
    static const hn_method methods[] = {HN_METHOD_AUTO, HN_METHOD_LM, HN_METHOD_PAPER};
    enum { COUNT = 9 };
    hn_model *model = model_from(text);
    size_t inputs = hn_model_input_count(model);
    double *xs = calloc(COUNT * inputs + 1, sizeof *xs), *raws = calloc(COUNT * outputs, sizeof *raws);
    double *grad = calloc(COUNT * outputs, sizeof *grad);
    int ok = 0;
    for (size_t i = 0; i < COUNT * outputs; i++) {
        raws[i] = raw[i % outputs];
        grad[i] = 1;
    }
    for (size_t i = 0; i < COUNT * inputs; i++)
        xs[i] = x[i % inputs];
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (size_t count = 1; count <= COUNT; count += COUNT - 1) {
            hn_layer *layer = layer_of(model, layer_method(methods[m]));
            struct layer_results r = run_and_pull(layer, count, xs, raws, grad);
            assert_finite_results(&r);
            for (size_t i = 0; i < count; i++)
                ok += r.reports[i].outcome == HN_OUTCOME_OK;
            results_release(&r);
            hn_layer_destroy(layer);
        }
    free(xs);
    free(raws);
    free(grad);
    hn_model_destroy(model);
    return ok;
}

TEST(rows_that_saturate_do_not_hold_at_infinity) {
    const double raw[] = {-1, -1e308};
    check("var a; var b; s.t. c: 1/(1+exp(-b)) + a >= 0.9; s.t. d: a^3-3*a>=10;", NULL, raw, 2);
}

TEST(a_sigmoid_below_one_is_met_by_a_finite_output) {
    const double raw[] = {1e308};
    check("var y; s.t. c: 1/(1+exp(-y)) <= 1; s.t. d: y / 1e300 <= 1e7;", NULL, raw, 1);
}

TEST(outputs_without_finite_bounds_have_no_row_to_follow) {
    const double x[] = {-0.7, 0.3}, raw[] = {-3.5};
    check("param x{1..2}; var y{1..1}; s.t. c0: -1 <= (if x[1] < y[1] then -1e308 else 1e-310) - y[1]^y[1] <= 1;"
          "s.t. c1: exp(if 3.5 >= y[1] then x[1] else y[1]) <= 1;",
          x, raw, 1);
}

/* Random outputs of all sizes on rows that forgive infinity. */
TEST(saturating_rows_from_anywhere) {
    static const char text[] =
        "var a; var b >= -1e308; s.t. c: tanh(a) + atan(b) >= 1.5; s.t. d: exp(-a^2) + 1/(1+exp(b)) <= 0.5;"
        "s.t. e: a*b >= 1e3;";
    struct random random = random_start(5, 5);
    int ok = 0;
    for (int k = 0; k < 60; k++) {
        double raw[2];
        for (int j = 0; j < 2; j++)
            raw[j] = random_normal(&random) * pow(10, (double)random_below(&random, 309));
        ok += check(text, NULL, raw, 2);
    }
    assert_true(ok > 100);
}
