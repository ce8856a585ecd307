/* test_units.c - what optimal says where numbers are odd. Certificates where rows are in tiny units: a row of 1e-68 is held by every y to any tolerance, and its multiplier is
 * of size 1e68. A residual that is small beside such a multiplier proves nothing; what is certified must be the solution all the same.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/read.h"
#include "support/check.h"
#include "support/run_layer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    const hn_batch batch = {.size = sizeof batch,
                            .count = SAMPLES,
                            .y_raw = STARTS,
                            .y = y,
                            .report_size = sizeof *reports,
                            .reports = reports};
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

static void curved_rows_in_tiny_units_are_proved_rightly(void **state) {
    (void)state;
    check(5e5);
}

static void affine_rows_in_tiny_units_are_proved_rightly(void **state) {
    (void)state;
    check(0);
}

/* Found by fuzz/fuzz_layer.c: an objective that has no value at y was a NaN in the report. */
static void an_objective_without_a_value_is_infinite(void **state) {
    (void)state;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curved_rows_in_tiny_units_are_proved_rightly),
        cmocka_unit_test(affine_rows_in_tiny_units_are_proved_rightly),
        cmocka_unit_test(an_objective_without_a_value_is_infinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
