/* test_kinks.c - the method optimal where an optimum is at a kink, where equalities repeat each other, and where there is no optimum: what is
 * returned, and why it is not certified.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "support/check.h"
#include "support/model_check.h"
#include "support/run_layer.h"
#include "support/search_trial.h"

#include "hardnet/inspect.h"

enum { MOST = 64, TEXT = 1 << 14, TRIALS = 60 / HN_TEST_SHARE };

struct answer {
    double y[MOST], l[MOST];
    hn_report report;
    double
        residual; /* of the optimality conditions, as the judge finds it with the derivatives of one side of a kink */
};

static double judge(const hn_model *model, const double *y, const double *l) {
    struct judge j = judge_of(model);
    double largest, worst;
    judge_look(&j, NULL, y, l);
    worst = judge_rows(&j, &largest);
    for (size_t k = 0; k < j.outputs; k++)
        worst = fmax(worst, fabs(j.slope[k] - j.pulled[k]) / largest);
    judge_release(&j);
    return worst;
}

static struct answer run_model(const hn_model *model, hn_method method, const double *raw) {
    struct answer a;
    hn_layer *layer = layer_of(model, layer_method(method));
    assert_true(hn_model_row_count(model) <= MOST && hn_model_output_count(model) <= MOST);
    hn_batch batch = batch_of(1, NULL, raw, a.y, &a.report);
    batch.multipliers = method == HN_METHOD_AUTO ? NULL : a.l;
    layer_run(layer, &batch);
    a.residual = method == HN_METHOD_OPTIMAL ? judge(model, a.y, a.l) : 0;
    hn_layer_destroy(layer);
    return a;
}

static struct answer run_text(const char *text, hn_method method, const double *raw) {
    hn_model *model = model_of_text(text);
    struct answer a = run_model(model, method, raw);
    hn_model_destroy(model);
    return a;
}

static struct answer solve(const char *text) {
    return run_text(text, HN_METHOD_OPTIMAL, NULL);
}

static bool is_certified(const struct answer *a) {
    return a->report.outcome == HN_OUTCOME_OK && a->report.kkt <= HN_CERTIFIED;
}

__attribute__((format(printf, 2, 3))) static void add(char *text, const char *format, ...) {
    size_t length = strlen(text);
    va_list list;
    va_start(list, format);
    int more = vsnprintf(text + length, TEXT - length, format, list);
    va_end(list);
    assert_true(more >= 0 && length + (size_t)more < TEXT);
}

/* A number with two digits, so that a model says the same as the test. */
static double number(struct random *random, double low, double high) {
    return round(10 * random_between(random, low, high)) / 10;
}

/* ---- kinks ---- */

static struct answer check_optimum(const char *text, double optimum) {
    struct answer a = solve(text);
    assert_true(is_certified(&a));
    assert_int_equal(a.report.reason, HN_REASON_NONE);
    assert_in_interval(a.report.objective, optimum - 1e-9, optimum + 1e-9);
    return a;
}

TEST(kinks_that_can_be_split_end_at_the_optimum) {
    check_optimum("param b{1..6}; var a{1..2}; minimize e: sum{i in 1..6} abs(a[1]+a[2]*i-b[i]);\n"
                  "data; param b := 1 1.1 2 2 3 3.2 4 3.9 5 9 6 6.1;",
                  4.3);
    check_optimum("var x := 5; minimize f: abs(x-2) + 0.1*(x-3)^2;", 0.1);
    check_optimum("var x := 3; minimize f: max(0, x-1)^2 + max(0, -x)^2 + abs(x-0.5);", 0);
    check_optimum("var x := 3; minimize f: if x < 1 then 1-x else 2*(x-1);", 0);
    check_optimum("var x := 3; minimize f: (if 2 <= 2*x then 4*x-4 else 1-x) - 0.5*x;", -0.5);
    check_optimum("var x{1..2}; maximize f: min(x[1]+x[2], 3-x[1], 4-2*x[2]);", 2);
    check_optimum("var x{1..3}; minimize f: exp(max(x[1], x[2], x[3])); s.t. s: sum{i in 1..3} x[i] = 3;", exp(1));
    check_optimum("var x >= -3, <= 3, := 2; minimize f: <<-1, 1; -2, 0.5, 3>> x;", -2.0 * -1 - 2.5 + 0);
}

TEST(kinks_of_constraints_are_split_too) {
    struct answer a =
        check_optimum("var x{1..2}; minimize f: -x[1] - 0.5*x[2]; s.t. ball: abs(x[1]) + abs(x[2]) <= 1;", -1);
    assert_in_interval(a.l[0], -1 - 1e-8, -1 + 1e-8); /* f = -1 where the ball's size is 1, and falls with it */
    assert_in_interval(fabs(a.y[0] - 1) + fabs(a.y[1]), 0, 1e-8);
    check_optimum("var x{1..2} >= -5, <= 5; maximize f: x[1] + 2*x[2]; s.t. c: min(4 - x[1], 3 - x[2]) >= x[1] + x[2];",
                  -5 + 2 * 4);
}

/* Lines that bend the other way, or that do not meet, have no such form; they are left as they are. */
TEST(kinks_that_cannot_be_split_are_named) {
    struct answer a = solve("var x := 3; minimize f: (abs(x)-1)*(abs(x)+2);");
    assert_int_equal(a.report.outcome, HN_OUTCOME_OK);
    assert_int_equal(a.report.reason, HN_REASON_KINK);
    assert_true(isinf(a.report.kkt));
    assert_in_interval(a.report.objective, -2, -2 + 1e-3);         /* 10 at the start */
    a = solve("var x := 0.25, >= -2, <= 1; minimize f: -abs(x);"); /* a local optimum, at a bound */
    assert_true(is_certified(&a) && a.residual <= 1.01 * HN_CERTIFIED);
    a = solve("var x := 2; minimize f: if x < 1 then -x else x + 1;"); /* it jumps at 1: its lower end is not met */
    assert_int_equal(a.report.outcome, HN_OUTCOME_OK);
    assert_true(!is_certified(&a) && a.report.reason != HN_REASON_NONE && a.report.objective <= 3);
}

/* Sums of absolute values and of piecewise linear costs under a row, and the same with variables and rows in place of the kinks. */
static void draw_kinks(struct random *random, char *kinked, char *split) {
    int terms = 5 + (int)(random_between(random, 0, 3));
    kinked[0] = split[0] = 0;
    add(kinked, "var x{1..3} >= -5, <= 5; minimize f: 0");
    add(split,
        "var x{1..3} >= -5, <= 5; var t{1..%d}; var u{1..3}; minimize f: sum{i in 1..%d} t[i] + sum{i in 1..3} u[i];",
        terms, terms);
    for (int i = 1; i <= terms; i++) {
        double a = number(random, -3, 3), b = number(random, -3, 3), c = number(random, -3, 3),
               d = number(random, -5, 5);
        add(kinked, " + abs(%g*x[1] + %g*x[2] + %g*x[3] - %g)", a, b, c, d);
        add(split, "s.t. a%d: t[%d] >= %g*x[1] + %g*x[2] + %g*x[3] - %g;", i, i, a, b, c, d);
        add(split, "s.t. b%d: t[%d] >= %g - %g*x[1] - %g*x[2] - %g*x[3];", i, i, d, a, b, c);
    }
    for (int i = 1; i <= 3; i++) { /* slopes s below p, then r up to q, then w; 0 at 0, which is between p and q */
        double p = number(random, -3, 0), q = number(random, 0, 3), s = number(random, -3, -1);
        double r = number(random, -1, 1), w = number(random, 1, 3);
        add(kinked, " + <<%g, %g; %g, %g, %g>> x[%d]", p, q, s, r, w, i);
        add(split, "s.t. c%d: u[%d] >= %g*x[%d]; s.t. d%d: u[%d] >= %g*(x[%d] - %g) + %g;", i, i, r, i, i, i, s, i, p,
            r * p);
        add(split, "s.t. e%d: u[%d] >= %g*(x[%d] - %g) + %g;", i, i, w, i, q, r * q);
    }
    add(kinked, "; s.t. row: x[1] + x[2] + x[3] = 1;");
    add(split, "s.t. row: x[1] + x[2] + x[3] = 1;");
}

TEST(random_kinks_have_the_optimum_of_their_linear_programme) {
    static char kinked[TEXT], split[TEXT];
    for (uint64_t k = 0; k < TRIALS; k++) {
        struct random random = random_start(71, k);
        draw_kinks(&random, kinked, split);
        struct answer a = solve(kinked), b = solve(split);
        assert_true(is_certified(&b) && b.residual <= 1.01 * HN_CERTIFIED); /* convex: the optimum */
        assert_true(is_certified(&a));
        assert_in_interval(a.report.objective, b.report.objective - 1e-7, b.report.objective + 1e-7);
        assert_in_interval(a.report.violation, 0, 1e-8);
    }
}

/* ---- linear programmes ---- */

/* c' x, A x <= b, E x = A0 x0 with x0 inside a box, or with no upper bounds. */
struct linear {
    int outputs, unequal, equal;
    double c[8], rows[8][8], x0[8];
};

static struct linear draw_linear(struct random *random) {
    struct linear p = {3 + (int)random_between(random, 0, 5),
                       1 + (int)random_between(random, 0, 3),
                       1 + (int)random_between(random, 0, 2),
                       {0},
                       {{0}},
                       {0}};
    for (int j = 0; j < p.outputs; j++) {
        p.c[j] = round(random_between(random, -4.5, 4.5));
        p.x0[j] = number(random, 1, 9);
        for (int i = 0; i < p.unequal + p.equal; i++)
            p.rows[i][j] = round(random_between(random, -3.5, 3.5));
    }
    return p;
}

static void add_row(const struct linear *p, char *text, const char *name, int row, double factor, const char *relation,
                    double room) {
    double value = room;
    add(text, "s.t. %s%d: 0", name, row);
    for (int j = 0; j < p->outputs; j++) {
        add(text, " + %g*x[%d]", factor * p->rows[row][j], j + 1);
        value += factor * p->rows[row][j] * p->x0[j];
    }
    add(text, " %s %.17g;", relation, value);
}

static void write_linear(const struct linear *p, bool boxed, double repeated, char *text) {
    text[0] = 0;
    add(text, "var x{1..%d} >= 0%s; minimize f: 0", p->outputs, boxed ? ", <= 10" : "");
    for (int j = 0; j < p->outputs; j++)
        add(text, " + %g*x[%d]", p->c[j], j + 1);
    add(text, ";");
    for (int i = 0; i < p->unequal; i++)
        add_row(p, text, "i", i, 1, "<=", 0.5 * i);
    for (int i = 0; i < p->equal; i++)
        add_row(p, text, "e", p->unequal + i, 1, "=", 0);
    if (repeated != 0)
        add_row(p, text, "again", p->unequal, repeated, "=", 0);
}

TEST(equalities_that_repeat_each_other_do_no_harm) {
    static char text[TEXT];
    struct answer a =
        check_optimum("var x{1..5} >= 0, <= 10; minimize f: -2*x[1]+3*x[2]+2*x[3]-4*x[4]-x[5];\n"
                      "s.t. i0: 2*x[1]-3*x[2]-3*x[3]+2*x[4] <= -11; s.t. e0: -x[1]-x[2]+2*x[4]-x[5] = 3;\n"
                      "s.t. e1: -x[1]-x[2]+2*x[4]-x[5] = 3;",
                      -29);
    assert_in_interval(a.residual, 0, 1.01 * HN_CERTIFIED);
    for (uint64_t k = 0; k < 2 * TRIALS; k++) {
        struct random random = random_start(72, k);
        struct linear p = draw_linear(&random);
        write_linear(&p, true, 0, text);
        struct answer without = solve(text);
        write_linear(&p, true, k % 2 ? 1 : -2, text);
        a = solve(text);
        assert_true(is_certified(&without) && is_certified(&a));
        assert_in_interval(a.residual, 0, 1.01 * HN_CERTIFIED); /* convex: the optimum */
        assert_in_interval(a.report.objective, without.report.objective - 1e-6, without.report.objective + 1e-6);
    }
}

TEST(an_unbounded_objective_is_named) {
    static char text[TEXT];
    int unbounded = 0;
    struct answer a = solve("var y <= 1; minimize f: y;");
    assert_int_equal(a.report.outcome, HN_OUTCOME_OK);
    assert_int_equal(a.report.reason, HN_REASON_UNBOUNDED);
    assert_true(a.report.objective < -1e6 && isinf(a.report.kkt));
    a = solve("var y >= 2, := 3; maximize f: y;");
    assert_true(a.report.reason == HN_REASON_UNBOUNDED && a.report.objective > 1e6);
    a = solve("var y >= 2, <= 1e12, := 3; maximize f: y;");
    assert_true(a.report.reason != HN_REASON_UNBOUNDED);
    for (uint64_t k = 0; k < 2 * TRIALS; k++) {
        struct random random = random_start(73, k);
        struct linear p = draw_linear(&random);
        write_linear(&p, false, 0, text);
        a = solve(text);
        assert_int_equal(a.report.outcome, HN_OUTCOME_OK); /* either has an optimum, or says that there is none */
        assert_true(is_certified(&a) ? a.residual <= 1.01 * HN_CERTIFIED : a.report.reason == HN_REASON_UNBOUNDED);
        unbounded += a.report.reason == HN_REASON_UNBOUNDED;
    }
    print_message("%d of %d unbounded\n", unbounded, 2 * TRIALS);
    assert_in_interval(unbounded, 0.2 * TRIALS, 1.8 * TRIALS);
}

/* ---- points and multipliers ---- */

TEST(where_nothing_is_feasible_the_point_of_auto_is_returned) {
    static const char text[] =
        "var y{1..2}; s.t. a: y[1]^2+y[2]^2 = 0.0001; s.t. b: y[1] >= 5; s.t. c: sin(y[2]) = 2;\n"
        "minimize f: y[1];";
    static const double raw[] = {-4.548478881673502, -0.623493735004022};
    struct answer plain = run_text(text, HN_METHOD_AUTO, raw), nearest = run_text(text, HN_METHOD_NEAREST, raw);
    struct answer optimal = run_text(text, HN_METHOD_OPTIMAL, raw);
    assert_int_equal(plain.report.outcome, HN_OUTCOME_LOCALLY_INFEASIBLE);
    assert_int_equal(nearest.report.outcome, HN_OUTCOME_LOCALLY_INFEASIBLE);
    for (size_t j = 0; j < 2; j++) {
        assert_same_bits(nearest.y[j], plain.y[j]);
        assert_same_bits(optimal.y[j], plain.y[j]);
    }
    assert_same_bits(nearest.report.violation, plain.report.violation);
    assert_in_interval(nearest.report.proof, 0, 1e-6);
}

/* At y[1] = 1 the gradient of the row is 0: any multiplier of it would do. */
TEST(a_row_without_gradient_has_no_multiplier) {
    static const char rows[] = "var y{1..2} := 3; s.t. c: (y[1]-1)^2 <= 0; s.t. d: y[2] >= 1;\n";
    static const double at[] = {1, 0};
    char text[TEXT] = "";
    add(text, "%sminimize f: (y[1]-1)^2 + y[2]^2;", rows);
    struct answer a = solve(text);
    assert_true(is_certified(&a) && a.residual <= 1.01 * HN_CERTIFIED);
    assert_true(a.l[0] == 0);
    assert_in_interval(a.l[1], 2 - 1e-8, 2 + 1e-8);
    a = run_text(rows, HN_METHOD_NEAREST, at);
    assert_true(is_certified(&a) && a.l[0] == 0);
    assert_in_interval(a.l[1], 1 - 1e-8, 1 + 1e-8);
}

TEST(reasons_have_texts) {
    assert_string_equal(hn_reason_text(HN_REASON_NONE), "");
    assert_contains(hn_reason_text(HN_REASON_UNBOUNDED), "unbounded");
    assert_contains(hn_reason_text(HN_REASON_KINK), "kink");
    assert_string_equal(hn_reason_text(HN_REASON_COUNT), "unknown");
}
