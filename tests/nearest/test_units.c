/* test_units.c - what nearest and optimal say where numbers are odd. Certificates where rows are in tiny units: a row of 1e-68 is held by
 * every y to any tolerance, and its multiplier is of size 1e68. A residual that is small beside such a multiplier proves nothing; what
 * is certified must be the solution all the same.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/evaluate.h"
#include "hardnet/read.h"
#include "support/check.h"
#include "support/run_layer.h"

enum { SAMPLES = 5 };
static const double STARTS[SAMPLES] = {0.0006188, 0.0024969, 0.0008, 0.002, -0.001};

/* Where 3105 y + curve y^2 = 3.345, y > 0; the row in units of 1e-68. */
static hn_model *model_of(double curve, double *solution) {
    char text[400];
    hn_model *model;
    snprintf(text, sizeof text,
             "var y; minimize f: 1e6*(y + 0.00132)^2; subject to c: 1e-68*(3105*y + %.17g*y^2) >= 3.345e-68;", curve);
    const hn_text source = {"tiny.mod", text, strlen(text)};
    assert_int_equal(hn_model_read_memory(&model, 1, &source, NULL, NULL), HN_OK);
    *solution = curve == 0 ? 3.345 / 3105 : (sqrt(3105.0 * 3105.0 + 4 * curve * 3.345) - 3105) / (2 * curve);
    return model;
}

/* The objective falls to -0.00132, below the row: the optimum is where the row begins to hold. */
static void check(double curve) {
    double solution, y[SAMPLES];
    hn_model *model = model_of(curve, &solution);
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_OPTIMAL));
    hn_report reports[SAMPLES];
    const hn_batch batch = batch_of(SAMPLES, NULL, STARTS, y, reports);
    int certified = 0;
    layer_run(layer, &batch);
    for (size_t k = 0; k < SAMPLES; k++) {
        assert_int_equal(reports[k].outcome, HN_OUTCOME_OK);
        if (reports[k].kkt <= HN_CERTIFIED)
            assert_in_interval(fabs(y[k] - solution), 0, 1e-9);
        certified += reports[k].kkt <= HN_CERTIFIED;
    }
    assert_true(certified >= SAMPLES - 1);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(curved_rows_in_tiny_units_are_proved_rightly) {
    check(5e5);
}

TEST(affine_rows_in_tiny_units_are_proved_rightly) {
    check(0);
}

/* ---- the optimality conditions, from outside ---- */

enum { OUTPUTS = 4, ROWS = 8 };

struct answer {
    double y[OUTPUTS], multipliers[ROWS];
    hn_report report;
};

static hn_model *read(const char *text) {
    const hn_text source = {"units.mod", text, strlen(text)};
    hn_error error = {.text = ""};
    hn_model *model;
    if (hn_model_read_memory(&model, 1, &source, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

static struct answer solve(const hn_model *model, hn_method method, const double *raw) {
    struct answer a;
    hn_layer *layer = layer_of(model, layer_method(method));
    hn_batch batch = batch_of(1, NULL, raw, a.y, &a.report);
    batch.multipliers = a.multipliers;
    layer_run(layer, &batch);
    assert_int_equal(a.report.outcome, HN_OUTCOME_OK);
    hn_layer_destroy(layer);
    return a;
}

/* |df/dy - J' l| / max(1, |l_i| min(1, |J_i|)), largest entries */
static double stationarity(const hn_model *model, const struct answer *a) {
    hn_evaluator *evaluator;
    hn_evaluator_options options = hn_evaluator_defaults();
    double gradient[OUTPUTS], pulled[OUTPUTS], entries[OUTPUTS * ROWS], most = 1, worst = 0;
    options.wanted =
        HN_WANT(HN_QUANTITY_GRADIENT_Y) | HN_WANT(HN_QUANTITY_JACOBIAN_Y_W) | HN_WANT(HN_QUANTITY_JACOBIAN_Y);
    assert_int_equal(hn_evaluator_create(&evaluator, model, &options, NULL), HN_OK);
    hn_evaluation evaluation = {.size = sizeof evaluation, .count = 1, .y = a->y, .w = a->multipliers};
    evaluation.values[HN_QUANTITY_GRADIENT_Y] = gradient;
    evaluation.values[HN_QUANTITY_JACOBIAN_Y_W] = pulled;
    evaluation.values[HN_QUANTITY_JACOBIAN_Y] = entries;
    size_t bytes = hn_evaluator_workspace_bytes(evaluator);
    void *workspace = malloc(bytes);
    assert_int_equal(hn_evaluator_run(evaluator, &evaluation, workspace, bytes, NULL), HN_OK);
    hn_pattern pattern = {.size = sizeof pattern};
    assert_int_equal(hn_evaluator_get_pattern(evaluator, HN_QUANTITY_JACOBIAN_Y, &pattern, NULL), HN_OK);
    for (size_t i = 0; i < pattern.rows; i++) {
        double size = 0;
        for (size_t e = pattern.first[i]; e < pattern.first[i + 1]; e++)
            size = fmax(size, fabs(entries[e]));
        most = fmax(most, fabs(a->multipliers[i]) * fmin(1, size));
    }
    for (size_t j = 0; j < hn_model_output_count(model); j++)
        worst = fmax(worst, fabs(gradient[j] - pulled[j]));
    free(workspace);
    hn_evaluator_destroy(evaluator);
    return worst / most;
}

/* Found by tests/judge: the rest of the gradient was divided by multipliers in units of the rows' gradients where the search began. */
TEST(multipliers_count_in_units_of_the_gradient_at_the_end) {
    static const struct {
        const char *text;
        double raw[OUTPUTS];
    } cases[] = {
        {"var y{1..3} >= -3.58333971475484e-06, <= 2.3459779414582965e-06;"
         "minimize f: ((y[1] - 1.2e-06)/1e-06)^2 + ((y[2] - 6.2e-07)/1e-06)^2 + ((y[3] + 4.4e-07)/1e-06)^2;"
         "subject to c1: -2.483389644810147e+16 <= 1e+16*(0.844*(y[1]/1e-06) + 1.921*(y[3]/1e-06) - y[2]/1e-06)"
         " <= -5728914416612278.0;"
         "subject to c3: 1e-15*(1.366*(y[1]/1e-06) - 0.71*(y[2]/1e-06) + 1.427*(y[3]/1e-06)"
         " + 0.3*(0.28*(y[3]/1e-06)^2)) <= -2.0709466863534392e-16;"
         "subject to c4: 3.580113115303405e+72 <= 1e+72*(0.913*(y[1]/1e-06) - 1.999*(y[2]/1e-06)"
         " - 0.141*(y[3]/1e-06) + 0.3*(-1.11*(2.283*(y[3]/1e-06)))) <= 4.7889333737091165e+72;",
         {-1.9413105407564128e-06, -3.8880902322248485e-06, -3.6013111131929373e-06}},
        {"var y{1..4} >= -0.00034593938000975974, <= 0.00027939370120282043;"
         "minimize f: ((y[1] - 4.7e-05)/0.0001)^2 + ((y[2] - 9e-05)/0.0001)^2 + ((y[3] + 3.7e-05)/0.0001)^2"
         " + ((y[4] - 7.7e-05)/0.0001)^2;"
         "subject to c1: -4.929577115120263e+55 <= 1e+55*(1.881*(y[2]/0.0001) + 1.7*(y[2]/0.0001)"
         " - 1.818*(y[4]/0.0001) + 0.5*(-0.77*(1.16*(y[4]/0.0001)))) <= -4.242304951198298e+55;"
         "subject to c2: -5.20452057822988e-35 <= 1e-34*(0.734*(y[4]/0.0001) + 0.111*(y[1]/0.0001)"
         " + 0.2*atan((y[1]/0.0001)*(y[4]/0.0001))) <= -8.90088045498552e-37;",
         {0.0003682401269629332, 0.00030040537242680804, 0.00012925328501919923, -0.0006208017033644219}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hn_model *model = read(cases[i].text);
        struct answer a = solve(model, HN_METHOD_OPTIMAL, cases[i].raw);
        if (a.report.kkt <= HN_CERTIFIED)
            assert_true(stationarity(model, &a) <= a.report.kkt * (1 + 1e-6) + 1e-13);
        hn_model_destroy(model);
    }
}

/* Found by fuzz/fuzz_layer.c: an objective that has no value at y was a NaN in the report. */
TEST(an_objective_without_a_value_is_infinite) {
    static const char *const texts[] = {"var y; minimize f: log(y); subject to c: y <= -1;",
                                        "var y; maximize f: sqrt(y) + y^3; subject to c: y^2 <= -0.1*y;"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const hn_text source = {"f.mod", texts[i], strlen(texts[i])};
        hn_model *model;
        hn_report report;
        double y = -0.05;
        assert_int_equal(hn_model_read_memory(&model, 1, &source, NULL, NULL), HN_OK);
        hn_layer *layer = layer_of(model, layer_method(HN_METHOD_OPTIMAL));
        const hn_batch batch = {
            .size = sizeof batch, .count = 1, .y_raw = &y, .y = &y, .report_size = sizeof report, .reports = &report};
        layer_run(layer, &batch);
        assert_int_equal(report.outcome, HN_OUTCOME_OK);
        assert_true(isinf(report.objective) && report.objective > 0 && isinf(report.kkt));
        hn_layer_destroy(layer);
        hn_model_destroy(model);
    }
}
