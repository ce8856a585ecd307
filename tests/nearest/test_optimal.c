/* test_optimal.c - the method optimal judged by the optimality conditions, evaluated anew; gradients of optimum and multipliers against
 * differences of both.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/search_trial.h"

/* ---- the judge ---- */

/* max(|df/dy - J' l| / max(1, |l|), complementarity, violation) of one sample; f in *objective. */
static double judge(const hn_model *model, const double *x, const double *y, const double *l, double *objective) {
    struct judge j = judge_of(model);
    double largest, worst;
    judge_look(&j, x, y, l);
    worst = judge_rows(&j, &largest);
    for (size_t k = 0; k < j.outputs; k++)
        worst =
            fmax(worst, (fabs(j.slope[k] - j.pulled[k]) - 1e-10 * fabs(j.slope[k])) / largest); /* but for rounding */
    *objective = j.objective;
    judge_release(&j);
    return worst;
}

/* ---- random problems ---- */

/* true where it is certified */
static bool check_problem(enum problem_kind kind, uint64_t number) {
    struct random_problem p;
    random_problem_create(&p, (struct random_problem_options){.kind = kind, .objective = true}, 51, number);
    struct outcome o = run_one(&p, HN_METHOD_OPTIMAL), before = run_one(&p, HN_METHOD_AUTO);
    bool ok = o.report.outcome == HN_OUTCOME_OK, certified = ok && o.report.kkt <= HN_CERTIFIED;
    double f, then, worth = 0;
    double residual = judge(p.model, p.x, o.y, o.l, &f);
    judge(p.model, p.x, before.y, o.l, &then);
    for (size_t i = 0; i < p.rows; i++)
        worth += 1e-8 * fabs(o.l[i]);
    assert_int_equal(o.report.outcome, before.report.outcome);
    if (ok) {
        assert_in_interval(judged_violation(p.model, p.x, o.y, false, NULL), 0, 1.0001e-8);
        assert_in_interval(o.report.objective, f - 1e-12 * fabs(f), f + 1e-12 * fabs(f));
        assert_true(f <= then + worth + 1e-12 * fabs(then));
    }
    if (certified)
        assert_in_interval(residual, 0, 1.01 * HN_CERTIFIED);
    bool lost = o.report.outcome == HN_OUTCOME_LOCALLY_INFEASIBLE; /* test_proof.c */
    assert_true((o.report.reason == HN_REASON_NONE) == (certified || !ok));
    for (size_t j = 0; !ok && j < p.outputs; j++)
        assert_same_bits(o.y[j], before.y[j]);
    for (size_t i = 0; !certified && !lost && i < p.rows; i++)
        assert_true(o.l[i] == 0);
    assert_true(certified ? o.report.complementarity <= 1.01 * HN_CERTIFIED : isinf(o.report.complementarity));
    assert_true(certified || isinf(o.report.kkt));
    outcome_release(&o);
    outcome_release(&before);
    random_problem_release(&p);
    return certified;
}

static void check_kind(enum problem_kind kind, uint64_t problems, double least) {
    int certified = 0;
    for (uint64_t k = 0; k < problems; k++)
        certified += check_problem(kind, k);
    print_message("%d of %d certified\n", certified, (int)problems);
    assert_in_interval(certified, least * (double)problems, (double)problems);
}

TEST(certificates_hold_on_feasible_problems) {
    check_kind(PROBLEM_FEASIBLE, 800 / HN_TEST_SHARE, 0.99);
}

TEST(certificates_hold_where_rows_depend_on_each_other) {
    check_kind(PROBLEM_DEGENERATE, 600 / HN_TEST_SHARE, 0.98);
}

TEST(certificates_are_true_in_units_far_apart) {
    check_kind(PROBLEM_SCALED, 200 / HN_TEST_SHARE, 0);
}

/* ---- gradients ---- */

/* A problem, and a direction in x with a loss on y and on the multipliers. */
struct trial {
    const struct random_problem *p;
    hn_layer *layer;
    double *along, *loss, *force;
};

/* The loss at a distance along the direction, begun at the solution; NaN where that is not certified. */
static double value_at(const struct trial *t, const double *from, double distance) {
    const struct random_problem *p = t->p;
    double *x = malloc((p->inputs + 1) * sizeof *x), *y = malloc(p->outputs * sizeof *y);
    double *l = malloc((p->rows + 1) * sizeof *l);
    hn_report report;
    for (size_t i = 0; i < p->inputs; i++)
        x[i] = p->x[i] + distance * t->along[i];
    memcpy(y, from, p->outputs * sizeof *y);
    hn_batch batch = batch_of(1, x, y, y, &report);
    batch.multipliers = l;
    layer_run(t->layer, &batch);
    double value = inner(t->loss, y, p->outputs) + inner(t->force, l, p->rows);
    free(x);
    free(y);
    free(l);
    return report.outcome == HN_OUTCOME_OK && report.kkt <= 1e-11 ? value : (double)NAN;
}

/* The extrapolated quotient; NaN where the two do not agree, or where the search goes elsewhere from the solution itself. */
static double quotient(const struct trial *t, const double *from, double here) {
    const double far = 1e-4;
    if (!(fabs(value_at(t, from, 0) - here) <= 1e-8 * fmax(1, fabs(here))))
        return (double)NAN;
    double wide = (value_at(t, from, far) - value_at(t, from, -far)) / (2 * far);
    double narrow = (value_at(t, from, far / 2) - value_at(t, from, -far / 2)) / far;
    double best = narrow + (narrow - wide) / 3;
    return fabs(wide - narrow) <= 1e-5 * fmax(1, fabs(best)) ? best : (double)NAN;
}

/* 1 where a gradient was compared, 0 where it could not be, and -1 where it is flagged. */
static int check_gradient(struct random_problem_options options, uint64_t number) {
    struct random_problem p;
    struct random random = random_start(52, number);
    random_problem_create(&p, options, 53, number);
    struct trial t = {.p = &p, .layer = layer_of(p.model, layer_method(HN_METHOD_OPTIMAL))};
    t.along = draw(&random, p.inputs, -1, 1);
    t.loss = draw(&random, p.outputs, -1, 1);
    t.force = draw(&random, p.rows, -1, 1);
    struct layer_results r = results_of(t.layer, 1);
    hn_batch batch = batch_into(&r, p.x, p.raw);
    hn_gradient gradient = gradient_into(&r, t.loss);
    double *l = malloc((p.rows + 1) * sizeof *l);
    batch.multipliers = l;
    gradient.grad_multipliers = t.force;
    layer_run(t.layer, &batch);
    layer_pull(t.layer, &batch, &gradient);
    assert_finite_results(&r);
    int answer = r.flagged[0] ? -1 : 0;
    double here = inner(t.loss, r.y, p.outputs) + inner(t.force, l, p.rows);
    double known = r.flagged[0] || r.reports[0].kkt > 1e-11 ? (double)NAN : quotient(&t, r.y, here);
    double ours = inner(r.grad_x, t.along, p.inputs);
    for (size_t j = 0; !r.flagged[0] && j < p.outputs; j++)
        assert_true(r.grad_y_raw[j] == 0);
    if (!isnan(known)) {
        answer = 1;
        if (!(fabs(ours - known) <= 1e-6 * fmax(1, fabs(known))))
            fail_msg("problem %d: gradient %.12g, quotient %.12g", (int)number, ours, known);
    }
    results_release(&r);
    free(t.along);
    free(t.loss);
    free(t.force);
    free(l);
    hn_layer_destroy(t.layer);
    random_problem_release(&p);
    return answer;
}

static void check_gradients(struct random_problem_options options, uint64_t problems, double least) {
    size_t compared = 0, flagged = 0;
    for (uint64_t k = 0; k < problems; k++) {
        int answer = check_gradient(options, k);
        compared += answer > 0;
        flagged += answer < 0;
    }
    print_message("%zu of %d compared, %zu flagged\n", compared, (int)problems, flagged);
    assert_true((double)compared >= least * (double)problems);
}

TEST(gradients_are_those_of_optimum_and_multipliers) {
    const struct random_problem_options options = {.kind = PROBLEM_FEASIBLE, .objective = true};
    check_gradients(options, 640 / HN_TEST_SHARE, 0.8);
}

TEST(bounds_have_their_share) {
    const struct random_problem_options options = {
        .kind = PROBLEM_FEASIBLE, .objective = true, .bounds_are_inputs = true};
    check_gradients(options, 200 / HN_TEST_SHARE, 0.6);
}

TEST(dependent_rows_are_finite_and_flagged) {
    const struct random_problem_options options = {.kind = PROBLEM_DEGENERATE, .objective = true};
    check_gradients(options, 200 / HN_TEST_SHARE, 0);
}

/* ---- known ones ---- */

struct known {
    double y[3], l[8];
    hn_report report;
};

static struct known solve(hn_model *m, const double *x, const double *raw) {
    struct known k;
    model_finish_good(m);
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_OPTIMAL));
    hn_batch batch = batch_of(1, x, raw, k.y, &k.report);
    batch.multipliers = k.l;
    layer_run(layer, &batch);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
    return k;
}

/* maximise 3 y1 + 2 y2 with y1 + y2 <= 4, y1 + 3 y2 <= 7, y1 <= 3, both >= 0: at (3, 1), 11, by the first and the third. */
TEST(a_linear_programme_ends_at_its_corner) {
    hn_model *m = model_new();
    hn_expr y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2");
    hn_maximize(m, "profit", hn_add(hn_scale(3, y1), hn_scale(2, y2)));
    hn_constrain(m, "sum", -INFINITY, hn_add(y1, y2), 4);
    hn_constrain(m, "other", -INFINITY, hn_add(y1, hn_scale(3, y2)), 7);
    hn_constrain(m, "first", 0, y1, 3);
    hn_constrain(m, "second", 0, y2, INFINITY);
    const struct known k = solve(m, NULL, (const double[]){0.5, 9});
    static const double multipliers[4] = {-2, 0, -1, 0};
    assert_in_interval(k.report.kkt, 0, HN_CERTIFIED);
    assert_in_interval(k.y[0], 3 - 1e-9, 3 + 1e-9);
    assert_in_interval(k.y[1], 1 - 1e-9, 1 + 1e-9);
    assert_in_interval(k.report.objective, 11 - 1e-9, 11 + 1e-9);
    for (size_t i = 0; i < 4; i++)
        assert_in_interval(k.l[i] - multipliers[i], -1e-8, 1e-8);
}

/* Nothing bounds it: what auto found is returned, and not as an optimum. */
TEST(what_has_no_optimum_is_auto_s) {
    hn_model *m = model_new();
    hn_expr y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2");
    hn_minimize(m, "fall", hn_sub(y1, y2));
    hn_constrain(m, "line", 1, hn_add(y1, y2), 1);
    const struct known k = solve(m, NULL, (const double[]){3, 4});
    assert_int_equal(k.report.outcome, HN_OUTCOME_OK);
    assert_true(isinf(k.report.kkt) && k.l[0] == 0);
    assert_in_interval(k.y[0] + k.y[1], 1 - 1e-8, 1 + 1e-8);
    assert_in_interval(k.report.objective, k.y[0] - k.y[1], k.y[0] - k.y[1]);
}

/* |y - x|^2 / 2 as an objective is what nearest has: the same y, the same multipliers. */
TEST(a_distance_as_objective_is_nearest) {
    static const double raw[2] = {2, 1.5}, start[2] = {0.1, 0.2};
    hn_model *m = model_new();
    hn_expr x1 = hn_input(m, "x1"), x2 = hn_input(m, "x2"), y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2");
    hn_expr a = hn_sub(y1, x1), b = hn_sub(y2, x2);
    hn_minimize(m, "distance", hn_scale(0.5, hn_add(hn_mul(a, a), hn_mul(b, b))));
    hn_constrain(m, "disc", -INFINITY, hn_add(hn_mul(y1, y1), hn_mul(y2, y2)), 1);
    hn_constrain(m, "line", 0.5, hn_sub(y1, y2), INFINITY);
    model_finish_good(m);
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_NEAREST));
    double y[2], l[2];
    const hn_batch batch = {.size = sizeof batch, .count = 1, .x = raw, .y_raw = raw, .y = y, .multipliers = l};
    layer_run(layer, &batch);
    hn_layer_destroy(layer);
    const struct known k = solve(m, raw, start);
    assert_in_interval(k.report.kkt, 0, HN_CERTIFIED);
    for (size_t j = 0; j < 2; j++) {
        assert_in_interval(k.y[j] - y[j], -1e-9, 1e-9);
        assert_in_interval(k.l[j] - l[j], -1e-8, 1e-8);
    }
}

/* An output that is fixed does not move, and stands in the others' optimum: y1 = y2 / 2 with y2 = x. */
TEST(fixed_outputs_stay) {
    hn_model *m = model_of_text("param x; var y1; var y2; minimize f: y1*y1 - y1*y2; fix y2 := x;");
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_OPTIMAL));
    const double input = 3, raw[2] = {9, 9}, grad_y[2] = {10, 1};
    struct layer_results r = run_and_pull(layer, 1, &input, raw, grad_y);
    assert_in_interval(r.y[0], 1.5 - 1e-9, 1.5 + 1e-9);
    assert_true(r.y[1] == 3 && !r.flagged[0]);
    assert_in_interval(r.grad_x[0], 6 - 1e-8, 6 + 1e-8); /* 10 / 2 + 1 */
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

/* ---- what is refused ---- */

static void check_refusal(hn_layer_options options, bool objective, const char *part) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    hn_error error = {.text = ""};
    hn_layer *layer = NULL;
    hn_constrain(m, "row", 0, y, 1);
    if (objective)
        hn_minimize(m, "f", y);
    model_finish_good(m);
    assert_error(hn_layer_create(&layer, m, &options, &error), HN_INVALID, error, part);
    hn_model_destroy(m);
}

TEST(misuse_is_refused_by_name) {
    static const double weights[1] = {1};
    hn_layer_options options = layer_method(HN_METHOD_OPTIMAL);
    check_refusal(options, false, "method optimal: the model has no objective");
    options.weights = weights;
    check_refusal(options, true, "weights: the method optimal has none");
}

TEST(multipliers_have_no_gradient_elsewhere) {
    hn_model *m = model_of_text("var y; row: 0 <= y <= 1;");
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_AUTO));
    const double raw = 3, grad = 1;
    hn_error error = {.text = ""};
    struct layer_results r = results_of(layer, 1);
    hn_batch batch = batch_into(&r, NULL, &raw);
    hn_gradient gradient = gradient_into(&r, &grad);
    size_t bytes = hn_layer_gradient_workspace_bytes(layer);
    void *workspace = malloc(bytes);
    layer_run(layer, &batch);
    gradient.grad_multipliers = &grad;
    assert_int_equal(hn_layer_gradient(layer, &batch, &gradient, workspace, bytes, &error), HN_INVALID);
    assert_contains(error.text, "the method auto has no multipliers");
    free(workspace);
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}
