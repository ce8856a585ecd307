/* test_fingerprint.c - a model's fingerprints change with all that the model means, one with its mathematics and one with its names, and
 * with nothing else. tests/ampl/fingerprint.py computes them anew from their definition.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"
#include "support/rich_model.h"

#include "hardnet/read.h"

struct print {
    char text[HN_FINGERPRINT_BYTES], names[HN_FINGERPRINT_BYTES];
};

static struct print print_of(const hn_model *model) {
    struct print print;
    hn_error error = {.text = ""};
    if (hn_model_fingerprint(model, print.text, &error) != HN_OK ||
        hn_model_names_fingerprint(model, print.names, &error) != HN_OK)
        fail_msg("%s", error.text);
    assert_int_equal(strspn(print.names, "0123456789abcdef"), HN_FINGERPRINT_BYTES - 1);
    assert_string_not_equal(print.text, print.names);
    assert_int_equal(strlen(print.text), HN_FINGERPRINT_BYTES - 1);
    assert_int_equal(strspn(print.text, "0123456789abcdef"), HN_FINGERPRINT_BYTES - 1);
    return print;
}

static struct print print_of_text(const char *name, const char *text, const char *let) {
    hn_read_options options = hn_read_defaults();
    const hn_text texts[] = {{name, text, strlen(text)}};
    hn_model *model;
    hn_error error = {.text = ""};
    options.lets = &let;
    options.let_count = let != NULL;
    if (hn_model_read_memory(&model, 1, texts, &options, &error) != HN_OK)
        fail_msg("%s\nin: %s", error.text, text);
    struct print print = print_of(model);
    hn_model_destroy(model);
    return print;
}

/* ---- what counts ---- */

/* Each differs from the first in one thing that a model means. */
static const char *const different[] = {
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; minimize f: y[2]^2;",
    "param b >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: b <> 2;"
    "subject to c: b <= y[1]^2 + d <= 5; minimize f: y[2]^2;",
    "param a >= -1, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 5; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var z{1..2} := 1; var d = sin(z[1]); check: a <> 2;"
    "subject to c: a <= z[1]^2 + d <= 5; minimize f: z[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 2; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1, >= 0; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1, >= a; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = cos(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var e = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + e <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 3;"
    "subject to c: a <= y[1]^2 + d <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]);"
    "subject to c: a <= y[1]^2 + d <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to g: a <= y[1]^2 + d <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5.5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: y[1]^2 + d <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[2]^2 + d <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 - d <= 5; minimize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; minimize f: y[1]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; maximize f: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; maximize f: -y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; minimize g: y[2]^2;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; minimize f: y[2]^2; fix y[1] := 1;",
    "param a >= 0, <= 4; var y{1..2} := 1; var d = sin(y[1]); check: a <> 2;"
    "subject to c: a <= y[1]^2 + d <= 5; minimize f: y[2]^2; subject to c2: y[1] >= 0;",
};

/* Of the list above, the names and the mathematics that are new: N, M or both. */
static const char *const differs_in[] = {"",  "N", "M", "M", "N", "M", "MN", "MN", "M", "N",  "M", "MN",
                                         "N", "M", "M", "M", "M", "M", "MN", "N",  "N", "MN", "M", "MN"};

TEST(all_that_a_model_means_counts) {
    struct print prints[COUNT_OF(different)];
    assert_int_equal(COUNT_OF(different), COUNT_OF(differs_in));
    for (size_t i = 0; i < COUNT_OF(different); i++) {
        prints[i] = print_of_text("m", different[i], NULL);
        bool mathematics = strcmp(prints[i].text, prints[0].text) != 0;
        bool names = strcmp(prints[i].names, prints[0].names) != 0;
        if (mathematics != (strchr(differs_in[i], 'M') != NULL) || names != (strchr(differs_in[i], 'N') != NULL))
            fail_msg("mathematics differ %d, names differ %d:\n%s", mathematics, names, different[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(prints[i].text, prints[j].text) == 0 && strcmp(prints[i].names, prints[j].names) == 0)
                fail_msg("the same fingerprints:\n%s\n%s", different[i], different[j]);
    }
}

/* ---- how it is written ---- */

struct writing {
    const char *one, *other;
    bool same;
};

static const struct writing writings[] = {
    /* affine: coefficients count */
    {"2*a + 3*b - 1", "(3*b - 1) + 2*a", true},
    {"2*a + 3*b - 1", "-(1 - 2*a) + b*3", true},
    {"2*a + 3*b - 1", "2*a + 3*b", false},
    {"2*a + 3*b - 1", "3*a + 2*b - 1", false},
    {"2*a + 3*b - 1", "2*a + 3*b - 1 + 0*x", true},
    {"2*a + 3*b - 1", "sum{k in 1..2} (if k = 1 then 2*a else 3*b) - 1", true},
    {"2*a + 3*b - 1", "(4*a + 6*b - 2)/2", true},
    {"2*a + 3*b - 1", "2*d + b - 1", true}, /* d = a + b */
    {"2*a + 3*b - 1", "2*a + 3*x - 1", false},
    {"a + b + a", "2*a + b", true},
    {"a + b - a", "b", true},
    {"0.1*a + 0.2*a", "0.3*a", false}, /* their sum is rounded */
    /* others: what is computed counts, and signs may stand where they like */
    {"sin(a) + b + x", "(sin(a) + b) + x", true},
    {"sin(a) + b + x", "sin(a) + (b + x)", false},
    {"sin(a) + b + x", "b + sin(a) + x", true},
    {"sin(a) - b + x", "-(b - sin(a)) + x", true},
    {"sin(a) - b + x", "x - (b - sin(a))", true},
    {"sin(a) - b + x", "sin(a) - (b + x)", false},
    {"sin(a)*b", "-b*(-sin(a))", true},
    {"sin(a)*b*x", "sin(a)*(b*x)", false},
    {"a*a + 2*(x*b)", "a^2 - (-2)*(x*b)", true},
    {"a/(x + 2)", "-a/(-2 - x)", true},
    {"abs(a - b)*x", "x*abs(b - a)", true},
    {"sin(a - b)", "sin(b - a)", false},
    {"exp(a) - exp(a)", "exp(b) - exp(b)", false},
};

TEST(the_same_in_other_words_has_the_same_mathematics) {
    for (size_t i = 0; i < COUNT_OF(writings); i++) {
        struct print prints[2];
        for (int k = 0; k < 2; k++) {
            char text[300];
            snprintf(text, sizeof text, "param x; var a; var b; var d = a + b; subject to c: %s <= 1;",
                     k ? writings[i].other : writings[i].one);
            prints[k] = print_of_text("m", text, NULL);
        }
        if ((strcmp(prints[0].text, prints[1].text) == 0) != writings[i].same)
            fail_msg("%s the same: %s and %s", writings[i].same ? "not" : "wrongly", writings[i].one,
                     writings[i].other);
        assert_string_equal(prints[0].names, prints[1].names);
    }
}

/* A row of many terms in an order of its own, as one sum, as a chain from the left, and as a tree. */
static struct print print_of_terms(size_t count, int shape) {
    hn_model *model = model_new();
    hn_expr terms[64], outputs[64];
    char name[40];
    assert_true(count <= COUNT_OF(terms));
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "y[%zu]", i);
        outputs[i] = hn_output(model, name);
    }
    for (size_t i = 0; i < count; i++)
        terms[i] = hn_scale(0.1 * (double)(i + 1), outputs[i * 29 % count]);
    hn_expr sum = terms[0];
    for (size_t i = 1; shape == 1 && i < count; i++)
        sum = hn_add(sum, terms[i]);
    for (size_t width = 1; shape == 2 && width < count; width *= 2)
        for (size_t i = 0; i + width < count; i += 2 * width)
            sum = terms[i] = hn_add(terms[i], terms[i + width]);
    hn_constrain(model, "c", 0, shape == 0 ? hn_sum(model, count, terms) : shape == 2 ? terms[0] : sum, 1);
    model_finish_good(model);
    struct print print = print_of(model);
    hn_model_destroy(model);
    return print;
}

TEST(a_long_affine_row_counts_by_its_coefficients) {
    struct print sum = print_of_terms(64, 0);
    assert_string_equal(print_of_terms(64, 1).text, sum.text);
    assert_string_equal(print_of_terms(64, 2).text, sum.text);
    assert_string_not_equal(print_of_terms(63, 0).text, sum.text);
}

TEST(the_order_of_outputs_and_rows_counts) {
    static const char *const texts[] = {
        "var a; var b; subject to c: a >= 0; subject to d: b >= 1;",
        "var b; var a; subject to c: a >= 0; subject to d: b >= 1;",
        "var a; var b; subject to d: b >= 1; subject to c: a >= 0;",
    };
    struct print first = print_of_text("m", texts[0], NULL), second = print_of_text("m", texts[1], NULL),
                 third = print_of_text("m", texts[2], NULL);
    assert_string_not_equal(first.text, second.text);
    assert_string_not_equal(first.text, third.text);
    assert_string_not_equal(second.text, third.text);
}

TEST(a_let_that_changes_the_model_counts) {
    static const char text[] =
        "param N := 10; param w := 2; var y{1..N} >= 0; subject to c: w*sum{i in 1..N} y[i] = 1;";
    struct print plain = print_of_text("m", text, NULL);
    assert_string_equal(print_of_text("m", text, "N=10").text, plain.text);
    assert_string_not_equal(print_of_text("m", text, "N=11").text, plain.text);
    assert_string_not_equal(print_of_text("m", text, "w=3").text, plain.text);
}

/* ---- what does not ---- */

TEST(names_of_files_comments_and_blanks_do_not_count) {
    static const char text[] = "param a >= 0, <= 4; var y; subject to c: a <= y^2 + sin(y) <= 5;";
    static const char other[] = "# a comment\nparam a >= 0,\n  <= 4;\n/* another */ var y;\n"
                                "subject to c:\r\n\ta <= (y^2) + sin(y) <= 5.0e0; display y;";
    assert_string_equal(print_of_text("m", text, NULL).text, print_of_text("other/name", other, NULL).text);
}

TEST(what_nobody_uses_does_not_count) {
    struct print prints[2];
    for (int unused = 0; unused < 2; unused++) {
        hn_model *model = model_new();
        hn_expr x = hn_input(model, "x"), y = hn_output(model, "y"), z = hn_output(model, "z");
        if (unused) /* makes nodes, and in another order than the row below */
            hn_mul(hn_exp(hn_add(z, y)), hn_sin(hn_mul(z, x)));
        hn_constrain(model, "c", 0, hn_mul(hn_sin(hn_mul(x, z)), hn_exp(hn_add(y, z))), 1);
        model_finish_good(model);
        prints[unused] = print_of(model);
        hn_model_destroy(model);
    }
    assert_string_equal(prints[0].text, prints[1].text);
}

/* ---- always the same ---- */

TEST(the_fingerprint_is_the_same_everywhere) {
    hn_model *model;
    hn_error error = {.text = ""};
    assert_int_equal(rich_model_build(&model, &error), HN_OK);
    assert_string_equal(print_of(model).text, "efb83db302403fb89672c7cbc134ccad9eca2675b41d0c2915864d18452a0cbc");
    hn_model_destroy(model);
}

TEST(a_model_that_is_not_finished_has_none) {
    hn_error error = {.text = ""};
    char text[HN_FINGERPRINT_BYTES] = "before";
    hn_model *model = model_new();
    hn_constrain(model, "c", 0, hn_output(model, "y"), 1);
    assert_error(hn_model_fingerprint(model, text, &error), HN_INVALID, error, "not finished");
    assert_string_equal(text, "");
    hn_model_destroy(model);
    assert_int_equal(hn_model_fingerprint(NULL, text, &error), HN_INVALID);
}
