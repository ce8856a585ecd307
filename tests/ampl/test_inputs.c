/* test_inputs.c - the link to networks: params without a value are inputs. And commands: let, fix, unfix, check, solve.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

TEST(bounds_starts_and_computed_params_may_depend_on_inputs) {
    hn_model *model =
        model_of_text("param a; param b{1..2}; param c := a*b[1]; param d{i in 1..2} := c + i;\n"
                      "var x{i in 1..2} >= d[i], <= 10, := d[i]/2; r: a <= x[1] + x[2] <= 2*a; q: x[1] = c;\n"
                      "fix x[2] := a;");
    const double x[] = {3, 5, 7}, y[] = {1, 2};
    assert_int_equal(hn_model_input_count(model), 3);
    assert_string_equal(hn_model_input(model, 2).name, "b[2]");
    assert_near(value_at(model, hn_model_output(model, 0).lower, x, y), 16);
    assert_near(value_at(model, hn_model_output(model, 0).start, x, y), 8);
    assert_near(value_at(model, hn_model_output(model, 1).fixed, x, y), 3);
    assert_near(value_at(model, row_named(model, "r").upper, x, y), 6);
    assert_near(value_at(model, row_named(model, "q").lower, x, y), 15);
    hn_model_destroy(model);
}

TEST(attributes_that_are_no_box_become_requirements) {
    hn_model *model =
        model_of_text("param a >= 0, <= 2; param b >= a, < 5, <> 1; param s := a + b, <= 6; var x; c: x >= s;");
    const double good[] = {1, 2}, low[] = {1, 0.5}, high[] = {1, 5}, one[] = {1, 1}, sum[] = {2, 4.5};
    assert_int_equal(hn_model_requirement_count(model), 4);
    assert_near(hn_model_input(model, 1).upper, 5);
    for (size_t i = 0; i < 4; i++)
        assert_near(value_at(model, hn_model_requirement(model, i).value, good, NULL), 1);
    assert_near(value_at(model, hn_model_requirement(model, 0).value, low, NULL), 0);
    assert_near(value_at(model, hn_model_requirement(model, 1).value, high, NULL), 0);
    assert_near(value_at(model, hn_model_requirement(model, 2).value, one, NULL), 0);
    assert_near(value_at(model, hn_model_requirement(model, 3).value, sum, NULL), 0);
    hn_model_destroy(model);
}

TEST(inputs_may_not_shape_the_model) {
    must_fail("param N; var x{1..N};", "1:19", "N has no value");
    must_fail("param a; param p{1..2} := 1; var x; c: p[a]*x <= 1;", "1:42", "a has no value");
    must_fail("param a; param k integer := a; var x; c: k*x <= 1;", "1:16", "k");
    must_fail("param a; var x{i in 1..3: i > a};", "1:31", "a has no value");
    must_fail("param a; param b := 2*a; set S := {b}; var x{S};", "1:36", "b depends");
    must_fail("param n integer; var x{1..n};", "1:27", "n has no value");
    must_fail("param a; var x; c: x <= floor(a);", "1:31", "a has no value");
}

TEST(a_partly_filled_param_names_the_entry) {
    must_fail("param a{1..3}; var x{i in 1..3} >= a[i]; data; param a := 1 1 3 3;", "1:36", "a[2] has no value");
}

TEST(commands_run_in_order_when_all_is_read) {
    hn_model *model = model_of_text(
        "param n := 2; param p{1..9} default 1; set S := 1..n; set D; var x{1..n} := 1; var y;\n"
        "let n := 3; let {i in S} p[i] := if i = 1 then 5 else p[i-1] + 1; let x[2] := x[1] + p[3];\n"
        "let D := {7,8}; let D := D union {9}; let y := card(D); fix x[1]; fix y := y + 1; fix x; unfix x[2];\n"
        "minimize f: p[1] + 10*p[2] + 100*p[3] + 1000*p[4];\n");
    assert_int_equal(hn_model_output_count(model), 4);
    assert_near(objective_at(model, NULL, NULL), 5 + 60 + 700 + 1000);
    assert_near(value_at(model, hn_model_output(model, 1).start, NULL, NULL), 8);
    assert_true(hn_is_valid(hn_model_output(model, 0).fixed));
    assert_false(hn_is_valid(hn_model_output(model, 1).fixed));
    assert_true(hn_is_valid(hn_model_output(model, 2).fixed));
    assert_near(value_at(model, hn_model_output(model, 3).fixed, NULL, NULL), 4);
    hn_model_destroy(model);
}

TEST(start_values_may_be_let_to_inputs) {
    hn_model *model =
        model_of_text("param z{1..2}; var x{1..2}; let {i in 1..2} x[i] := 2*z[i]; c: x[1] + x[2] = z[1];");
    const double x[] = {3, 4};
    assert_near(value_at(model, hn_model_output(model, 1).start, x, NULL), 8);
    hn_model_destroy(model);
    must_fail("param m := 2; param z{1..m}; var x; let x := z[1]; let m := 3; c: x >= 0;", "1:21", "z");
}

TEST(checks_without_inputs_must_hold) {
    hn_model *model = model_of_text("param n := 3; check: n > 2; check {i in 1..n}: i >= 1; var x;");
    assert_int_equal(hn_model_requirement_count(model), 0);
    hn_model_destroy(model);
    must_fail("param n := 3; var x; check {i in 1..n}: i <> 2;", "1:22", "check 1[2] is not satisfied");
    must_fail("param n := 3, > 5; var x; c: x <= n;", "1:7", "n");
    must_fail("param n integer; var x; data; param n := 2.5;", "1:7", "n");
}

struct noted {
    int count[3];
    char last[200];
};

static void keep(void *context, const hn_message *note) {
    struct noted *noted = context;
    noted->count[note->severity]++;
    snprintf(noted->last, sizeof noted->last, "%zu:%zu: %s", note->line, note->column, note->text);
}

TEST(what_is_skipped_is_noted) {
    struct noted noted = {{0}, ""};
    hn_read_options options = hn_read_defaults();
    hn_model *model;
    hn_error error;
    options.message = keep;
    options.context = &noted;
    const char *text =
        "reset; option solver ipopt; option foo 'a;b'; var x suffix sos 3; display x, 'don''t; stop'; printf "
        "\"%d;\\n\", 3;\n"
        "suffix sos; let x.sos := 3; print x; expand; show x; close; write bfoo;\n"
        "printf {i in 1..2}: \"%d\", x; display {i in 1..2}: i, x; solve; for {i in 1..2} {!@}";
    assert_int_equal(read_text(&model, text, &options, &error), HN_OK);
    assert_int_equal(hn_model_output_count(model), 1);
    assert_int_equal(noted.count[HN_SEVERITY_NOTE], 15);
    assert_string_equal(noted.last, "2:17: let on the suffix x.sos is skipped");
    hn_model_destroy(model);
}

TEST(several_mistakes_are_reported_together) {
    struct noted noted = {{0}, ""};
    hn_read_options options = hn_read_defaults();
    hn_model *model;
    hn_error error;
    options.message = keep;
    options.context = &noted;
    assert_int_equal(read_text(&model, "var x\nvar y;\nc: x + q <= 1;\nd: y ++ <= 3;\ne: x <= y;\n", &options, &error),
                     HN_SYNTAX);
    assert_int_equal(noted.count[HN_SEVERITY_ERROR], 3);
    assert_string_equal(noted.last, "4:9: <=: expected an expression");
    assert_string_equal(error.text, "m:2:1: var: expected ';' or an attribute of the variable");
}
