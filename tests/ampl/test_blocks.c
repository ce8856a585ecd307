/* test_blocks.c - commands that contain commands: what they change, when they end, what they skip.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

#include "ampl/lines.h"

static double after(const char *commands) {
    char text[2000];
    snprintf(text, sizeof text, "param n default 0; param p{1..9} default 0; set S default 1..3; %s", commands);
    return constant_of(text, "n", "");
}

TEST(loops_run_as_often_as_they_say) {
    assert_near(after("for {i in 1..4} let n := n + i;"), 10);
    assert_near(after("for {i in 1..4, j in i..4: i <> j} { let n := n + 1; }"), 6);
    assert_near(after("for {(i,j) in {(1,2), (3,4)}} let n := 10*n + j;"), 24);
    assert_near(after("for {i in 1..0} let n := 5;"), 0);
    assert_near(after("for {1..3} let n := n + 1;"), 3);
    assert_near(after("repeat { let n := n + 1; } until n >= 4;"), 4);
    assert_near(after("repeat { let n := n + 1; } while n < 4;"), 4);
    assert_near(after("repeat until n >= 4 { let n := n + 3; };"), 6);
    assert_near(after("repeat while n < 4 { let n := n + 3; } let n := n + 1;"), 7);
    assert_near(after("while n < 4 do { let n := n + 3; }"), 6);
    assert_near(after("repeat while n > 0 { let n := n - 1; } until 1 = 0;"), 0);
    assert_near(after("for {i in 1..2} for {j in 1..3} if i = j then let n := n + 1; else let n := n + 10;"), 42);
}

TEST(choices_take_one_branch) {
    assert_near(after("if 1 = 2 then let n := 1; else if 2 = 2 then let n := 2; else let n := 3;"), 2);
    assert_near(after("if 1 = 2 then let n := 1;; let n := n + 1;"), 1);
    assert_near(after("if 1 = 1 then { } else let n := 3;"), 0);
    assert_near(after("if 1 = 1 then if 1 = 2 then let n := 1; else let n := 2;"), 2);
    assert_near(after("if card(S) = 3 and not exists {i in S} i > 3 then { let n := 7; };"), 7);
}

TEST(break_and_continue_leave_the_loop_they_mean) {
    assert_near(after("for {i in 1..9} { if i = 3 then continue; if i = 5 then break; let n := n + i; }"), 7);
    assert_near(after("for a {i in 1..3} { for b {j in 1..3} { if j = 2 then continue a; let n := n + 1; } }"), 3);
    assert_near(after("for a {i in 1..3} { for b {j in 1..3} { if j = 2 then break a; let n := n + 1; } }"), 1);
    assert_near(after("repeat a { repeat { let n := n + 1; if n = 5 then break a; } until n mod 2 = 0; };"), 5);
    assert_near(after("repeat { let n := n + 1; if n < 3 then continue; } until n >= 2;"), 2);
}

/* What a loop runs over is what it was when it began, whatever let does to it. */
TEST(a_loop_keeps_its_indices) {
    assert_near(after("for {i in S} { let S := S union {10*i}; let n := n + 1; }"), 3);
    assert_near(after("for {i in S} { let S := {}; let n := n + i; }"), 6);
    assert_near(after("param m default 3; set T := 1..m; for {i in T, j in T} { let m := 1; let n := n + i*j; }"), 36);
    assert_near(after("for {i in S} for {j in S} { let S := S diff {j}; let n := n + 1; }"), 3);
    assert_near(after("set A := {(1,2), (1,3), (2,3)}; for {i in S, (i,j) in A} let {k in S: k = i} n := n + k*j;"),
                11);
}

TEST(values_that_were_computed_are_computed_again) {
    assert_near(after("param q := 2*n + 1; for {i in 1..5} let n := q;"), 31);
    assert_near(after("param c{i in 1..9} := if i = 1 then n else c[i-1] + p[i];"
                      "for {i in 2..4} { let p[i] := c[i-1] + 1; } let n := c[4];"),
                7);
}

TEST(starts_and_fixes_are_changed) {
    hn_model *model =
        model_of_text("var x{i in 1..4} := i; c{i in 1..4}: x[i] <= 9; minimize f: x[1]; maximize g: x[2];"
                      "for {i in 1..4} { if x[i] > 2 then fix x[i] := x[i-1] + 5; else let x[i] := 2*x[i]; }"
                      "for {i in 1..4: i < 3} { drop c[i]; } if x[3] = 9 then objective g;"
                      "for {i in 4..4} unfix x[i];");
    static const double starts[] = {2, 4, 9, 14};
    for (size_t i = 0; i < 4; i++) {
        hn_output_info info = hn_model_output(model, i);
        assert_near(value_at(model, info.start, NULL, NULL), starts[i]);
        assert_true(hn_is_valid(info.fixed) == (i == 2));
    }
    assert_int_equal(hn_model_row_count(model), 2);
    assert_string_equal(hn_model_objective(model).name, "g");
    hn_model_destroy(model);
}

/* Inputs may be added up in a loop; they may not decide how often it runs. */
TEST(values_may_depend_on_inputs) {
    hn_model *model = model_of_text("param u; param w; param s default 0; var x; c: x <= s;"
                                    "for {i in 1..3} { let s := s + i*u; if i > 1 then let s := s - w; }");
    assert_near(value_at(model, row_named(model, "c").upper, (double[]){10, 1}, NULL), 58);
    assert_int_equal(hn_model_input_count(model), 2);
    hn_model_destroy(model);
    must_fail("param u; param s default 0; var x; repeat { let s := s + u; } until s > 3;", "1:69",
              "s depends on network inputs");
}

TEST(draws_differ_from_run_to_run) {
    assert_true(after("for {i in 1..9} let p[i] := Uniform01();"
                      "let n := card(setof {i in 1..9} p[i]);") == 9);
    assert_true(after("for {1..9} let p[1] := p[1] + Uniform01(); let n := p[1];") !=
                after("for {1..1} let p[1] := 9*Uniform01(); let n := p[1];"));
    assert_true(after("repeat while Uniform01() < 0.9 { let n := n + 1; }") < 400);
}

/* ---- ends ---- */

static hn_status read_with_messages(const char *text, size_t max_nodes, struct messages *messages, hn_error *error,
                                    hn_model **model) {
    hn_read_options options = hn_read_defaults();
    options.max_nodes = max_nodes > 0 ? max_nodes : options.max_nodes;
    options.message = keep_message;
    options.context = messages;
    return read_text(model, text, &options, error);
}

TEST(solve_in_a_block_ends_everything) {
    struct messages messages = {.length = 0};
    hn_error error = {.text = ""};
    hn_model *model;
    const char *text =
        "param n default 0; var x; c: x <= n;\n"
        "for {i in 1..9} { let n := n + i; if i = 3 then { solve; if solve_result = 'bad' then break; } }\n"
        "let n := 100; d: x >= nonsense;";
    assert_int_equal(read_with_messages(text, 0, &messages, &error, &model), HN_OK);
    assert_near(value_at(model, row_named(model, "c").upper, NULL, NULL), 6);
    assert_int_equal(hn_model_row_count(model), 1);
    assert_non_null(strstr(messages.text, "m:2:58: the commands after solve in its block are skipped"));
    assert_non_null(strstr(messages.text, "m:3:1: the text after the block with solve is skipped"));
    hn_model_destroy(model);
}

TEST(what_only_shows_is_skipped_with_one_note) {
    struct messages messages = {.length = 0};
    hn_error error = {.text = ""};
    hn_model *model;
    const char *text =
        "param n default 0; var x; s: x <= 1; option solver a;\n"
        "for {i in 1..3} { printf \"%d; }\\n\", i; display x, n; let s := 3; let n := i; option presolve 0;"
        " printf 'again'; }";
    assert_int_equal(read_with_messages(text, 0, &messages, &error, &model), HN_OK);
    assert_non_null(strstr(messages.text, "m:2:19: printf in a block is skipped, here and 1 more time"));
    assert_non_null(strstr(messages.text, "display in a block is skipped"));
    assert_non_null(strstr(messages.text, "option in a block is skipped"));
    assert_non_null(strstr(messages.text, "let on the multiplier of s is skipped"));
    hn_model_destroy(model);
}

TEST(the_value_of_the_caller_counts_and_is_said_once) {
    struct messages messages = {.length = 0};
    hn_read_options options = hn_read_defaults();
    const char *lets[] = {"n=7"};
    hn_error error = {.text = ""};
    hn_model *model;
    options.message = keep_message;
    options.context = &messages;
    options.lets = lets;
    options.let_count = 1;
    const char *text = "param n default 0; var x; c: x <= n; for {i in 1..50} let n := n + i;";
    assert_int_equal(read_text(&model, text, &options, &error), HN_OK);
    assert_near(value_at(model, row_named(model, "c").upper, NULL, NULL), 7);
    assert_string_equal(messages.text, "note m:1:59: let n is skipped: the caller sets the value\n");
    hn_model_destroy(model);
}

/* Sets that are made again and again take the memory of one. */
TEST(a_loop_may_make_sets_for_long) {
    struct messages messages = {.length = 0};
    hn_error error = {.text = ""};
    hn_model *model;
    const char *text =
        "param n default 0; set S default {}; set T := {i in 1..200: i <> n}; var x; c: x <= n + card(S);"
        "for {i in 1..150} { let n := n + card(T) mod 2; let S := T; }";
    if (read_with_messages(text, 40000, &messages, &error, &model) != HN_OK)
        fail_msg("%s", error.text);
    assert_near(value_at(model, row_named(model, "c").upper, NULL, NULL), 1 + 199);
    hn_model_destroy(model);
}

TEST(loops_without_end_end) {
    static const char *const texts[] = {"var x; repeat { }",
                                        "var x; repeat { } while 1 = 1;",
                                        "var x; while 1 do { }",
                                        "var x; param n default 0; repeat { let n := n + 1; }",
                                        "var x; param n default 0; repeat { continue; let n := 1; } until n > 0;",
                                        "var x; for {i in 1..1e9} { }",
                                        "var x; for {i in 1..300} for {j in 1..300} { }",
                                        "var x; set S default {1}; repeat { let S := setof {i in S} i + 1; } ",
                                        "var x; param s symbolic default 'a'; repeat { let s := s & 'a'; }"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct messages messages = {.length = 0};
        hn_error error = {.text = ""};
        hn_model *model;
        hn_status status = read_with_messages(texts[i], 20000, &messages, &error, &model);
        if (status != HN_LIMIT && !strstr(error.text, "a string of more than"))
            fail_msg("%s: %s", texts[i], error.text);
    }
}

TEST(blocks_nest_up_to_a_limit) {
    char text[2000] = "var x; ";
    for (int i = 0; i < 29; i++)
        strcat(text, "if 1 = 1 then ");
    strcat(text, "for {i in 1..2} let x := 3;");
    hn_model_destroy(model_of_text(text));
    strcpy(text, "var x; ");
    for (int i = 0; i < 31; i++)
        strcat(text, "if 1 = 1 then ");
    strcat(text, "let x := 3;");
    must_fail(text, "1:428", "blocks nested more than 30 deep");
}
