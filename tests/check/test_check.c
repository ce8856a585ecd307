/* test_check.c - what a check finds as data: sizes, derivatives, the correction, conflicts, findings; the same on any number of
 * threads.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "hardnet/check.h"
#include "hardnet/read.h"

static hn_model *model_of(const char *bytes) {
    hn_text text = {.name = "text", .bytes = bytes, .length = strlen(bytes)};
    hn_model *model;
    hn_error error;
    if (hn_model_read_memory(&model, 1, &text, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

static hn_check *check_of(const hn_model *model, const hn_check_options *options) {
    hn_check *check;
    hn_error error;
    if (hn_model_check(&check, model, options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return check;
}

static const hn_check_finding *finding_of(const hn_check *check, const char *kind) {
    for (size_t i = 0; i < check->findings; i++)
        if (strcmp(check->finding[i].kind, kind) == 0)
            return &check->finding[i];
    return NULL;
}

static const char disc[] = "param radius >= 1, <= 3; param spare >= 0, <= 1;\n"
                           "var y{1..3} := 2; var loose;\n"
                           "minimize f: (y[1] - 3)^2 + y[2]*y[3];\n"
                           "subject to disc: sum{i in 1..3} y[i]^2 <= radius^2;\n"
                           "subject to line: y[1] + 2*y[2] = radius;\n"
                           "subject to again: 2*y[1] + 4*y[2] <= 10;\n";

/* ---- a model that is fine but for what is planted in it ---- */

TEST(sizes_and_values_are_those_of_the_model) {
    hn_model *model = model_of(disc);
    hn_check *check = check_of(model, NULL);
    assert_int_equal(check->inputs, 2);
    assert_int_equal(check->outputs, 4);
    assert_int_equal(check->rows, 3);
    assert_int_equal(check->points, 4);
    assert_true(check->middle && check->x[0] == 2 && check->x[1] == 0.5);
    assert_true(check->y[0] == 2 && check->y[3] == 0);
    assert_true(check->objective == 5);
    assert_true(check->row_value[0] == 12 && check->row_upper[0] == 4 && check->violation[0] == 8);
    assert_true(check->row_lower[0] == -INFINITY && check->violation[2] == 2);
    assert_true(fabs(check->row_norm[1] - sqrt(5)) < 1e-15);
    assert_int_equal(check->group[1].equalities, 1);
    assert_int_equal(check->group[0].one_sided, 1);
    assert_int_equal(check->jacobian.count, 7);
    assert_int_equal(check->jacobian_constant, 4);
    assert_int_equal(check->gradient_nonzeros, 3);
    assert_int_equal(check->bounds_x_nonzeros, 2);
    assert_int_equal(check->hessian_nonzeros, 4); /* the diagonal, and (y[3], y[2]) of f */
    hn_check_destroy(check);
    hn_model_destroy(model);
}

TEST(derivatives_agree_and_the_start_is_corrected) {
    hn_model *model = model_of(disc);
    hn_check *check = check_of(model, NULL);
    for (int d = 0; d < HN_CHECK_DERIVATIVES; d++)
        assert_true(check->difference[d].error < 1e-6);
    assert_true(check->difference[HN_CHECK_JACOBIAN_Y].checked == 4 * 7);
    assert_non_null(check->correction);
    assert_null(check->correction->why_not);
    assert_int_equal(check->correction->count, 4);
    assert_int_equal(check->correction->ok, 4);
    assert_null(check->conflict);
    assert_non_null(check->theorem);
    assert_true(check->theorem->why_not || (check->theorem->L > 0 && check->theorem->G > 0));
    hn_check_destroy(check);
    hn_model_destroy(model);
}

TEST(findings_name_what_they_are_about) {
    hn_model *model = model_of(disc);
    hn_check *check = check_of(model, NULL);
    const hn_check_finding *column = finding_of(check, "unused_column"), *input = finding_of(check, "unused_input");
    const hn_check_finding *row = finding_of(check, "duplicated_row");
    assert_non_null(column);
    assert_int_equal(column->severity, HN_SEVERITY_WARNING);
    assert_int_equal(column->count, 1);
    assert_string_equal(column->subjects[0], "loose");
    assert_non_null(input);
    assert_string_equal(input->subjects[0], "spare");
    assert_non_null(row);
    assert_int_equal(row->severity, HN_SEVERITY_NOTE);
    assert_string_equal(row->subjects[0], "again (2 times line)");
    assert_null(finding_of(check, "derivative"));
    hn_check_destroy(check);
    hn_model_destroy(model);
}

TEST(rows_that_are_nearly_multiples_are_no_duplicates) {
    hn_model *model = model_of("var a; var b; one: a + 2*b <= 1; two: a + 2.000000001*b <= 2; three: 3*a + 6*b >= -9;\n"
                               "four: sin(a) + b <= 2; five: sin(a) + b >= -2;");
    hn_check *check = check_of(model, NULL);
    const hn_check_finding *row = finding_of(check, "duplicated_row");
    assert_non_null(row);
    assert_int_equal(row->count, 2);
    assert_string_equal(row->subjects[0], "three (3 times one)");
    assert_contains(row->subjects[1], "five");
    hn_check_destroy(check);
    hn_model_destroy(model);
}

/* ---- models that are not fine ---- */

TEST(groups_that_contradict_are_named) {
    hn_model *model = model_of("var a; var b; subject to one: a + b >= 2; subject to free: a - b <= 5;\n"
                               "subject to two: a + b <= 1;\n");
    hn_check *check = check_of(model, NULL);
    assert_int_equal(check->correction->ok, 0);
    assert_non_null(check->conflict);
    assert_int_equal(check->conflict->count, 2);
    assert_int_equal(check->conflict->groups[0], 0);
    assert_int_equal(check->conflict->groups[1], 2);
    assert_true(check->conflict->minimal && check->conflict->smallest);
    assert_non_null(finding_of(check, "conflict"));
    assert_non_null(finding_of(check, "not_corrected"));
    hn_check_destroy(check);
    hn_model_destroy(model);
}

TEST(what_is_not_finite_is_explained) {
    hn_model *model = model_of("var a := -1; subject to log_row: log(a) >= 0; subject to quotient: 1/(a + 1) <= 2;\n");
    hn_check *check = check_of(model, NULL);
    const hn_check_finding *finding = finding_of(check, "not_finite");
    assert_non_null(finding);
    assert_int_equal(finding->count, 2);
    assert_string_equal(finding->subjects[0], "log_row (log(-1) is NaN)");
    assert_string_equal(finding->subjects[1], "quotient (1 / 0 divides by zero)");
    assert_int_equal(check->group[0].not_finite, 1);
    hn_check_destroy(check);
    hn_model_destroy(model);
}

TEST(whatever_is_not_finite_is_explained_by_its_operator) {
    static const struct {
        const char *text, *subject;
    } list[] = {
        {"var a := -1; var b := 0.5; c: a^b >= 0;", "c (-1 ^ 0.5 is NaN)"},
        {"var a := 1e200; var b := 1e200; c: a*b >= 0;", "c (mul(1e+200, 1e+200) overflows)"},
        {"var a := 1e308; var b := 1e308; var d := 1e308; c: a + b + d >= 0;", "c (a sum overflows)"},
        {"var a := 1e308; c: 1e308*a + 3*sin(a) >= 0;", "c (mul(1e+308, 1e+308) overflows)"},
        {"var a := 1e-200; var b := 1e200; c: b/a >= 0;", "c (1e+200 / 1e-200 overflows)"},
        {"var a := 0; var b := 0; c: b/a >= 0;", "c (0 / 0 divides by zero)"},
        {"var a := -1; minimize f: sqrt(a); c: a >= -2;", "f (sqrt(-1) is NaN)"},
        {"param x >= -2, <= -1; var a; c: a <= log(x);", "the upper bound of c (log(-1.5) is NaN)"},
        {"param x >= -2, <= -1; var a; c: a >= log(x);", "the lower bound of c (log(-1.5) is NaN)"},
        {"var a := 800; c: exp(a) >= 0;", "c (exp(800) overflows)"},
    };
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        hn_model *model = model_of(list[i].text);
        hn_check *check = check_of(model, NULL);
        const hn_check_finding *finding = finding_of(check, "not_finite");
        if (!finding || strcmp(finding->subjects[0], list[i].subject) != 0)
            fail_msg("%s: %s instead of %s", list[i].text, finding ? finding->subjects[0] : "nothing", list[i].subject);
        hn_check_destroy(check);
        hn_model_destroy(model);
    }
}

TEST(a_hessian_beyond_its_limit_is_checked_by_products) {
    hn_model *model = model_of("var a{1..4} := 1; subject to wild: prod{i in 1..4} sin(a[i])*exp(a[i]) <= 1;\n");
    hn_check_options options = hn_check_defaults();
    options.hessian_nodes = 2;
    hn_check *check = check_of(model, &options);
    assert_true(check->hessian_left_out);
    assert_int_equal(check->hessian_nonzeros, 0);
    assert_int_equal(check->difference[HN_CHECK_HESSIAN].checked, 0);
    assert_true(check->difference[HN_CHECK_HESSIAN_PRODUCT].checked > 0);
    hn_check_destroy(check);
    hn_model_destroy(model);
}

/* ---- options ---- */

TEST(threads_change_nothing) {
    hn_model *model = model_of(disc);
    hn_check_options options = hn_check_defaults();
    options.threads = 1;
    hn_check *alone = check_of(model, &options);
    options.threads = 3;
    hn_check *shared = check_of(model, &options);
    for (int d = 0; d < HN_CHECK_DERIVATIVES; d++) {
        assert_true(alone->difference[d].error == shared->difference[d].error);
        assert_int_equal(alone->difference[d].row, shared->difference[d].row);
        assert_int_equal(alone->difference[d].column, shared->difference[d].column);
    }
    assert_true(alone->theorem->L == shared->theorem->L && alone->theorem->mu == shared->theorem->mu);
    hn_check_destroy(alone);
    hn_check_destroy(shared);
    hn_model_destroy(model);
}

TEST(given_inputs_are_taken) {
    const double x[] = {1.25, 0.25, 2.5, 0.75};
    hn_model *model = model_of(disc);
    hn_check_options options = hn_check_defaults();
    options.points = 3;
    options.x = x;
    options.x_rows = 2;
    hn_check *check = check_of(model, &options);
    assert_int_equal(check->points, 3);
    assert_memory_equal(check->x, x, sizeof x);
    assert_true(check->x[4] >= 1 && check->x[4] <= 3);
    hn_check_destroy(check);
    hn_model_destroy(model);
}

struct stages {
    int begun, advanced;
    bool in_order;
};

static void count_stage(void *context, const char *stage, size_t done, size_t total) {
    struct stages *stages = context;
    assert_true(stage && *stage);
    stages->begun += total == 0;
    stages->advanced += total > 0 && done == total;
    stages->in_order = stages->in_order && done <= total;
}

TEST(progress_is_reported) {
    struct stages stages = {.in_order = true};
    hn_model *model = model_of(disc);
    hn_check_options options = hn_check_defaults();
    options.progress = count_stage;
    options.progress_context = &stages;
    hn_check_destroy(check_of(model, &options));
    assert_true(stages.begun >= 5 && stages.advanced == 2 && stages.in_order);
    hn_model_destroy(model);
}

TEST(what_makes_no_sense_is_refused) {
    hn_check *check;
    hn_error error;
    hn_model *model = model_of(disc);
    hn_check_options options = hn_check_defaults();
    options.points = HN_CHECK_POINTS + 1;
    assert_int_equal(hn_model_check(&check, model, &options, &error), HN_INVALID);
    assert_null(check);
    assert_string_equal(error.subject, "points");
    options = hn_check_defaults();
    options.size = 0;
    assert_int_equal(hn_model_check(&check, model, &options, &error), HN_INVALID);
    assert_int_equal(hn_model_check(&check, NULL, NULL, &error), HN_INVALID);
    assert_int_equal(hn_model_check(NULL, model, NULL, &error), HN_INVALID);
    hn_check_destroy(NULL);
    hn_model_destroy(model);
}
