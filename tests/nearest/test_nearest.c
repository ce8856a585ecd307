/* test_nearest.c - the method nearest judged by the optimality conditions, evaluated anew: certificates are true, nothing is further away
 * or less feasible than what auto finds.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/search_trial.h"

/* ---- the judge ---- */

/* max(|y - y_raw - J' l| / max(1, |l|), complementarity, violation) */
static double judged_residual_of(struct judge *j, const double *x, const double *raw, const double *y,
                                 const double *l) {
    double largest, worst;
    judge_look(j, x, y, l);
    worst = judge_rows(j, &largest);
    for (size_t k = 0; k < j->outputs; k++)
        worst = fmax(worst, fabs(y[k] - raw[k] - j->pulled[k]) / largest);
    return worst;
}

/* ---- random problems ---- */

/* Half the squared distance is no larger than auto's, but for what a violation of 1e-8 is worth. */
static void assert_no_further(const struct random_problem *p, const struct outcome *o, const struct outcome *before) {
    double worth = 0, now = o->report.distance, then = before->report.moved;
    for (size_t i = 0; i < p->rows; i++)
        worth += 1e-8 * fabs(o->l[i]);
    if (now * now / 2 > then * then / 2 * (1 + 1e-12) + worth)
        fail_msg("%.17g away, auto %.17g", now, then);
}

/* true where it is certified */
static bool check_problem(enum problem_kind kind, uint64_t number) {
    struct random_problem p;
    random_problem_create(&p, (struct random_problem_options){.kind = kind}, 31, number);
    struct outcome o = run_one(&p, HN_METHOD_NEAREST), before = run_one(&p, HN_METHOD_AUTO);
    struct judge judge = judge_of(p.model);
    bool certified = o.report.outcome == HN_OUTCOME_OK && o.report.kkt <= HN_CERTIFIED;
    assert_int_equal(o.report.outcome, before.report.outcome);
    if (o.report.outcome == HN_OUTCOME_OK)
        assert_in_interval(judged_violation(p.model, p.x, o.y, false, NULL), 0, 1.0001e-8);
    if (certified)
        assert_in_interval(judged_residual_of(&judge, p.x, p.raw, o.y, o.l), 0, 1.01 * HN_CERTIFIED);
    if (o.report.outcome == HN_OUTCOME_OK)
        assert_no_further(&p, &o, &before);
    bool lost = o.report.outcome == HN_OUTCOME_LOCALLY_INFEASIBLE; /* test_proof.c */
    for (size_t j = 0; !certified && !lost && j < p.outputs; j++)
        assert_same_bits(o.y[j], before.y[j]);
    for (size_t i = 0; !certified && !lost && i < p.rows; i++)
        assert_true(o.l[i] == 0);
    assert_true(certified ? o.report.complementarity <= 1.01 * HN_CERTIFIED : isinf(o.report.complementarity));
    assert_true(lost || isinf(o.report.proof));
    assert_true(certified || isinf(o.report.kkt));
    judge_release(&judge);
    outcome_release(&o);
    outcome_release(&before);
    random_problem_release(&p);
    return certified;
}

static void check_kind(enum problem_kind kind, uint64_t problems, double least) {
    int certified = 0;
    for (uint64_t k = 0; k < problems; k++)
        certified += check_problem(kind, k);
    assert_in_interval(certified, least * (double)problems, (double)problems);
}

TEST(certificates_hold_on_feasible_problems) {
    check_kind(PROBLEM_FEASIBLE, 1200 / HN_TEST_SHARE, 0.995);
}

TEST(certificates_hold_where_rows_depend_on_each_other) {
    check_kind(PROBLEM_DEGENERATE, 1200 / HN_TEST_SHARE, 0.995);
}

TEST(certificates_are_true_in_units_far_apart) {
    check_kind(PROBLEM_SCALED, 400 / HN_TEST_SHARE, 0.5);
}

/* ---- small things ---- */

/* y^2 = 0 has no multiplier at its only point: what is certified is a point within the tolerance, by a large one. */
TEST(a_cusp_is_judged_by_the_definition) {
    hn_model *m = model_of_text("var y; cusp: y*y = 0;");
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_NEAREST));
    double raw = 1, out, l = 7;
    hn_report report;
    hn_batch batch = batch_of(1, NULL, &raw, &out, &report);
    batch.multipliers = &l;
    layer_run(layer, &batch);
    assert_int_equal(report.outcome, HN_OUTCOME_OK);
    assert_in_interval(out, -1e-4, 1e-4);
    if (report.kkt <= HN_CERTIFIED)
        assert_in_interval(fmax(fabs(out - raw - 2 * out * l) / fmax(1, fabs(l)), out * out), 0, 1.01 * HN_CERTIFIED);
    else
        assert_true(isinf(report.kkt) && l == 0);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

/* In place, from start values, from a raw output that holds, and an output that is fixed. */
static hn_model *corner_model(void) {
    hn_model *m = model_new();
    hn_expr y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2"), y3 = hn_output(m, "y3");
    hn_output_start(y1, hn_constant(m, 3));
    hn_output_start(y2, hn_constant(m, 2));
    hn_output_fix(y3, hn_constant(m, 1));
    hn_constrain(m, "sum", -INFINITY, hn_sum(m, 3, (hn_expr[]){y1, y2, y3}), 2);
    model_finish_good(m);
    return m;
}

TEST(start_values_and_fixed_outputs_count) {
    hn_model *m = corner_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_NEAREST));
    double y[3];
    hn_report report;
    hn_batch batch = {.size = sizeof batch, .count = 1, .y = y, .report_size = sizeof report, .reports = &report};
    layer_run(layer, &batch);
    assert_in_interval(report.kkt, 0, HN_CERTIFIED);
    assert_in_interval(y[0], 1 - 1e-9, 1 + 1e-9); /* (3, 2) onto y1 + y2 <= 1 */
    assert_in_interval(y[1], -1e-9, 1e-9);
    assert_true(y[2] == 1);
    batch.y_raw = y; /* where it is: nothing moves */
    y[0] = -5;
    layer_run(layer, &batch);
    assert_true(y[0] == -5 && report.kkt == 0 && report.factorisations == 0 && report.distance == 0);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

static void check_refusal(const hn_layer_options *options, const hn_batch *batch, const char *part) {
    hn_model *m = corner_model();
    hn_error error = {.text = ""};
    hn_layer *layer = NULL;
    if (batch) {
        layer = layer_of(m, *options);
        size_t bytes = hn_layer_workspace_bytes(layer);
        void *workspace = malloc(bytes);
        assert_int_equal(hn_layer_run(layer, batch, workspace, bytes, &error), HN_INVALID);
        free(workspace);
    } else
        assert_error(hn_layer_create(&layer, m, options, &error), HN_INVALID, error, part);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(misuse_is_refused_by_name) {
    double weights[3] = {1, -1, 1}, y[3], l[1];
    hn_layer_options nearest = layer_method(HN_METHOD_NEAREST), other = layer_method(HN_METHOD_AUTO);
    nearest.weights = other.weights = weights;
    check_refusal(&other, NULL, "weights: the method auto has none");
    check_refusal(&nearest, NULL, "weights: entry 1 is -1");
    weights[1] = NAN;
    check_refusal(&nearest, NULL, "weights: entry 1 is NaN");
    weights[1] = INFINITY;
    check_refusal(&nearest, NULL, "weights: entry 1 is ");
    nearest.weights = other.weights = NULL;
    const hn_batch multiplied = {.size = sizeof multiplied, .count = 1, .y = y, .multipliers = l};
    check_refusal(&other, &multiplied, "the method auto has no multipliers");
}

/* A full matrix of equalities, whose systems auto solves in tiles, one sample at a time. */
TEST(full_systems_are_certified) {
    enum { ROWS = 50, OUTPUTS = 60, COUNT = 3 };
    hn_model *m = model_new();
    hn_expr y[OUTPUTS];
    struct random random = random_start(34, 1);
    double raw[COUNT * OUTPUTS], out[COUNT * OUTPUTS], l[COUNT * ROWS];
    hn_report reports[COUNT];
    for (size_t j = 0; j < OUTPUTS; j++) {
        char name[32];
        snprintf(name, sizeof name, "y%zu", j);
        y[j] = hn_output(m, name);
    }
    for (size_t i = 0; i < ROWS; i++) {
        hn_expr terms[OUTPUTS];
        char name[32];
        snprintf(name, sizeof name, "row%zu", i);
        for (size_t j = 0; j < OUTPUTS; j++)
            terms[j] = hn_scale(random_between(&random, -1, 1), y[j]);
        hn_constrain(m, name, 1, hn_sum(m, OUTPUTS, terms), i % 2 ? 1 : 2);
    }
    model_finish_good(m);
    for (size_t k = 0; k < COUNT * OUTPUTS; k++)
        raw[k] = random_between(&random, -2, 2);
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_NEAREST));
    struct judge judge = judge_of(m);
    for (size_t count = COUNT; count > 0; count -= COUNT - 1) { /* together, then one alone */
        hn_batch batch = batch_of(count, NULL, raw, out, reports);
        batch.multipliers = l;
        layer_run(layer, &batch);
        for (size_t k = 0; k < count; k++) {
            assert_in_interval(reports[k].kkt, 0, HN_CERTIFIED);
            assert_in_interval(judged_residual_of(&judge, NULL, raw + k * OUTPUTS, out + k * OUTPUTS, l + k * ROWS), 0,
                               1.01 * HN_CERTIFIED);
        }
        if (count == 1)
            break;
    }
    judge_release(&judge);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}
