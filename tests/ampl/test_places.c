/* test_places.c - a mistake is told wherever it stands.
 *
 * Statements with marks '@' where a number may stand. In turn each mark becomes something wrong and the others 1: a subscript that is
 * outside, which only evaluation finds, a name that nobody declared, a variable, an end of the text. With 1 in every place
 * the statement is read; under every limit it is read or refused for that limit.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

enum { MOST_TEXT = 2000, MOST_LIMIT = 400 };

static const char before[] = "param w{1..3} default 1; param n default 1; set S := 1..3; set T := {'a','b'}; set P := "
                             "{(1,2),(2,3)}; set R{1..3} := "
                             "1..2;\nset D default {1}; var x{1..3} >= 0, <= 9, := 1; var u; k{i in S}: x[i] >= -1;\n";

/* What may stand for a number. */
static const char *const expressions[] = {
    "@ + @ - @ + u",
    "@*@/@",
    "u*@ + @*u - @/2",
    "@^@ + u^@",
    "-@ + +@",
    "@ less @ less @",
    "(u less @) + (@ less u)",
    "(@ div @) + (@ mod @)",
    "abs(@) + max(@, @, u) + min(@, u) + max(@) + atan2(@, @) + exp(@*u)",
    "round(@, @) + trunc(@, @) + precision(@, @) + floor(@) + ceil(@) + round(@)",
    "if @ + 1 > @ then @",
    "if @ < @ then 0 else @",
    "if u > @ then @ else @*u",
    "if @ in S then 1 else 2",
    "if @ not in {2, @} then 1 else 2",
    "if (@, @) in P then 1 else 2",
    "if not (@ = 2) then 1 else 2",
    "if @ = 1 and @ = 1 then 1",
    "if @ = 2 or @ = 1 then 1",
    "if (exists {i in S} i = @) then 1",
    "if (forall {i in S} i >= @) then 1",
    "if @ in interval [@, @] then 1",
    "if {@} within S then 1",
    "if {1} within {@, 2} then 1",
    "if {@} = {@} then 1",
    "sum {i in @..@ by @} @*x[1]",
    "sum {i in S: i > @} (@ + x[i])",
    "sum {i in S, j in i..@} x[i]*@",
    "prod {i in S} @ + min {i in S} @ + max {i in S} @",
    "sum {(i, j) in P: i = @} x[j]",
    "x[@] + w[@] + x[@].lb + x[@].ub0 + x[@].init",
    "card({@, @}) + card({(@, @)}) + card({@..@}) + card(@..@ by @)",
    "card(S union {@}) + card({@} union S) + card(S inter {@}) + card({@} inter S)",
    "card(S diff {@}) + card({@} diff S) + card(S symdiff {@}) + card({@} symdiff S)",
    "card({@, @} cross {@})",
    "card(setof {i in S} (@, i)) + card(setof {i in S} @)",
    "card(union {i in S} {@}) + card(inter {i in S} {@, 1})",
    "card(if @ > 0 then {@} else S)",
    "card(if @ < 0 then S else {@})",
    "card(R[@]) + card(integer [@, @]) + card(S inter interval [@, @]) + card(S diff interval (@, @])",
    "ord(@, S) + ord0(@, S) + next(@, S) + next(@, S, @) + prev(2, S, @) + nextw(@, S, @) + prevw(@, S)",
    "first({@}) + last({@}) + member(@, S) + member(1, {@})",
    "num('1' & @) + length('a' & @) + length(substr('abc', @, @))",
    "Uniform(@, 1 + @) + Normal(@, @) + Poisson(@) + Exponential() + Gamma(@) + Beta(@, @) + Irand224()",
    "<<@; @, 2>> u",
    "<<{i in 1..2} i*@; {i in 1..3} i*@>> (u, @)",
    "<<{i in 1..@} i; 1, 2>> x[@]",
    "sin(u*@) + (sum {i in S} (if i > @ then x[i]*@ else @))",
    "(if @ = 1 then u else x[1]) - @ + (u - @)*@",
    "sum {i in S} (x[i] - @) + sum {i in {@}} (u less @)",
    "(if @ = 1 && (@ = 2 || @ = 1) && !(@ = 3) then @ else 2) + (if S = {@, 2, 3} and S <> {@} then 1)",
};

static const char *const statements[] = {
    "param p := @; c: u >= p;",
    "param p{i in S} := @*i; c{i in S}: u >= p[i];",
    "param p{S} default @; c{i in S}: u >= p[i];",
    "param p := 1, >= @, <= @, <> 2 + @, > @ - 1, < 1 + @; c: u >= p;",
    "param p in {@, 1} := 1; param q in interval [@, @] := 1; param r integer := @; c: u >= p + q + r;",
    "param s binary := @; c: u >= s;",
    "param p{i in 1..3} := if i = 1 then @ else p[i-1] + @; c: u >= p[3];",
    "param p{i in 1..@} := 1; param q{i in {@}, j in {@}} := i; c: u >= p[1] + q[1,1];",
    "param p symbolic := 'a' & @; param q{T} := @; c{t in T}: u >= q[t] + length(p);",
    "param y >= @, <= 1 + @; c: u >= y*@;",
    "param y{i in 1..@} >= @*i; c{i in 1..1}: u >= y[i];",
    "set A := {@}; c{i in A}: u >= i;",
    "set A := {@} union {i in S: i > @}; c{i in A}: u >= i;",
    "set A within {@, 1} := {1}; c{i in A}: u >= i;",
    "set A ordered by {@, 1} := {1}; c{i in A}: u >= i;",
    "set A{i in 1..@} := {@}; c{i in A[1]}: u >= i;",
    "set A default {@}; c{i in A}: u >= i;",
    "set A := setof{i in 1..2} (i, @); c{(i, j) in A}: u >= i;",
    "var z >= @, <= 1 + @, := @;",
    "var z{i in 1..@} >= @ - 1, <= i + @, := i*@;",
    "var z in interval [@, @];",
    "var z = @*u + @; c: z >= 0;",
    "var z{i in 1..@} = @*x[i]; c: z[@] >= 0;",
    "c: @ <= u + @ <= 3 + @;",
    "c: u + @ = @*x[@];",
    "c: u >= @; d: @ >= u; e: @*u <= @ + x[1];",
    "c{i in S: i > @}: x[i]*@ >= @;",
    "c{i in 1..@, j in {@}}: x[i] + x[j] >= 0;",
    "check: @ > 0;",
    "check{i in 1..@}: i*@ >= 1;",
    "let w[@] := @; c: u >= w[1];",
    "let n := @; let {i in 1..@} w[i] := @;",
    "let x[@] := @; let D := {@};",
    "fix x[@] := @; fix u := @; unfix x[@]; fix {i in 1..@} x[i];",
    "drop k[@]; restore k[@]; drop {i in 1..@} k[i];",
    "for {i in 1..@} { let n := n + @; fix u := @; }",
    "for {i in S: i > @} let w[i] := @;",
    "if @ > 0 then { let n := @; } else let n := 2;",
    "if @ < 0 then let n := 2; else { let n := @; }",
    "repeat while n < 1 + @ { let n := n + @; }",
    "repeat { let n := n + @; } until n > @;",
    "while n < 1 + @ do { let n := n + @; }",
    "minimize f: @*u^2 + @; objective f;",
    "minimize f{i in 1..2}: i*u + @; objective f[@];",
    "maximize f; node N: net_in <= @; node M; arc a >= @, <= 9*@, from N @, to M @, obj f @;",
    "minimize f; node N{1..2}: net_out >= @; arc a{i in 1..2} from N[@], to N[3 - i] 2*@, obj f i*@;",
    "c: to_come >= @; var z >= 0 coeff c @, coeff {i in 1..1} k[@] @;",
    "minimize f: to_come + @; var z >= 0 obj f @, cover k[@];",
    "option randseed 3, presolve 0; display x; c: Uniform01() <= @*u;",
};

/* ---- texts ---- */

/* The template as a statement, with `wrong` at its mark of this number (0: none) and 1 at the others; false when it has fewer. */
static bool fill(char *out, const char *template, bool statement, size_t number, const char *wrong) {
    size_t seen = 0, at = (size_t)snprintf(out, MOST_TEXT, "%s%s", before, statement ? "" : "minimize f: (");
    for (const char *c = template; *c; c++) {
        const char *here = *c == '@' ? ++seen == number ? wrong : "1" : NULL;
        at += (size_t)snprintf(out + at, MOST_TEXT - at, "%.*s", here ? (int)strlen(here) : 1, here ? here : c);
        assert_true(at + 3 < MOST_TEXT);
    }
    memcpy(out + at, statement ? "" : ");", statement ? 1 : 3);
    return number <= seen;
}

static hn_status read_as_it_is(const char *text, const hn_read_options *options, hn_error *error) {
    hn_model *model;
    hn_read_options few = hn_read_defaults();
    few.max_nodes = MOST_LIMIT; /* what has no end is refused soon */
    *error = (hn_error){.status = HN_OK, .text = ""};
    hn_status status = read_text(&model, text, options ? options : &few, error);
    if ((status == HN_OK) != (model != NULL) || (status != HN_OK && error->text[0] == '\0'))
        fail_msg("status %d, '%s'\nin: %s", (int)status, error->text, text);
    hn_model_destroy(model);
    return status;
}

typedef void judging(const char *template, bool statement, const char *wrong);

static void for_all(judging *judge, const char *wrong) {
    for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++)
        judge(expressions[i], false, wrong);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        judge(statements[i], true, wrong);
}

/* ---- tests ---- */

static void must_be_read(const char *template, bool statement, const char *unused) {
    char text[MOST_TEXT];
    hn_error error;
    (void)unused;
    fill(text, template, statement, 0, "");
    if (read_as_it_is(text, NULL, &error) != HN_OK)
        fail_msg("%s\nin: %s", error.text, text);
}

static void must_name(const char *template, bool statement, const char *wrong) {
    char text[MOST_TEXT];
    hn_error error;
    for (size_t k = 1; fill(text, template, statement, k, wrong); k++)
        if (read_as_it_is(text, NULL, &error) == HN_OK || !strstr(error.text, wrong))
            fail_msg("'%s' does not name %s\nin: %s", error.text, wrong, text);
}

static void may_name(const char *template, bool statement, const char *wrong) {
    char text[MOST_TEXT];
    hn_error error;
    for (size_t k = 1; fill(text, template, statement, k, wrong); k++)
        if (read_as_it_is(text, NULL, &error) != HN_OK && strncmp(error.text, "m:", 2) != 0)
            fail_msg("'%s' has no place\nin: %s", error.text, text);
}

static void must_survive_its_end(const char *template, bool statement, const char *unused) {
    char text[MOST_TEXT];
    hn_error error;
    (void)unused;
    fill(text, template, statement, 0, "");
    for (size_t length = strlen(text) - 1; length > strlen(before); length--) {
        text[length] = '\0';
        if (read_as_it_is(text, NULL, &error) != HN_OK && strncmp(error.text, "m:", 2) != 0)
            fail_msg("'%s' has no place\nin: %s", error.text, text);
    }
}

static void must_keep_limits(const char *template, bool statement, const char *unused) {
    char text[MOST_TEXT];
    hn_error error;
    hn_read_options options = hn_read_defaults();
    (void)unused;
    fill(text, template, statement, 0, "");
    hn_status expected = read_as_it_is(text, NULL, &error), status = HN_LIMIT;
    for (options.max_nodes = 1; options.max_nodes < MOST_LIMIT && status == HN_LIMIT;
         options.max_nodes += 1 + options.max_nodes / 16)
        status = read_as_it_is(text, &options, &error);
    if (status != expected)
        fail_msg("under limits: %s\nin: %s", error.text, text);
}

TEST(statements_with_numbers_are_read) {
    for_all(must_be_read, NULL);
    must_be_read("sum {(1, j) in P} x[j] + sum {(n, j) in P} x[j]", false, NULL);
}

TEST(a_subscript_that_is_outside_is_named_wherever_it_stands) {
    for_all(must_name, "w[9]");
}

TEST(a_name_that_is_not_declared_is_named_wherever_it_stands) {
    for_all(must_name, "unknown");
}

TEST(what_is_no_number_is_read_or_refused_at_its_place) {
    static const char *const others[] = {"u", "'a'", "S",     "(1, 2)", "Infinity", "(1/0)", "-1",
                                         "0", "2.5", "1e400", "T",      ")",        ",",     ";"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        for_all(may_name, others[i]);
}

TEST(a_text_may_end_anywhere) {
    for_all(must_survive_its_end, NULL);
}

TEST(a_limit_that_is_too_low_is_told_as_such) {
    for_all(must_keep_limits, NULL);
}
