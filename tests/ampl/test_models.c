/* test_models.c - whole small models, with counts and values known by hand.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

#include <math.h>

/* ---- a linear program in the manner of textbooks: sets, data tables, bounds ---- */

static const char *const blend =
    "set GOODS; set PARTS;\n"
    "param price {GOODS} > 0; param low {GOODS} >= 0; param high {j in GOODS} >= low[j];\n"
    "param need {PARTS} >= 0; param amount {PARTS,GOODS} >= 0;\n"
    "var Buy {j in GOODS} >= low[j], <= high[j];\n"
    "minimize Cost:  sum {j in GOODS} price[j] * Buy[j];\n"
    "subject to Diet {i in PARTS}: need[i] <= sum {j in GOODS} amount[i,j] * Buy[j] <= 10*need[i];\n"
    "data;\n"
    "param: GOODS: price low high := BEEF 3.19 0 100  'FISH STEW' 2.59 1 90\n HAM 2.89 0 100;\n"
    "param: PARTS: need := A 70  C 7e1;\n"
    "param amount (tr): A C := BEEF 60 20 'FISH STEW' 8 0 HAM 8 .;\n"
    "param amount := C HAM 10;\n";

static void a_diet_model_reads_with_its_tables(void **state) {
    (void)state;
    hn_model *model = must_read(blend);
    const double y[] = {1, 2, 3};
    assert_int_equal(hn_model_output_count(model), 3);
    assert_int_equal(hn_model_row_count(model), 5);
    assert_int_equal(hn_model_input_count(model), 0);
    assert_string_equal(hn_model_output(model, 1).name, "Buy[FISH STEW]");
    assert_near(objective_at(model, NULL, y), 3.19 + 2 * 2.59 + 3 * 2.89);
    hn_row_info row = row_named(model, "Diet[A]");
    assert_near(value_at(model, row.body, NULL, y), 60 + 16 + 24);
    assert_near(value_at(model, row.lower, NULL, y), 70);
    assert_near(value_at(model, row.upper, NULL, y), 700);
    assert_near(value_at(model, row_named(model, "Diet[C]").body, NULL, y), 20 + 0 + 30);
    assert_near(value_at(model, row_named(model, "Buy[FISH STEW]").lower, NULL, y), 1);
    hn_model_destroy(model);
}

/* ---- periods, with an ordered set and shifted indices ---- */

static void inventory_balances_shift_their_indices(void **state) {
    (void)state;
    hn_model *model =
        must_read("set PROD; param T > 0; param inv0 {PROD} >= 0; param demand {PROD,1..T};\n"
                  "var Make {PROD,1..T} >= 0; var Inv {PROD,0..T} >= 0;\n"
                  "maximize Profit: sum {p in PROD, t in 1..T} (3*Make[p,t] - Inv[p,t]);\n"
                  "s.t. Init {p in PROD}: Inv[p,0] = inv0[p];\n"
                  "s.t. Balance {p in PROD, t in 1..T}: Make[p,t] + Inv[p,t-1] = demand[p,t] + Inv[p,t];\n"
                  "data; param T := 2; set PROD := bands coils;\n"
                  "param inv0 := bands 10 coils 0;\n"
                  "param demand: 1 2 := bands 5 6 coils 7 8;\n");
    /* Make[bands,1], Make[bands,2], Make[coils,1], Make[coils,2], Inv[bands,0..2], Inv[coils,0..2] */
    const double y[] = {1, 2, 3, 4, 10, 20, 30, 40, 50, 60};
    assert_int_equal(hn_model_output_count(model), 10);
    assert_string_equal(hn_model_output(model, 5).name, "Inv[bands,1]");
    assert_near(value_at(model, row_named(model, "Balance[bands,2]").body, NULL, y), 2 + 20 - 30 - 6);
    assert_near(value_at(model, row_named(model, "Balance[bands,2]").lower, NULL, y), 0 + 0);
    assert_near(value_at(model, row_named(model, "Balance[coils,1]").body, NULL, y), 3 + 40 - 50 - 7);
    assert_near(value_at(model, row_named(model, "Init[bands]").upper, NULL, y), 10);
    assert_near(objective_at(model, NULL, y), 3 * 10 - (20 + 30 + 50 + 60));
    assert_true(hn_model_objective(model).maximize);
    hn_model_destroy(model);
}

/* ---- a network with slices ---- */

static void flows_balance_over_slices_of_the_arcs(void **state) {
    (void)state;
    hn_model *model =
        must_read("set N; set A within {N,N}; param cap {A} default 4;\n"
                  "param supply {N} default 0;\n"
                  "var flow {(i,j) in A} >= 0, <= cap[i,j];\n"
                  "minimize cost: sum {(i,j) in A} flow[i,j]^2;\n"
                  "balance {k in N}: supply[k] + sum {(i,k) in A} flow[i,k] = sum {(k,j) in A} flow[k,j];\n"
                  "data; set N := a b c; set A: a b c := a - + + b - - + c - - -;\n"
                  "param supply := a 3, c -3; param cap := a b 1;\n");
    const double y[] = {1, 2, 4}; /* ab, ac, bc */
    assert_int_equal(hn_model_output_count(model), 3);
    assert_near(value_at(model, row_named(model, "balance[a]").upper, NULL, y), 3);
    assert_near(value_at(model, row_named(model, "balance[a]").body, NULL, y), 3);
    assert_near(value_at(model, row_named(model, "balance[b]").body, NULL, y), 1 - 4);
    assert_near(value_at(model, row_named(model, "balance[c]").lower, NULL, y), 0);
    assert_near(value_at(model, row_named(model, "balance[c]").body, NULL, y), -3 + 2 + 4);
    assert_near(value_at(model, row_named(model, "flow[a,b]").upper, NULL, y), 1);
    assert_near(value_at(model, row_named(model, "flow[b,c]").upper, NULL, y), 4);
    hn_model_destroy(model);
}

/* ---- nonlinear programs as collections write them ---- */

static void a_nonlinear_least_squares_problem_reads(void **state) {
    (void)state;
    hn_model *model = must_read("param N:=3; param M:=4;\r\n"
                                "param t{i in 1..M} := i/100;\r\n"
                                "param y{i in 1..M} := 25+ (-50*log(t[i]))^(2/3);\r\n"
                                "param x_init{1..N};\r\n"
                                "var x{i in 1..N} := x_init[i];\r\n"
                                "minimize f:\r\n\tsum {i in 1..M} (exp(abs(y[i]-x[2])^x[3]/(-x[1]))-t[i])^2;\r\n"
                                "data;\r\nparam x_init := 1 5 2 2.5 3 0.15;\r\nsolve;\r\ndisplay f;\r\ndisplay x;\r\n");
    const double x[] = {5, 2.5, 0.15};
    double expected = 0;
    for (int i = 1; i <= 4; i++) {
        double t = i / 100.0, y = 25 + pow(-50 * log(t), 2.0 / 3);
        expected += pow(exp(pow(fabs(y - x[1]), x[2]) / -x[0]) - t, 2);
    }
    assert_near(objective_at(model, NULL, x), expected);
    assert_near(value_at(model, hn_model_output(model, 2).start, NULL, NULL), 0.15);
    assert_int_equal(hn_model_row_count(model), 0);
    hn_model_destroy(model);
}

static void a_discretised_control_problem_reads(void **state) {
    (void)state;
    hn_model *model = must_read("param n := 4; param h := 1/n; param pi := 4*atan(1);\n"
                                "var x {i in 0..n} := sin(pi*i*h), <= 2;\n"
                                "var u {0..n} >= -1, <= 1, := 0.5;\n"
                                "minimize J: h*sum {i in 1..n} (x[i]^2 + u[i]^2)/2;\n"
                                "subject to ode {i in 1..n}: x[i] - x[i-1] = h/2*(u[i] + u[i-1]);\n"
                                "subject to fixed_start: x[0] = 1;\n"
                                "let {i in 1..n-1} u[i] := i/(n+1);\n"
                                "fix u[0]; fix {i in 3..4} x[i] := i/2;\n");
    assert_int_equal(hn_model_output_count(model), 10);
    assert_near(value_at(model, hn_model_output(model, 2).start, NULL, NULL), 1);
    assert_near(value_at(model, hn_model_output(model, 6).start, NULL, NULL), 0.2);
    assert_near(value_at(model, hn_model_output(model, 9).start, NULL, NULL), 0.5);
    assert_near(value_at(model, hn_model_output(model, 5).fixed, NULL, NULL), 0.5);
    assert_near(value_at(model, hn_model_output(model, 4).fixed, NULL, NULL), 2);
    assert_false(hn_is_valid(hn_model_output(model, 2).fixed));
    /* ode 4, fixed_start 1, x[0..2] free with a bound, u[1..4] */
    assert_int_equal(hn_model_row_count(model), 4 + 1 + 3 + 4);
    hn_model_destroy(model);
}

static void defined_variables_are_expressions_with_names(void **state) {
    (void)state;
    hn_model *model = must_read("var x{1..3}; var s{k in 1..3} = if k = 1 then x[1] else s[k-1] + x[k];\n"
                                "var all_of_them = s[3]^2; minimize f: all_of_them; c: s[2] >= 1;\n");
    const double y[] = {1, 2, 4};
    assert_int_equal(hn_model_output_count(model), 3);
    assert_int_equal(hn_model_definition_count(model), 4);
    assert_string_equal(hn_model_definition(model, 1).name, "s[2]");
    assert_near(value_at(model, hn_model_definition(model, 2).value, NULL, y), 7);
    assert_near(objective_at(model, NULL, y), 49);
    assert_near(value_at(model, hn_defined(model, "s[2]"), NULL, y), 3);
    hn_model_destroy(model);
}

static void long_chains_of_definitions_need_no_deep_calls(void **state) {
    (void)state;
    hn_model *model = must_read("param n := 20000; param f{i in 0..n} := if i = 0 then 1 else f[i-1] + 1;\n"
                                "param g{i in 0..n} := if i = n then 1 else g[i+1] + 1; check: g[0] = f[n];\n"
                                "var x; var s{k in 1..n} = if k = 1 then x else s[k-1] + x*k;\n"
                                "minimize total: s[n] + f[n];\n");
    const double y[] = {2};
    assert_near(objective_at(model, NULL, y), 2 * (20000.0 * 20001 / 2) + 20001);
    hn_model_destroy(model);
}

/* ---- forms of constraints ---- */

static void a_bound_stays_on_its_side(void **state) {
    (void)state;
    hn_model *model =
        must_read("var x; var y; a: x + 1 <= 3; b: 4 >= x; c: 2 = x*y; d: x <= y + 1; e: 5 >= x >= -5;\n"
                  "f: x == 2; g: -1 <= x + y <= Infinity; s.t. h: x + 1 >= 2 - y; subj to k: 0 <= x^2;\n");
    const double y[] = {1.5, 2.5};
    struct expected {
        const char *name;
        double lower, body, upper;
    } rows[] = {{"a", -INFINITY, 2.5, 3}, {"b", -INFINITY, 1.5, 4}, {"c", 2, 3.75, 2},
                {"d", -INFINITY, -2, 0},  {"e", -5, 1.5, 5},        {"f", 2, 1.5, 2},
                {"g", -1, 4, INFINITY},   {"h", 0, 3, INFINITY},    {"k", 0, 2.25, INFINITY}};
    assert_int_equal(hn_model_row_count(model), sizeof rows / sizeof rows[0]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hn_row_info row = row_named(model, rows[i].name);
        assert_true(value_at(model, row.lower, NULL, y) == rows[i].lower);
        assert_near(value_at(model, row.body, NULL, y), rows[i].body);
        assert_true(value_at(model, row.upper, NULL, y) == rows[i].upper);
    }
    hn_model_destroy(model);
}

static void conditions_on_an_index_leave_rows_out(void **state) {
    (void)state;
    hn_model *model = must_read("param N := 3; var z{1..N} >= 0;\n"
                                "s.t. apart {k in 1..N, j in 1..N: k <> j}: z[k] - z[j] >= if k < j then 1 else -1;\n"
                                "s.t. even {k in 1..N: k mod 2 = 0}: z[k] = 0;\n");
    assert_int_equal(hn_model_row_count(model), 6 + 1 + 3);
    assert_near(value_at(model, row_named(model, "apart[1,3]").lower, NULL, NULL), 1);
    assert_near(value_at(model, row_named(model, "apart[3,1]").lower, NULL, NULL), -1);
    hn_model_destroy(model);
}

static void a_linear_row_is_one_sum(void **state) {
    (void)state;
    hn_model *model =
        must_read("var x{1..50}; c: sum {i in 1..50} i*x[i] - (3 + sum {i in 1..25} (x[2*i] - 1)) = 7;\n");
    /* 50 leaves, at most 50 scaled ones, 25 negated, numbers, and one sum with its constant */
    assert_true(hn_model_node_count(model) < 200);
    double y[50];
    double expected = -3 + 25;
    for (int i = 0; i < 50; i++) {
        y[i] = 0.1 * i;
        expected += (i + 1) * y[i] - (i % 2 ? y[i] : 0);
    }
    assert_near(value_at(model, row_named(model, "c").body, NULL, y), expected);
    hn_model_destroy(model);
}

static void conditions_on_variables_stay_in_the_model(void **state) {
    (void)state;
    hn_model *model =
        must_read("var x; var y; minimize f: (if x > 0 and not y > 1 then x^2 else -x) + max(x,y,0) + abs(x)\n"
                  " + min {i in 1..2} i*x + (if x = 0 or y < 5 then 10) + (x less y) + prod{i in 1..2} (x+i) + (0*x + "
                  "5 less 2) + (if x <> y then 0 else 9);\n");
    const double a[] = {2, 0.5}, b[] = {-1, 6};
    assert_near(objective_at(model, NULL, a), 4 + 2 + 2 + 2 + 10 + 1.5 + 12 + 3);
    assert_near(objective_at(model, NULL, b), 1 + 6 + 1 - 2 + 0 + 0 + 0 + 3);
    hn_model_destroy(model);
}

static void every_function_is_known_on_variables(void **state) {
    (void)state;
    hn_model *model =
        must_read("var x; minimize f: sin(x)+cos(x)+tan(x)+asin(x)+acos(x)+atan(x)+atan2(x,2)+sinh(x)+cosh(x)"
                  "+tanh(x)+asinh(x)+acosh(x+1)+atanh(x)+exp(x)+log(x)+log10(x)+sqrt(x)+abs(x)+x^2.5+x**3+2^x;");
    const double x = 0.4;
    double expected = sin(x) + cos(x) + tan(x) + asin(x) + acos(x) + atan(x) + atan2(x, 2) + sinh(x) + cosh(x) +
                      tanh(x) + asinh(x) + acosh(x + 1) + atanh(x) + exp(x) + log(x) + log10(x) + sqrt(x) + fabs(x) +
                      pow(x, 2.5) + pow(x, 3) + pow(2, x);
    assert_near(objective_at(model, NULL, &x), expected);
    hn_model_destroy(model);
}

static void only_the_first_objective_counts(void **state) {
    (void)state;
    hn_model *model = must_read("var x; minimize f{i in 2..3}: i*x; maximize g: x^2;");
    const double y[] = {5};
    assert_string_equal(hn_model_objective(model).name, "f[2]");
    assert_near(objective_at(model, NULL, y), 10);
    hn_model_destroy(model);
}

static void names_of_functions_and_commands_can_be_declared(void **state) {
    (void)state;
    hn_model *model =
        must_read("param data := 2; var next{1..2}; var log = next[1]*data; param Gamma := 3; set first := 1..2;\n"
                  "load {i in first}: next[i] >= Gamma; display: log <= 4; minimize end: last(first)*next[2];\n");
    const double y[] = {1, 10};
    assert_int_equal(hn_model_row_count(model), 3);
    assert_near(objective_at(model, NULL, y), 20);
    assert_near(value_at(model, row_named(model, "display").body, NULL, y), 2);
    hn_model_destroy(model);
}

static void labels_show_what_could_be_mistaken_in_quotes(void **state) {
    (void)state;
    hn_model *model = must_read("set S := {'a,b', 'it''s', '3', 'plain'}; var x{S, {-1.5, 2}};");
    assert_string_equal(hn_model_output(model, 0).name, "x['a,b',-1.5]");
    assert_string_equal(hn_model_output(model, 2).name, "x['it''s',-1.5]");
    assert_string_equal(hn_model_output(model, 5).name, "x['3',2]");
    assert_string_equal(hn_model_output(model, 7).name, "x[plain,2]");
    hn_model_destroy(model);
}

static void integrality_is_relaxed_on_request(void **state) {
    (void)state;
    hn_model *model;
    hn_error error;
    hn_read_options options = hn_read_defaults();
    const char *text = "var x integer >= 2 <= 5; var y binary; c: x + y >= 1;";
    assert_int_equal(read_text(&model, text, NULL, &error), HN_UNSUPPORTED);
    options.relax_integrality = true;
    assert_int_equal(read_text(&model, text, &options, &error), HN_OK);
    assert_near(value_at(model, row_named(model, "y").upper, NULL, NULL), 1);
    assert_near(value_at(model, row_named(model, "x").lower, NULL, NULL), 2);
    hn_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_diet_model_reads_with_its_tables),
                                       cmocka_unit_test(inventory_balances_shift_their_indices),
                                       cmocka_unit_test(flows_balance_over_slices_of_the_arcs),
                                       cmocka_unit_test(a_nonlinear_least_squares_problem_reads),
                                       cmocka_unit_test(a_discretised_control_problem_reads),
                                       cmocka_unit_test(defined_variables_are_expressions_with_names),
                                       cmocka_unit_test(long_chains_of_definitions_need_no_deep_calls),
                                       cmocka_unit_test(a_bound_stays_on_its_side),
                                       cmocka_unit_test(conditions_on_an_index_leave_rows_out),
                                       cmocka_unit_test(a_linear_row_is_one_sum),
                                       cmocka_unit_test(conditions_on_variables_stay_in_the_model),
                                       cmocka_unit_test(every_function_is_known_on_variables),
                                       cmocka_unit_test(only_the_first_objective_counts),
                                       cmocka_unit_test(names_of_functions_and_commands_can_be_declared),
                                       cmocka_unit_test(labels_show_what_could_be_mistaken_in_quotes),
                                       cmocka_unit_test(integrality_is_relaxed_on_request)};
    return cmocka_run_group_tests_name("ampl/models", tests, NULL, NULL);
}
