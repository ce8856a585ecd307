/* test_write.c - models that are written as text come back as the same model: those that ship, names of every kind, shared parts,
 * long chains, numbers to the last bit; and what a text cannot say is refused by name.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/writing.h"

#include <dirent.h>
#include <float.h>
#include <pthread.h>

/* ---- the models that ship ---- */

static size_t return_folder(const char *folder) {
    DIR *directory = opendir(folder);
    char path[512];
    size_t count = 0;
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *end = strrchr(entry->d_name, '.');
        hn_read_options options = hn_read_defaults();
        hn_model *model;
        const char *paths[] = {path};
        if (!end || strcmp(end, ".mod") != 0)
            continue;
        options.relax_integrality = true;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (hn_model_read(&model, 1, paths, &options, NULL) != HN_OK)
            continue; /* it needs data or is wrong on purpose */
        hn_text_release(must_return(model, path));
        hn_model_destroy(model);
        count++;
    }
    closedir(directory);
    return count;
}

TEST(the_models_that_ship_come_back) {
    assert_true(return_folder("models") >= 7);
    assert_true(return_folder("models/feasibility") >= 19);
    assert_true(return_folder("models/infeasible") >= 1);
    assert_true(return_folder("tests/ampl/texts") >= 80);
}

/* ---- what it looks like ---- */

TEST(a_small_model_reads_well) {
    hn_model *model = model_of_text(
        "param r >= 0.5, <= 2; param p{1..2} >= 0; var y{0..1, 1..2} >= -2, <= 2, := r; var z >= r^2; check: r < "
        "p[1];\n"
        "var d = (y[0,1] - y[1,1])^2; maximize f: -(y[0,1] - 3)^2 - z; c{i in 0..1}: y[i,1]^2 + (y[i,2] - z) <= r^2;\n"
        "e: d*sin(d) = (if z < 1 and not y[0,1] >= 2 then -0.1*z else min(z, 1)); fix y[1,2] := 0.25;\n");
    char *text = must_return(model, "small");
    assert_string_equal(text,
                        "# Written by hardnet. Any text in backquotes is a name; $1, $2, ... have no name in the "
                        "model.\n\n"
                        "param r >= 0.5, <= 2;\n"
                        "param p{1..2} >= 0;\n"
                        "var y{0..1, 1..2} >= -2, <= 2;\n"
                        "var z >= r^2;\n"
                        "\n"
                        "let y[0,1] := r;\n"
                        "let y[0,2] := r;\n"
                        "let y[1,1] := r;\n"
                        "fix y[1,2] := 0.25;\n"
                        "\n"
                        "check: r < p[1];\n"
                        "\n"
                        "var d = (y[0,1] - y[1,1])^2;\n"
                        "\n"
                        "maximize f: -(z + (y[0,1] - 3)^2);\n"
                        "\n"
                        "subject to `c[0]`: y[0,1]^2 + (y[0,2] - z) <= r^2;\n"
                        "subject to `c[1]`: y[1,1]^2 + (y[1,2] - z) <= r^2;\n"
                        "subject to e: d*sin(d) - (if z < 1 and not (2 <= y[0,1]) then -0.1*z else min(z, 1)) = 0;\n");
    hn_text_release(text);
    hn_model_destroy(model);
}

/* ---- names ---- */

/* Whatever a program calls its parts. */
TEST(any_name_comes_back) {
    static const char *const names[] = {"a b",
                                        "sum",
                                        "var",
                                        "it's",
                                        "say \"hi\"",
                                        "back`quote",
                                        "``",
                                        "u[3,1]",
                                        "u[3,2]",
                                        "u[5,1]",
                                        "u[7]",
                                        "u[a]",
                                        "u['a b']",
                                        "u",
                                        "v[01]",
                                        "v[1",
                                        "v]1[",
                                        "[1]",
                                        "w[1]",
                                        "w",
                                        "gr\303\266\303\237e",
                                        "\xe2\x88\x91",
                                        "tab\there",
                                        "1",
                                        "-1",
                                        "$1",
                                        "#x",
                                        "/* x",
                                        "x;",
                                        "check 2",
                                        "Infinity",
                                        "if",
                                        "data",
                                        "end",
                                        "\\",
                                        "a.b",
                                        "k[-1]",
                                        "k[0]",
                                        "k[1]",
                                        "l[2]",
                                        "l[1]",
                                        "i",
                                        "j[1]",
                                        "j[2]",
                                        "sin",
                                        "sin[1]",
                                        "m[1000000000]",
                                        "m[-0]",
                                        "\x01\x7f",
                                        " ",
                                        "n[1,2,3,4,5,6]",
                                        "\xff\xc3"};
    enum { COUNT = sizeof names / sizeof names[0] };
    hn_model *model = new_model();
    char other[80];
    for (size_t i = 0; i < COUNT; i++) {
        hn_expr y = hn_output(model, names[i]);
        hn_output_bounds(y, -1 - (double)(i % 3), 1);
        snprintf(other, sizeof other, "%s?", names[i]);
        hn_expr x = hn_input(model, other);
        hn_input_range(x, -(double)i, 1);
        snprintf(other, sizeof other, "row %s", names[i]);
        hn_constrain(model, other, 0, hn_mul(y, hn_sin(x)), 1);
        snprintf(other, sizeof other, "d%s", names[i]);
        hn_define(model, other, hn_exp(hn_add(y, x)));
        snprintf(other, sizeof other, "%s required", names[i]);
        hn_require(model, other, hn_less(x, hn_constant(model, 1)));
    }
    hn_maximize(model, "min", hn_defined(model, "da b"));
    hn_text_release(must_return(finished(model), "names"));
    hn_model_destroy(model);
}

TEST(families_are_declared_once_where_they_can) {
    hn_model *model = new_model();
    char name[32];
    for (int i = -1; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            snprintf(name, sizeof name, "y[%d,%d]", i, j);
            hn_output_bounds(hn_output(model, name), -2, i == 0 ? INFINITY : 3);
        }
    hn_output(model, "z[1]"); /* z[2] comes too late */
    hn_output(model, "v[1]");
    hn_output(model, "z[2]");
    hn_constrain(model, "v[2]", 0, hn_exp(hn_input(model, "i")), 1);
    char *text = must_return(finished(model), "families");
    assert_non_null(strstr(text, "\nvar y{$i in -1..2, $j in 0..1} >= -2, <= $1[$i,$j];\n"));
    assert_non_null(strstr(text, "\nvar `z[1]`;\n"));
    assert_non_null(strstr(text, "\nvar v{1..1};\n"));
    assert_non_null(
        strstr(text, "param $1 := -1 0 3, -1 1 3, 0 0 Infinity, 0 1 Infinity, 1 0 3, 1 1 3, 2 0 3, 2 1 3;"));
    hn_text_release(text);
    hn_model_destroy(model);
}

/* ---- shared parts and long chains ---- */

/* A graph of 2 n operations whose tree has 2^n leaves. */
static hn_model *shared_model(size_t n) {
    hn_model *model = new_model();
    hn_expr y = hn_output(model, "y"), x = hn_input(model, "x"), a = y;
    for (size_t i = 0; i < n; i++)
        a = hn_add(hn_sin(a), hn_mul(a, i % 2 ? x : y));
    hn_constrain(model, "c", 0, a, 1);
    return finished(model);
}

TEST(shared_parts_are_written_once) {
    enum { FEW = 1000, MANY = HN_TEST_SHARE == 1 ? 40000 : 4000 };
    hn_model *few = shared_model(FEW), *many = shared_model(MANY);
    char *text = must_return(few, "few"), *longer = must_return(many, "many");
    assert_true(strlen(text) < 60 * FEW);
    assert_true((double)strlen(longer) < 1.3 * MANY / FEW * (double)strlen(text));
    hn_text_release(text);
    hn_text_release(longer);
    hn_model_destroy(few);
    hn_model_destroy(many);
}

/* Chains of every kind, each deeper than any stack. */
static hn_model *long_model(int kind, size_t length) {
    hn_model *model = new_model();
    hn_expr y = hn_output(model, "y"), x = hn_input(model, "x"), a = hn_exp(y);
    hn_expr *terms = calloc(length, sizeof *terms);
    char name[32];
    assert_non_null(terms);
    for (size_t i = 0; i < length; i++) {
        hn_expr b = hn_scale((double)(i + 2), y);
        terms[i] = i % 3 ? hn_neg(hn_sin(b)) : b;
        switch (kind) {
        case 0: /* a sum */
            break;
        case 1: /* sums within sums, to the left and to the right */
            a = hn_add(a, b);
            break;
        case 2:
            a = hn_sub(b, a);
            break;
        case 3:
            a = hn_mul(a, hn_shift(y, (double)i));
            break;
        case 4:
            a = hn_sin(a);
            break;
        case 5:
            a = hn_if(hn_less(a, x), a, hn_constant(model, (double)i));
            break;
        case 6:
            a = hn_neg(hn_pow(a, hn_constant(model, 1.5)));
            break;
        case 7:
            a = hn_and(hn_less(y, hn_constant(model, (double)i)), a);
            break;
        case 8:
            a = hn_max(hn_div(hn_constant(model, 1), a), x);
            break;
        default: /* definitions on definitions */
            snprintf(name, sizeof name, "d[%zu]", i);
            a = hn_cos(hn_add(a, y));
            hn_define(model, name, a);
        }
    }
    if (kind == 0)
        a = hn_sum(model, length, terms);
    hn_constrain(model, "c", 0, a, 1);
    hn_minimize(model, "f", hn_mul(a, y));
    free(terms);
    return finished(model);
}

enum { KINDS = 10 };

/* In a thread with little stack. */
static void *return_long(void *context) {
    const hn_model *model = *(const hn_model *const *)context;
    hn_text_release(must_return(model, "long"));
    return NULL;
}

TEST(long_chains_come_back_without_much_stack) {
    enum { LENGTH = HN_TEST_SHARE == 1 ? 10000 : 2000, SUM = HN_TEST_SHARE == 1 ? 100000 : 10000 };
    enum { KIBIBYTES = HN_TEST_SHARE == 1 ? 256 : 4096 };
    for (int kind = 0; kind < KINDS; kind++) {
        hn_model *model = long_model(kind, kind < 2 ? SUM : LENGTH);
        pthread_t thread;
        pthread_attr_t attributes;
        assert_int_equal(pthread_attr_init(&attributes), 0);
        assert_int_equal(pthread_attr_setstacksize(&attributes, (size_t)KIBIBYTES * 1024), 0);
        assert_int_equal(pthread_create(&thread, &attributes, return_long, &model), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        pthread_attr_destroy(&attributes);
        hn_model_destroy(model);
    }
}

/* ---- numbers ---- */

TEST(numbers_come_back_to_the_last_bit) {
    static const double numbers[] = {0.1,      1.0 / 3,   -0.0,   5e-324,   -5e-324,   DBL_MIN,
                                     DBL_MAX,  -DBL_MAX,  1e22,   1e23,     1e-310,    1e15,
                                     1e16,     123456789, 0.3,    2.5e-8,   1e5,       1e6,
                                     100000.5, 1e21,      -1e100, INFINITY, -INFINITY, 4503599627370497.5};
    hn_model *model = new_model();
    char name[32];
    hn_expr sum = hn_output(model, "y");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(name, sizeof name, "x[%zu]", i);
        hn_expr x = hn_input(model, name);
        hn_input_range(x, numbers[i], numbers[i]);
        sum = hn_add(hn_mul(hn_constant(model, numbers[i]), hn_exp(x)),
                     hn_sin(hn_add(sum, hn_constant(model, numbers[i]))));
    }
    hn_constrain(model, "c", -1e-300, sum, 1.0000000000000002);
    hn_model *again = NULL;
    char *text = must_return(finished(model), "numbers");
    assert_non_null(strstr(text, " 5e-324"));
    assert_non_null(strstr(text, " 1.0000000000000002;"));
    again = model_of_text(text);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double lower = hn_model_input(again, i).lower;
        assert_memory_equal(&lower, &numbers[i], sizeof lower);
    }
    hn_model_destroy(again);
    hn_text_release(text);
    hn_model_destroy(model);
}

/* ---- starts and fixed outputs ---- */

TEST(a_fixed_output_keeps_its_start) {
    hn_model *model = new_model();
    hn_expr x = hn_input(model, "x"), a = hn_output(model, "y[1]"), b = hn_output(model, "y[2]"),
            c = hn_output(model, "z");
    hn_output_fix(a, hn_constant(model, 3));
    hn_output_start(b, hn_cos(x));
    hn_output_fix(c, hn_sin(x));
    hn_output_start(c, hn_sin(x));
    hn_output_bounds(c, -1, 1);
    hn_constrain(model, "c", 0, hn_mul(hn_mul(a, b), c), 1);
    char *text = must_return(finished(model), "fixed");
    assert_non_null(strstr(text, "fix y[1] := 3;\nlet y[1].start := 0;\nlet y[2] := cos(x);\n"));
    assert_non_null(strstr(text, "fix z := sin(x);\n"));
    assert_null(strstr(text, "z.start"));
    hn_text_release(text);
    hn_model_destroy(model);
}

/* ---- refusals ---- */

static void must_refuse(hn_model *model, hn_status status, const char *start) {
    char *text = (char *)model;
    size_t length = 7;
    hn_error error = {.status = HN_OK, .text = ""};
    assert_int_equal(hn_model_write(model, &text, &length, &error), status);
    assert_null(text);
    assert_int_equal(length, 0);
    if (strncmp(error.text, start, strlen(start)) != 0)
        fail_msg("'%s' does not start like '%s'", error.text, start);
    hn_model_destroy(model);
}

static hn_model *with_row(double factor, hn_expr (*combine)(hn_expr, hn_expr)) {
    hn_model *model = new_model();
    hn_expr y = hn_output(model, "y");
    hn_constrain(model, "the row", 0, combine(y, hn_constant(model, factor)), 1);
    return finished(model);
}

TEST(what_a_text_cannot_say_is_refused_by_name) {
    must_refuse(with_row(NAN, hn_mul), HN_UNSUPPORTED, "the row: contains NaN");
    must_refuse(with_row(0, hn_div), HN_UNSUPPORTED, "the row: divides by the constant 0");
    hn_model *model = new_model();
    hn_output(model, "two\nlines");
    must_refuse(finished(model), HN_UNSUPPORTED, "two\\nlines: the name has a line break");
    model = new_model();
    hn_output(model, "y");
    hn_require(model, "never", hn_constant(model, 0));
    must_refuse(finished(model), HN_UNSUPPORTED, "never: the requirement is never satisfied");
    model = new_model();
    hn_output(model, "y");
    hn_constrain(model, "wrong", 0, hn_constant(model, 3), 1);
    must_refuse(finished(model), HN_UNSUPPORTED, "wrong: the constant value 3 violates the bounds");
    model = new_model();
    hn_output(model, "y");
    must_refuse(model, HN_INVALID, "hn_model_write: the model is not finished");
}

/* A definition that is used before it is made is opaque: nothing is simplified with what it stands for. */
TEST(a_definition_used_early_is_followed_or_refused) {
    hn_model *model = new_model();
    hn_expr y = hn_output(model, "y"), early = hn_defined(model, "d");
    hn_constrain(model, "c", 0, hn_sin(hn_add(early, y)), 1);
    hn_output_between(hn_output(model, "z"), hn_defined(model, "b"), hn_constant(model, 3));
    hn_define(model, "d", hn_mul(y, hn_exp(y)));
    hn_define(model, "b", hn_exp(hn_input(model, "x")));
    hn_text_release(must_return(finished(model), "early"));
    hn_model_destroy(model);
    model = new_model();
    y = hn_output(model, "y");
    hn_constrain(model, "c", 0, hn_sin(hn_add(hn_defined(model, "d"), y)), 1);
    hn_define(model, "d", hn_constant(model, 0));
    must_refuse(finished(model), HN_UNSUPPORTED, "model: not exactly expressible as text");
}

TEST(missing_arguments_are_told) {
    char *text;
    hn_model *model = model_of_text("var y;");
    assert_int_equal(hn_model_write(NULL, &text, NULL, NULL), HN_INVALID);
    assert_null(text);
    assert_int_equal(hn_model_write(model, NULL, NULL, NULL), HN_INVALID);
    assert_int_equal(hn_model_write(model, &text, NULL, NULL), HN_OK);
    hn_text_release(text);
    hn_text_release(NULL);
    hn_model_destroy(model);
}

/* ---- what the reader takes for it ---- */

TEST(names_in_backquotes_and_parts_without_a_name_are_read) {
    hn_model *model =
        model_of_text("param `x` >= 0; var `sum`{1..2} := 1; var y; param $1 = x^2; var $2 = `sum`[1] < y;\n"
                      "check `big enough`: x > 1; check near: x < 9; check: $1 > 2; `c d`: $2 + `sum`[2]*$1 <= 1;\n"
                      "fix y := 4; let y.start := x;\n");
    assert_string_equal(hn_model_input(model, 0).name, "x");
    assert_string_equal(hn_model_output(model, 1).name, "sum[2]");
    assert_string_equal(hn_model_requirement(model, 0).name, "big enough");
    assert_string_equal(hn_model_requirement(model, 1).name, "near");
    assert_string_equal(hn_model_requirement(model, 2).name, "check 3");
    assert_string_equal(hn_model_row(model, 0).name, "c d");
    assert_int_equal(hn_model_definition_count(model), 0);
    const double x[] = {3}, y[] = {1, 2, 4};
    assert_near(value_at(model, hn_model_row(model, 0).body, x, y), 1 + 2 * 9);
    assert_near(value_at(model, hn_model_output(model, 2).start, x, y), 3);
    assert_near(value_at(model, hn_model_output(model, 2).fixed, x, y), 4);
    hn_model_destroy(model);
}

TEST(parts_without_a_name_are_no_parts_of_a_model) {
    must_fail("var y; var $1;", "1:12", "a column needs a name");
    must_fail("var y; minimize $1: y;", "1:17", "an objective needs a name");
    must_fail("var y; $1: y <= 1;", "1:8", "a constraint needs a name");
    must_fail("var y; param $1; c: $1*y <= 1;", "1:14", "$1 has no value");
    must_fail("var y; c: `y <= 1;", "1:11", "unterminated");
    must_fail("var y; c: `` <= 1;", "1:11", "an empty name");
    must_fail("var y; c: (y < 1) + y <= 1;", "1:12", "a condition");
    must_fail("param x; var y; check `a`: 1 > 2;", "1:17", "a is not satisfied");
}
