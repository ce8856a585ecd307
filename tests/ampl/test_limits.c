/* test_limits.c - texts that are too deep, too large or no texts at all end in an error, soon and without a crash.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"

#include "ampl/reading.h"

#include <time.h>

static hn_status status_of(const char *text, size_t max_nodes, char *message, size_t size) {
    hn_model *model;
    hn_error error = {.status = HN_OK, .text = ""};
    hn_read_options options = hn_read_defaults();
    options.max_nodes = max_nodes;
    hn_status status = read_text(&model, text, &options, &error);
    hn_model_destroy(model);
    snprintf(message, size, "%s", error.text);
    return status;
}

/* before, then `times` times open, then middle, then as many times close, then after. */
static char *nested(const char *before, const char *open, const char *middle, const char *close, const char *after,
                    size_t times) {
    size_t size = strlen(before) + times * (strlen(open) + strlen(close)) + strlen(middle) + strlen(after) + 1;
    char *text = malloc(size), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", before);
    for (size_t i = 0; i < times; i++)
        at += sprintf(at, "%s", open);
    at += sprintf(at, "%s", middle);
    for (size_t i = 0; i < times; i++)
        at += sprintf(at, "%s", close);
    sprintf(at, "%s", after);
    return text;
}

TEST(nesting_has_a_limit) {
    static const struct {
        const char *open, *middle, *close;
    } forms[] = {{"(", "x", ")"},
                 {"-", "x", ""},
                 {"2^", "x", ""},
                 {"sin(", "x", ")"},
                 {"if 1 = 1 then ", "x", ""},
                 {"sum {i in 1..1} ", "x", ""},
                 {"card({", "1", "})"},
                 {"p[", "1", "]"},
                 {"max(x,", "x", ")"},
                 {"card(setof {i in {", "1", "}} i)"}};
    char message[640];
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char *deep =
            nested("param p{1..2} := 1; var x; c: ", forms[i].open, forms[i].middle, forms[i].close, " <= 1;", 100000);
        assert_int_equal(status_of(deep, 1000, message, sizeof message), HN_LIMIT);
        assert_non_null(strstr(message, "more than")); /* deep, or dummies */
        free(deep);
        char *fine =
            nested("param p{1..2} := 1; var x; c: ", forms[i].open, forms[i].middle, forms[i].close, " <= 1;", 40);
        assert_int_equal(status_of(fine, 100000, message, sizeof message), HN_OK);
        free(fine);
    }
}

TEST(long_chains_are_not_deep) {
    static const char *const links[] = {"+x", "-x", "*x", "/2", "+1"};
    char message[640];
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        char *text = nested("var x; c: x", links[i], "", "", " <= 1;", 50000);
        assert_int_equal(status_of(text, 1000000, message, sizeof message), HN_OK);
        free(text);
    }
    char *text = nested("set S := {1} ", "union {2} ", "", "", "; var x{S};", 3000);
    assert_int_equal(status_of(text, 1000000, message, sizeof message), HN_OK);
    free(text);
}

TEST(expansion_has_a_limit_that_names_the_declaration) {
    static const char *const texts[] = {
        "var big{i in 1..1e9};",
        "var x; big: sum {i in 1..1e9} x <= 1;",
        "var x; big: sum {i in 1..1e5, j in 1..1e5} i*x <= 1;",
        "param big{i in 1..1e9} default 1; var x; minimize f: 0; check: sum {i in 1..1e9} big[i] > 1;",
        "set big := setof {i in 1..1e9} i; var x{big};",
        "set big := {1..1e5} cross {1..1e5}; var x{big};",
        "set big := {1..1e5, 1..1e5}; var x{big};",
        "set big := 1..1e9 union 1..1e9; var x{big};",
        "set big := 1..1e9; var x{i in big: i < 3};",
        "var x; big{i in 1..1e5}: x + i*x^2 + x^i <= i;"};
    char message[640];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        clock_t start = clock();
        hn_status status = status_of(texts[i], 20000, message, sizeof message);
        if (status != HN_LIMIT || !strstr(message, "max_nodes") || (!strstr(message, "big") && !strstr(message, "x")))
            fail_msg("%s: %s", texts[i], message);
        assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 1);
    }
}

/* What is expanded to nothing may still be large: members of many components, texts, names, values. */
#define TEN            "'ten bytes '"
#define HUNDRED        TEN "&" TEN "&" TEN "&" TEN "&" TEN "&" TEN "&" TEN "&" TEN "&" TEN "&" TEN
#define IS_USED(count) "var x; c: x >= " count ";"

TEST(sets_texts_and_names_count_against_the_limit) {
    static const char *const texts[] = {
        "set S := 1..5; set big := S cross S cross S cross S cross S cross S;" IS_USED("card(big)"),
        "set S := 1..5; set big := {S, S, S, S, S, S};" IS_USED("card(big)"),
        "set big := setof {i in 1..15000} (i, i, i, i, i, i);" IS_USED("card(big)"),
        "set S := 1..9000; set A := S union {0}; set B := A union A; set big := A union B union {-1};" IS_USED(
            "card(big)"),
        "set big := setof {i in 1..15000} (i & " HUNDRED ");" IS_USED("card(big)"),
        "set big := union {i in 1..15000} {i & " HUNDRED "};" IS_USED("card(big)"),
        "param s symbolic := " HUNDRED "; var big{{s}, {s}, 1..9000};",
        "param s symbolic := " HUNDRED "; param big{{s}, {s}, 1..9000}; var x;",
        "param s symbolic := " HUNDRED "; var x; big{i in {s}, j in {s}, k in 1..9000}: x >= k;",
        "param s symbolic := " HUNDRED "; var x; var big{i in {s}, j in {s}, k in 1..9000} = x;",
        "param big{i in 1..18000} := i; param q{i in 1..18000} := big[i];" IS_USED("sum {i in 1..18000} q[i]"),
        "param big{i in 1..9000, j in 1..2} default 0; let {i in 1..9000, j in 1..2} big[i,j] := i;"
        "param q{i in 1..9000, j in 1..2} := 2*big[i,j];" IS_USED("sum {i in 1..9000, j in 1..2} q[i,j]"),
        "set S := {1..140, 1..140}; set big := S; var x; c: x >= sum {i in 1..140} card {(i,j) in big} + card(S);",
    };
    char message[640];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hn_status status = status_of(texts[i], 20000, message, sizeof message);
        if (status != HN_LIMIT || !strstr(message, "max_nodes"))
            fail_msg("%s: %s", texts[i], message);
        if (status_of(texts[i], 2000000, message, sizeof message) != HN_OK)
            fail_msg("%s: %s", texts[i], message);
    }
}

/* It took 55 s and 5.7 GB. */
TEST(a_short_text_cannot_ask_for_gigabytes) {
    static const char text[] = "set S := 1..8; set T := S cross S cross S cross S cross S cross S cross S cross S;"
                               "set U := T union T; var y; c: y >= card(U diff T) + card(U);";
    char message[640];
    assert_int_equal(status_of(text, hn_read_defaults().max_nodes, message, sizeof message), HN_LIMIT);
    assert_non_null(strstr(message, "T: "));
}

TEST(membership_in_a_huge_progression_costs_nothing) {
    assert_near(constant_of("", "if 12345 in 1..1e15 and 0.5 not in 1..1e15 then 1", ""), 1);
}

TEST(endless_recursion_is_stopped) {
    char message[640];
    assert_int_equal(status_of("param n := 1e5; param p{i in 1..n} := p[i mod n + 1]; var x; c: p[1]*x <= 1;", 10000000,
                               message, sizeof message),
                     HN_INVALID);
    assert_non_null(strstr(message, "is defined in terms of itself"));
    assert_int_equal(status_of("param n := 1e6; param p{i in 1..n} := p[i mod n + 1]; var x; c: p[1]*x <= 1;", 1000000,
                               message, sizeof message),
                     HN_LIMIT);
    assert_int_equal(
        status_of("param a{i in 1..3} := b[i]; param b{i in 1..3} := 1; var x;", 1000, message, sizeof message),
        HN_SYNTAX);
}

TEST(a_file_larger_than_the_limit_is_refused) {
    hn_model *model;
    hn_error error;
    hn_read_options options = hn_read_defaults();
    options.max_bytes = 5;
    assert_int_equal(read_text(&model, "var x;", &options, &error), HN_LIMIT);
    options.max_bytes = 6;
    assert_int_equal(read_text(&model, "var x;", &options, &error), HN_OK);
    hn_model_destroy(model);
}

/* ---- random bytes ---- */

static void read_anything(const char *bytes, size_t length) {
    hn_text texts[] = {{"any", bytes, length}};
    hn_model *model;
    hn_error error = {.status = HN_OK, .text = ""};
    hn_read_options options = hn_read_defaults();
    options.max_nodes = 2000;
    options.relax_integrality = true;
    hn_status status = hn_model_read_memory(&model, 1, texts, &options, &error);
    if (status == HN_OK)
        assert_non_null(model);
    else
        assert_true(!model && error.status == status && error.text[0] != '\0');
    hn_model_destroy(model);
}

TEST(random_bytes_never_crash_the_reader) {
    struct random random = random_start(3, 0);
    char bytes[200];
    for (int i = 0; i < 20000; i++) {
        size_t length = random_below(&random, sizeof bytes);
        for (size_t j = 0; j < length; j++)
            bytes[j] = (char)random_below(&random, 256);
        read_anything(bytes, length);
    }
}

static const char *const source =
    "set S; set A within {S,S}; param n := 3; param c{A} default 1; param z{1..n} >= 0, <= 1;\n"
    "var x{(i,j) in A} >= 0, <= c[i,j] := .5; var y{1..n}; minimize f: sum {(i,j) in A} c[i,j]*x[i,j]^2;\n"
    "b {k in S}: sum {(k,j) in A} x[k,j] = 1; s.t. d {i in 1..n: i <> 2}: y[i] <= if i = 1 then z[1] else exp(y[1]);\n"
    "var t{i in 1..n} = if i = 1 then y[1] else t[i-1] + y[i]; check: z[1] <= 1; let {i in 1..n} y[i] := i/n; fix "
    "y[2];\n"
    "data; set S := a b 'c'; param: A: c := a b 1 b c 2 c a .; var y := 1 3;\n";

/* Pieces cut out, doubled, swapped and overwritten. */
TEST(random_changes_never_crash_the_reader) {
    struct random random = random_start(4, 0);
    size_t whole = strlen(source);
    char bytes[2000];
    for (int i = 0; i < 20000; i++) {
        size_t length = whole;
        memcpy(bytes, source, whole);
        for (uint64_t change = 1 + random_below(&random, 4); change > 0; change--) {
            size_t from = random_below(&random, length), to = random_below(&random, length),
                   count = random_below(&random, 12);
            if (from + count > length || to + count > length)
                continue;
            switch (random_below(&random, 3)) {
            case 0:
                memmove(bytes + from, bytes + from + count, length - from - count);
                length -= count;
                break;
            case 1:
                memmove(bytes + to, bytes + from, count);
                break;
            default:
                bytes[from] = "{}()[]:;,=<>+-*/^.'\"0aS# \n"[random_below(&random, 27)];
            }
        }
        read_anything(bytes, length);
    }
}

TEST(every_beginning_of_a_text_is_safe) {
    for (size_t length = 0; length <= strlen(source); length++)
        read_anything(source, length);
}
