/* test_copy.c - copies of models: the same fingerprints and node numbers, open for more, independent of the other.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"
#include "support/rich_model.h"

static hn_model *copy_of(const hn_model *model) {
    hn_model *copy;
    hn_error error = {.text = ""};
    if (hn_model_copy(&copy, model, &error) != HN_OK)
        fail_msg("%s", error.text);
    return copy;
}

static void check_same_fingerprints(const hn_model *a, const hn_model *b) {
    char p[HN_FINGERPRINT_BYTES], q[HN_FINGERPRINT_BYTES];
    assert_int_equal(hn_model_fingerprint(a, p, NULL), HN_OK);
    assert_int_equal(hn_model_fingerprint(b, q, NULL), HN_OK);
    assert_string_equal(p, q);
    assert_int_equal(hn_model_names_fingerprint(a, p, NULL), HN_OK);
    assert_int_equal(hn_model_names_fingerprint(b, q, NULL), HN_OK);
    assert_string_equal(p, q);
}

static void check_same_groups(const hn_model *a, const hn_model *b) {
    assert_int_equal(hn_model_group_count(a), hn_model_group_count(b));
    for (size_t i = 0; i < hn_model_group_count(a); i++) {
        hn_group_info p = hn_model_group(a, i), q = hn_model_group(b, i);
        assert_string_equal(p.name, q.name);
        assert_int_equal(p.first, q.first);
        assert_int_equal(p.count, q.count);
    }
}

static hn_model *rich(void) {
    hn_model *model;
    hn_error error = {.text = ""};
    if (rich_model_build_with_matrices(&model, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

TEST(a_copy_of_a_finished_model_finishes_to_the_same) {
    hn_model *model = rich(), *copy = copy_of(model), *again;
    assert_int_equal(hn_model_row_count(copy), 0); /* it is open */
    model_finish_good(copy);
    check_same_fingerprints(model, copy);
    check_same_groups(model, copy);
    hn_model_destroy(model);
    again = copy_of(copy);
    model_finish_good(again);
    check_same_fingerprints(copy, again);
    hn_model_destroy(copy);
    hn_model_destroy(again);
}

/* y in [-1, 1] under c: y + x <= 2; a name that is equal to the output's cannot be there twice. */
static hn_model *small(hn_expr *x, hn_expr *y) {
    hn_model *m = model_new();
    *x = hn_input(m, "x");
    *y = hn_output(m, "y[1]");
    hn_output_bounds(*y, -1, 1);
    hn_constrain(m, "c[1]", -INFINITY, hn_add(*x, *y), 2);
    return m;
}

TEST(a_copy_takes_more_and_the_model_does_not_change) {
    hn_expr x, y;
    hn_model *model = small(&x, &y);
    model_finish_good(model);
    hn_model *copy = copy_of(model);
    hn_expr mine = {copy, y.node};
    assert_true(same_expr(hn_model_output(copy, 0).expr, mine));
    assert_true(same_expr(hn_model_input(copy, 0).expr, (hn_expr){copy, x.node}));
    hn_constrain(copy, "c[2]", 0, hn_mul(mine, mine), 0.5);
    hn_minimize(copy, "f", hn_defined(copy, "late"));
    hn_define(copy, "late", hn_sin(mine));
    model_finish_good(copy);
    assert_int_equal(hn_model_row_count(model), 2);
    assert_int_equal(hn_model_row_count(copy), 3);
    assert_string_equal(hn_model_row(copy, 1).name, "c[2]");
    assert_string_equal(hn_model_row(copy, 2).name, "y[1]");
    const hn_real at = 0.5;
    assert_true(model_value(copy, hn_model_objective(copy).minimized, &at, &at) == sin(0.5));
    hn_model_destroy(model);
    hn_model_destroy(copy);
}

TEST(a_copy_knows_the_names_that_are_taken) {
    hn_expr x, y;
    hn_model *model = small(&x, &y);
    const char *const names[] = {"x", "y[1]", "c[1]"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        hn_model *copy = copy_of(model);
        hn_output(copy, names[i]);
        char text[64];
        snprintf(text, sizeof text, "output %s: the name is already used", names[i]);
        assert_refused(copy, HN_INVALID, text);
    }
    hn_model_destroy(model);
}

TEST(an_unfinished_model_is_copied_as_it_is) {
    hn_expr x, y;
    hn_model *model = small(&x, &y), *copy = copy_of(model);
    model_finish_good(model);
    model_finish_good(copy);
    check_same_fingerprints(model, copy);
    check_same_groups(model, copy);
    hn_model_destroy(model);
    hn_model_destroy(copy);
}

TEST(a_model_with_an_error_is_not_copied) {
    hn_model *model = model_new(), *copy = model;
    hn_error error;
    hn_output(model, "");
    assert_int_equal(hn_model_copy(&copy, model, &error), HN_INVALID);
    assert_null(copy);
    assert_string_equal(error.text, "output 0: name is NULL or empty");
    assert_int_equal(hn_model_copy(&copy, NULL, &error), HN_INVALID);
    assert_int_equal(hn_model_copy(NULL, model, &error), HN_INVALID);
    hn_model_destroy(model);
}
