/* test_expressions.c - precedence, arithmetic, conditions, sets and functions on constants, by the value that comes
 * out.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

struct sample {
    const char *expression;
    double value;
};

static void check_samples(const char *before, const struct sample *samples, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double value = constant_of(before, samples[i].expression, "");
        if (fabs(value - samples[i].value) > 1e-12 * (1 + fabs(samples[i].value)))
            fail_msg("%s is %.17g instead of %.17g", samples[i].expression, value, samples[i].value);
    }
}

#define CHECK(before, samples) check_samples(before, samples, sizeof samples / sizeof samples[0])

TEST(operators_bind_as_in_ampl) {
    static const struct sample samples[] = {
        {"1 + 2*3", 7},
        {"-2^2", -4},
        {"(-2)^2", 4},
        {"2^3^2", 512},
        {"2**-1", 0.5},
        {"-2^-2", -0.25},
        {"8/2/2", 2},
        {"8 - 3 - 2", 3},
        {"7 div 2*2", 6},
        {"-7 div 2", -3},
        {"-7 mod 3", -1},
        {"7.5 mod 2", 1.5},
        {"5 less 3", 2},
        {"3 less 5 + 1", 1},
        {"10 - 2 less 9", 0},
        {"2 * sum {i in 1..3} i * 2", 24},
        {"sum {i in 1..3} i + 10", 16},
        {"sum {i in 1..3} (i + 10)", 36},
        {"sum {i in 1..2} i * sum {j in 1..2} j", 9},
        {"prod {i in 1..4} i / 2", 1.5},
        {"- sum {i in 1..3} i", -6},
        {"max {i in 1..3} -i + 1", 0},
        {"min(3, 1, 2) + max(1, 5)", 6},
        {"if 1 < 2 then 3 else 4 + 10", 3},
        {"(if 1 > 2 then 3 else 4) + 10", 14},
        {"if 1 > 2 then 3", 0},
        {"if 1 = 2 then 1 else if 2 = 2 then 5 else 6", 5},
        {"if 1 = 1 then if 2 = 3 then 1 else 2 else 3", 2},
        {"2 ^ if 1 = 1 then 3 else 4", 8},
        {"+3 - -2", 5},
        {"1e3 + .5 + 5.0d-1 + 1.e1", 1011},
        {"4*atan(1)", 3.14159265358979323846},
        {"atan2(1, -1)", 2.356194490192344929},
        {"exp(1) + log(exp(2)) + log10(1000) + sqrt(16) + abs(-3)", 2.718281828459045235 + 2 + 3 + 4 + 3},
        {"floor(-1.5) + ceil(-1.5) + round(2.5) + trunc(-2.7)", -2 - 1 + 3 - 2},
        {"round(3.14159, 2) + trunc(3.149, 1)", 3.14 + 3.1},
        {"precision(1234.5, 2)", 1200},
        {"num('12') + length('abc') + num(substr('1234', 2, 2))", 12 + 3 + 23},
        {"num('-1.5') + num(7) + length(substr('abc', 5)) + length(substr('abc', 2))", -1.5 + 7 + 0 + 2},
        {"round(1e300, 20) + precision(0, 3)", 1e300}};
    CHECK("", samples);
}

TEST(conditions_bind_as_in_ampl) {
    static const struct sample samples[] = {{"if 1 = 1 or 1 = 2 and 1 = 3 then 1 else 2", 1},
                                            {"if (1 = 1 || 1 = 2) && 1 = 3 then 1 else 2", 2},
                                            {"if not 1 = 2 and 2 = 2 then 1 else 2", 1},
                                            {"if ! (1 <> 2) then 1 else 2", 2},
                                            {"if 1 != 2 && 3 >= 3 && 2 <= 3 && 4 == 4 then 1 else 2", 1},
                                            {"if 'a' < 'b' and 'a' <> 'b' and 'a' = 'a' then 1 else 2", 1},
                                            {"if 1 = '1' then 1 else 2", 2},
                                            {"if 2 in 1..3 and 4 not in 1..3 then 1 else 2", 1},
                                            {"if 1.5 in 1..3 then 1 else 2", 2},
                                            {"if forall {i in 1..3} i > 0 and i < 4 then 1 else 2", 1},
                                            {"if exists {i in 1..3} i = 4 or 1 = 1 then 1 else 2", 1},
                                            {"if exists {i in 1..3: i > 1} i = 1 then 1 else 2", 2},
                                            {"if (1,2) in {(1,2),(3,4)} then 1 else 2", 1},
                                            {"if {1,2} within 1..3 and {1,5} not within 1..3 then 1 else 2", 1},
                                            {"if {1,2} = {2,1} and {1} <> {2} then 1 else 2", 1},
                                            {"if 3 then 1 else 2", 1}};
    CHECK("", samples);
}

/* Without listing products and unions. */
TEST(membership_is_decided_by_the_parts_of_a_set) {
    static const struct sample samples[] = {
        {"if 3 in A union B and 9 not in A union B then 1", 1},
        {"if 3 in A diff {4} and 4 not in A diff {4} then 1", 1},
        {"if 1 in A symdiff B and 3 not in A symdiff B then 1", 1},
        {"if 3 in A inter B and 1 not in A inter B then 1", 1},
        {"if (3,5) in A cross B and (5,3) not in A cross B then 1", 1},
        {"if (3,5,1) in A cross B cross {1} and (3,5,2) not in A cross B cross {1} then 1", 1},
        {"if (1,2) in {i in A, j in i..9: i + j = 3} and (2,1) not in {i in A, j in i..9: i + j = 3} then 1", 1},
        {"if 5 in {j in B: j > 4} and 3 not in {j in B: j > 4} then 1", 1},
        {"if (1,1000000,5) in {1..1e9, 1..1e9, B} then 1", 1},
        {"sum {i in A} (if i in {j in {(k,i) in P} : j > 0} then i)", 1},
        {"if 2 in {(1,j) in P} and 3 not in {(1,j) in P} then 1", 1},
        {"if 1 in if 1 = 2 then {2} else {1} then 1", 1},
        {"sum {i in 1..3, (i) in A} i", 6},
        {"sum {(i,j) in P, (i,j) in P} 1", 2}};
    CHECK("set A := 1..4; set B := {3,4,5,6}; set P := {(1,2),(1,1)};", samples);
}

TEST(empty_reductions_have_their_neutral_value) {
    static const struct sample samples[] = {{"sum {i in {}: 1 = 1} 3 + prod {i in 1..0} i", 1},
                                            {"if min {i in 1..0} i = Infinity then 1", 1},
                                            {"if max {i in 1..0} i = -Infinity then 1", 1},
                                            {"card(inter {i in 1..0} {i})", 0},
                                            {"if forall {i in 1..0} i = 1 and not exists {i in 1..0} i = 1 then 1", 1}};
    static const struct sample dimension[] = {{"card(setof {i in 1..0} (i,i))", 0}};
    check_samples("", samples + 1, 4);
    CHECK("", dimension);
}

TEST(sets_are_computed) {
    static const struct sample samples[] = {
        {"card(1..10)", 10},
        {"card(1..10 by 3)", 4},
        {"card(10..1 by -2)", 5},
        {"card(5..1)", 0},
        {"card({})", 0},
        {"sum {i in 0..1 by 0.25} i", 2.5},
        {"card({1,2,3} union {3,4} diff {1})", 3},
        {"card({1,2} symdiff {2,3})", 2},
        {"card({1,2,3} inter {2,3,4} union {9})", 3},
        {"card({1,2} cross {1,2,3})", 6},
        {"card({1..2, 1..3})", 6},
        {"card({i in 1..4, j in 1..4: i < j})", 6},
        {"sum {(i,j) in {1..3} cross {1..2}: i > j} i*j", 2 + 3 + 6},
        {"card(setof {i in 1..5} i mod 2)", 2},
        {"sum {(a,b) in setof {i in 1..3} (i, i^2)} b", 14},
        {"card(union {i in 1..3} {i, i+1})", 4},
        {"card(inter {i in 1..3} (i..i+3))", 2},
        {"card(inter {i in 1..3} i..i+3)", 2},
        {"card(union {i in 1..2} i..i+1 union {9})", 4},
        {"card(union {i in 1..3} {i} inter 2..9 diff {3})", 1},
        {"first(S) + last(S) + member(2, S)", 7 + 5 + 3},
        {"ord(3, S) + next(3, S) + prev(3, S) + next(7, S, 2)", 2 + 5 + 7 + 5},
        {"ord0(99, S) + nextw(5, S) + prevw(7, S) + next(5, C) + prev(7, C)", 0 + 7 + 5 + 7 + 5},
        {"sum {t in S: ord(t) > 1} prev(t)", 10},
        {"sum {t in {k in S: k > 3}} ord(t)", 3},
        {"sum {i in 1..2, j in T[i]} i*j", 1 + 2 * 1 + 2 * 2},
        {"card(if 1 = 2 then {1} else {1,2})", 2},
        {"arity({1} cross {2})", 2},
        {"sum {i in 1..3, (i,j) in P} j", 20 + 30},
        {"sum {(i,2) in Q} i", 4},
        {"card({(i,j) in Q: j = 2})", 2}};
    CHECK("set S ordered := {7,3,5}; set C circular := {7,3,5}; set T{i in 1..2} := 1..i; set P := "
          "{(2,20),(3,30),(5,50)};"
          "set Q := {(1,2),(3,2),(4,5)};",
          samples);
}

TEST(params_are_computed_when_used) {
    static const struct sample samples[] = {{"fact[5]", 120}, {"a[2,1]", 5}, {"b", 11},  {"w['x'] + w['y']", 1 + 2},
                                            {"up[1]", 4},     {"join", 5},   {"s[1]", 3}};
    CHECK("param n := 5; param fact{i in 0..n} := if i = 0 then 1 else i*fact[i-1];"
          "param a{i in 1..2, j in 1..i} = 2*i + j; param b default 2*n + 1; set W := {'x','y'};"
          "param w{k in W} := if k = 'x' then 1 else 2; param up{i in 1..4} := if i = 4 then 4 else up[i+1];"
          "param name symbolic := 'fi' & 've'; param join := if name = 'five' then 5 else 0;"
          "param s{i in 1..3} default 4 - i integer >= 0 in 0..3;",
          samples);
}

TEST(dummies_hide_what_is_outside) {
    static const struct sample samples[] = {{"sum {i in 1..2} (i + sum {i in 3..4} i)", 1 + 2 + 14},
                                            {"sum {n in 1..2} n", 3},
                                            {"sum {i in 1..2} sum {j in i..2} j*i", 1 + 2 + 4}};
    CHECK("param n := 10;", samples);
}

TEST(comments_and_blanks_may_stand_anywhere) {
    assert_near(
        constant_of("\xef\xbb\xbf# first\n/* a ; b */ param a # c\n :=\t/* x\n y */ 3\r\n;;; ", "a /**/ + # d\n 1", ""),
        4);
}

TEST(values_can_be_set_by_the_caller) {
    hn_model *model;
    hn_error error;
    const char *lets[] = {"N=4", "who=b"};
    hn_read_options options = hn_read_defaults();
    options.lets = lets;
    options.let_count = 2;
    assert_int_equal(read_text(&model,
                               "param N := 2; param M := N^2; param who symbolic default 'a'; var x{1..N};"
                               "minimize f: M + if who = 'b' then 100; let N := 3;",
                               &options, &error),
                     HN_OK);
    assert_int_equal(hn_model_output_count(model), 4);
    assert_near(objective_at(model, NULL, NULL), 116);
    hn_model_destroy(model);
    lets[0] = "M=4";
    assert_int_equal(read_text(&model, "param N := 2; var x;", &options, &error), HN_INVALID);
    assert_non_null(strstr(error.text, "M=4"));
    lets[0] = "N=four";
    assert_int_equal(read_text(&model, "param N := 2; var x;", &options, &error), HN_INVALID);
    lets[0] = "N";
    assert_int_equal(read_text(&model, "param N := 2; var x;", &options, &error), HN_INVALID);
}
