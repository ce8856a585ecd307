/* test_fingerprint.c - a model's fingerprint changes with all that the model means, and with nothing else.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"
#include "support/rich_model.h"

#include "hardnet/read.h"

#include <math.h>
#include <string.h>

struct print {
    char text[HN_FINGERPRINT_BYTES];
};

static struct print print_of(const hn_model *model) {
    struct print print;
    hn_error error = {.text = ""};
    if (hn_model_fingerprint(model, print.text, &error) != HN_OK)
        fail_msg("%s", error.text);
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

static void all_that_a_model_means_counts(void **state) {
    (void)state;
    struct print prints[COUNT_OF(different)];
    for (size_t i = 0; i < COUNT_OF(different); i++) {
        prints[i] = print_of_text("m", different[i], NULL);
        for (size_t j = 0; j < i; j++)
            if (strcmp(prints[i].text, prints[j].text) == 0)
                fail_msg("the same fingerprint:\n%s\n%s", different[i], different[j]);
    }
}

static void the_order_of_outputs_and_rows_counts(void **state) {
    (void)state;
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

static void a_let_that_changes_the_model_counts(void **state) {
    (void)state;
    static const char text[] =
        "param N := 10; param w := 2; var y{1..N} >= 0; subject to c: w*sum{i in 1..N} y[i] = 1;";
    struct print plain = print_of_text("m", text, NULL);
    assert_string_equal(print_of_text("m", text, "N=10").text, plain.text);
    assert_string_not_equal(print_of_text("m", text, "N=11").text, plain.text);
    assert_string_not_equal(print_of_text("m", text, "w=3").text, plain.text);
}

/* ---- what does not ---- */

static void names_of_files_comments_and_blanks_do_not_count(void **state) {
    (void)state;
    static const char text[] = "param a >= 0, <= 4; var y; subject to c: a <= y^2 + sin(y) <= 5;";
    static const char other[] = "# a comment\nparam a >= 0,\n  <= 4;\n/* another */ var y;\n"
                                "subject to c:\r\n\ta <= (y^2) + sin(y) <= 5.0e0; display y;";
    assert_string_equal(print_of_text("m", text, NULL).text, print_of_text("other/name", other, NULL).text);
}

static void what_nobody_uses_does_not_count(void **state) {
    (void)state;
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

static void the_fingerprint_is_the_same_everywhere(void **state) {
    (void)state;
    hn_model *model;
    hn_error error = {.text = ""};
    assert_int_equal(rich_model_build(&model, &error), HN_OK);
    assert_string_equal(print_of(model).text, "94078b0e48f578444e4c060781fc8b202d8c173c5acc5b2a6cb8833f093befc6");
    hn_model_destroy(model);
}

static void a_model_that_is_not_finished_has_none(void **state) {
    (void)state;
    hn_error error = {.text = ""};
    char text[HN_FINGERPRINT_BYTES] = "before";
    hn_model *model = model_new();
    hn_constrain(model, "c", 0, hn_output(model, "y"), 1);
    assert_int_equal(hn_model_fingerprint(model, text, &error), HN_INVALID);
    assert_contains(error.text, "not finished");
    assert_string_equal(text, "");
    hn_model_destroy(model);
    assert_int_equal(hn_model_fingerprint(NULL, text, &error), HN_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_a_model_means_counts),
        cmocka_unit_test(the_order_of_outputs_and_rows_counts),
        cmocka_unit_test(a_let_that_changes_the_model_counts),
        cmocka_unit_test(names_of_files_comments_and_blanks_do_not_count),
        cmocka_unit_test(what_nobody_uses_does_not_count),
        cmocka_unit_test(the_fingerprint_is_the_same_everywhere),
        cmocka_unit_test(a_model_that_is_not_finished_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
