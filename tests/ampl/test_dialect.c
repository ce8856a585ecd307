/* test_dialect.c - turns of the language that models in use have beside those of the book's first chapters: chained
 * comparisons, '=' in data, words of operators as names, suffixes, loops that are refused once.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/lines.h"
#include "ampl/reading.h"

/* ---- chained comparisons ---- */

TEST(a_chain_of_comparisons_holds_when_each_of_them_does) {
    assert_near(constant_of("", "if 1 < 2 < 3 then 1 else 2", ""), 1);
    assert_near(constant_of("", "if 1 < 3 < 2 then 1 else 2", ""), 2);
    assert_near(constant_of("", "if 2 < 1 < 3 then 1 else 2", ""), 2);
    assert_near(constant_of("", "if 1 <= 1 < 2 <= 2 then 1 else 2", ""), 1);
    assert_near(constant_of("", "if 3 > 2 >= 2 > 1 then 1 else 2", ""), 1);
    assert_near(constant_of("", "if 3 > 2 >= 2 > 2 then 1 else 2", ""), 2);
    assert_near(constant_of("", "if 1 = 1 == 1 then 1 else 2", ""), 1);
    assert_near(constant_of("", "if 1 = 1 = 2 then 1 else 2", ""), 2);
    assert_near(constant_of("", "if 0 <= 1 = 1 < 2 then 1 else 2", ""), 1);
    assert_near(constant_of("", "if 'a' < 'b' < 'c' and not 1 < 1 < 2 then 1 else 2", ""), 1);
    assert_near(constant_of("", "if {1,2} = 1..2 = {2,1} then 1 else 2", ""), 1);
    assert_near(constant_of("", "if {1,2} = 1..2 = {2,3} then 1 else 2", ""), 2);
    assert_near(constant_of("", "sum {i in 1..9: 2 <= i <= 4} i", ""), 9);
    assert_near(constant_of("param t := 5;", "sum {j in 1..9} if (2 <= j <= t - 1) then 1 else 100", ""), 603);
    assert_near(constant_of("param e := 1; check: 0.99 < e < 1.01;", "e", ""), 1);
}

TEST(a_chain_of_comparisons_stops_where_it_fails) {
    assert_near(constant_of("param p{1..2} := 1;", "if 3 <= 2 <= p[3] then 1 else 2", ""), 2);
    must_fail("var x; check: 1.01 < 1 < 2;", "1:8", "check 1 is not satisfied");
}

TEST(a_chain_of_comparisons_chooses_columns_and_judges_inputs) {
    hn_model *model =
        model_of_text("param p >= 0, <= 9; check: 1 < p <= 3;\n"
                      "var x{i in 1..5: 2 <= i <= 4} >= 0; var y; minimize f: if 0 <= y < 2 then 5 else 7;\n"
                      "c: 1 <= x[2] + y <= 3;");
    assert_int_equal(hn_model_output_count(model), 4);
    assert_near(objective_at(model, (double[]){2}, (double[]){0, 0, 0, 1}), 5);
    assert_near(objective_at(model, (double[]){2}, (double[]){0, 0, 0, 2}), 7);
    assert_near(objective_at(model, (double[]){2}, (double[]){0, 0, 0, -1}), 7);
    assert_int_equal(hn_model_requirement_count(model), 1);
    hn_row_info row = row_named(model, "c");
    assert_near(value_at(model, row.lower, NULL, NULL), 1);
    assert_near(value_at(model, row.upper, NULL, NULL), 3);
    hn_model_destroy(model);
}

TEST(a_chain_of_comparisons_points_one_way) {
    must_fail("var x; c: (if 1 <= 2 >= 3 then x) <= 1;", "1:22", ">=: a chain of comparisons must have one direction");
    must_fail("var x; c: (if 1 <> 2 <> 3 then x) <= 1;", "1:22", "<>: a chain");
    must_fail("var x; c: (if 1 < 2 <> 3 then x) <= 1;", "1:21", "<>: a chain");
    must_fail("var x; c: (if {1} = {2} < {3} then x) <= 1;", "1:15", "sets can only be compared");
    must_fail("var x; c: (if {1} = {(2,3)} then x) <= 1;", "1:21", "dimension 2 is compared with one of dimension 1");
    must_fail("var x; c: (if 1 < 2 < {3} then x) <= 1;", "1:23", "a set instead of");
}

/* Each level has a choice between two comparisons: were it evaluated twice, this would take 2^40 steps. */
TEST(the_middle_of_a_chain_is_evaluated_once) {
    char text[4000] = "1";
    for (int i = 0; i < 40; i++) {
        char inner[4000];
        memcpy(inner, text, sizeof inner);
        snprintf(text, sizeof text, "if 0 < (%.3900s) < 9 then 1 else 2", inner);
    }
    assert_near(constant_of("", text, ""), 1);
}

/* ---- '=' in data ---- */

TEST(an_equals_sign_assigns_in_data) {
    const char *table = "c[1,1] + 10*c[1,2] + 100*c[2,1] + 1000*c[2,2]";
    assert_near(constant_of("set S; set I{1..2};", "card(S) + sum {i in S} i + 10*card(I[2])",
                            "data; set S = 1 2; set I[1] =; set I[2]=a b;"),
                2 + 3 + 20);
    assert_near(constant_of("param n; param m;", "n + m", "data; param n = 5; param m=-2;"), 3);
    assert_near(constant_of("param b{1..3};", "b[1] + b[2] + b[3]", "data; param b default 7 = 1 2, 2 3;"), 2 + 3 + 7);
    assert_near(constant_of("param c{1..2,1..2};", table, "data; param c: 1 2 = 1 1 2 2 3 4;"), 4321);
    assert_near(constant_of("param c{1..2,1..2};", table, "data; param c (tr): 1 2 = 1 1 3 2 2 4;"), 4321);
    assert_near(constant_of("param c{1..2,1..2};", table, "data; param c [1,*] = 1 1 2 2 [2,*] = 1 3 2 4;"), 4321);
    assert_near(constant_of("set S; param a{S}; param b{S};", "sum {i in S} (a[i] + 10*b[i])",
                            "data; param: S: a b = x 1 2 y 3 4;"),
                4 + 60);
    assert_near(constant_of("set A dimen 2;", "sum {(i,j) in A} (10*i + j)", "data; set A: 1 2 = 1 + - 2 - +;"), 33);
    hn_model *model = model_of_text("var x; var y{1..2}; data; var x = 3; var y = 1 4, 2 5;");
    assert_near(value_at(model, hn_model_output(model, 0).start, NULL, NULL), 3);
    assert_near(value_at(model, hn_model_output(model, 2).start, NULL, NULL), 5);
    hn_model_destroy(model);
}

TEST(an_equals_sign_elsewhere_in_data_is_a_mistake) {
    must_fail("set S; var x{S}; data; set S := 1 = 2;", "1:35", "=: ");
    must_fail("set S; var x{S}; data; set S == 1;", "1:31", "=: ");
    must_fail("set S; var x{S}; data; set S := a=b;", "1:34", "=: ");
    must_fail("param n; var x; data; param n := = 5;", "1:34", "=: ");
    must_fail("param n; var x; data; param n = = 5;", "1:33", "=: ");
    must_fail("param b{1..2}; var x; data; param b := 1 = 5;", "1:42", "=: ");
    must_fail("param b{1..2}; var x; data; param b := 1 5 = 2 6;", "1:44", "=: ");
    assert_near(constant_of("set S;", "card(S)", "data; set S := '=' 'a=b';"), 2);
}

/* ---- words of operators as names ---- */

TEST(a_word_of_an_operator_may_be_declared) {
    hn_model *model = model_of_text("param diff := 3; var x >= diff; set prod := 1..3; var inter{p in prod} <= p;\n"
                                    "param mod{1..2}; cross: sum {p in prod} inter[p] <= mod[2];\n"
                                    "symdiff {p in prod: p > 1}: inter[p] >= -diff; data; param mod := 1 4, 2 5;");
    assert_int_equal(hn_model_output_count(model), 4);
    assert_near(value_at(model, row_named(model, "x").lower, NULL, NULL), 3);
    assert_near(value_at(model, row_named(model, "cross").upper, NULL, NULL), 5);
    assert_near(value_at(model, row_named(model, "symdiff[3]").lower, NULL, NULL), -3);
    hn_model_destroy(model);
    model = model_of_text("set ordered ordered := 1..2; set circular := {1}; param to := 4; var x{ordered};\n"
                          "set S circular := 2..3; subject to c: x[first(ordered)] <= to;");
    assert_near(value_at(model, row_named(model, "c").upper, NULL, NULL), 4);
    hn_model_destroy(model);
}

TEST(a_word_of_an_operator_is_the_operator_until_it_is_declared) {
    assert_near(constant_of("set S := 1..4 diff 2..3; param diff{i in {1,2} diff {2}} := 7;", "card(S) + diff[1]", ""),
                9);
    assert_near(constant_of("param a := prod {i in 1..3} i; param prod := 5 mod 3;", "a + 10*prod", ""), 26);
    must_fail("param mod := 2; var x; c: x <= 5 mod 2;", "1:34", "mod");
    assert_near(constant_of("set A dimen 2 := {(1,2), (3,4)};",
                            "sum {(from,to) in A} to + sum {mod in 1..3} (mod - 1) + 5 mod 3", ""),
                6 + 3 + 2);
}

static void keep_count(void *context, const hn_message *note) {
    size_t *counts = context;
    counts[note->severity]++;
}

/* How many notes, warnings and errors a text gives. */
static hn_status count_notes(const char *text, size_t *counts) {
    hn_read_options options = hn_read_defaults();
    hn_error error;
    hn_model *model;
    options.message = keep_count;
    options.context = counts;
    hn_status status = read_text(&model, text, &options, &error);
    hn_model_destroy(model);
    return status;
}

TEST(a_reserved_word_as_a_name_is_one_mistake) {
    size_t counts[3] = {0}, further[3] = {0};
    const char *text = "set sum; param p{sum}; var x{sum} >= 0; var y >= sum;\n"
                       "c {i in sum}: x[i] <= sum; minimize f: y + sum; data; set sum := 1 2;";
    must_fail(text, "1:5", "sum: a reserved word cannot be a name");
    assert_int_equal(count_notes(text, counts), HN_SYNTAX);
    assert_int_equal(counts[HN_SEVERITY_ERROR], 1);
    assert_int_equal(count_notes("param if := 3; var x; c: x >= if; d: x >= y;", further), HN_SYNTAX);
    assert_int_equal(further[HN_SEVERITY_ERROR], 2);
}

/* ---- functions of sets, integrality ---- */

TEST(a_function_of_a_set_takes_braces_without_parentheses) {
    assert_near(constant_of("set S := 2..5;", "card {S} + 10*card {i in S: i > 3} + 100*card{1,2,3} + last {7,9}", ""),
                4 + 20 + 300 + 9);
    assert_near(constant_of("", "2*card {1,2}^2 + card {}", ""), 8);
    must_fail("var x; c: sin {1,2} <= x;", "1:11", "sin");
}

TEST(an_integer_variable_without_columns_is_not_refused) {
    size_t counts[3] = {0}, relaxed[3] = {0};
    const char *text = "set S; var x; var n{S} integer; var b{i in 1..3: i > 4} binary; data; set S := ;";
    assert_int_equal(count_notes(text, counts), HN_OK);
    assert_int_equal(counts[HN_SEVERITY_WARNING] + counts[HN_SEVERITY_ERROR], 0);
    assert_int_equal(count_notes("var x integer; var y; var z{1..2} binary;", relaxed), HN_UNSUPPORTED);
    assert_int_equal(relaxed[HN_SEVERITY_ERROR], 2);
}

TEST(the_refusal_of_integer_variables_names_the_way_out) {
    must_fail("var y; var x{1..2} >= 0, integer;", "1:26", "--relax-integrality");
    must_fail("var x{1..2} binary;", "1:13", "relax_integrality");
}

/* ---- suffixes and multipliers ---- */

TEST(suffixes_of_goals_are_skipped_with_a_note) {
    size_t counts[3] = {0};
    const char *text = "var x{1..2} suffix pr 1; minimize o: x[1]^2 suffix pr 3, suffix more 2 + 1;\n"
                       "c {i in 1..2}: x[i] >= i suffix pr i; d: -1 <= x[1] <= 5, suffix pr := 2 suffix more 1;\n"
                       "let c[1].dual := 1; let c[1] := 100; let {i in 1..2} c[i] := i; let o.pr := 2; let d := 4;";
    assert_int_equal(count_notes(text, counts), HN_OK);
    assert_int_equal(counts[HN_SEVERITY_NOTE], 5);
    hn_model *model = model_of_text(text);
    assert_int_equal(hn_model_row_count(model), 3);
    assert_near(value_at(model, row_named(model, "c[2]").lower, NULL, NULL), 2);
    assert_near(value_at(model, row_named(model, "d").upper, NULL, NULL), 5);
    hn_model_destroy(model);
}

TEST(what_let_cannot_change_is_still_refused) {
    must_fail("var x; minimize o: x; let o := 3;", "1:27", "o: let cannot change an objective");
    must_fail("var x{1..2}; c: x[1] <= 1; let x[c] := 3;", "1:34", "c: a constraint may not appear");
    must_fail("var x{1..2}; var y; let x[y.pr] := 3;", "1:27", "y.pr: this suffix is not supported");
    must_fail("var x; c: x <= 1; let c.lb := 3;", "1:23", "c.lb");
    must_fail("var x; c{1..2}: x <= 1; let c := 3;", "1:29", "c has 1 subscripts");
    must_fail("var x; minimize o: x, 3;", "1:21", ",: expected ';'");
}

TEST(a_note_that_repeats_is_said_once_with_its_count) {
    char text[4000] = "var x;";
    struct messages messages = {.length = 0};
    hn_read_options options = hn_read_defaults();
    hn_error error;
    hn_model *model;
    for (int i = 0; i < 78; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, " c%d := %d: x <= %d;", i, i, i);
    }
    options.message = keep_message;
    options.context = &messages;
    assert_int_equal(read_text(&model, text, &options, &error), HN_OK);
    hn_model_destroy(model);
    assert_string_equal(messages.text,
                        "note m:1:11: the start value of a multiplier is skipped, here and 77 more times\n");
}

/* ---- refused once ---- */

/* The ';' between breakpoints and slopes ends no statement, not even after a mistake. */
TEST(a_mistake_in_a_piecewise_linear_term_is_one_mistake) {
    size_t counts[3] = {0}, more[3] = {0};
    const char *text = "var x; minimize f: <<q, 3; 2, 4, 5>> x; c: x >= 0; d: (2*<<{i in 1..2} i, r; 1, 2>> x) <= 3;";
    must_fail(text, "1:22", "q is not declared");
    assert_int_equal(count_notes(text, counts), HN_SYNTAX);
    assert_int_equal(counts[HN_SEVERITY_ERROR], 2);
    assert_int_equal(count_notes("var x; c: x << 3; d: x <= y; e: z >> 2;", more), HN_SYNTAX);
    assert_int_equal(more[HN_SEVERITY_ERROR], 3);
}

TEST(a_mistake_in_a_block_is_one_mistake_and_ends_with_the_block) {
    static const char *const commands[] = {
        "for {i in 1..2} {let z := i; display x; for {j in 1..2} {print j;}}",
        "for {i in 1..2} let z := i;",
        "for {i in 1..2} {shell 'x'; }",
        "for loop {i in 1..2, j in {1,2}} if i = j then {let x := 1;} else let z := 2;",
        "if sum {i in 1..2} i > 3 then let x := 1; else let z := 2;",
        "if 1 = 1 then {let x := 1; fix x;} else if 1 = 2 then {let x := 2;} else {let x := 3; @ ';' }",
        "repeat {let x := x + 1; break;} until z > 3;",
        "repeat while sum {i in 1..2} z <= 9 {let x := x + 1;};"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char text[400];
        size_t counts[3] = {0}, more[3] = {0};
        snprintf(text, sizeof text, "var x; %s", commands[i]);
        assert_int_not_equal(count_notes(text, counts), HN_OK);
        assert_int_equal(counts[HN_SEVERITY_ERROR], 1);
        snprintf(text, sizeof text, "var x; %s c: x <= y; d: x >= 1;", commands[i]);
        count_notes(text, more);
        if (more[HN_SEVERITY_ERROR] != 2)
            fail_msg("%zu errors instead of 2 in: %s", more[HN_SEVERITY_ERROR], text);
    }
}

TEST(logical_constraints_are_refused_as_such) {
    must_fail("var x; c: x <= 1 && x >= 0;", "1:18", "&&: logical constraints are not supported");
    must_fail("var x; c: x <= 1 or x >= 2;", "1:18", "or: logical constraints are not supported");
    must_fail("var x; c: x <= 1 ==> x >= 2;", "1:18", "==>: logical constraints are not supported");
    must_fail("var x; c: -1 <= x <= 1 || x = 2;", "1:24", "||: logical constraints");
    must_fail("var x; c: not (x <= 1);", "1:11", "not: logical constraints");
    must_fail("var x; c: forall {i in 1..2} x <= i;", "1:11", "forall: logical constraints");
    must_fail("var x; c: (x <= 1) or (x >= 2);", "1:12",
              "c: a condition as a constraint (logical constraint) is not supported");
}

/* ---- conditions on variables, labels ---- */

TEST(conditions_on_variables_stay_in_the_model) {
    hn_model *model = model_of_text(
        "var x; var y; minimize f: (if x > 0 and not y > 1 then x^2 else -x) + max(x,y,0) + abs(x)\n"
        " + min {i in 1..2} i*x + (if x = 0 or y < 5 then 10) + (x less y) + prod{i in 1..2} (x+i) + (0*x + "
        "5 less 2) + (if x <> y then 0 else 9);\n");
    const double a[] = {2, 0.5}, b[] = {-1, 6};
    assert_near(objective_at(model, NULL, a), 4 + 2 + 2 + 2 + 10 + 1.5 + 12 + 3);
    assert_near(objective_at(model, NULL, b), 1 + 6 + 1 - 2 + 0 + 0 + 0 + 3);
    hn_model_destroy(model);
}

TEST(labels_show_what_could_be_mistaken_in_quotes) {
    hn_model *model = model_of_text("set S := {'a,b', 'it''s', '3', 'plain'}; var x{S, {-1.5, 2}};");
    assert_string_equal(hn_model_output(model, 0).name, "x['a,b',-1.5]");
    assert_string_equal(hn_model_output(model, 2).name, "x['it''s',-1.5]");
    assert_string_equal(hn_model_output(model, 5).name, "x['3',2]");
    assert_string_equal(hn_model_output(model, 7).name, "x[plain,2]");
    hn_model_destroy(model);
}
