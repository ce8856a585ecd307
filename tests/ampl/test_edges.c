/* test_edges.c - the edges of sets, functions, options and limits: what comes out just inside, and what is said just outside.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

struct value {
    const char *expression;
    double value;
};

struct wrong {
    const char *text, *words; /* after a variable; in the message */
};

static const char sets[] =
    "set S := 1..3; set O ordered := {'c','a','b'}; set E := {}; set P := {(1,2),(2,3)}; set C circular := 1..3;\n";

TEST(sets_end_where_they_should) {
    static const struct value values[] = {
        {"card(integer [1, 4])", 4},
        {"card(integer (1, 4])", 3},
        {"card(integer [1, 4))", 3},
        {"card(integer (1, 4))", 2},
        {"card(integer (0.5, 3.5))", 3},
        {"card(integer [4, 1])", 0},
        {"card(S inter interval (1, 3])", 2},
        {"card(S inter interval [1, 3))", 2},
        {"card(S diff interval (1, 3))", 2},
        {"card(5..1)", 0},
        {"card(1..9 by 4)", 3},
        {"card(9..1 by -4)", 3},
        {"card(1..1)", 1},
        {"card(E cross S) + card(S cross E)", 0},
        {"card(S symdiff {3, 4})", 3},
        {"card(E union E) + card(E inter S) + card(E diff S) + card(E symdiff E)", 0},
        {"card(union {i in E} {i}) + card(inter {i in 1..2} {i, i + 1})", 1},
        {"if {3, 2, 1} = S then 1 else 2", 1},
        {"if S <> {1, 2} then 1 else 2", 1},
        {"if S within {1, 2, 3, 4} and {1} within S and not ({5} within S) then 1 else 2", 1},
        {"if S = {1, 2, 3} and S = 1..3 and E = {} then 1 else 2", 1},
        {"if 2 in interval (1, 2] and 2 not in interval (1, 2) and 1 not in interval (1, 2) then 1 else 2", 1},
        {"if 2.5 not in integer [1, 3] and 2 in integer [1, 3] then 1 else 2", 1},
        {"if 'a' in O and 'z' not in O and 1 not in O then 1 else 2", 1},
        {"ord('a', O) + ord0('z', O) + ord0(4, S) + ord(3, S)", 2 + 0 + 0 + 3},
        {"next(1, S) + next(1, S, 2) + prev(3, S) + prev(3, S, 2) + nextw(3, S) + prevw(1, S)", 2 + 3 + 2 + 1 + 1 + 3},
        {"next(3, C) + prev(1, C) + next(2, C, 5) + next(1, S, 0)", 1 + 3 + 1 + 1},
        {"first(S) + last(S) + member(2, S) + arity(P) + arity(S)", 1 + 3 + 2 + 2 + 1},
        {"prod {i in E} 7 + sum {i in E} 7", 1},
        {"if min {i in E} 7 = Infinity and max {i in E} 7 = -Infinity then 1 else 2", 1},
        {"num('+5') + num('-5') + num('1e2') + length('') + length(substr('abc', 1, 0)) + num(substr('a12', 2))",
         100 + 12},
        {"round(1.25, 400) + trunc(-7.9, -400)", 1.25 - 7.9},
        {"max(1, 0/1) + min(1) + max(2)", 1 + 1 + 2},
        {"abs(Poisson(0)) + Uniform(3, 3) + Normal(2, 0)", 5},
        {"if 0 < Beta(2, 3) and Beta(2, 3) < 1 and Gamma(0.5) > 0 and Irand224() < 16777216 then 1 else 2", 1},
        {"if abs(Cauchy()) >= 0 and Normal01() < 40 and Exponential() > 0 then 1 else 2", 1}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        double value = constant_of(sets, values[i].expression, "");
        if (!(fabs(value - values[i].value) <= 1e-12 * (1 + fabs(values[i].value))))
            fail_msg("%s is %.17g instead of %.17g", values[i].expression, value, values[i].value);
    }
}

static void check_wrong(const struct wrong *list, size_t count, bool expressions) {
    for (size_t i = 0; i < count; i++) {
        char text[2000];
        hn_model *model;
        hn_error error = {.status = HN_OK, .text = ""};
        size_t length =
            (size_t)snprintf(text, sizeof text, "%s param n default 1; var x{1..3} >= 0, <= 9; var u;\n", sets);
        snprintf(text + length, sizeof text - length, "%s%s%s", expressions ? "minimize f: u + (" : "", list[i].text,
                 expressions ? ");" : "");
        hn_status status = read_text(&model, text, NULL, &error);
        hn_model_destroy(model);
        if (status == HN_OK || strncmp(error.text, "m:", 2) != 0 || !strstr(error.text, list[i].words))
            fail_msg("%d '%s' does not say '%s'\nin: %s", (int)status, error.text, list[i].words, text);
    }
}

TEST(values_without_meaning_are_told) {
    static const struct wrong list[] = {
        {"card(1..Infinity-Infinity)", "invalid first member"},
        {"ord(1, P)", "ord: the first argument is not a member of the set"},
        {"ord(1, E)", "not a member"},
        {"prev(1, S)", "no such member"},
        {"num('')", "not a number"},
        {"length(substr(3, 1))", "a string"},
        {"Normal(0, -1)", "must not be negative"},
        {"Beta(0, 1)", "must be positive"},
        {"Beta(1, -1)", "must be positive"},
        {"Poisson(1e16)", "from 0 to 1e15"},
        {"Uniform(0, Infinity)", "must be finite"},
        {"sqrt(-1)", "sqrt"},
        {"acosh(0)", "acosh(0) is NaN"},
        {"2 div u", "div"},
        {"round(1, u)", "round"},
        {"ord(u, S)", "u: a variable may not appear in an order"},
        {"next(1, S, u)", "u: a variable may not appear in an order"},
        {"member(u, S)", "u: a variable may not appear in an order"},
        {"length(substr('abc', u))", "u: a variable may not appear in a text"},
        {"length(substr('abc', 1, u))", "u: a variable may not appear in a text"},
        {"if u in S then 1 else 2", "u: a variable may not appear in a test of membership"},
        {"if {1, 2} = P then 1 else 2", "a set of dimension 2 is compared with one of dimension 1"},
    };
    check_wrong(list, sizeof list / sizeof list[0], true);
}

TEST(statements_without_meaning_are_told) {
    static const struct wrong list[] = {
        {"set A dimen 1.5;", "1.5: expected a dimension from 1 to 32"},
        {"set A dimen 99;", "99: expected a dimension from 1 to 32"},
        {"set A dimen x;", "x: expected a dimension from 1 to 32"},
        {"var z symbolic;", "symbolic: this attribute of a variable is not supported"},
        {"param p in interval (1, 2) := 1; c: u >= p;", "p: the value 1 violates > 1"},
        {"param p := Infinity - Infinity; c: u >= p;", "a bound is NaN"},
        {"c: u >= Infinity - Infinity;", "a bound is NaN"},
        {"for { let n := 1; }", "let is not declared"},
        {"for {i in S} { var z; }", "var: not allowed in a block of commands"},
        {"if n = 1 { let n := 2; }", "{: expected 'then'"},
        {"if n then let n := 2; else", "end of text: not allowed in a block of commands"},
        {"while { let n := 2; }", "let is not declared"},
        {"option randseed 'a';", "randseed 'a': expected a whole number from 1 to 2^53"},
        {"data other.dat;", "cannot include files"},
        {"commands other.run;", "cannot include files"},
        {"node N; arc a from N to;", ";: expected a node"},
        {"minimize f: u >= 1;", ">=: expected ';'"},
        {"c: `", "backquotes"},
        {"c: ``", "empty name"},
        {"c: u >= `not there`;", "not there"},
        {"data; param (tr): 1 2 := 1 2 3;", "(: expected a name"},
        {"param q{S,S}; data; param q (tr) 1 2 := 1 2 3;", "(: expected a set member"},
        {"param q{S}; data; param q default := 1 2;", ":=: expected a value"},
        {"set G{S}; data; set G[*] := 1 2;", ":=: expected a subscript for every component"},
        {"set G{S}; data; set G[1 := 1 2;", "more than 1 components"},
        {"c: <<u; 1, 2>> u >= 0;", "u: a variable may not appear in a breakpoint or slope"},
    };
    check_wrong(list, sizeof list / sizeof list[0], false);
}

/* ---- options ---- */

static hn_status read_with(const char *let, size_t max_nodes, const char *text, double *value, hn_error *error) {
    hn_model *model;
    hn_read_options options = hn_read_defaults();
    options.lets = &let;
    options.let_count = 1;
    options.max_nodes = max_nodes;
    *error = (hn_error){.status = HN_OK, .text = ""};
    hn_status status = read_text(&model, text, &options, error);
    if (status == HN_OK)
        *value = objective_at(model, NULL, NULL);
    hn_model_destroy(model);
    return status;
}

TEST(lets_are_numbers_or_texts) {
    static const struct {
        const char *let;
        double value; /* NaN: refused */
    } lets[] = {{"n=5", 5},    {"n=+5", 5},       {"n=-5", -5}, {"n=1e2", 100}, {"n=", NAN},  {"n=-", NAN},
                {"n=5x", NAN}, {"n=abc", NAN},    {"n", NAN},   {NULL, NAN},    {"m=5", NAN}, {"q=5", NAN},
                {"S=5", NAN},  {"s=abcd", 1 + 4}, {"s=", 1},    {"=5", NAN},    {"nn=5", NAN}};
    static const char text[] =
        "param n default 1; param s symbolic default 'abc'; param q{1..2} default 1; set S := 1..2; var u;\n"
        "minimize f: u + n + (if s = 'abc' then 0 else length(s));";
    for (size_t i = 0; i < sizeof lets / sizeof lets[0]; i++) {
        hn_error error;
        double value = NAN;
        hn_status status = read_with(lets[i].let, 1000, text, &value, &error);
        if (isnan(lets[i].value) ? status == HN_OK || !strstr(error.text, "let") : value != lets[i].value)
            fail_msg("let %s: %g, %s", lets[i].let ? lets[i].let : "NULL", value, error.text);
    }
}

TEST(an_infinite_let_may_be_a_bound) {
    hn_error error;
    double value = NAN;
    static const char text[] =
        "param n; var u <= n; minimize f: u + (if n = Infinity then 1 else if n = -Infinity then 2 else 3);";
    assert_int_equal(read_with("n=Infinity", 1000, text, &value, &error), HN_OK);
    assert_near(value, 1);
    assert_int_not_equal(read_with("n=-Infinity", 1000, text, &value, &error), HN_OK);
}

TEST(the_largest_limits_are_limits_like_others) {
    hn_error error;
    double value = NAN;
    assert_int_equal(read_with("n=3", SIZE_MAX, "param n; var u; minimize f: sum {i in 1..n} (u + i);", &value, &error),
                     HN_OK);
    assert_near(value, 6);
}

/* ---- depth ---- */

TEST(nesting_has_an_end) {
    static const char *const pairs[][2] = {
        {"(", ")"}, {"-(", ")"}, {"abs(", ")"}, {"if 1 = 1 then ", ""}, {"(if not (1 = 2) then ", ")"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        enum { DEEP = 3000 };
        char *text = malloc(DEEP * 30 + 100);
        hn_model *model;
        hn_error error = {.text = ""};
        assert_non_null(text);
        char *at = text + sprintf(text, "var u; minimize f: u + ");
        for (int k = 0; k < DEEP; k++)
            at += sprintf(at, "%s", pairs[i][0]);
        at += sprintf(at, "1");
        for (int k = 0; k < DEEP; k++)
            at += sprintf(at, "%s", pairs[i][1]);
        sprintf(at, ";");
        assert_error(read_text(&model, text, NULL, &error), HN_LIMIT, error, "deep");
        free(text);
    }
}
