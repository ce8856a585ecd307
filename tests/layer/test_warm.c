/* test_warm.c - a start carried from call to call saves steps and changes nothing for those who do not ask for it.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "hardnet/hardnet.h"
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

enum { OUTPUTS = 50, CALLS = 20 };

/* Steps of a control loop whose state and raw output drift slowly; with a warm start or without. */
static int loop_steps(const hn_layer *layer, double *warm) {
    static unsigned char workspace[1 << 20];
    double x[3] = {-3, 0.6, 0.1}, raw[OUTPUTS], y[OUTPUTS];
    int steps = 0;
    hn_report report;
    struct random random = random_start(5, 0);
    for (int j = 0; j < OUTPUTS; j++)
        raw[j] = (j < 30 ? -3 + 0.2 * (double)(j / 3) : 1) + 0.1 * random_normal(&random);
    for (int call = 0; call < CALLS; call++) {
        hn_batch batch = batch_of(1, x, raw, y, &report);
        batch.warm = warm;
        assert_int_equal(hn_layer_run(layer, &batch, workspace, sizeof workspace, NULL), HN_OK);
        assert_int_equal(report.outcome, HN_OUTCOME_OK);
        assert_true(report.violation <= 1e-8);
        steps += report.iterations;
        x[0] += 0.002;
        for (int j = 0; j < OUTPUTS; j++)
            raw[j] += 0.002 * random_normal(&random);
    }
    return steps;
}

TEST(a_warm_start_saves_steps) {
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_layer *layer;
    assert_int_equal(hn_layer_create(&layer, model, NULL, NULL), HN_OK);
    assert_true(hn_layer_workspace_bytes(layer) <= 1 << 20);
    double warm[OUTPUTS] = {0};
    int cold = loop_steps(layer, NULL), hot = loop_steps(layer, warm);
    print_message("%d calls: %d steps cold, %d warm\n", CALLS, cold, hot);
    assert_true(2 * hot < cold);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(a_warm_start_that_is_no_number_is_left_out) {
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_layer *layer;
    assert_int_equal(hn_layer_create(&layer, model, NULL, NULL), HN_OK);
    double warm[OUTPUTS] = {[7] = NAN};
    int cold = loop_steps(layer, NULL);
    double spoiled[OUTPUTS];
    memcpy(spoiled, warm, sizeof warm);
    assert_true(loop_steps(layer, spoiled) <= cold);
    for (int j = 0; j < OUTPUTS; j++)
        assert_true(isfinite(spoiled[j]));
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* ---- starts that help nobody ---- */

/* y^2 = 2, and z above y. */
static hn_model *root_of_two(void) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y"), z = hn_output(m, "z");
    hn_constrain(m, "square", 2, hn_mul(y, y), 2);
    hn_constrain(m, "above", 0, hn_sub(z, y), INFINITY);
    model_finish_good(m);
    return m;
}

TEST(what_is_returned_is_never_worse_than_what_came_in) {
    static const double raws[][2] = {{1.42, 5}, {1.5, 1}, {1e308, 1e308}, {-1.3, 0}};
    static const double warms[] = {50, -1e3, 1e100, 1e308, -1.7e308};
    hn_model *m = root_of_two();
    for (int method = 0; method < HN_METHOD_OPTIMAL; method++) /* which needs an objective */
        for (size_t i = 0; i < COUNT_OF(raws) * COUNT_OF(warms) * 4; i++) {
            const double *raw = raws[i / 4 / COUNT_OF(warms)], by = warms[i / 4 % COUNT_OF(warms)];
            double warm[2] = {by, by};
            hn_layer *layer = layer_of(m, layer_steps((hn_method)method, (int)(i % 4)));
            struct layer_results r = results_of(layer, 1);
            hn_batch batch = batch_into(&r, NULL, raw);
            batch.warm = warm;
            layer_run(layer, &batch);
            double before = judged_violation(m, NULL, raw, false, NULL);
            double after = judged_violation(m, NULL, r.y, false, NULL);
            assert_true(isfinite(r.y[0]) && isfinite(r.y[1]) && isfinite(warm[0]) && isfinite(warm[1]));
            assert_true(after <= before);
            assert_same_bits(r.reports[0].violation_before, before);
            assert_same_bits(r.reports[0].violation, after);
            assert_int_equal(r.reports[0].outcome == HN_OUTCOME_OK, after <= 1e-8);
            results_release(&r);
            hn_layer_destroy(layer);
        }
    hn_model_destroy(m);
}

/* y after a warm start so far up an exponential that auto gives it up and goes on from what came in. */
static void from_nowhere(const hn_layer *layer, struct layer_results *r, double a, double b) {
    const double raw[] = {a, b};
    double warm[] = {300, 0};
    hn_batch batch = batch_into(r, NULL, raw);
    batch.warm = warm;
    layer_run(layer, &batch);
    assert_int_equal(r->reports[0].outcome, HN_OUTCOME_OK);
    assert_true(r->reports[0].iterations >= 20 && r->reports[0].steps < 20);
}

TEST(the_gradient_follows_a_start_that_was_given_up) {
    static const double grad[] = {0.7, -0.4};
    const double h = 1e-6;
    hn_model *m = model_new();
    hn_expr a = hn_output(m, "a"), b = hn_output(m, "b");
    hn_constrain(m, "sum", 3, hn_add(hn_exp(hn_scale(2, a)), hn_mul(b, b)), 3);
    model_finish_good(m);
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_AUTO));
    struct layer_results r = results_of(layer, 1);
    from_nowhere(layer, &r, 0.2, 0.9);
    const double raw[] = {0.2, 0.9};
    hn_batch batch = batch_into(&r, NULL, raw);
    hn_gradient gradient = gradient_into(&r, grad);
    layer_pull(layer, &batch, &gradient);
    const double by[] = {r.grad_y_raw[0], r.grad_y_raw[1]};
    for (int j = 0; j < 2; j++) {
        double above, below;
        from_nowhere(layer, &r, 0.2 + (j == 0 ? h : 0), 0.9 + (j == 1 ? h : 0));
        above = grad[0] * r.y[0] + grad[1] * r.y[1];
        from_nowhere(layer, &r, 0.2 - (j == 0 ? h : 0), 0.9 - (j == 1 ? h : 0));
        below = grad[0] * r.y[0] + grad[1] * r.y[1];
        assert_in_interval(by[j], (above - below) / 2 / h - 1e-7, (above - below) / 2 / h + 1e-7);
    }
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}
