/* test_pieces.c - piecewise-linear terms: values and derivatives against the definition, kinks, verdicts, mistakes.
 *
 * The definition: the integral of the slope from zero to x.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

#include "hardnet/evaluate.h"
#include "hardnet/layer.h"

enum { MOST_PIECES = 41, MOST_POINTS = 400, ROUNDS = 60, TEXT = 8000 };

struct term {
    size_t count; /* breakpoints */
    double b[MOST_PIECES], s[MOST_PIECES], zero;
};

static uint64_t next(uint64_t *state) {
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (*state ^ (*state >> 31)) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ (z >> 29);
}

/* Eighths, so that sums of them are exact. */
static double eighths(uint64_t *state, int most) {
    return (double)((int)(next(state) % (uint64_t)(2 * most + 1)) - most) / 8;
}

static int ascending(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static struct term random_term(uint64_t *state) {
    struct term t = {.count = next(state) % MOST_PIECES, .zero = eighths(state, 60)};
    for (size_t i = 0; i < t.count; i++)
        t.b[i] = eighths(state, 80); /* some are equal */
    for (size_t i = 0; i <= t.count; i++)
        t.s[i] = eighths(state, 40);
    qsort(t.b, t.count, sizeof *t.b, ascending);
    return t;
}

/* ---- the definition ---- */

/* The slope right of x. */
static double slope_at(const struct term *t, double x) {
    size_t i = 0;
    while (i < t->count && x >= t->b[i])
        i++;
    return t->s[i];
}

static double integral(const struct term *t, double from, double to) {
    double sum = 0, at = from;
    for (size_t i = 0; i < t->count; i++)
        if (t->b[i] > at && t->b[i] < to) {
            sum += slope_at(t, at) * (t->b[i] - at);
            at = t->b[i];
        }
    return sum + slope_at(t, at) * (to - at);
}

static double defined_value(const struct term *t, double x) {
    return x >= t->zero ? integral(t, t->zero, x) : -integral(t, x, t->zero);
}

/* ---- from the text ---- */

static size_t write_list(char *text, const double *list, size_t count) {
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += (size_t)sprintf(text + length, "%s%.17g", i > 0 ? ", " : "", list[i]);
    return length;
}

static void write_term(char *text, const struct term *t, const char *argument) {
    text += sprintf(text, "<<");
    text += write_list(text, t->b, t->count);
    text += sprintf(text, "; ");
    text += write_list(text, t->s, t->count + 1);
    sprintf(text, ">> (%s, %.17g)", argument, t->zero);
}

/* Rows and the entries of dc/dy of a model with one output, at many points. */
static void evaluate(const hn_model *model, size_t count, const double *y, double *rows, double *entries) {
    hn_evaluator_options options = hn_evaluator_defaults();
    hn_evaluator *evaluator;
    hn_error error = {.text = ""};
    options.wanted = HN_WANT(HN_QUANTITY_ROWS) | HN_WANT(HN_QUANTITY_JACOBIAN_Y);
    if (hn_evaluator_create(&evaluator, model, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    size_t bytes = hn_evaluator_workspace_bytes(evaluator);
    void *workspace = aligned_alloc(64, (bytes + 63) / 64 * 64);
    hn_evaluation evaluation = {.size = sizeof evaluation, .count = count, .y = y};
    evaluation.values[HN_QUANTITY_ROWS] = rows;
    evaluation.values[HN_QUANTITY_JACOBIAN_Y] = entries;
    if (hn_evaluator_run(evaluator, &evaluation, workspace, bytes, &error) != HN_OK)
        fail_msg("%s", error.text);
    free(workspace);
    hn_evaluator_destroy(evaluator);
}

/* Breakpoints, their neighbours in both directions, zero, and points far out. */
static size_t choose_points(const struct term *t, double *points) {
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        points[count++] = t->b[i];
        points[count++] = nextafter(t->b[i], -HUGE_VAL);
        points[count++] = nextafter(t->b[i], HUGE_VAL);
        points[count++] = t->b[i] + 0.0625;
    }
    points[count++] = t->zero;
    points[count++] = -1000;
    points[count++] = 1000;
    return count;
}

TEST(values_and_slopes_are_those_of_the_definition) {
    uint64_t seed = 1;
    char text[TEXT], term[TEXT - 100];
    double points[MOST_POINTS], rows[MOST_POINTS], slopes[MOST_POINTS];
    for (int round = 0; round < ROUNDS; round++) {
        struct term t = random_term(&seed);
        t.s[0] += t.s[0] == 0;
        write_term(term, &t, "y");
        snprintf(text, sizeof text, "var y; c: %s <= 1;", term);
        hn_model *model = model_of_text(text);
        size_t count = choose_points(&t, points);
        evaluate(model, count, points, rows, slopes);
        for (size_t i = 0; i < count; i++) {
            double wanted = defined_value(&t, points[i]);
            if (fabs(rows[i] - wanted) > 1e-12 * (1 + fabs(wanted)))
                fail_msg("%s is %.17g, not %.17g, at %.17g", term, rows[i], wanted, points[i]);
            if (slopes[i] != slope_at(&t, points[i]))
                fail_msg("%s has slope %g, not %g, at %.17g", term, slopes[i], slope_at(&t, points[i]), points[i]);
        }
        hn_model_destroy(model);
    }
}

TEST(a_term_of_a_constant_is_a_number) {
    uint64_t seed = 2;
    char text[TEXT], term[TEXT - 100];
    for (int round = 0; round < ROUNDS; round++) {
        struct term t = random_term(&seed);
        double at = eighths(&seed, 100);
        write_term(term, &t, "p");
        snprintf(text, sizeof text, "param p := %.17g; var y; minimize f: %s;", at, term);
        hn_model *model = model_of_text(text);
        assert_near(objective_at(model, NULL, NULL), defined_value(&t, at));
        hn_model_destroy(model);
    }
}

/* ---- kinks, and what is exact ---- */

TEST(a_kink_counts_as_that_of_abs_does) {
    hn_model *model = model_of_text("var y; c: <<0; -1, 1>> y <= 1;"), *other = model_of_text("var y; c: abs(y) <= 1;");
    const double points[] = {-2.5, -1e-300, -0.0, 0, 1e-300, 3};
    double rows[6], slopes[6], abs_rows[6], abs_slopes[6];
    evaluate(model, 6, points, rows, slopes);
    evaluate(other, 6, points, abs_rows, abs_slopes);
    for (int i = 0; i < 6; i++) {
        assert_true(rows[i] == abs_rows[i]);
        assert_true(slopes[i] == abs_slopes[i]);
    }
    assert_true(slopes[3] == 1);
    hn_model_destroy(model);
    hn_model_destroy(other);
}

/* A sum of kinks, s0 x + (s1 - s0) max(x - b1, 0) + ..., would lose all digits here. */
TEST(steep_pieces_far_away_cost_no_digits) {
    hn_model *model =
        model_of_text("var y; c: <<1, 1000; 1, 1e12, -1>> (y, 0) <= 1; d: <<3, 7; 0.1, 5, 0.1>> (y, 5) >= 0;");
    const double points[] = {1000.5, 5};
    double rows[4], slopes[4];
    evaluate(model, 2, points, rows, slopes);
    assert_true(rows[0] == 1 + 999e12 - 0.5);
    assert_true(slopes[0] == -1);
    assert_true(rows[3] == 0);
    hn_model_destroy(model);
}

TEST(terms_that_are_no_kinks_are_linear) {
    hn_model *model =
        model_of_text("param n := 0; var y; var z; c: <<; 3>> y + <<{i in 1..n} i; {i in 0..n} 2>> (z, 1) = 0;"
                      "d: <<2, 2; 1, 5, 1>> y >= -1; e: <<2; 1, 1>> y >= -1;");
    const double y[] = {4, 3};
    assert_near(value_at(model, row_named(model, "c").body, NULL, y), 16);
    assert_near(value_at(model, row_named(model, "d").body, NULL, y), 4);
    assert_near(value_at(model, row_named(model, "e").body, NULL, y), 4);
    hn_model_destroy(model);
}

TEST(terms_stand_wherever_numbers_do) {
    const double y[] = {2, -1}, x[] = {0.5};
    hn_model *model = model_of_text("param u; param w{1..2} := 3; var y{1..2};"
                                    "var d{i in 1..2} = <<0, 1; -1, 0, 2>> y[i];"
                                    "minimize f: sum {i in 1..2} w[i]*<<{k in 1..2} k, 3; {k in 1..4} k>> (y[i] - u)^2;"
                                    "c: -<<0; 1, 2>> y[1]*2 + d[2] <= <<1; 0, 1>> (u + 3);"
                                    "e: <<0; 1, 2>> (<<1; 1, 3>> y[1]) <= 9;");
    assert_near(value_at(model, hn_defined(model, "d[1]"), x, y), 2);
    assert_near(value_at(model, hn_defined(model, "d[2]"), x, y), 1);
    assert_near(objective_at(model, x, y), 3 * 2.0 * 2.0 + 3 * 1.5 * 1.5); /* at 1.5: 1 + 2/2; at -1.5: -1.5 */
    hn_row_info c = row_named(model, "c");
    assert_near(value_at(model, c.body, x, y), -8 + 1);
    assert_near(value_at(model, c.upper, x, y), 2.5);
    assert_near(value_at(model, row_named(model, "e").body, x, y), 8);
    hn_model_destroy(model);
}

/* ---- verdicts ---- */

static size_t count_ok(const struct term *t, double upper) {
    enum { COUNT = 9 };
    char text[TEXT], term[TEXT - 100];
    double raw[COUNT], y[COUNT];
    hn_report reports[COUNT];
    hn_error error = {.text = ""};
    hn_layer *layer;
    hn_pool *pool;
    size_t ok = 0;
    write_term(term, t, "y");
    snprintf(text, sizeof text, "var y; c: %s <= %.17g;", term, upper);
    hn_model *model = model_of_text(text);
    for (int i = 0; i < COUNT; i++)
        raw[i] = 3 * i - 12;
    hn_batch batch = {
        .size = sizeof batch, .count = COUNT, .y_raw = raw, .y = y, .report_size = sizeof *reports, .reports = reports};
    if (hn_layer_create(&layer, model, NULL, &error) != HN_OK || hn_pool_create(&pool, layer, 1, &error) != HN_OK ||
        hn_pool_run(pool, &batch, &error) != HN_OK)
        fail_msg("%s", error.text);
    for (int i = 0; i < COUNT; i++) {
        bool holds = defined_value(t, y[i]) <= upper + 1e-8 * 1.001;
        assert_true(holds == (reports[i].outcome == HN_OUTCOME_OK));
        assert_true(!(defined_value(t, raw[i]) <= upper) || y[i] == raw[i]);
        ok += holds;
    }
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
    return ok;
}

TEST(a_layer_meets_convex_terms_and_says_the_truth_about_others) {
    uint64_t seed = 3;
    for (int round = 0; round < ROUNDS; round++) {
        struct term t = random_term(&seed);
        count_ok(&t, eighths(&seed, 40));
        qsort(t.s, t.count + 1, sizeof *t.s, ascending);
        t.s[0] -= 8;
        t.s[t.count] += 8; /* convex, falling and rising */
        assert_int_equal(count_ok(&t, 0.5), 9);
    }
}

/* ---- mistakes ---- */

TEST(mistakes_in_terms_are_shown) {
    must_fail("var y; c: <<1, 2; 3, 4>> y <= 1;", "1:11", "<< >> with 2 breakpoints needs 3 slopes, not 2");
    must_fail("var y; c: <<1; 3, 4, 5>> y <= 1;", "1:11", "with 1 breakpoint needs 2 slopes, not 3");
    must_fail("var y; c: <<; 3, 4>> y <= 1;", "1:11", "with 0 breakpoints needs 1 slope, not 2");
    must_fail("var y; c: <<1, 3, 2; 3, 4, 5, 6>> y <= 1;", "1:11", "breakpoint 3, 2, is less than the previous one, 3");
    must_fail("var y; c: <<Infinity; 3, 4>> y <= 1;", "1:13", "not finite");
    must_fail("var y; c: <<1; 3, 1/y>> y <= 1;", "1:21", "y");
    must_fail("var y; c: <<y; 3, 1>> y <= 1;", "1:13", "y: a variable may not appear in a breakpoint or slope");
    must_fail("param u; var y; c: <<u; 3, 1>> y <= 1;", "1:22", "network input, which may not appear in a breakpoint");
    must_fail("var y; c: <<1; 3, 1>> (y, y) <= 1;", "1:27", "y: a variable may not appear in the zero");
    must_fail("var y; c: <<1; 3, 1>> (y, 1, 2) <= 1;", "1:23", "tuple");
    must_fail("var y; c: <<1; 3, 1>> (y, Infinity) <= 1;", "1:27", "not finite");
    must_fail("var y; c: <<1; 3, 1> y <= 1;", "1:20", "expected '>>' after the slopes");
    must_fail("var y; c: <<1, 3, 1>> y <= 1;", "1:20", "expected ';' between breakpoints and slopes");
    must_fail("var y; c: <<1;>> y <= 1;", "1:15", ">>");
    must_fail("var y; c: <<{i in S} 2; 3, 1>> y <= 1; d: y <= z;", "1:19", "S");
    must_fail("var y; c: <<{i in 1..1e9} i; 3, 1>> y <= 1;", "1:13", "steps");
    must_fail("var y; c: <<1; 3, 1>> {1,2} <= 1;", "1:23", "a set instead of");
}
