/* test_mistakes.c - wrong texts: where the message points, and which word it names.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

struct wrong {
    const char *text, *place, *word;
};

static void check_wrong(const struct wrong *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        must_fail(texts[i].text, texts[i].place, texts[i].word);
}

#define CHECK(texts) check_wrong(texts, sizeof texts / sizeof texts[0])

TEST(mistakes_in_words_and_marks_are_shown) {
    static const struct wrong texts[] = {{"var x; @", "1:8", "@"},
                                         {"var x; c: x $ 2 <= 1;", "1:13", "$"},
                                         {"param s symbolic := 'abc;", "1:21", "unterminated string"},
                                         {"var x;\n /* comment", "2:2", "comment"},
                                         {"var 3x;", "1:5", "3"},
                                         {"param a := 3x;", "1:12", "number is followed by a name"},
                                         {"var x; c: x <= 1", "1:17", "end of text: expected ';'"},
                                         {"var x; c: 0 <= x var y;", "1:18", "var: expected ';'"},
                                         {"var x; c: x", "1:12", "end of text: expected <=, >= or ="},
                                         {"var x; c: (x <= 1;", "1:18", "parenthesis"},
                                         {"var x; c: (x + 1 <= 1;", "1:22", "parenthesis"},
                                         {"var \xc3\xa9; var y; c: \xc3\xa9 + \xc3\xa4 <= 1;", "1:22", "\xc3\xa4"},
                                         {"foo;", "1:1", "foo"},
                                         {"3;", "1:1", "3"},
                                         {"subject c: x <= 1;", "1:9", "c"}};
    CHECK(texts);
}

TEST(mistakes_in_declarations_are_shown) {
    static const struct wrong texts[] = {
        {"var x; var x;", "1:12", "x is already declared"},
        {"param in;", "1:7", "in"},
        {"param p foo;", "1:9", "foo"},
        {"param p := 1 := 2;", "1:17", "two values"},
        {"var x > 0;", "1:7", ">"},
        {"var x = 3 >= 1;", "1:5", "x is defined"},
        {"var x integer;", "1:7", "integer"},
        {"var x binary;", "1:7", "binary"},
        {"set S dimen 0;", "1:13", "0"},
        {"set S dimen 2 := 1..3;", "1:18", "dimension"},
        {"set S ordered by T;", "1:18", "T is not declared"},
        {"set S by Reals;", "1:7", "by"},
        {"set S ordered by 3;", "1:18", "a number or string instead of"},
        {"var x in interval[0,1);", "1:21", "the bound of a variable cannot be open"},
        {"var x in interval 0,1;", "1:19", "expected '[' or '('"},
        {"var x in interval[0,1;", "1:22", "expected ']' or ')'"},
        {"var x in {0, 1};", "1:7", "in: this attribute"},
        {"var x in Integers;", "1:10", "integer variables are not supported"},
        {"var x >= 0, <= 1; fix x := 5;", "1:5", "x: fixed at 5, above its upper bound 1"},
        {"var x{1..2} >= 0, <= 1, := 0.5; fix x[2] := -1;", "1:5", "x[2]: fixed at -1, below its lower bound 0"},
        {"var x in interval[2,1];", "1:5", "lower bound 2 exceeds upper bound 1"},
        {"param p{i in 1..2, i};", "1:8", "set"},
        {"param p{};", "1:8", "empty set"},
        {"var x{3};", "1:7", "3: a number is not an index set"},
        {"param n := 3; var x{n + 1};", "1:21", "n: a number is not an index set"},
        {"var x{i in 1..2, i in 1..2};", "1:18", "i is already a dummy"},
        {"set A dimen 2; var x{(i,i) in A};", "1:25", "i is already a dummy"},
        {"var x{1..3}; param p := x[1];", "1:25", "x"},
        {"var x; set S := 1..x;", "1:20", "x"},
        {"var x; var y{1..2} >= x;", "1:23", "x"},
        {"var x; c: sum {i in 1..3: x > 1} i <= 2;", "1:27", "x"},
        {"var x{1..2}; var y; c: x[y] <= 1;", "1:26", "y"}};
    CHECK(texts);
}

TEST(mistakes_in_expressions_are_shown) {
    static const struct wrong texts[] = {
        {"var x; c: x + y <= 1;", "1:15", "y is not declared"},
        {"var x; c: x + <= 1;", "1:15", "<="},
        {"var x{1..2}; c: x <= 1;", "1:17", "x has 1 subscripts, not 0"},
        {"var x{1..2}; c: x[1,2] <= 1;", "1:17", "x has 1 subscripts, not 2"},
        {"var x; c: x[1] <= 1;", "1:11", "x has 0"},
        {"var x; c: foo(x) <= 1;", "1:11", "foo"},
        {"var x{1..2}; c: x(1) <= 1;", "1:17", "x is not a function"},
        {"var x; c: sin(x, 1) <= 1;", "1:18", "1: sin takes 1 argument"},
        {"var x; c: atan2(x) <= 1;", "1:18", "): atan2 takes 2 arguments"},
        {"var x; c: round(x, 1, 2) <= 1;", "1:23", "round takes 1 to 2 arguments"},
        {"var x; c: Normal01(1)*x <= 1;", "1:20", "1: Normal01 takes 0 arguments"},
        {"var x; c: Uniform(1)*x <= 1;", "1:20", ")"},
        {"var x; c: Uniform01*x <= 1;", "1:11", "Uniform01 is not declared"},
        {"var x; c: 1..3 <= x;", "1:11", "a set instead of"},
        {"var x; c: card(x) <= 1;", "1:16", "x: a number or string instead of a set"},
        {"set S := 1..2; var x; c: x <= S;", "1:31", "S: a set instead of"},
        {"var x; c: x + (1,2) <= 1;", "1:15", "tuple"},
        {"var x; c: {1,2} + x <= 1;", "1:11", "a set instead of"},
        {"var x; c: if 1 = 1 x <= 1;", "1:20", "then"},
        {"var x; c: (if 1 <= 2 >= 3 then x) <= 1;", "1:22", ">="},
        {"var x; c: sum {i in 1..3 x <= 1;", "1:26", "x"},
        {"var x; c: sum i x <= 1;", "1:11", "sum"},
        {"var x; c: x.rc <= 1;", "1:11", "x.rc: this suffix is not supported"},
        {"var x; var y = x^2; c: y.val <= x;", "1:24", "y.val: this suffix is not supported for a defined variable"},
        {"param p := 1; var x; c: x <= p.lb;", "1:30", "p.lb: this suffix"},
        {"var x <= 1, >= x.ub - 1;", "1:16", "x.ub: not allowed in its own declaration"},
        {"var x{1..2} <= 1; c: x[1] >= x[3].ub;", "1:30", "x[3] is outside"},
        {"var x{1..2} <= 1; c: x[1] >= x.ub;", "1:30", "x has 1 subscripts, not 0"},
        {"param u; var x <= u; var y{1..x.ub};", "1:31", "depends on network inputs and may not appear in a set"},
        {"var x; c: <<1; 2>> x <= 1;", "1:11", "<<"},
        {"var x; c: x <= 1 ==> x >= 2;", "1:18", "==>"},
        {"set S := {1,(2,3)}; var x{S};", "1:13", "components"},
        {"set S := {1} union {(2,3)}; var x{S};", "1:20", "dimension"},
        {"set A := {(1,2)}; var x{(i,j,k) in A};", "1:36", "dimension"},
        {"set A := {(1,2)}; var x; c: sum {i in A} x <= 1;", "1:39", "dimension"},
        {"var x; c: (if 3 in {(1,2)} then 1) <= x;", "1:15", "dimension"},
        {"var x; minimize f: x; c: f <= 3;", "1:26", "f"},
        {"var x{1..3}; c: sum {i in 1..3} prev(i+1)*x[i] <= 3;", "1:33", "prev"},
        {"var x; c: (if {1} < {2} then 1) <= x;", "1:15", "sets can only be compared"},
        {"var x; c: (if 1 not 2 then 1) <= x;", "1:21", "in"},
        {"var x; c: card(if 1 = 1 then {1} else {(1,2)}) <= x;", "1:39", "dimension"},
        {"var x; c: card(if 1 = 1 then {1}) <= x;", "1:33", "else"},
        {"var x; c: card(Reals) <= x;", "1:16", "an infinite set cannot be listed"},
        {"var x{i in interval[0,1]};", "1:12", "an infinite set cannot be listed"},
        {"var x; var y in interval[0,x];", "1:28", "x: a variable may not appear in an interval"},
        {"param u; var x; c: (if u in Reals then 1) <= x;", "1:24", "may not appear in a test of membership"},
        {"var x; c: sum {in in 1..2} x <= x;", "1:16", "in"},
        {"var x; c: sum {1..2: 1 = 1, 3} x <= x;", "1:27", ","},
        {"var x; c: sum {1: 2} x <= x;", "1:15", "condition"},
        {"var x; c: setof {i in 1..2} {i} <= x;", "1:29", "a set instead of"}};
    CHECK(texts);
}

TEST(mistakes_in_constraints_and_statements_are_shown) {
    static const struct wrong texts[] = {
        {"var x; c: x < 1;", "1:13", "<"},
        {"var x; c: x;", "1:12", ";"},
        {"var x; c: 1 <= x >= 0;", "1:18", "relations"},
        {"var x; c: x <= x <= 2;", "1:11", "middle"},
        {"var x; c: 0 <= x complements x >= 1;", "1:18", "complements"},
        {"var x; c: 3 <= x <= 2;", "1:8", "lower bound 3 exceeds upper bound 2"},
        {"var x{1..2} >= 3, <= 2;", "1:5", "x[1]: lower bound 3"},
        {"var x; c: x = Infinity;", "1:8", "infinite"},
        {"var x; c: 3 <= 2;", "1:8", "c: no variables, and never satisfied: 3 <= 2"},
        {"var x; c: 1 = 2;", "1:8", "c: no variables, and never satisfied: 1 = 2"},
        {"var x; c: 2 = 1;", "1:8", "c: no variables, and never satisfied: 2 = 1"},
        {"var x; c: 1 >= 2;", "1:8", "c: no variables, and never satisfied: 1 >= 2"},
        {"var x; c {i in 1..3}: 0*x >= i - 2;", "1:8", "c[3]: no variables, and never satisfied"},
        {"var x; c: 0 <= 0*x - 1 <= 2;", "1:8", "c: no variables, and never satisfied"},
        {"function f(x); var y; c: f(y) <= 1;", "1:1", "function f: imported functions are not supported"},
        {"node n: 3;", "1:10", ";"},
        {"arc a from;", "1:11", "expected a node"},
        {"for {i in 1..2} {", "1:18", "end of text: expected \'}\'"},
        {"repeat { };", "1:1", "repeat: expansion needs more than"},
        {"while 1;", "1:8", ";: not allowed in a block"},
        {"problem p;", "1:1", "problem"},
        {"drop c;", "1:6", "c is not declared"},
        {"read x;", "1:1", "read"},
        {"table t;", "1:1", "table"},
        {"if 1 then let x := 1;", "1:15", "x is not declared"},
        {"var x; reset;", "1:8", "reset"},
        {"include other.mod;", "1:1", "other.mod"},
        {"model 'a b.mod';", "1:1", "a b.mod"},
        {"include;", "1:1", "include"},
        {"let y := 3;", "1:5", "y is not declared"},
        {"param p = 3; let p := 4;", "1:18", "p"},
        {"param p := 3; fix p;", "1:19", "p"},
        {"var x; let x = 3;", "1:14", "="},
        {"var x; let x.lb := 3;", "1:12", "x.lb"}};
    CHECK(texts);
}

TEST(mistakes_in_data_are_shown) {
    static const struct wrong texts[] = {
        {"data; param q := 3;", "1:13", "q is not declared"},
        {"set S; data; param S := 3;", "1:20", "S is a set"},
        {"param p := 3; data; param p := 4;", "1:27", "p is defined in the model"},
        {"param p; data; param p := a;", "1:27", "a"},
        {"param p{1..2}; data; param p := 1;", "1:34", ";"},
        {"param p{1..2,1..2}; data; param p := 1 2;", "1:41", ";"},
        {"param p{1..2}; data; param p: 1 2 := 1 2;", "1:31", "two free subscripts"},
        {"param p{1..2,1..2}; data; param p: 1 2 := 1 3;", "1:46", ";"},
        {"param p{1..2,1..2}; data; param p := [1] 3;", "1:39", "1 components, expected 2"},
        {"param p{1..2,1..2}; data; param p := [1,2,3] 3;", "1:39", "more than 2"},
        {"set S; param p{S}; data; param: S: q := 1 2;", "1:36", "q is not declared"},
        {"set S; param p; data; param: S: p := 1 2;", "1:33", "p has 0"},
        {"set S; data; param: S := 1 [3] 4;", "1:32", "4"},
        {"data; param: := 3;", "1:17", "3"},
        {"set S; param p{S}; param: S: p := 1 2;", "1:25", ":"},
        {"set S; data; set S := 1..5;", "1:23", "1..5"},
        {"set S{1..2}; data; set S := 1;", "1:26", ":="},
        {"set A dimen 2; data; set A: 1 2 := a + x;", "1:40", "x"},
        {"set A dimen 2; data; set A := 1 2 3;", "1:36", ";"},
        {"param p; let p := 3; data; param p := 3;", "1:34", "let"},
        {"param p; data; param p := 3 4;", "1:29", "4: p already has a value"},
        {"param p; data; param p := 3; param p := 4;", "1:36", "p already has a value"},
        {"param p{1..2,1..2}; data; param p := 1 2 3, 1 2 4;", "1:45", "p[1,2] already has a value"},
        {"param p{1..2,1..2}; data; param p: 1 2 := 1 2 3 : 2 := 1 4;", "1:58", "p[1,2] already has a value"},
        {"param p{1..2}; data; param p := [1] 3 [1] 4;", "1:43", "p[1] already has a value"},
        {"param p{1..2}; param q{1..2}; data; param: p q := 1 2 3 1 . 4;", "1:57", "q[1] already has a value"},
        {"var x{1..2}; data; var x := 1 2 1 3;", "1:33", "x[1] already has a value"},
        {"set S; data; set S := 'a b' c 'a b';", "1:31", "S already has the member [a b]"},
        {"set A dimen 2; data; set A := (1,2) (1,*) 2;", "1:43", "A already has the member [1,2]"},
        {"set A dimen 2; data; set A: 1 2 := a + + a + -;", "1:44", "A already has the member [a,1]"},
        {"set S; param p{S}; data; param: S: p := a 1 a 2;", "1:45", "S already has the member [a]"},
        {"param p; data; param p := 3", "1:28", "end of text"}};
    CHECK(texts);
}

TEST(mistakes_in_values_are_shown) {
    static const struct wrong texts[] = {
        {"var x{1..3}; c: x[4] <= 1;", "1:17", "x[4] is outside"},
        {"param p{1..3} := 2; var x; c: p[0]*x <= 1;", "1:31", "p[0] is outside"},
        {"param p{1..3}; var x; data; param p := 4 1;", "1:7", "p[4] is outside"},
        {"set S; var x{S};", "1:14", "set S"},
        {"set S{1..2}; var x{S[2]}; data; set S[1] := 1;", "1:20", "S[2]"},
        {"set S within 1..3; var x{S}; data; set S := 2 5;", "1:5", "[5]"},
        {"set S := 2..5, within 1..3; var x{S};", "1:5", "[4]"},
        {"param p in 1..3 := 7; var x; c: p*x <= 1;", "1:7", "7"},
        {"param p binary := 7; var x; c: p*x <= 1;", "1:7", "p"},
        {"param p := q; var x;", "1:12", "q"},
        {"param p{i in 1..2} := p[3-i]; var x; c: p[1]*x <= 1;", "1:23", "in terms of itself"},
        {"var x; var d{i in 1..2} = d[3-i]; c: d[1] <= 1;", "1:27", "in terms of itself"},
        {"set S{i in 1..2} := S[3-i]; var x{S[1]};", "1:21", "in terms of itself"},
        {"var x; c: x <= 1/(2-2);", "1:19", "division by zero"},
        {"var x; c: x <= log(-1);", "1:16", "log(-1)"},
        {"var x; c: x <= (-2)^0.5;", "1:18", "-2 ^ 0.5 is NaN"},
        {"param s symbolic := 'a'; var x; c: x <= s;", "1:41", "'a' is a string"},
        {"param s := 'a'; var x; c: x <= s;", "1:7", "s"},
        {"param s symbolic := 'a'; var x; c: (if s < 1 then x else 1) <= 1;", "1:40", "ordered"},
        {"var x; c: x <= next(3, 1..3);", "1:16", "next"},
        {"var x; c: x <= first({});", "1:16", "first"},
        {"var x; c: x <= member(4, 1..3);", "1:16", "member"},
        {"var x; c: x <= ord(4, 1..3);", "1:16", "ord"},
        {"var x; c: x <= num('q');", "1:16", "num"},
        {"var x; c: x mod 2 <= 1;", "1:11", "x"},
        {"var x; c: floor(x) <= 1;", "1:17", "x"},
        {"var x{1 .. 0 by 0};", "1:7", "progression"},
        {"param p <= 2 := 3; var x >= p;", "1:7", "3 violates <= 2"},
        {"param p < 3 := 3; var x >= p;", "1:7", "3 violates < 3"},
        {"param p <> 3 := 3; var x >= p;", "1:7", "3 violates <> 3"},
        {"param s symbolic <> 'a' := 'a'; var x; c: x >= if s = 'a' then 1;", "1:7", "violates <>"},
        {"param s symbolic >= 3 := 'a'; var x; c: x >= if s = 'a' then 1;", "1:7", "violates >="},
        {"param a; param b in 1..3 := a; var x >= b;", "1:16", "in a finite set"},
        {"param a >= 3, <= 2; var x;", "1:7", "range is empty"},
        {"param a{1..2}; var x >= a[3];", "1:25", "a[3] is outside"},
        {"param s symbolic := 'a'; var x := s;", "1:30", "string"},
        {"param s symbolic := 'a'; var x; var d = s;", "1:37", "string"},
        {"param s symbolic := 'a'; var x; let x := s;", "1:42", "'a' is a string, but x is numeric"},
        {"param p := 1; var x >= p; let p := 'a';", "1:36", "'a' is a string, but p is numeric"},
        {"param s symbolic := 'a'; var x; fix x := s;", "1:42", "'a' is a string"},
        {"var x; c: x <= 5 mod 0;", "1:22", "division by zero"},
        {"var x; c: x <= length(3);", "1:16", "length"},
        {"var x; c: x <= num(substr('a', 0));", "1:20", "substr"},
        {"var x; c: x <= first({(1,2)});", "1:16", "several components"},
        {"var x{1..2}; var d{i in 1..2} = x[i]; c: d[3] <= 1;", "1:42", "d[3] is outside"},
        {"var x{1..2}; let x[3] := 1;", "1:18", "x[3] is outside"},
        {"var x{1..2}; fix x[3] := 1;", "1:18", "x[3] is outside"},
        {"set S := 1..2; let S := 3 .. 'a'; var x{S};", "1:30", "'a' is a string"}};
    CHECK(texts);
}

/* ---- the line, and what was meant ---- */

struct shown {
    char excerpt[300], hint[100], text[300];
    size_t caret, count;
};

static void keep_shown(void *context, const hn_message *message) {
    struct shown *shown = context;
    if (message->severity != HN_SEVERITY_ERROR || shown->count++ > 0)
        return;
    snprintf(shown->excerpt, sizeof shown->excerpt, "%s", message->excerpt ? message->excerpt : "none");
    snprintf(shown->hint, sizeof shown->hint, "%s", message->hint ? message->hint : "none");
    snprintf(shown->text, sizeof shown->text, "%s", message->text);
    shown->caret = message->caret;
}

static struct shown show(const char *text, const char *let) {
    struct shown shown = {.excerpt = ""};
    hn_read_options options = hn_read_defaults();
    hn_model *model;
    hn_error error;
    options.message = keep_shown;
    options.context = &shown;
    options.lets = &let;
    options.let_count = let != NULL;
    assert_int_not_equal(read_text(&model, text, &options, &error), HN_OK);
    return shown;
}

TEST(an_error_comes_with_its_line) {
    static const struct {
        const char *text, *excerpt;
        size_t caret;
    } cases[] = {
        {"var x;\n\tvar 7y;\r\nvar z;", " var 7y;", 5},
        {"var gr\xc3\xb6\xc3\x9f"
         "e; c: gr\xc3\xb6\xc3\x9f"
         "e + u <= 1;",
         "var gr\xc3\xb6\xc3\x9f"
         "e; c: gr\xc3\xb6\xc3\x9f"
         "e + u <= 1;",
         22},
        {"var x; c: x <= 1", "var x; c: x <= 1", 16},
        {"var x; c: x \x01 <= 1;", "var x; c: x ? <= 1;", 12},
        {"var x; c: 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + q + 1 <= x;",
         "...1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + q + 1 <= x;", 63},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct shown shown = show(cases[i].text, NULL);
        assert_string_equal(shown.excerpt, cases[i].excerpt);
        assert_int_equal(shown.caret, cases[i].caret);
    }
    char longer[2000] = "var x; c: ";
    for (int i = 0; i < 400; i++)
        strcat(longer, i == 200 ? "\xc3\xa4" : "x +");
    struct shown shown = show(longer, NULL);
    assert_true(strlen(shown.excerpt) < 140);
    assert_true(strncmp(shown.excerpt + shown.caret, "\xc3\xa4", 2) == 0);
}

TEST(names_that_are_not_known_come_with_those_that_are) {
    static const char *const cases[][3] = {
        {"var speed; c: sped <= 1;", NULL, "did you mean speed?"},
        {"param horizon; var x; data; param horizn := 3;", NULL, "did you mean horizon?"},
        {"var speed; let sped := 3;", NULL, "did you mean speed?"},
        {"var x{1..2}; c{index in 1..2}: x[indx] <= 1;", NULL, "did you mean index?"},
        {"var x; c: sine(x) <= 1;", NULL, "did you mean sin?"},
        {"var x; c: qqqq <= 1;", NULL, "none"},
        {"var x; c: y <= 1;", NULL, "none"}, /* one letter for another is a guess */
        {"param horizon := 2; var x >= horizon;", "horizn=3", "did you mean horizon?"},
        {"var x; c: x 3 <= 1;", NULL, "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(show(cases[i][0], cases[i][1]).hint, cases[i][2]);
}

TEST(an_index_in_parentheses_is_told_about_braces) {
    static const char *const words[] = {"sum", "prod"};
    for (size_t i = 0; i < 2; i++) {
        char text[100];
        snprintf(text, sizeof text, "var x{1..2}; c: %s(i in 1..2) x[i] <= 1;", words[i]);
        struct shown shown = show(text, NULL);
        assert_non_null(strstr(shown.text, "write its index in braces"));
        assert_true(strncmp(shown.text, words[i], strlen(words[i])) == 0);
    }
}
