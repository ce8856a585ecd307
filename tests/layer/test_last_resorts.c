/* test_last_resorts.c - what auto does where its first stages do not arrive: outputs held on their bounds, and a long last attempt.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

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

TEST(outputs_on_a_bound_wait_there_while_others_move) {
    static const double raws[][3] = {{1, 1, 1}, {0, 5, 2}, {-30, 1e-3, 0}, {7, 100, 1}};
    hn_model *m = edge_of_a_domain();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_AUTO));
    for (size_t i = 0; i < COUNT_OF(raws); i++) {
        struct layer_results r = run_forward(layer, 1, NULL, raws[i]);
        assert_int_equal(r.reports[0].outcome, HN_OUTCOME_OK);
        assert_true(judged_violation(m, NULL, r.y, false, NULL) <= 1e-8);
        results_release(&r);
    }
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

/* Random problems in units far apart, found by looking for them: only the last attempt arrives, after more than 150 steps. */
static const uint64_t long_ways[] = {38771, 43709, 55949};

static struct layer_results go_long_way(uint64_t stream, int iterations, double *violation) {
    struct random_problem problem;
    random_problem_create(&problem, (struct random_problem_options){.kind = PROBLEM_SCALED}, 2026, stream);
    hn_layer *layer = layer_of(problem.model, layer_steps(HN_METHOD_AUTO, iterations));
    double *grad = calloc(problem.outputs, sizeof *grad);
    for (size_t j = 0; j < problem.outputs; j++)
        grad[j] = 1;
    struct layer_results r = run_and_pull(layer, 1, problem.x, problem.raw, grad);
    *violation = judged_violation(problem.model, problem.x, r.y, false, NULL);
    free(grad);
    hn_layer_destroy(layer);
    random_problem_release(&problem);
    return r;
}

TEST(a_long_way_is_gone_as_far_as_iterations_allow) {
    size_t arrived = 0;
    for (size_t i = 0; i < COUNT_OF(long_ways); i++)
        for (int steps = 1000; steps <= 5000; steps += 4000) {
            double violation;
            struct layer_results r = go_long_way(long_ways[i], steps, &violation);
            bool ok = r.reports[0].outcome == HN_OUTCOME_OK;
            print_message("%d steps at most: %s after %d, %d in the attempt that counts\n", steps,
                          hn_outcome_text(r.reports[0].outcome), r.reports[0].iterations, r.reports[0].steps);
            assert_int_equal(violation <= 1e-8, ok);
            assert_true(steps > 1000 || !ok);
            arrived += ok && r.reports[0].steps > 150;
            results_release(&r);
        }
    assert_true(arrived >= 1);
}

/* The tape holds 150 steps: what took more has no gradient, and says so. */
TEST(a_way_longer_than_the_tape_has_no_gradient) {
    size_t longer = 0;
    for (size_t i = 0; i < COUNT_OF(long_ways); i++) {
        double unused;
        struct layer_results r = go_long_way(long_ways[i], -1, &unused);
        if (r.reports[0].outcome == HN_OUTCOME_OK && r.reports[0].steps > 150) {
            assert_true(r.flagged[0]);
            assert_all_zero(r.grad_y_raw, r.outputs);
            longer++;
        }
        results_release(&r);
    }
    assert_true(longer >= 1);
}
