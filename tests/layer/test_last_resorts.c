/* test_last_resorts.c - what auto does where its first stages do not arrive: outputs held on their bounds, and a long last attempt.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* sqrt(w) = o and w = t / 4.6 - 500 with w >= 1e-4: a step onto the second row takes w where the root is no number. */
static hn_model *edge_of_a_domain(void) {
    hn_model *m = model_new();
    hn_expr t = hn_output(m, "t"), w = hn_output(m, "w"), o = hn_output(m, "o");
    hn_output_bounds(w, 1e-4, INFINITY);
    hn_constrain(m, "root", 0, hn_sub(hn_sqrt(w), o), 0);
    hn_constrain(m, "far", -500, hn_sub(w, hn_scale(1 / 4.6, t)), -500);
    model_finish_good(m);
    return m;
}

static void outputs_on_a_bound_wait_there_while_others_move(void **state) {
    (void)state;
    static const double raws[][3] = {{1, 1, 1}, {0, 5, 2}, {-30, 1e-3, 0}, {7, 100, 1}};
    hn_model *m = edge_of_a_domain();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_AUTO));
    for (size_t i = 0; i < COUNT_OF(raws); i++) {
        struct layer_results r = results_of(layer, 1);
        hn_batch batch = batch_into(&r, NULL, raws[i]);
        layer_run(layer, &batch);
        assert_int_equal(r.reports[0].outcome, HN_OUTCOME_OK);
        assert_true(judged_violation(m, NULL, r.y, false, NULL) <= 1e-8);
        results_release(&r);
    }
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

enum { LINKS = 100 };

/* A sequence from 1 to 1.2 whose logarithm bends down a little everywhere, with gentle slopes: many rows, each of them
 * pushing its neighbours, so that the way there is long however it is gone. */
static hn_model *bent_sequence(void) {
    hn_model *m = model_new();
    hn_expr r[LINKS + 1];
    char name[32];
    for (int i = 0; i <= LINKS; i++) {
        snprintf(name, sizeof name, "r[%d]", i);
        r[i] = hn_output(m, name);
        hn_output_bounds(r[i], 1, 2);
    }
    for (int i = 1; i < LINKS; i++) {
        snprintf(name, sizeof name, "bent[%d]", i);
        hn_constrain(m, name, 1e-3, hn_sub(hn_mul(r[i], r[i]), hn_mul(r[i - 1], r[i + 1])), INFINITY);
    }
    for (int i = 1; i <= LINKS; i++) {
        snprintf(name, sizeof name, "gentle[%d]", i);
        hn_constrain(m, name, -0.05, hn_sub(r[i], r[i - 1]), 0.05);
    }
    hn_constrain(m, "left", 1, r[0], 1);
    hn_constrain(m, "right", 1.2, r[LINKS], 1.2);
    model_finish_good(m);
    return m;
}

static void a_long_way_is_gone_as_far_as_iterations_allow(void **state) {
    (void)state;
    hn_model *m = bent_sequence();
    double raw[LINKS + 1];
    for (int i = 0; i <= LINKS; i++)
        raw[i] = 1;
    for (int steps = 1000; steps <= 5000; steps += 4000) {
        hn_layer_options options = layer_method(HN_METHOD_AUTO);
        options.iterations = steps;
        hn_layer *layer = layer_of(m, options);
        struct layer_results r = results_of(layer, 1);
        hn_batch batch = batch_into(&r, NULL, raw);
        layer_run(layer, &batch);
        print_message("%d steps at most: %s after %d, %d in the attempt that counts\n", steps,
                      hn_outcome_text(r.reports[0].outcome), r.reports[0].iterations, r.reports[0].steps);
        bool arrives = steps > 1000;
        assert_int_equal(r.reports[0].outcome, arrives ? HN_OUTCOME_OK : HN_OUTCOME_ITERATION_LIMIT);
        assert_int_equal(judged_violation(m, NULL, r.y, false, NULL) <= 1e-8, arrives);
        results_release(&r);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(m);
}

/* The tape holds 150 steps: what took more has no gradient, and says so. */
static void a_way_longer_than_the_tape_has_no_gradient(void **state) {
    (void)state;
    hn_model *m = bent_sequence();
    double raw[2 * (LINKS + 1)], grad[2 * (LINKS + 1)];
    for (int i = 0; i <= LINKS; i++) {
        raw[i] = 1;
        raw[LINKS + 1 + i] = 1 + 0.5 * sin(0.8 * i / LINKS); /* not far from a good one */
        grad[i] = grad[LINKS + 1 + i] = 1;
    }
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_AUTO));
    struct layer_results r = results_of(layer, 2);
    hn_batch batch = batch_into(&r, NULL, raw);
    hn_gradient gradient = gradient_into(&r, grad);
    layer_run(layer, &batch);
    layer_pull(layer, &batch, &gradient);
    for (size_t k = 0; k < 2; k++) {
        double most = 0;
        for (size_t i = 0; i <= LINKS; i++)
            most = fmax(most, fabs(r.grad_y_raw[k * (LINKS + 1) + i]));
        assert_true(isfinite(most));
        if (r.reports[k].outcome == HN_OUTCOME_OK) {
            assert_int_equal(r.flagged[k], r.reports[k].steps > 150);
            assert_int_equal(most == 0, r.reports[k].steps > 150);
        }
    }
    assert_int_equal(r.reports[0].outcome, HN_OUTCOME_OK);
    assert_true(r.reports[0].steps > 150);
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_on_a_bound_wait_there_while_others_move),
        cmocka_unit_test(a_long_way_is_gone_as_far_as_iterations_allow),
        cmocka_unit_test(a_way_longer_than_the_tape_has_no_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
