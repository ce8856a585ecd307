/* test_gradients.c - gradients of the nearest point against differences of the nearest point, along random directions.
 *
 * The layer is run again at points to both sides, at two distances; where the two quotients agree (the active rows stay the same) the
 * extrapolated one must be the gradient's. Solutions that are not regular must be flagged, and be finite.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/search_trial.h"

static const double FAR = 1e-4;       /* the larger distance */
static const double POLISHED = 1e-13; /* residual of the solutions that are compared */

/* As many random problems of each kind as the argument says; 0: some hundreds. */
static uint64_t many;

/* One problem, its layer, and a direction in y_raw and x. */
struct trial {
    const struct random_problem *p;
    hn_layer *layer;
    double *along_raw, *along_x, *loss;
};

/* loss' y at a distance along the direction; NaN where that is not certified. */
static double value_at(const struct trial *t, double distance) {
    const struct random_problem *p = t->p;
    double *x = malloc((p->inputs + 1) * sizeof *x), *raw = malloc(p->outputs * sizeof *raw), value = 0;
    hn_report report;
    for (size_t i = 0; i < p->inputs; i++)
        x[i] = p->x[i] + distance * t->along_x[i];
    for (size_t j = 0; j < p->outputs; j++)
        raw[j] = p->raw[j] + distance * t->along_raw[j];
    const hn_batch batch = batch_of(1, x, raw, raw, &report);
    layer_run(t->layer, &batch);
    for (size_t j = 0; j < p->outputs; j++)
        value += t->loss[j] * raw[j];
    free(x);
    free(raw);
    return report.outcome == HN_OUTCOME_OK && report.kkt <= POLISHED ? value : (double)NAN;
}

/* The extrapolated quotient; NaN where the two do not agree. */
static double quotient(const struct trial *t) {
    double wide = (value_at(t, FAR) - value_at(t, -FAR)) / (2 * FAR);
    double narrow = (value_at(t, FAR / 2) - value_at(t, -FAR / 2)) / FAR;
    double best = narrow + (narrow - wide) / 3;
    return fabs(wide - narrow) <= 1e-5 * fmax(1, fabs(best)) ? best : (double)NAN;
}

/* 1 where a gradient was compared, 0 where it could not be, and -1 where it is flagged. */
static int check_problem(struct random_problem_options options, uint64_t number, double *worst) {
    struct random_problem p;
    struct random random = random_start(41, number);
    random_problem_create(&p, options, 42, number);
    struct trial t = {.p = &p, .layer = layer_of(p.model, layer_method(HN_METHOD_NEAREST))};
    t.along_raw = draw(&random, p.outputs, -1, 1);
    t.along_x = draw(&random, p.inputs, -1, 1);
    t.loss = draw(&random, p.outputs, -1, 1);
    struct layer_results r = run_and_pull(t.layer, 1, p.x, p.raw, t.loss);
    int answer = r.flagged[0] ? -1 : 0;
    assert_finite_results(&r);
    assert_true(r.flagged[0] || (r.reports[0].outcome == HN_OUTCOME_OK && r.reports[0].kkt <= HN_CERTIFIED));
    double known = r.flagged[0] || r.reports[0].kkt > POLISHED ? (double)NAN : quotient(&t);
    double ours = inner(r.grad_y_raw, t.along_raw, p.outputs) + inner(r.grad_x, t.along_x, p.inputs);
    if (!isnan(known)) {
        answer = 1;
        *worst = fmax(*worst, fabs(ours - known) / fmax(1, fabs(known)));
        if (!(fabs(ours - known) <= 1e-6 * fmax(1, fabs(known))))
            fail_msg("problem %d: gradient %.12g, quotient %.12g", (int)number, ours, known);
    }
    results_release(&r);
    free(t.along_raw);
    free(t.along_x);
    free(t.loss);
    hn_layer_destroy(t.layer);
    random_problem_release(&p);
    return answer;
}

static void check_problems(struct random_problem_options options, uint64_t problems, double least) {
    size_t compared = 0, flagged = 0;
    double worst = 0;
    problems = many > 0 ? many : problems;
    for (uint64_t k = 0; k < problems; k++) {
        int answer = check_problem(options, k, &worst);
        compared += answer > 0;
        flagged += answer < 0;
    }
    print_message("%zu of %d compared, largest error %.1e, %zu flagged\n", compared, (int)problems, worst, flagged);
    assert_true((double)compared >= least * (double)problems);
}

TEST(gradients_are_those_of_the_nearest_point) {
    check_problems((struct random_problem_options){.kind = PROBLEM_FEASIBLE}, 600 / HN_TEST_SHARE, 0.6);
}

/* Every bound is an input. */
TEST(bounds_have_their_share) {
    const struct random_problem_options options = {.kind = PROBLEM_FEASIBLE, .bounds_are_inputs = true};
    check_problems(options, 300 / HN_TEST_SHARE, 0.6);
}

TEST(dependent_rows_are_finite_and_flagged) {
    check_problems((struct random_problem_options){.kind = PROBLEM_DEGENERATE}, 300 / HN_TEST_SHARE, 0);
}

/* ---- known ones ---- */

/* y1 + y2 <= b, y3 fixed at x, y2 y3 = 1: y2 = 1/x, y1 = min(raw1, b - 1/x). */
TEST(fixed_outputs_hand_their_gradient_to_x) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2"), y3 = hn_output(m, "y3");
    hn_output_fix(y3, x);
    hn_constrain(m, "sum", -INFINITY, hn_add(y1, y2), 2);
    hn_constrain(m, "product", 1, hn_mul(y2, y3), 1);
    model_finish_good(m);
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_NEAREST));
    const double input = 2, raw[3] = {5, 1, 0}, grad_y[3] = {1, 10, 100};
    struct layer_results r = run_and_pull(layer, 1, &input, raw, grad_y);
    assert_false(r.flagged[0]);
    assert_in_interval(r.y[0] - 1.5, -1e-9, 1e-9);
    assert_in_interval(r.grad_x[0], 97.75 - 1e-8, 97.75 + 1e-8); /* 1/4 - 10/4 + 100 */
    for (size_t j = 0; j < 3; j++)
        assert_in_interval(r.grad_y_raw[j], -1e-9, 1e-9);
    assert_in_interval(r.grad_upper[0], 1 - 1e-9, 1 + 1e-9);
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

/* Weights: onto y1 + y2 = 0 with S = (1, 2), y = (4 (r1 - r2) / 5, ...): the gradient of y1 is 4/5, -4/5. */
TEST(weights_stand_in_gradients) {
    hn_model *m = model_new();
    hn_expr y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2");
    hn_constrain(m, "sum", 0, hn_add(y1, y2), 0);
    model_finish_good(m);
    static const double weights[2] = {1, 2}, raw[2] = {3, 1}, grad_y[2] = {1, 0};
    hn_layer_options options = layer_method(HN_METHOD_NEAREST);
    options.weights = weights;
    hn_layer *layer = layer_of(m, options);
    struct layer_results r = run_and_pull(layer, 1, NULL, raw, grad_y);
    assert_false(r.flagged[0]);
    assert_in_interval(r.y[0], -0.2 - 1e-9, -0.2 + 1e-9); /* 3 - l, 1 - l / 4 with l = 16 / 5 */
    assert_in_interval(r.grad_y_raw[0], 0.2 - 1e-9, 0.2 + 1e-9);
    assert_in_interval(r.grad_y_raw[1], -0.8 - 1e-9, -0.8 + 1e-9);
    assert_in_interval(r.grad_upper[0], 0.8 - 1e-9, 0.8 + 1e-9);
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

/* Where the raw output lies on the bound the row is weakly active: either side is a gradient, and it is flagged. */
TEST(weakly_active_rows_are_flagged) {
    hn_model *m = model_new();
    hn_output_bounds(hn_output(m, "y"), -INFINITY, 1);
    model_finish_good(m);
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_NEAREST));
    static const double raw[3] = {1, 1 + 1e-7, 1.5}, grad_y[3] = {1, 1, 1};
    struct layer_results r = run_and_pull(layer, 3, NULL, raw, grad_y);
    assert_true(r.flagged[0] && r.flagged[1] && !r.flagged[2]);
    for (size_t k = 0; k < 2; k++)
        assert_true(fabs(r.grad_y_raw[k]) < 1e-9 || fabs(r.grad_y_raw[k] - 1) < 1e-9);
    assert_in_interval(r.grad_y_raw[2], -1e-9, 1e-9);
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

int main(int count, char **arguments) {
    many = count > 1 ? strtoull(arguments[1], NULL, 10) : 0;
    return run_registered_tests();
}
