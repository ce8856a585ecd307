/* test_misuse.c - calls at the wrong time or with the wrong expressions: the first error sticks, later calls do nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"

static const hn_expr none = {NULL, 0};

typedef hn_expr unary(hn_expr);
typedef hn_expr binary(hn_expr, hn_expr);

static unary *const unaries[] = {hn_neg,   hn_sqrt,  hn_exp,   hn_log,  hn_log10, hn_sin,  hn_cos,
                                 hn_tan,   hn_asin,  hn_acos,  hn_atan, hn_sinh,  hn_cosh, hn_tanh,
                                 hn_asinh, hn_acosh, hn_atanh, hn_abs,  hn_not};
static binary *const binaries[] = {hn_add, hn_sub,  hn_mul,        hn_div,   hn_pow,       hn_atan2, hn_min,
                                   hn_max, hn_less, hn_less_equal, hn_equal, hn_not_equal, hn_and,   hn_or};

/* ---- no expression ---- */

TEST(no_expression_of_no_model_gives_no_expression) {
    for (size_t i = 0; i < COUNT_OF(unaries); i++)
        assert_false(hn_is_valid(unaries[i](none)));
    for (size_t i = 0; i < COUNT_OF(binaries); i++)
        assert_false(hn_is_valid(binaries[i](none, none)));
    assert_false(hn_is_valid(hn_if(none, none, none)));
    assert_false(hn_is_valid(hn_scale(2, none)));
    assert_false(hn_is_valid(hn_shift(none, 2)));
    hn_input_range(none, 0, 1); /* nowhere to stick: nothing happens */
    hn_output_bounds(none, 0, 1);
    hn_output_between(none, none, none);
    hn_output_start(none, none);
    hn_output_fix(none, none);
}

TEST(no_expression_beside_a_good_one_is_refused_by_every_operator) {
    for (size_t i = 0; i < 2 * COUNT_OF(binaries); i++) {
        hn_model *m = model_new();
        hn_expr y = hn_output(m, "y");
        assert_false(hn_is_valid(i % 2 ? binaries[i / 2](y, none) : binaries[i / 2](none, y)));
        hn_error error;
        assert_error(hn_model_finish(m, &error), HN_INVALID, error, ": an argument is not an expression");
        hn_model_destroy(m);
    }
    for (int place = 0; place < 3; place++) {
        hn_model *m = model_new();
        hn_expr y = hn_output(m, "y");
        assert_false(hn_is_valid(hn_if(place == 0 ? none : y, place == 1 ? none : y, place == 2 ? none : y)));
        assert_refused(m, HN_INVALID, "if: an argument is not an expression");
    }
}

TEST(a_number_that_is_no_node_is_no_expression) {
    hn_model *m = model_new();
    hn_output(m, "y");
    hn_expr beyond = {m, 1000}, zero = {m, 0};
    assert_false(hn_is_valid(beyond));
    assert_false(hn_is_valid(hn_sin(beyond)));
    assert_refused(m, HN_INVALID, "sin: an argument is not an expression");
    m = model_new();
    hn_output(m, "y");
    zero.model = m;
    assert_false(hn_is_valid(hn_sin(zero)));
    assert_refused(m, HN_INVALID, "sin: an argument is not an expression");
}

TEST(no_expression_is_refused_by_constraints_objective_and_definitions) {
    for (int place = 0; place < 3; place++) {
        hn_model *m = model_new();
        hn_expr y = hn_output(m, "y"), one = hn_constant(m, 1);
        hn_constrain_between(m, "c", place == 0 ? none : one, place == 1 ? none : y, place == 2 ? none : one);
        assert_refused(m, HN_INVALID, "c: an argument is not an expression");
    }
    hn_model *m = model_new();
    hn_minimize(m, "f", none);
    assert_refused(m, HN_INVALID, "f: an argument is not an expression");
    m = model_new();
    hn_require(m, "r", none);
    assert_refused(m, HN_INVALID, "r: an argument is not an expression");
    m = model_new();
    hn_define(m, "d", none);
    assert_int_equal(hn_model_definition_count(m), 0);
    assert_refused(m, HN_INVALID, "d: an argument is not an expression");
    m = model_new();
    hn_sum(m, 2, (const hn_expr[]){hn_output(m, "y"), none});
    assert_refused(m, HN_INVALID, "sum: an argument is not an expression");
}

TEST(a_sum_of_more_terms_than_memory_is_refused) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    assert_false(hn_is_valid(hn_sum(m, SIZE_MAX / 2, &y)));
    hn_error error;
    assert_error(hn_model_finish(m, &error), HN_NO_MEMORY, error, " terms: out of memory");
    hn_model_destroy(m);
}

/* ---- outputs and inputs that are none ---- */

TEST(only_an_output_has_bounds_start_and_value) {
    hn_model *m = model_new();
    hn_output_bounds(hn_input(m, "x"), 0, 1);
    assert_refused(m, HN_INVALID, "hn_output_between: the expression is not an output");
    m = model_new();
    hn_expr y = hn_output(m, "y");
    hn_output_between(hn_sin(y), y, y);
    assert_refused(m, HN_INVALID, "hn_output_between: the expression is not an output");
    m = model_new();
    hn_expr one = hn_constant(m, 1);
    hn_output_start(one, one);
    assert_refused(m, HN_INVALID, "hn_output_start: the expression is not an output");
    m = model_new();
    one = hn_constant(m, 1);
    hn_output_fix(one, one);
    assert_refused(m, HN_INVALID, "hn_output_fix: the expression is not an output");
    m = model_new();
    hn_input_range(hn_output(m, "y"), 0, 1);
    assert_refused(m, HN_INVALID, "hn_input_range: the expression is not an input");
}

TEST(no_expression_where_an_output_belongs_is_refused) {
    hn_model *m = model_new();
    hn_expr one = hn_constant(m, 1);
    hn_output_between(none, one, one);
    assert_refused(m, HN_INVALID, "hn_output_between: an argument is not an expression");
    m = model_new();
    hn_output_between(none, none, hn_constant(m, 1));
    assert_refused(m, HN_INVALID, "hn_output_between: an argument is not an expression");
    m = model_new();
    hn_output_start(none, hn_constant(m, 1));
    assert_refused(m, HN_INVALID, "hn_output_start: an argument is not an expression");
    m = model_new();
    hn_output_fix(none, hn_constant(m, 1));
    assert_refused(m, HN_INVALID, "hn_output_fix: an argument is not an expression");
}

TEST(no_expression_as_bound_start_or_value_is_refused) {
    hn_model *m = model_new();
    hn_output_between(hn_output(m, "y"), hn_constant(m, 1), none);
    assert_refused(m, HN_INVALID, "y: an argument is not an expression");
    m = model_new();
    hn_output_between(hn_output(m, "y"), none, hn_constant(m, 1));
    assert_refused(m, HN_INVALID, "y: an argument is not an expression");
    m = model_new();
    hn_output_start(hn_output(m, "y"), none);
    assert_refused(m, HN_INVALID, "y: an argument is not an expression");
    m = model_new();
    hn_output_fix(hn_output(m, "y"), none);
    assert_refused(m, HN_INVALID, "y: an argument is not an expression");
}

/* ---- another model's expressions ---- */

TEST(an_expression_of_another_model_is_refused_and_the_other_model_unharmed) {
    hn_model *other = model_new();
    hn_expr theirs = hn_output(other, "y");
    for (size_t i = 0; i < COUNT_OF(binaries); i++) {
        hn_model *m = model_new();
        assert_false(hn_is_valid(binaries[i](hn_output(m, "y"), theirs)));
        hn_error error;
        assert_error(hn_model_finish(m, &error), HN_INVALID, error, ": the expression belongs to another model");
        hn_model_destroy(m);
    }
    hn_model *m = model_new();
    hn_constrain(m, "speed[7]", 0, theirs, 1);
    assert_refused(m, HN_INVALID, "speed[7]: the expression belongs to another model");
    m = model_new();
    hn_output_start(hn_output(m, "y"), theirs);
    assert_refused(m, HN_INVALID, "y: the expression belongs to another model");
    m = model_new();
    hn_output(m, "y");
    model_finish_good(m);
    double y = 1, value = 7;
    hn_error error;
    assert_int_equal(hn_model_evaluate(m, 1, &theirs, NULL, &y, &value, &error), HN_INVALID);
    assert_string_equal(error.text, "hn_model_evaluate: expression 0 is not of this model");
    assert_same_bits(value, 7);
    hn_model_destroy(m);
    model_finish_good(other);
    hn_model_destroy(other);
}

/* ---- after an error, after the end ---- */

/* Every call that adds something; nothing may come of it. */
static void call_everything(hn_model *m, hn_expr x, hn_expr y) {
    assert_false(hn_is_valid(hn_constant(m, 1)));
    assert_false(hn_is_valid(hn_input(m, "new input")));
    assert_false(hn_is_valid(hn_output(m, "new output")));
    hn_input_range(x, 2, 3);
    hn_output_bounds(y, 2, 3);
    hn_output_between(y, x, x);
    hn_output_start(y, x);
    hn_output_fix(y, x);
    hn_define(m, "new definition", x);
    assert_false(hn_is_valid(hn_defined(m, "another definition")));
    hn_constrain(m, "new constraint", 0, y, 1);
    hn_constrain_between(m, "new constraint", x, y, x);
    hn_minimize(m, "new objective", y);
    hn_maximize(m, "new objective", y);
    hn_require(m, "new requirement", x);
    assert_false(hn_is_valid(hn_sum(m, 1, &y)));
    assert_false(hn_is_valid(hn_scale(2, y)));
    assert_false(hn_is_valid(hn_shift(y, 2)));
    for (size_t i = 0; i < COUNT_OF(unaries); i++)
        assert_false(hn_is_valid(unaries[i](y)));
    for (size_t i = 0; i < COUNT_OF(binaries); i++)
        assert_false(hn_is_valid(binaries[i](x, y)));
    assert_false(hn_is_valid(hn_if(x, y, y)));
}

static void check_nothing_was_added(const hn_model *m, size_t nodes) {
    assert_int_equal(hn_model_node_count(m), nodes);
    assert_int_equal(hn_model_input_count(m), 1);
    assert_int_equal(hn_model_output_count(m), 1);
    assert_int_equal(hn_model_definition_count(m), 0);
    assert_int_equal(hn_model_requirement_count(m), 0);
    assert_int_equal(hn_model_row_count(m), 0);
    assert_null(hn_model_objective(m).name);
    assert_same_bits(hn_model_input(m, 0).lower, -INFINITY);
    assert_false(hn_is_valid(hn_model_output(m, 0).fixed));
    hn_real lower;
    assert_true(hn_is_constant(hn_model_output(m, 0).lower, &lower));
    assert_same_bits(lower, -INFINITY);
}

TEST(after_an_error_nothing_more_happens) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y = hn_output(m, "y");
    size_t nodes = hn_model_node_count(m);
    hn_input(m, "x");
    call_everything(m, x, y);
    check_nothing_was_added(m, nodes);
    assert_refused(m, HN_INVALID, "input x: the name is already used");
}

TEST(nothing_can_be_added_after_the_end) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y = hn_output(m, "y");
    size_t nodes = hn_model_node_count(m);
    model_finish_good(m);
    call_everything(m, x, y);
    check_nothing_was_added(m, nodes);
    assert_refused(m, HN_INVALID, "hn_constant: the model is finished and cannot be changed");
}

TEST(each_call_after_the_end_names_itself) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    model_finish_good(m);
    hn_constrain_between(m, "late", y, y, y);
    assert_refused(m, HN_INVALID, "late: the model is finished and cannot be changed");
    m = model_new();
    y = hn_output(m, "y");
    model_finish_good(m);
    hn_mul(y, y);
    assert_refused(m, HN_INVALID, "mul: the model is finished and cannot be changed");
}

TEST(calls_on_no_model_do_nothing) {
    hn_error error;
    assert_false(hn_is_valid(hn_constant(NULL, 1)));
    assert_false(hn_is_valid(hn_input(NULL, "x")));
    assert_false(hn_is_valid(hn_output(NULL, "y")));
    assert_false(hn_is_valid(hn_defined(NULL, "d")));
    assert_false(hn_is_valid(hn_sum(NULL, 0, NULL)));
    hn_define(NULL, "d", none);
    hn_constrain(NULL, "c", 0, none, 1);
    hn_constrain_between(NULL, "c", none, none, none);
    hn_minimize(NULL, "f", none);
    hn_maximize(NULL, "f", none);
    hn_require(NULL, "r", none);
    hn_model_destroy(NULL);
    assert_int_equal(hn_model_finish(NULL, &error), HN_INVALID);
    assert_string_equal(error.text, "model is NULL");
    assert_int_equal(hn_model_status(NULL, NULL), HN_INVALID);
    assert_int_equal(hn_model_evaluate(NULL, 0, NULL, NULL, NULL, NULL, NULL), HN_INVALID);
}
