/* test_samples.c - what the gradient of a single sample is where nothing, or nothing good, happened to it.
 *
 * Feasible outputs, fixed outputs, fallbacks, samples that are not ok, incoming gradients that are not finite: a
 * gradient is always finite, and flagged unless it is that of an ok sample.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/gradient_check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"

static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_HARDNET, HN_METHOD_LM,
                                    HN_METHOD_AUTO,  HN_METHOD_ENFORCE, HN_METHOD_SNARENET};

static hn_layer_options short_run(hn_method method) {
    hn_layer_options options = layer_method(method);
    options.iterations = 8;
    return options;
}

/* x <= y1 + y2^2 <= 3, y3 fixed at 2 x + 1, y1 y3 = y4, and log(x) <= y4 */
static hn_model *small_model(void) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y[4];
    static const char *const names[] = {"y1", "y2", "y3", "y4"};
    for (int j = 0; j < 4; j++)
        y[j] = hn_output(m, names[j]);
    hn_output_fix(y[2], hn_shift(hn_scale(2, x), 1));
    hn_constrain_between(m, "band", x, hn_add(y[0], hn_mul(y[1], y[1])), hn_constant(m, 3));
    hn_constrain(m, "product", 0, hn_sub(hn_mul(y[0], y[2]), y[3]), 0);
    hn_output_between(y[3], hn_log(x), hn_constant(m, INFINITY));
    model_finish_good(m);
    return m;
}

TEST(a_feasible_output_passes_the_gradient_through) {
    static const double x = 1, raw[] = {0.5, 1, 3, 1.5}, grad_y[] = {0.1, -0.2, 0.3, 0.4};
    hn_model *model = small_model();
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        hn_layer *layer = layer_of(model, short_run(methods[i]));
        struct layer_results r = run_and_pull(layer, 1, &x, raw, grad_y);
        assert_int_equal(r.reports[0].outcome, HN_OUTCOME_OK);
        assert_false(r.flagged[0]);
        assert_memory_equal(r.y, raw, sizeof raw);
        if (methods[i] == HN_METHOD_LM) {
            assert_int_equal(r.reports[0].steps, 0);
            for (int j = 0; j < 4; j++)
                assert_same_bits(r.grad_y_raw[j], j == 2 ? 0 : grad_y[j]);
            assert_in_interval(r.grad_x[0], 0.6, 0.6); /* by way of the fixed output */
            assert_all_zero(r.grad_lower, r.rows);
            assert_all_zero(r.grad_upper, r.rows);
        }
        results_release(&r);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}

TEST(a_fixed_output_hands_its_gradient_to_x) {
    static const double x = 1.3, raw[] = {-1.5, 0.7, 99, 2.5};
    hn_model *model = small_model();
    struct plain_layer plain;
    plain_layer_create(&plain, model);
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        hn_layer *layer = layer_of(model, short_run(methods[i]));
        struct gradient_case one = {layer, &plain, &x, raw, i, 1e-3};
        struct gradient_verdict verdict = gradient_check(&one);
        assert_int_equal(verdict.skipped, 0);
        assert_in_interval(verdict.error, 0, 1e-9);
        assert_true(verdict.finite);
        gradient_verdict_release(&verdict);
        hn_layer_destroy(layer);
    }
    plain_layer_release(&plain);
    hn_model_destroy(model);
}

TEST(a_fallback_has_no_gradient) {
    static const double x[] = {NAN, 1, 1, -1, 4}; /* not finite; raw not finite; good; log of -1; 4 <= ... <= 3 */
    static const double raw[] = {0, 0, 0, 0, 0, INFINITY, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    double grad_y[20];
    for (int i = 0; i < 20; i++)
        grad_y[i] = 1;
    hn_model *model = small_model();
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        hn_layer *layer = layer_of(model, short_run(methods[i]));
        struct layer_results r = run_and_pull(layer, 5, x, raw, grad_y);
        static const hn_outcome outcomes[] = {HN_OUTCOME_NONFINITE_INPUT, HN_OUTCOME_NONFINITE_INPUT, HN_OUTCOME_OK,
                                              HN_OUTCOME_BAD_BOUNDS, HN_OUTCOME_BAD_BOUNDS};
        for (size_t s = 0; s < 5; s++) {
            bool lost = outcomes[s] != HN_OUTCOME_OK;
            if (lost)
                assert_int_equal(r.reports[s].outcome, outcomes[s]);
            assert_int_equal(r.flagged[s], r.reports[s].outcome != HN_OUTCOME_OK);
            if (!lost)
                continue;
            assert_all_zero(r.grad_y_raw + s * r.outputs, r.outputs);
            assert_all_zero(r.grad_x + s * r.inputs, r.inputs);
            assert_all_zero(r.grad_lower + s * r.rows, r.rows);
            assert_all_zero(r.grad_upper + s * r.rows, r.rows);
        }
        assert_finite_results(&r);
        results_release(&r);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}

TEST(a_gradient_that_comes_in_without_sense_goes_out_as_zero) {
    enum { COUNT = 11 };
    static const double strange[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308};
    double x[COUNT], raw[COUNT * 4], grad_y[COUNT * 4];
    struct random random = random_start(8, 0);
    for (int s = 0; s < COUNT; s++)
        x[s] = random_between(&random, 0.5, 2);
    for (int i = 0; i < COUNT * 4; i++) {
        raw[i] = random_normal(&random);
        grad_y[i] = random_normal(&random);
    }
    hn_model *model = small_model();
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        hn_layer *layer = layer_of(model, short_run(methods[i]));
        struct layer_results good = run_and_pull(layer, COUNT, x, raw, grad_y);
        for (size_t k = 0; k < COUNT_OF(strange); k++) {
            double mixed[COUNT * 4];
            memcpy(mixed, grad_y, sizeof grad_y);
            mixed[4 * 5 + 1] = strange[k];
            struct layer_results r = run_and_pull(layer, COUNT, x, raw, mixed);
            assert_finite_results(&r);
            if (!isfinite(strange[k])) {
                assert_true(r.flagged[5]);
                assert_all_zero(r.grad_y_raw + 5 * r.outputs, r.outputs);
            }
            for (size_t s = 0; s < COUNT; s++)
                if (s != 5)
                    assert_true(same_results(&r, s, &good, s));
            results_release(&r);
        }
        results_release(&good);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}

TEST(what_was_not_asked_for_changes_nothing) {
    static const double x = 1.3, raw[] = {-1.5, 0.7, 99, 2.5}, grad_y[] = {1, 2, 3, 4};
    hn_model *model = small_model();
    hn_layer *layer = layer_of(model, short_run(HN_METHOD_LM));
    struct layer_results all = run_and_pull(layer, 1, &x, raw, grad_y), some = results_of(layer, 1);
    hn_batch batch = batch_into(&some, &x, raw);
    batch.residual = NULL;
    layer_run(layer, &batch);
    hn_gradient gradient = {.size = sizeof gradient, .grad_y = grad_y, .grad_y_raw = some.grad_y_raw};
    layer_pull(layer, &batch, &gradient);
    assert_memory_equal(some.y, all.y, sizeof raw);
    assert_memory_equal(some.grad_y_raw, all.grad_y_raw, sizeof raw);
    results_release(&all);
    results_release(&some);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* Every kind of random problem, and points where little can be expected: finite, and flagged unless ok. */
TEST(gradients_are_finite_and_flagged_unless_ok) {
    enum { PROBLEMS = 1000, COUNT = 3 };
    size_t flagged[HN_METHOD_COUNT] = {0}, samples[HN_METHOD_COUNT] = {0}, lost = 0;
    for (uint64_t stream = 0; stream < PROBLEMS; stream++) {
        struct random_problem problem;
        struct random_problem_options kind = {.kind = (enum problem_kind)(stream % PROBLEM_KINDS)};
        random_problem_create(&problem, kind, 71, stream);
        hn_method method = methods[stream / PROBLEM_KINDS % COUNT_OF(methods)];
        if (method == HN_METHOD_HARDNET && problem.rows > problem.outputs)
            method = HN_METHOD_AUTO;
        hn_layer *layer = layer_of(problem.model, short_run(method));
        size_t n = problem.outputs, k = problem.inputs;
        double *x = calloc(COUNT * k, sizeof *x), *raw = calloc(COUNT * n, sizeof *raw);
        double *grad_y = calloc(COUNT * n, sizeof *grad_y);
        for (size_t s = 0; s < COUNT; s++)
            memcpy(x + s * k, problem.x, k * sizeof *x);
        for (size_t j = 0; j < n; j++) {
            raw[j] = problem.raw[j];
            raw[n + j] = 1e3 * problem.raw[j];
        }
        for (size_t i = 0; i < COUNT * n; i++)
            grad_y[i] = i % 2 ? 1 : -1;
        struct layer_results r = run_and_pull(layer, COUNT, x, raw, grad_y);
        assert_finite_results(&r);
        for (size_t s = 0; s < COUNT; s++) {
            assert_true(r.flagged[s] || r.reports[s].outcome == HN_OUTCOME_OK);
            samples[method]++;
            flagged[method] += r.flagged[s];
            lost += r.flagged[s] && r.reports[s].outcome == HN_OUTCOME_OK;
        }
        results_release(&r);
        free(x);
        free(raw);
        free(grad_y);
        hn_layer_destroy(layer);
        random_problem_release(&problem);
    }
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        hn_method m = methods[k];
        print_message("%s: %zu of %zu gradients flagged\n", hn_method_text(m), flagged[m], samples[m]);
        assert_true(flagged[m] > samples[m] / 10 && flagged[m] < samples[m]);
    }
    print_message("%zu of them of ok samples\n", lost);
    assert_true(lost <= COUNT); /* none as things are: an ok sample is flagged only when its gradient is not finite */
}
