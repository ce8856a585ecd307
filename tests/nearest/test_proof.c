/* test_proof.c - what nearest and optimal say where nothing holds the rows: weights that prove it to first order, judged by the
 * equations; and a search that is told to end.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/search_trial.h"

/* ---- weights ---- */

/* Farkas' lemma at the proof's own point: weights belong to bounds that are there, the violation weighs 1, and J' w is what is reported. true
 * where it is small. */
static bool check_weights(struct judge *judge, const struct random_problem *p, const struct outcome *o) {
    double pulled = 0, most = 0, largest = 0, violation = 0;
    judge_look(judge, p->x, o->proof_y, o->l);
    for (size_t j = 0; j < p->outputs; j++) {
        pulled += fabs(judge->pulled[j]);
        most = fmax(most, fabs(judge->pulled[j]));
    }
    for (size_t i = 0; i < p->rows; i++) {
        largest = fmax(largest, fabs(o->l[i]));
        violation += o->l[i] * (fmax(judge->lower[i] - judge->c[i], 0) - fmax(judge->c[i] - judge->upper[i], 0));
    }
    assert_in_interval(judge_weighed(judge), 1 - 1e-9, 1 + 1e-9);
    assert_in_interval(violation, 1 - 1e-9, INFINITY);
    assert_in_interval(fabs(pulled - o->report.proof), 0, 1e-12 * largest + 1e-9 * o->report.proof);
    assert_in_interval(o->report.violation, 0, o->report.violation_before);
    assert_in_interval(o->report.violation, 0, judged_violation(p->model, p->x, o->proof_y, false, NULL) + 1e-12);
    return most <= 1e-6 * largest && o->report.proof <= 1e-6;
}

/* true where it is locally infeasible, and weights prove it well; *moved where that is not at auto's y, which is returned */
static bool check_problem(hn_method method, uint64_t number, bool *moved) {
    struct random_problem p;
    bool objective = method == HN_METHOD_OPTIMAL;
    random_problem_create(&p, (struct random_problem_options){.kind = PROBLEM_INFEASIBLE, .objective = objective}, 31,
                          number);
    struct outcome o = run_one(&p, method), before = run_one(&p, HN_METHOD_AUTO);
    struct judge judge = judge_of(p.model);
    bool lost = o.report.outcome == HN_OUTCOME_LOCALLY_INFEASIBLE;
    assert_int_equal(o.report.outcome, before.report.outcome);
    assert_true(isinf(o.report.kkt) && isinf(o.report.complementarity));
    bool proven = lost && check_weights(&judge, &p, &o);
    if (!lost)
        assert_true(isinf(o.report.proof) && inner(o.l, o.l, p.rows) == 0);
    *moved = false;
    for (size_t j = 0; j < p.outputs; j++) {
        assert_same_bits(o.y[j], before.y[j]);
        *moved = *moved || o.proof_y[j] != before.y[j];
    }
    assert_true(lost || !*moved);
    judge_release(&judge);
    outcome_release(&o);
    outcome_release(&before);
    random_problem_release(&p);
    return proven;
}

static void check_method(hn_method method, int problems) {
    int proven = 0, elsewhere = 0;
    for (int k = 0; k < problems; k++) {
        bool moved;
        proven += check_problem(method, (uint64_t)k, &moved);
        elsewhere += moved;
    }
    print_message("%d of %d proven, %d of them not at auto's point\n", proven, problems, elsewhere);
    assert_in_interval(proven, 0.98 * problems, problems);
    assert_in_interval(elsewhere, HN_TEST_SHARE > 1 ? 0 : 1, 0.25 * problems);
}

TEST(nearest_proves_what_is_locally_infeasible) {
    check_method(HN_METHOD_NEAREST, 300 / HN_TEST_SHARE);
}

TEST(optimal_proves_what_is_locally_infeasible) {
    check_method(HN_METHOD_OPTIMAL, 150 / HN_TEST_SHARE);
}

/* Two rows that contradict by 3, and one that has nothing to do with it: weights by hand. */
static hn_model *contrary_model(void) {
    hn_model *m = model_new();
    hn_expr y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2");
    hn_constrain(m, "low", 4, hn_scale(2, hn_add(y1, y2)), INFINITY); /* y1 + y2 at least 2 */
    hn_constrain(m, "high", -INFINITY, hn_add(y1, y2), -1);
    hn_constrain(m, "other", -9, hn_sub(y1, y2), 9);
    model_finish_good(m);
    return m;
}

TEST(weights_are_those_by_hand) {
    hn_model *m = contrary_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_NEAREST));
    double raw[2] = {0.25, 0.5}, y[2], l[3];
    hn_report report;
    hn_batch batch = batch_of(1, NULL, raw, y, &report);
    batch.multipliers = l;
    layer_run(layer, &batch);
    assert_int_equal(report.outcome, HN_OUTCOME_LOCALLY_INFEASIBLE);
    assert_in_interval(l[0], 1.0 / 6 - 1e-12, 1.0 / 6 + 1e-12); /* 2 l0 + l1 = 0, and 3 weighs 1 */
    assert_in_interval(l[1], -1.0 / 3 - 1e-12, -1.0 / 3 + 1e-12);
    assert_true(l[2] == 0);
    assert_in_interval(report.proof, 0, 1e-12);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(gradients_of_what_is_proven_are_flagged_and_finite) {
    for (uint64_t number = 0; number < 40; number++) {
        struct random_problem p;
        random_problem_create(&p, (struct random_problem_options){.kind = PROBLEM_INFEASIBLE}, 31, number);
        hn_layer *layer = layer_of(p.model, layer_method(HN_METHOD_NEAREST));
        struct outcome before = run_one(&p, HN_METHOD_AUTO);
        double *ones = malloc(p.outputs * sizeof *ones);
        for (size_t j = 0; j < p.outputs; j++)
            ones[j] = 1;
        struct layer_results r = run_and_pull(layer, 1, p.x, p.raw, ones);
        for (size_t j = 0; j < p.outputs; j++)
            assert_same_bits(r.y[j], before.y[j]);
        assert_true(r.flagged[0]);
        assert_finite_results(&r);
        free(ones);
        results_release(&r);
        outcome_release(&before);
        hn_layer_destroy(layer);
        random_problem_release(&p);
    }
}

/* ---- a search that is told to end ---- */

struct stop {
    int flag;
    double from; /* the violation from which on it is raised */
};

static void raise_flag(void *context, size_t sample, int iteration, const double *y, double violation, double damping) {
    struct stop *stop = context;
    (void)sample, (void)iteration, (void)y, (void)damping;
    if (violation <= stop->from)
        __atomic_store_n(&stop->flag, 1, __ATOMIC_RELAXED);
}

/* The flag is raised when auto has just arrived: what it found is returned, ok and not certified. */
static void check_stop(hn_method method, size_t count) {
    struct random_problem p;
    random_problem_create(&p, (struct random_problem_options){.objective = true, .outputs = 8, .rows = 6}, 55, 3);
    hn_layer *layer = layer_of(p.model, layer_method(method));
    double *raw = malloc(count * p.outputs * sizeof *raw), *y = malloc(count * p.outputs * sizeof *y);
    hn_report *reports = malloc(count * sizeof *reports);
    for (size_t i = 0; i < count * p.outputs; i++)
        raw[i] = p.raw[i % p.outputs];
    struct stop stop = {.from = 1e-8};
    hn_batch batch = batch_of(count, p.x, raw, y, reports);
    batch.repeat_x = true;
    layer_run(layer, &batch);
    for (size_t k = 0; k < count; k++)
        assert_true(reports[k].outcome == HN_OUTCOME_OK && reports[k].kkt <= HN_CERTIFIED &&
                    reports[k].factorisations > 0);
    batch.cancel = &stop.flag;
    batch.watch = raise_flag;
    batch.watch_context = &stop;
    layer_run(layer, &batch);
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(reports[k].outcome, HN_OUTCOME_OK);
        assert_true(isinf(reports[k].kkt) && reports[k].factorisations == 0);
        assert_in_interval(judged_violation(p.model, p.x, y + k * p.outputs, false, NULL), 0, 1.0001e-8);
    }
    free(raw);
    free(y);
    free(reports);
    hn_layer_destroy(layer);
    random_problem_release(&p);
}

TEST(a_search_ends_when_it_is_told_to) {
    for (size_t count = 1; count <= 3; count += 2) {
        check_stop(HN_METHOD_NEAREST, count);
        check_stop(HN_METHOD_OPTIMAL, count);
    }
}
