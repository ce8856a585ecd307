/* test_affine.c - the methods nearest and optimal under affine rows, judged by the optimality conditions, which are evaluated here anew.
 *
 * Random programmes with equalities, two-sided rows and bounds of outputs; rows that follow from others, that meet in one point, and that
 * contradict each other. A problem has one solution, so that the conditions prove it.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "layer/driver.h"
#include "support/model_check.h"
#include "support/run_layer.h"

enum { MOST_OUTPUTS = 12, MOST_ROWS = 48, EACH = 5, PROBLEMS = 600 / HN_TEST_SHARE };

/* bl <= A y <= bu with weights, or with an objective y' H y / 2 + p' y; the inputs are the bounds. */
struct programme {
    bool optimal;
    double h[MOST_OUTPUTS][MOST_OUTPUTS], p[MOST_OUTPUTS];
    size_t outputs, rows;
    double a[MOST_ROWS][MOST_OUTPUTS], lower[MOST_ROWS], upper[MOST_ROWS], weight[MOST_OUTPUTS];
    bool equality[MOST_ROWS];
};

static double row_at(const struct programme *p, size_t i, const double *y) {
    double sum = 0;
    for (size_t j = 0; j < p->outputs; j++)
        sum += p->a[i][j] * y[j];
    return sum;
}

/* Bounds around y; meeting: all inequalities go through y. */
static void bound_rows(struct programme *p, struct random *random, const double *y, bool meeting) {
    for (size_t i = 0; i < p->rows; i++) {
        double value = row_at(p, i, y), below = random_between(random, 0, 1), above = random_between(random, 0, 1);
        uint64_t kind = random_below(random, 4);
        p->lower[i] = p->equality[i] ? value : kind == 0 ? -INFINITY : value - (meeting ? 0 : below);
        p->upper[i] = p->equality[i] ? value : kind == 1 ? INFINITY : value + (meeting && kind == 0 ? 0 : above);
        if (kind == 2 && !p->equality[i] && random_below(random, 8) == 0)
            p->lower[i] = p->upper[i] = value; /* equal numbers on both sides, in this sample */
    }
}

static void draw_programme(struct programme *p, struct random *random, bool dependent) {
    p->outputs = 2 + random_below(random, MOST_OUTPUTS - 1);
    size_t equalities = random_below(random, p->outputs / 2 + 1);
    p->rows = equalities + 1 + random_below(random, MOST_ROWS - equalities);
    for (size_t j = 0; j < p->outputs; j++)
        p->weight[j] = random_between(random, 0.3, 3);
    for (size_t i = 0; i < p->rows; i++) {
        bool single = i >= equalities && random_below(random, 4) == 0, copy = dependent && i > 0 && i % 3 == 2;
        size_t only = random_below(random, p->outputs), from = i > 0 ? random_below(random, i) : 0;
        p->equality[i] = i < equalities;
        for (size_t j = 0; j < p->outputs; j++)
            p->a[i][j] = copy               ? -2 * p->a[from][j]
                         : single           ? (double)(j == only)
                         : (i + j) % 5 == 0 ? 0
                                            : random_between(random, -1, 1);
    }
}

/* H = B' B + I / 10 */
static void draw_objective(struct programme *p, struct random *random) {
    double b[MOST_OUTPUTS][MOST_OUTPUTS];
    p->optimal = true;
    for (size_t i = 0; i < p->outputs; i++) {
        p->p[i] = random_between(random, -2, 2);
        for (size_t j = 0; j < p->outputs; j++)
            b[i][j] = random_between(random, -1, 1);
    }
    for (size_t i = 0; i < p->outputs; i++)
        for (size_t j = 0; j < p->outputs; j++) {
            p->h[i][j] = i == j ? 0.1 : 0;
            for (size_t k = 0; k < p->outputs; k++)
                p->h[i][j] += b[k][i] * b[k][j];
        }
}

static hn_expr objective_of(hn_model *m, const struct programme *p, const hn_expr *y) {
    hn_expr terms[(MOST_OUTPUTS + 1) * MOST_OUTPUTS];
    size_t count = 0;
    for (size_t i = 0; i < p->outputs; i++) {
        terms[count++] = hn_scale(p->p[i], y[i]);
        for (size_t j = 0; j < p->outputs; j++)
            terms[count++] = hn_scale(p->h[i][j] / 2, hn_mul(y[i], y[j]));
    }
    return hn_sum(m, count, terms);
}

static hn_model *model_of(const struct programme *p) {
    hn_model *m = model_new();
    hn_expr y[MOST_OUTPUTS], terms[MOST_OUTPUTS];
    char name[32];
    for (size_t j = 0; j < p->outputs; j++) {
        snprintf(name, sizeof name, "y%zu", j);
        y[j] = hn_output(m, name);
    }
    for (size_t i = 0; i < p->rows; i++) {
        snprintf(name, sizeof name, "low%zu", i);
        hn_expr low = hn_input(m, name);
        snprintf(name, sizeof name, "high%zu", i);
        hn_expr high = p->equality[i] ? low : hn_input(m, name);
        size_t count = 0;
        for (size_t j = 0; j < p->outputs; j++)
            if (p->a[i][j] != 0)
                terms[count++] = hn_scale(p->a[i][j], y[j]);
        snprintf(name, sizeof name, "row%zu", i);
        hn_constrain_between(m, name, low, count ? hn_sum(m, count, terms) : hn_constant(m, 0), high);
    }
    if (p->optimal)
        hn_minimize(m, "cost", objective_of(m, p, y));
    model_finish_good(m);
    return m;
}

/* Inputs in the model's order; infinite bounds are large numbers, because inputs are finite. */
static size_t write_inputs(struct programme *p, double *x) {
    size_t count = 0;
    for (size_t i = 0; i < p->rows; i++) {
        p->lower[i] = fmax(p->lower[i], -1e6);
        p->upper[i] = fmin(p->upper[i], 1e6);
        x[count++] = p->lower[i];
        if (!p->equality[i])
            x[count++] = p->upper[i];
    }
    return count;
}

/* The largest of what the conditions lack, relative to the multipliers. */
static double judge(const struct programme *p, const double *raw, const double *y, const double *l) {
    double worst = 0, largest = 1;
    for (size_t i = 0; i < p->rows; i++)
        largest = fmax(largest, fabs(l[i]));
    for (size_t j = 0; j < p->outputs; j++) {
        double rest = p->optimal ? p->p[j] : p->weight[j] * p->weight[j] * (y[j] - raw[j]);
        for (size_t k = 0; p->optimal && k < p->outputs; k++)
            rest += p->h[j][k] * y[k];
        for (size_t i = 0; i < p->rows; i++)
            rest -= p->a[i][j] * l[i];
        worst = fmax(worst, fabs(rest) / largest);
    }
    for (size_t i = 0; i < p->rows; i++) {
        double c = row_at(p, i, y), room = l[i] > 0 ? c - p->lower[i] : p->upper[i] - c;
        worst = fmax(worst, fmax(p->lower[i] - c, c - p->upper[i]));
        if (p->lower[i] < p->upper[i])
            worst = fmax(worst, fabs(l[i]) * fmax(room, 0));
    }
    return worst;
}

struct tally {
    size_t samples, certified, steps;
    double worst;
};

/* EACH samples of one programme, with bounds of their own. */
static void check_programme(struct programme *p, struct random *random, bool meeting, struct tally *tally) {
    double raw[EACH * MOST_OUTPUTS], y[EACH * MOST_OUTPUTS], l[EACH * MOST_ROWS], x[EACH * 2 * MOST_ROWS];
    struct programme all[EACH];
    hn_report reports[EACH];
    hn_model *m = model_of(p);
    size_t inputs = 0;
    for (size_t s = 0; s < EACH; s++) {
        double inside[MOST_OUTPUTS];
        for (size_t j = 0; j < p->outputs; j++) {
            inside[j] = random_between(random, -1, 1);
            raw[s * p->outputs + j] = random_between(random, -4, 4);
        }
        bound_rows(p, random, inside, meeting);
        inputs = write_inputs(p, x + s * hn_model_input_count(m));
        all[s] = *p;
    }
    assert_int_equal(inputs, hn_model_input_count(m));
    hn_layer_options options = layer_method(p->optimal ? HN_METHOD_OPTIMAL : HN_METHOD_NEAREST);
    options.weights = p->optimal ? NULL : p->weight;
    hn_layer *layer = layer_of(m, options);
    assert_true(layer->affine.there);
    hn_batch batch = batch_of(EACH, x, raw, y, reports);
    batch.multipliers = l;
    layer_run(layer, &batch);
    for (size_t s = 0; s < EACH; s++) {
        tally->samples++;
        tally->certified += reports[s].outcome == HN_OUTCOME_OK && reports[s].kkt <= HN_CERTIFIED;
        tally->steps += reports[s].iterations > 0;
        if (reports[s].kkt <= HN_CERTIFIED)
            tally->worst =
                fmax(tally->worst, judge(&all[s], raw + s * p->outputs, y + s * p->outputs, l + s * p->rows));
    }
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

static struct tally check_all(uint64_t seed, bool dependent, bool meeting, bool optimal) {
    struct tally tally = {.samples = 0};
    for (uint64_t k = 0; k < PROBLEMS; k++) {
        struct random random = random_start(seed, k);
        struct programme p = {.optimal = false};
        draw_programme(&p, &random, dependent);
        if (optimal)
            draw_objective(&p, &random);
        check_programme(&p, &random, meeting, &tally);
    }
    print_message("%zu samples, %zu certified, %zu took steps of auto first, worst residual %.1e\n", tally.samples,
                  tally.certified, tally.steps, tally.worst);
    assert_in_interval(tally.worst, 0, 1e-8);
    return tally;
}

TEST(random_programmes_are_solved_without_steps) {
    struct tally t = check_all(1, false, false, false);
    assert_int_equal(t.certified, t.samples);
    assert_int_equal(t.steps, 0);
}

TEST(rows_that_meet_in_one_point_are_solved) {
    struct tally t = check_all(2, false, true, false);
    assert_int_equal(t.certified, t.samples);
    assert_true(t.steps <= t.samples / 50);
}

TEST(rows_that_follow_from_others_are_solved) {
    struct tally t = check_all(3, true, false, false);
    assert_true(t.certified >= t.samples - t.samples / 100);
}

TEST(quadratic_objectives_have_their_optimum) {
    struct tally t = check_all(4, false, false, true);
    assert_int_equal(t.certified, t.samples);
    assert_true(t.steps <= t.samples / 50);
}

/* maximize -(y - 1)^2 - (z - 2)^2, and with the sign of one term turned: no maximum of this kind */
static hn_layer *two_outputs(double sign) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y"), z = hn_output(m, "z"), one = hn_shift(y, -1), two = hn_shift(z, -2);
    hn_constrain(m, "sum", -INFINITY, hn_add(y, z), 1);
    hn_output_between(y, hn_constant(m, -9), hn_constant(m, 9));
    hn_output_between(z, hn_constant(m, -9), hn_constant(m, 9));
    hn_maximize(m, "gain", hn_sub(hn_neg(hn_mul(one, one)), hn_scale(sign, hn_mul(two, two))));
    model_finish_good(m);
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_OPTIMAL));
    hn_model_destroy(m);
    return layer;
}

TEST(a_maximum_is_reported_as_it_was_written) {
    hn_layer *layer = two_outputs(1), *saddle = two_outputs(-1);
    double raw[2] = {3, 1}, y[2];
    hn_report report;
    const hn_batch batch = {
        .size = sizeof batch, .count = 1, .y_raw = raw, .y = y, .report_size = sizeof report, .reports = &report};
    assert_true(layer->affine.there);
    layer_run(layer, &batch);
    assert_int_equal(report.outcome, HN_OUTCOME_OK);
    assert_in_interval(y[0], -1e-12, 1e-12);
    assert_in_interval(y[1], 1 - 1e-12, 1 + 1e-12);
    assert_in_interval(report.objective, -2 - 1e-12, -2 + 1e-12);
    assert_false(saddle->affine.there);
    hn_layer_destroy(layer);
    hn_layer_destroy(saddle);
}

TEST(a_contradiction_is_left_to_auto) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y"), z = hn_output(m, "z");
    hn_constrain(m, "low", 1, hn_add(y, z), INFINITY);
    hn_constrain(m, "high", -INFINITY, hn_add(y, z), 0);
    model_finish_good(m);
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_NEAREST)), *before = layer_of(m, layer_method(HN_METHOD_AUTO));
    double raw[2] = {3, 1}, found[2], wanted[2];
    hn_report report, other;
    hn_batch batch = {
        .size = sizeof batch, .count = 1, .y_raw = raw, .y = found, .report_size = sizeof report, .reports = &report};
    layer_run(layer, &batch);
    batch.y = wanted;
    batch.reports = &other;
    layer_run(before, &batch);
    assert_int_equal(report.outcome, other.outcome);
    assert_int_not_equal(report.outcome, HN_OUTCOME_OK);
    assert_int_equal(report.iterations, other.iterations);
    assert_memory_equal(found, wanted, sizeof found);
    hn_layer_destroy(layer);
    hn_layer_destroy(before);
    hn_model_destroy(m);
}

TEST(a_row_with_a_derivative_that_is_no_number_is_none_of_these) {
    hn_model *m = model_of_text("param x; var y; row: 1 <= x*y <= 2;");
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_NEAREST));
    assert_false(layer->affine.there);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}
