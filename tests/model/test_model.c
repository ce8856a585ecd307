/* test_model.c - a model's life and its rows: groups in order, bounds of outputs behind them, what is no row left out.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"

/* ---- life ---- */

TEST(a_model_is_created_with_defaults_or_with_options) {
    hn_model *m = NULL;
    hn_error error = {.text = "untouched"};
    assert_true(hn_model_defaults().max_nodes >= 1000000);
    assert_int_equal(hn_model_create(&m, NULL, &error), HN_OK);
    assert_non_null(m);
    assert_int_equal(hn_model_status(m, &error), HN_OK);
    assert_string_equal(error.text, "untouched");
    hn_output(m, "y");
    assert_int_equal(hn_model_finish(m, &error), HN_OK);
    assert_string_equal(error.text, "untouched");
    hn_model_destroy(m);
    hn_model_options options = {.size = sizeof options, .max_nodes = SIZE_MAX};
    assert_int_equal(hn_model_create(&m, &options, NULL), HN_OK);
    hn_model_destroy(m);
}

TEST(finishing_repeats_its_answer) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    hn_output_bounds(y, 0, 1);
    hn_constrain(m, "c", 0, hn_sin(y), 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(hn_model_finish(m, NULL), HN_OK);
        assert_int_equal(hn_model_row_count(m), 2);
        assert_int_equal(hn_model_group_count(m), 2);
    }
    hn_model_destroy(m);
}

TEST(names_are_copied) {
    hn_model *m = model_new();
    char name[] = "y[1]";
    hn_expr y = hn_output(m, name);
    hn_output_bounds(y, 0, 1);
    name[2] = '2';
    hn_output(m, name);
    memset(name, 'z', sizeof name - 1);
    model_finish_good(m);
    assert_string_equal(hn_model_output(m, 0).name, "y[1]");
    assert_string_equal(hn_model_output(m, 1).name, "y[2]");
    assert_string_equal(hn_model_group(m, 0).name, "y");
    hn_model_destroy(m);
}

/* ---- rows ---- */

/* The rows are these names, in this order; the groups these, with these counts. */
static void check_rows(const hn_model *m, const char *const *rows, size_t row_count, const char *const *groups,
                       const size_t *counts, size_t group_count) {
    assert_int_equal(hn_model_row_count(m), row_count);
    assert_int_equal(hn_model_group_count(m), group_count);
    size_t first = 0;
    for (size_t g = 0; g < group_count; g++) {
        hn_group_info group = hn_model_group(m, g);
        assert_string_equal(group.name, groups[g]);
        assert_int_equal(group.first, first);
        assert_int_equal(group.count, counts[g]);
        for (size_t i = first; i < first + group.count; i++) {
            assert_string_equal(hn_model_row(m, i).name, rows[i]);
            assert_int_equal(hn_model_row(m, i).group, g);
        }
        first += group.count;
    }
    assert_int_equal(first, row_count);
}

TEST(interleaved_groups_are_gathered_in_order_of_first_appearance) {
    static const char *const rows[] = {"speed[1]", "speed[2]", "speed", "box", "force[9]", "force[1]"};
    static const char *const groups[] = {"speed", "box", "force"};
    static const size_t counts[] = {3, 1, 2};
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    hn_constrain(m, "speed[1]", 0, y, 1);
    hn_constrain(m, "box", 0, y, 1);
    hn_constrain(m, "force[9]", 0, y, 1);
    hn_constrain(m, "speed[2]", 0, y, 1);
    hn_constrain(m, "force[1]", 0, y, 1);
    hn_constrain(m, "speed", 0, y, 1);
    assert_int_equal(hn_model_row_count(m), 0); /* numbered at the end only */
    model_finish_good(m);
    check_rows(m, rows, 6, groups, counts, 3);
    hn_model_destroy(m);
}

TEST(bounds_of_outputs_come_after_all_constraints_by_family) {
    static const char *const rows[] = {"late", "u[0]", "u[1]", "w"};
    static const char *const groups[] = {"late", "u", "w"};
    static const size_t counts[] = {1, 2, 1};
    hn_model *m = model_new();
    hn_expr u0 = hn_output(m, "u[0]"), w = hn_output(m, "w"), u1 = hn_output(m, "u[1]"), v = hn_output(m, "v");
    hn_output_bounds(w, 0, INFINITY);
    hn_output_bounds(u1, -1, 1);
    hn_output_bounds(u0, -INFINITY, 2);
    hn_constrain(m, "late", 0, v, 1);
    model_finish_good(m);
    check_rows(m, rows, 4, groups, counts, 3);
    hn_row_info row = hn_model_row(m, 1);
    hn_real upper;
    assert_true(same_expr(row.body, u0));
    assert_true(hn_is_constant(row.upper, &upper) && upper == 2);
    hn_model_destroy(m);
}

TEST(a_row_without_finite_bounds_is_no_row) {
    static const char *const rows[] = {"kept[2]", "half", "other half", "input"};
    static const size_t counts[] = {1, 1, 1, 1};
    static const char *const groups[] = {"kept", "half", "other half", "input"};
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y"), x = hn_input(m, "x"), infinite = hn_constant(m, INFINITY);
    hn_constrain(m, "gone", -INFINITY, y, INFINITY);
    hn_constrain(m, "kept[1]", -INFINITY, y, INFINITY);
    hn_constrain(m, "kept[2]", 0, y, 1);
    hn_constrain(m, "half", 0, y, INFINITY);
    hn_constrain(m, "other half", -INFINITY, y, 1);
    hn_constrain_between(m, "input", x, y, infinite);
    hn_output_bounds(y, -INFINITY, INFINITY);
    model_finish_good(m);
    check_rows(m, rows, 4, groups, counts, 4);
    hn_model_destroy(m);
}

TEST(a_fixed_output_has_a_row_only_where_x_decides_about_its_bounds) {
    hn_model *m = model_new();
    static const char *const names[] = {"constant", "value", "bound", "unbounded", "free"};
    static const int rows[] = {1, 2, 4}; /* the outputs that have one */
    hn_expr x = hn_input(m, "x"), y[5];
    for (int j = 0; j < 5; j++) {
        y[j] = hn_output(m, names[j]);
        if (j != 3)
            hn_output_bounds(y[j], 0, 1);
        if (j < 4)
            hn_output_fix(y[j], j % 2 ? hn_sin(x) : hn_constant(m, 0.5));
    }
    hn_output_between(y[2], x, hn_constant(m, 1));
    model_finish_good(m);
    assert_int_equal(hn_model_output_count(m), 5);
    assert_int_equal(hn_model_row_count(m), COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_string_equal(hn_model_row(m, i).name, names[rows[i]]);
        assert_true(same_expr(hn_model_row(m, i).body, y[rows[i]]));
    }
    assert_true(hn_is_valid(hn_model_output(m, 0).fixed));
    assert_false(hn_is_valid(hn_model_output(m, 4).fixed));
    hn_model_destroy(m);
}

TEST(the_last_bounds_and_start_count) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    hn_output_bounds(y, 5, 4); /* crossed, but not for long */
    hn_output_bounds(y, 0, 1);
    hn_output_start(y, hn_constant(m, 3));
    hn_output_start(y, hn_constant(m, 4));
    model_finish_good(m);
    hn_real upper, start;
    assert_true(hn_is_constant(hn_model_row(m, 0).upper, &upper) && upper == 1);
    assert_true(hn_is_constant(hn_model_output(m, 0).start, &start) && start == 4);
    hn_model_destroy(m);
}

TEST(bounds_that_depend_on_inputs_may_cross) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y"), x = hn_input(m, "x");
    hn_constrain_between(m, "c", x, y, hn_constant(m, 0)); /* crossed when x > 0: what that means shows per sample */
    hn_output_between(y, hn_exp(x), hn_scale(-1, x));
    model_finish_good(m);
    assert_int_equal(hn_model_row_count(m), 2);
    hn_model_destroy(m);
}

TEST(equal_bounds_make_an_equality) {
    hn_model *m = model_new();
    hn_constrain(m, "circle", 1, hn_output(m, "y"), 1);
    model_finish_good(m);
    assert_true(same_expr(hn_model_row(m, 0).lower, hn_model_row(m, 0).upper));
    hn_model_destroy(m);
}

TEST(a_thousand_rows_in_a_hundred_groups_are_all_there) {
    enum { ROWS = 1000, GROUPS = 100 };
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    char name[32];
    for (int i = 0; i < ROWS; i++) {
        snprintf(name, sizeof name, "g%d[%d]", i % GROUPS, i);
        hn_constrain(m, name, -i, hn_shift(y, i), i);
    }
    model_finish_good(m);
    assert_int_equal(hn_model_row_count(m), ROWS);
    for (int i = 0; i < ROWS; i++) {
        int place = i % GROUPS * (ROWS / GROUPS) + i / GROUPS;
        hn_real upper;
        snprintf(name, sizeof name, "g%d[%d]", i % GROUPS, i);
        hn_row_info row = hn_model_row(m, (size_t)place);
        assert_string_equal(row.name, name);
        assert_true(hn_is_constant(row.upper, &upper) && upper == i);
    }
    hn_model_destroy(m);
}
