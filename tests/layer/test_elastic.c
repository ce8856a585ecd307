/* test_elastic.c - the elastic stage of auto: where ordinary steps creep, programmes over all rows arrive.
 *
 * Verdicts are judged by plain evaluation of the rows. A sample that goes through the stage has the same bits alone and beside
 * others, with every instruction set and by the plain executor; its gradient is 0 and flagged; what has no solution is still
 * told apart, and no limit is overstepped in the middle of a programme.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/plain_executor.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"
#include "cpu/backend.h"
#include "hardnet/read.h"
#include "layer/driver.h"

enum { SAMPLES = HN_TEST_SHARE > 1 ? 5 : 12, MOST_STEPS = 200 }; /* sanitizers are slow */

static const char *const names[] = {"far", "growth", "chain", "integrator", "budget", "order", "hull", "bent"};

static hn_model *creeping(const char *name) {
    char file[64];
    const char *path = file;
    hn_model *model;
    hn_error error;
    snprintf(file, sizeof file, "models/feasibility/creep_%s.mod", name);
    if (hn_model_read(&model, 1, &path, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

/* Its own start first; then starts beside it, every other one hardly beside a solution, if there is one. */
static double *starts_of(const hn_model *model, const double *solution) {
    size_t n = hn_model_output_count(model);
    double *raw = calloc(SAMPLES * n, sizeof *raw);
    struct random random = random_start(5, n);
    for (size_t j = 0; j < n; j++) {
        hn_expr start = hn_model_output(model, j).start;
        assert_int_equal(hn_model_evaluate(model, 1, &start, NULL, raw, &raw[j], NULL), HN_OK);
    }
    for (size_t i = n; i < SAMPLES * n; i++) {
        bool near = solution && i / n % 2 == 0;
        raw[i] = (near ? solution[i % n] : raw[i % n]) + (near ? 1e-4 : 0.2) * random_normal(&random);
    }
    return raw;
}

/* ---- arriving ---- */

static hn_report run_alone(const hn_model *model, hn_layer_options options, const double *raw, double *y) {
    hn_layer *layer = layer_of(model, options);
    struct layer_results r = run_forward(layer, 1, NULL, raw);
    hn_report report = r.reports[0];
    memcpy(y, r.y, r.outputs * sizeof *y);
    results_release(&r);
    hn_layer_destroy(layer);
    return report;
}

TEST(creeping_models_take_at_most_200_steps) {
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        hn_model *model = creeping(names[i]);
        double *raw = starts_of(model, NULL), *y = calloc(hn_model_output_count(model), sizeof *y);
        hn_report report = run_alone(model, layer_method(HN_METHOD_AUTO), raw, y);
        print_message("%s: %s after %d steps\n", names[i], hn_outcome_text(report.outcome), report.iterations);
        assert_int_equal(report.outcome, HN_OUTCOME_OK);
        assert_true(judged_violation(model, NULL, y, false, NULL) <= 1e-8);
        assert_true(report.iterations <= MOST_STEPS);
        free(raw);
        free(y);
        hn_model_destroy(model);
    }
}

/* Plain Levenberg-Marquardt, which has no such stage, from the same start. */
TEST(without_programmes_so_many_steps_are_not_enough) {
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(names[i], "order") == 0) /* 131 steps */
            continue;
        hn_model *model = creeping(names[i]);
        double *raw = starts_of(model, NULL), *y = calloc(hn_model_output_count(model), sizeof *y);
        hn_report report = run_alone(model, layer_steps(HN_METHOD_LM, MOST_STEPS), raw, y);
        assert_true(report.outcome != HN_OUTCOME_OK);
        free(raw);
        free(y);
        hn_model_destroy(model);
    }
}

/* ---- the same bits ---- */

static struct layer_results run_all(const hn_layer *layer, size_t count, const double *raw) {
    size_t n = hn_layer_info_of(layer).outputs;
    double *grad = calloc(count * n, sizeof *grad);
    for (size_t i = 0; i < count * n; i++)
        grad[i] = cos((double)(i % n) + 1);
    struct layer_results r = run_and_pull(layer, count, NULL, raw, grad);
    free(grad);
    return r;
}

static void compare_all(const struct layer_results *expected, const hn_layer *layer, const double *raw) {
    struct layer_results together = run_all(layer, SAMPLES, raw);
    for (size_t k = 0; k < SAMPLES; k++) {
        struct layer_results alone = run_all(layer, 1, raw + k * together.outputs);
        assert_true(same_results(&together, k, expected, k));
        assert_true(same_results(&alone, 0, expected, k));
        results_release(&alone);
    }
    results_release(&together);
}

static void compare_instructions(const hn_model *model, const struct layer_results *expected, const double *raw) {
    struct backend backend;
    for (size_t b = 0; backend_at(b, &backend); b++) {
        hn_layer_options options = layer_method(HN_METHOD_AUTO);
        assert_true(hn_instructions_find(backend.name, &options.instructions));
        hn_layer *layer = layer_of(model, options);
        compare_all(expected, layer, raw);
        hn_layer_destroy(layer);
    }
}

/* How many samples went by programmes, how many did not, and systems in tiles. */
struct tally {
    size_t strayed, ordinary, tiled;
};

static void compare_model(hn_model *model, struct tally *tally) {
    double *first = starts_of(model, NULL), *solution = calloc(hn_model_output_count(model), sizeof *solution);
    run_alone(model, layer_method(HN_METHOD_AUTO), first, solution);
    double *raw = starts_of(model, solution);
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
    hn_layer plain = *layer;
    plain.lanes = plain.single = plain_executor(plain.plan);
    struct layer_results expected = run_all(&plain, SAMPLES, raw);
    for (size_t k = 0; k < SAMPLES; k++)
        *(expected.flagged[k] ? &tally->strayed : &tally->ordinary) += 1;
    tally->tiled += layer->plan->system.kind == FACTOR_TILED && expected.flagged[0];
    compare_all(&expected, layer, raw);
    compare_instructions(model, &expected, raw);
    results_release(&expected);
    hn_layer_destroy(layer);
    free(first);
    free(solution);
    free(raw);
    hn_model_destroy(model);
}

enum { TURNED = 120 };

/* y(k) of a chain whose outputs are turned round: y = z - 2 v v'z / v'v. Every row has every output. */
static void add_turned(double coefficients[TURNED + 1], int k, double factor) {
    double squares = 0;
    for (int j = 0; j <= TURNED; j++)
        squares += cos(j) * cos(j);
    for (int j = 0; j <= TURNED; j++)
        coefficients[j] -= factor * 2 * cos(k) * cos(j) / squares;
    coefficients[k] += factor;
}

static hn_expr turned(hn_model *m, const hn_expr *z, int k, int before) {
    double coefficients[TURNED + 1] = {0};
    hn_expr sum = hn_constant(m, 0);
    add_turned(coefficients, k, 1);
    if (before >= 0)
        add_turned(coefficients, before, -1);
    for (int j = 0; j <= TURNED; j++)
        sum = hn_add(sum, hn_scale(coefficients[j], z[j]));
    return sum;
}

static hn_model *turned_chain(void) {
    hn_model *m = model_new();
    hn_expr z[TURNED + 1];
    char name[32];
    for (int k = 0; k <= TURNED; k++) {
        snprintf(name, sizeof name, "z[%d]", k);
        z[k] = hn_output(m, name);
    }
    hn_constrain(m, "first", 0, turned(m, z, 0, -1), 0);
    for (int k = 1; k <= TURNED; k++) {
        snprintf(name, sizeof name, "link[%d]", k);
        hn_constrain(m, name, -INFINITY, turned(m, z, k, k - 1), 1);
    }
    hn_constrain(m, "last", TURNED - 0.1, turned(m, z, TURNED, -1), INFINITY);
    model_finish_good(m);
    return m;
}

TEST(bits_do_not_know_neighbours_instructions_or_executors) {
    static const char *const tried[] = {"far", "growth", "order", "hull"};
    struct tally tally = {0};
    for (size_t i = 0; i < COUNT_OF(tried); i++)
        compare_model(creeping(tried[i]), &tally);
    compare_model(turned_chain(), &tally);
    print_message("%zu samples by programmes, %zu beside them without\n", tally.strayed, tally.ordinary);
    assert_true(tally.strayed >= SAMPLES && tally.ordinary >= SAMPLES && tally.tiled == 1);
}

/* ---- gradients ---- */

TEST(a_way_through_programmes_has_no_gradient_and_says_so) {
    hn_model *model = creeping("integrator");
    double *raw = starts_of(model, NULL);
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
    struct layer_results r = run_all(layer, SAMPLES, raw);
    assert_int_equal(r.reports[0].outcome, HN_OUTCOME_OK);
    assert_true(r.flagged[0]);
    assert_all_zero(r.grad_y_raw, r.outputs);
    assert_all_zero(r.grad_lower, r.rows);
    assert_all_zero(r.grad_upper, r.rows);
    results_release(&r);
    free(raw);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* ---- ending ---- */

/* A chain that would have to be longer than its links allow. */
static hn_model *torn_chain(void) {
    enum { LINKS = 40 };
    hn_model *m = model_new();
    hn_expr y[LINKS + 1];
    char name[32];
    for (int k = 0; k <= LINKS; k++) {
        snprintf(name, sizeof name, "y[%d]", k);
        y[k] = hn_output(m, name);
    }
    hn_constrain(m, "first", 0, y[0], 0);
    for (int k = 1; k <= LINKS; k++) {
        snprintf(name, sizeof name, "link[%d]", k);
        hn_constrain(m, name, -INFINITY, hn_sub(y[k], y[k - 1]), 1);
    }
    hn_constrain(m, "last", LINKS + 2, y[LINKS], INFINITY);
    model_finish_good(m);
    return m;
}

TEST(what_has_no_solution_is_locally_infeasible) {
    hn_model *model = torn_chain();
    double *raw = starts_of(model, NULL);
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
    struct layer_results r = run_all(layer, SAMPLES, raw);
    for (size_t k = 0; k < SAMPLES; k++)
        assert_int_equal(r.reports[k].outcome, HN_OUTCOME_LOCALLY_INFEASIBLE);
    results_release(&r);
    free(raw);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* Wherever the steps are used up, in a programme or between two, no more are counted and nothing is worse than it came in. */
TEST(a_programme_ends_with_the_steps) {
    hn_model *model = creeping("growth");
    double *raw = starts_of(model, NULL), *y = calloc(hn_model_output_count(model), sizeof *y);
    double before = judged_violation(model, NULL, raw, false, NULL);
    for (int steps = 8; steps < 50; steps += 3) {
        hn_report report = run_alone(model, layer_steps(HN_METHOD_AUTO, steps), raw, y);
        assert_int_equal(report.outcome, HN_OUTCOME_ITERATION_LIMIT);
        assert_int_equal(report.iterations, steps);
        assert_true(judged_violation(model, NULL, y, false, NULL) <= before);
    }
    free(raw);
    free(y);
    hn_model_destroy(model);
}
