/* test_unicycle_gradient.c - the gradient of the paper's own problem against central differences, decisions held fixed.
 *
 * Raw outputs are the model's start values with noise, at states drawn from the model's box.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/gradient_check.h"
#include "support/run_layer.h"

#include "base/random.h"
#include "hardnet/read.h"

#include <math.h>
#include <stdlib.h>

enum { INPUTS = 3, OUTPUTS = 50 };

static const double LIMIT = 1e-7;

static hn_model *read_unicycle(void) {
    static const char *const path = "models/unicycle.mod";
    hn_model *model;
    hn_error error = {.text = ""};
    if (hn_model_read(&model, 1, &path, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    assert_int_equal(hn_model_input_count(model), INPUTS);
    assert_int_equal(hn_model_output_count(model), OUTPUTS);
    return model;
}

static void draw_sample(const hn_model *model, uint64_t stream, double noise, double *x, double *raw) {
    struct random random = random_start(61, stream);
    hn_expr starts[OUTPUTS];
    double zeros[OUTPUTS] = {0};
    for (size_t i = 0; i < INPUTS; i++) {
        hn_input_info input = hn_model_input(model, i);
        x[i] = random_between(&random, input.lower, input.upper);
    }
    for (size_t j = 0; j < OUTPUTS; j++)
        starts[j] = hn_model_output(model, j).start;
    assert_int_equal(hn_model_evaluate(model, OUTPUTS, starts, x, zeros, raw, NULL), HN_OK);
    for (size_t j = 0; j < OUTPUTS; j++)
        raw[j] += noise * random_normal(&random);
}

static void check_samples(hn_layer_options options, size_t samples, double noise) {
    hn_model *model = read_unicycle();
    struct plain_layer plain;
    plain_layer_create(&plain, model);
    hn_layer *layer = layer_of(model, options);
    size_t skipped = 0, directions = 0, ok = 0;
    double error = 0, width = INFINITY;
    for (size_t s = 0; s < samples; s++) {
        double x[INPUTS], raw[OUTPUTS];
        draw_sample(model, s, noise, x, raw);
        struct gradient_case one = {layer, &plain, x, raw, s, 1e-3};
        struct gradient_verdict verdict = gradient_check(&one);
        assert_true(verdict.finite);
        assert_int_equal(verdict.flagged, !verdict.ok);
        directions += verdict.directions;
        skipped += verdict.skipped;
        ok += verdict.ok;
        error = fmax(error, verdict.error);
        width = fmin(width, verdict.width);
        gradient_verdict_release(&verdict);
    }
    print_message(
        "%s, %d steps at most, %zu samples, %zu ok: largest error %.2g, smallest h %.1g, %zu of %zu skipped\n",
        hn_method_text(options.method), options.iterations, samples, ok, error, width, skipped, directions);
    assert_in_interval(error, 0, LIMIT);
    assert_true(skipped * 20 <= directions);
    hn_layer_destroy(layer);
    plain_layer_release(&plain);
    hn_model_destroy(model);
}

static void the_paper_s_method_for_20_steps(void **state) {
    (void)state;
    hn_layer_options options = layer_method(HN_METHOD_PAPER);
    options.iterations = 20;
    check_samples(options, 20, 0.3);
}

static void the_paper_s_method_for_500_steps(void **state) {
    (void)state;
    hn_layer_options options = layer_method(HN_METHOD_PAPER);
    options.iterations = 500;
    check_samples(options, 5, 0.3);
}

static void levenberg_and_marquardt_with_damping_of_their_own(void **state) {
    (void)state;
    check_samples(layer_method(HN_METHOD_LM), 40, 0.3);
}

static void steps_near_the_projection(void **state) {
    (void)state;
    check_samples(hn_layer_defaults(), 40, 0.3);
}

static void levenberg_and_marquardt_with_fixed_damping(void **state) {
    (void)state;
    hn_layer_options options = layer_method(HN_METHOD_LM);
    options.damping = 0.05;
    options.iterations = 12;
    options.tolerance = 0;
    check_samples(options, 40, 0.3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_paper_s_method_for_20_steps),
        cmocka_unit_test(the_paper_s_method_for_500_steps),
        cmocka_unit_test(levenberg_and_marquardt_with_damping_of_their_own),
        cmocka_unit_test(steps_near_the_projection),
        cmocka_unit_test(levenberg_and_marquardt_with_fixed_damping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
