/* test_damping.c - the option damping of auto: 0 means none, also near the end, where eps is a power of two.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/run_layer.h"

#include "core/sample.h"

/* A circle and a line through it: two equations, two outputs. */
static hn_model *circle_and_line(void) {
    return model_of_text("var y1; var y2; circle: y1*y1 + y2*y2 = 1; line: y1 - 0.5*y2 = 0.2;");
}

static hn_report correct(const hn_model *model, double damping) {
    hn_layer_options options = layer_method(HN_METHOD_AUTO);
    options.damping = damping;
    hn_layer *layer = layer_of(model, options);
    const double raw[] = {0.9, 0.8}, grad[] = {1, 1};
    struct layer_results r = run_and_pull(layer, 1, NULL, raw, grad);
    hn_report report = r.reports[0];
    results_release(&r);
    hn_layer_destroy(layer);
    return report;
}

TEST(without_damping_newton_takes_a_few_steps) {
    hn_model *model = circle_and_line();
    hn_report none = correct(model, 0), little = correct(model, 1e-9);
    assert_int_equal(none.outcome, HN_OUTCOME_OK);
    assert_int_equal(little.outcome, HN_OUTCOME_OK);
    assert_true(none.iterations <= 5);
    assert_int_equal(none.iterations, little.iterations);
    assert_true(none.damping <= 0x1p-30);
    hn_model_destroy(model);
}

/* Against the library's exponents, over the whole range. */
TEST(powers_of_two_are_those_next_below) {
    for (int e = -1074; e < 1024; e++)
        for (int k = 0; k < 3; k++) {
            double power = ldexp(1, e), value = k == 0 ? power : k == 1 ? power * 1.7 : nextafter(power * 2, 0);
            if (isfinite(value) && value >= power)
                assert_true(number_power_of_two(value) == ldexp(1, ilogb(value)));
        }
    assert_true(number_power_of_two(0) == 0);
    assert_true(number_power_of_two(-1) == 0);
    assert_true(number_power_of_two(NAN) == 0);
}
