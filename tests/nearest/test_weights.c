/* test_weights.c - gradients of the nearest point by its weights S, against differences of layers with other weights.
 *
 * Weights are options of a layer: one is made at each of four distances along a random direction. Where the two quotients agree (the
 * active rows stay the same) the extrapolated one must be the gradient's.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "support/check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/search_trial.h"

#include "hardnet/read.h"

enum { PROBLEMS = HN_TEST_SHARE > 1 ? 60 : 300 };
static const double FAR = 1e-4;
static const double POLISHED = 1e-12;

struct trial {
    const struct random_problem *p;
    double *weights, *along, *loss, *multiplied; /* multiplied: the loss by the multipliers */
};

/* The layer at a distance along the direction. */
static hn_layer *layer_at(const struct trial *t, double distance) {
    hn_layer_options options = layer_method(HN_METHOD_NEAREST);
    double *weights = malloc(t->p->outputs * sizeof *weights);
    for (size_t j = 0; j < t->p->outputs; j++)
        weights[j] = t->weights[j] + distance * t->along[j];
    options.weights = weights;
    hn_layer *layer = layer_of(t->p->model, options);
    free(weights);
    return layer;
}

/* The loss there; NaN where it is not certified. */
static double value_at(const struct trial *t, double distance) {
    const struct random_problem *p = t->p;
    hn_layer *layer = layer_at(t, distance);
    struct layer_results r = results_of(layer, 1);
    double *l = malloc((p->rows + 1) * sizeof *l);
    hn_batch batch = batch_into(&r, p->x, p->raw);
    batch.multipliers = l;
    layer_run(layer, &batch);
    double value = inner(t->loss, r.y, p->outputs) + inner(t->multiplied, l, p->rows);
    bool good = r.reports[0].outcome == HN_OUTCOME_OK && r.reports[0].kkt <= POLISHED;
    free(l);
    results_release(&r);
    hn_layer_destroy(layer);
    return good ? value : (double)NAN;
}

static double quotient(const struct trial *t) {
    double wide = (value_at(t, FAR) - value_at(t, -FAR)) / (2 * FAR);
    double narrow = (value_at(t, FAR / 2) - value_at(t, -FAR / 2)) / FAR;
    double best = narrow + (narrow - wide) / 3;
    return fabs(wide - narrow) <= 1e-5 * fmax(1, fabs(best)) ? best : (double)NAN;
}

/* Into `by`; whether it is to be compared. */
static bool pull_by_weights(const struct trial *t, double *by) {
    hn_layer *layer = layer_at(t, 0);
    struct layer_results r = results_of(layer, 1);
    hn_batch batch = batch_into(&r, t->p->x, t->p->raw);
    hn_gradient gradient = gradient_into(&r, t->loss);
    gradient.grad_multipliers = t->multiplied;
    gradient.grad_weights = by;
    layer_run(layer, &batch);
    layer_pull(layer, &batch, &gradient);
    bool good = !r.flagged[0] && r.reports[0].kkt <= POLISHED;
    assert_all_finite(by, t->p->outputs);
    results_release(&r);
    hn_layer_destroy(layer);
    return good;
}

/* Whether the gradient was compared; the largest so far into *largest. */
static bool check_problem(uint64_t number, double *largest) {
    struct random_problem p;
    struct random random = random_start(61, number);
    random_problem_create(&p, (struct random_problem_options){.kind = PROBLEM_FEASIBLE}, 62, number);
    struct trial t = {&p, draw(&random, p.outputs, 0.5, 2), draw(&random, p.outputs, -1, 1),
                      draw(&random, p.outputs, -1, 1), draw(&random, p.rows, -1, 1)};
    double *by = malloc(p.outputs * sizeof *by);
    bool good = pull_by_weights(&t, by);
    double ours = inner(by, t.along, p.outputs), known = good ? quotient(&t) : (double)NAN;
    if (!isnan(known) && !(fabs(ours - known) <= 1e-6 * fmax(1, fabs(known))))
        fail_msg("problem %d: gradient %.12g, quotient %.12g", (int)number, ours, known);
    *largest = isnan(known) ? *largest : fmax(*largest, fabs(known));
    free(by);
    free(t.weights);
    free(t.along);
    free(t.loss);
    free(t.multiplied);
    random_problem_release(&p);
    return !isnan(known);
}

TEST(gradients_by_weights_are_those_of_differences) {
    size_t compared = 0;
    double largest = 0;
    for (uint64_t k = 0; k < PROBLEMS; k++)
        compared += check_problem(k, &largest);
    print_message("%zu of %d compared, the largest gradient %.1e\n", compared, (int)PROBLEMS, largest);
    assert_true(compared > PROBLEMS / 2 && largest > 0.1);
}

/* Of other methods they are refused; samples that search found nothing for have zeros. */
TEST(other_methods_have_no_weights) {
    struct random_problem p;
    hn_error error = {.text = ""};
    random_problem_create(&p, (struct random_problem_options){.kind = PROBLEM_INFEASIBLE}, 63, 1);
    hn_layer *layer = layer_of(p.model, layer_method(HN_METHOD_AUTO));
    struct layer_results r = results_of(layer, 1);
    double *by = calloc(p.outputs, sizeof *by), *loss = calloc(p.outputs, sizeof *loss);
    const hn_batch batch = batch_into(&r, p.x, p.raw);
    hn_gradient gradient = gradient_into(&r, loss);
    void *workspace = malloc(hn_layer_workspace_bytes(layer));
    layer_run(layer, &batch);
    gradient.grad_weights = by;
    assert_int_equal(hn_layer_gradient(layer, &batch, &gradient, workspace, hn_layer_workspace_bytes(layer), &error),
                     HN_INVALID);
    assert_contains(error.text, "the method auto has no weights");
    free(workspace);
    results_release(&r);
    hn_layer_destroy(layer);

    for (size_t j = 0; j < p.outputs; j++)
        loss[j] = by[j] = 1;
    layer = layer_of(p.model, layer_method(HN_METHOD_NEAREST));
    r = results_of(layer, 1);
    const hn_batch lost = batch_into(&r, p.x, p.raw);
    gradient = gradient_into(&r, loss);
    gradient.grad_weights = by;
    layer_run(layer, &lost);
    layer_pull(layer, &lost, &gradient);
    assert_true(r.flagged[0]);
    assert_all_zero(by, p.outputs);
    results_release(&r);
    hn_layer_destroy(layer);
    free(by);
    free(loss);
    random_problem_release(&p);
}

/* The report of `text` at x, from y_raw, or from the start values where that is NULL. */
static hn_report report_of(const char *text, const double *weights, double x, const double *raw) {
    hn_model *model;
    const hn_text file = {"weights.mod", text, strlen(text)};
    hn_layer_options options = layer_method(HN_METHOD_NEAREST);
    hn_error error;
    if (hn_model_read_memory(&model, 1, &file, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    options.weights = weights;
    hn_layer *layer = layer_of(model, options);
    struct layer_results r = run_forward(layer, 1, &x, raw);
    hn_report report = r.reports[0];
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
    return report;
}

TEST(a_start_value_that_is_no_number_is_infinitely_far) {
    hn_report report = report_of("param x; var y{1..2}; s.t. b: x <= y[1] <= -x; let y[2] := log(-x);",
                                 (const double[]){2, 3}, 1, NULL);
    assert_int_equal(report.outcome, HN_OUTCOME_BAD_BOUNDS);
    assert_true(isinf(report.distance) && isinf(report.moved));
}

/* |S (y - y_raw)| = |(3, 4)| times a unit; the square of the first is 0 in doubles. */
TEST(distances_are_weighed_in_any_unit) {
    static const double units[] = {1e-200, 1, 1e150};
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        const double raw[] = {0, 0}, weights[] = {3 * units[i], 4 * units[i]};
        hn_report report = report_of("param x; var y{1..2}; s.t. a: y[1] = x; s.t. b: y[2] = x;", weights, 1, raw);
        assert_int_equal(report.outcome, HN_OUTCOME_OK);
        assert_true(fabs(report.distance - 5 * units[i]) <= 1e-7 * units[i]);
    }
}
