/* test_inspect.c - the read-only side of a model gives back what went in, and zeros where there is nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"

TEST(an_expression_is_valid_when_it_is_a_node_of_a_model) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    assert_true(hn_is_valid(y));
    assert_false(hn_is_valid((hn_expr){NULL, 0}));
    assert_false(hn_is_valid((hn_expr){NULL, y.node}));
    assert_false(hn_is_valid((hn_expr){m, 0}));
    assert_true(hn_is_valid((hn_expr){m, (uint32_t)hn_model_node_count(m)}));
    assert_false(hn_is_valid((hn_expr){m, (uint32_t)hn_model_node_count(m) + 1}));
    hn_model_destroy(m);
}

TEST(a_constant_tells_its_value) {
    static const double values[] = {0, -0.0, 1, -2.5, 1e300, 5e-324, INFINITY, -INFINITY};
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    hn_real value = 7;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        assert_true(hn_is_constant(hn_constant(m, values[i]), &value));
        assert_same_bits(value, values[i]);
        assert_true(hn_is_constant(hn_constant(m, values[i]), NULL));
    }
    assert_true(hn_is_constant(hn_constant(m, NAN), &value) && isnan(value));
    value = 7;
    assert_false(hn_is_constant(y, &value));
    assert_false(hn_is_constant((hn_expr){NULL, 0}, &value));
    assert_same_bits(value, 7);
    hn_model_destroy(m);
}

TEST(an_expression_depends_on_what_it_is_made_of) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y = hn_output(m, "y"), one = hn_constant(m, 1);
    const struct {
        hn_expr expr;
        bool inputs, outputs;
    } cases[] = {
        {one, false, false},
        {x, true, false},
        {y, false, true},
        {hn_sin(x), true, false},
        {hn_mul(x, y), true, true},
        {hn_if(hn_less(x, one), y, hn_exp(y)), true, true},
        {hn_if(hn_less(y, one), one, y), false, true},
        {hn_sum(m, 4, (const hn_expr[]){x, hn_sin(x), hn_exp(x), one}), true, false},
        {hn_sum(m, 3, (const hn_expr[]){x, hn_sin(x), y}), true, true},
        {hn_sub(y, y), false, false},
        {hn_mul(x, hn_constant(m, 0)), false, false},
        {(hn_expr){NULL, 0}, false, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(hn_depends_on_inputs(cases[i].expr), cases[i].inputs);
        assert_int_equal(hn_depends_on_outputs(cases[i].expr), cases[i].outputs);
    }
    hn_model_destroy(m);
}

TEST(inputs_and_outputs_tell_their_names_ranges_and_bounds) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x[1]"), y = hn_output(m, "y[1]"), z = hn_output(m, "z");
    hn_input(m, "x[2]");
    hn_input_range(x, -1, 2);
    hn_output_between(y, hn_sin(x), hn_exp(x));
    hn_output_start(y, hn_cos(x));
    hn_output_fix(z, hn_tan(x));
    assert_int_equal(hn_model_input_count(m), 2);
    assert_int_equal(hn_model_output_count(m), 2);
    assert_string_equal(hn_model_input(m, 0).name, "x[1]");
    assert_same_bits(hn_model_input(m, 0).lower, -1);
    assert_same_bits(hn_model_input(m, 0).upper, 2);
    assert_string_equal(hn_model_input(m, 1).name, "x[2]");
    assert_same_bits(hn_model_input(m, 1).lower, -INFINITY);
    assert_same_bits(hn_model_input(m, 1).upper, INFINITY);
    hn_output_info first = hn_model_output(m, 0), second = hn_model_output(m, 1);
    assert_string_equal(first.name, "y[1]");
    assert_true(same_expr(first.lower, hn_sin(x)));
    assert_true(same_expr(first.upper, hn_exp(x)));
    assert_true(same_expr(first.start, hn_cos(x)));
    assert_false(hn_is_valid(first.fixed));
    assert_true(same_expr(second.lower, hn_constant(m, -INFINITY)));
    assert_true(same_expr(second.upper, hn_constant(m, INFINITY)));
    assert_true(same_expr(second.start, hn_constant(m, 0)));
    assert_true(same_expr(second.fixed, hn_tan(x)));
    hn_model_destroy(m);
}

TEST(definitions_and_requirements_are_listed_and_looked_up) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y = hn_output(m, "y"), early = hn_defined(m, "early");
    hn_define(m, "energy", hn_mul(y, y));
    hn_require(m, "positive", hn_less(hn_constant(m, 0), x));
    assert_true(same_expr(hn_defined(m, "energy"), hn_mul(y, y)));
    assert_true(same_expr(hn_defined(m, "early"), early)); /* asked twice: one reference */
    assert_false(hn_is_valid(hn_model_definition(m, 0).value));
    hn_define(m, "early", hn_sin(x));
    hn_expr sine = hn_sin(x), condition = hn_less(hn_constant(m, 0), x);
    assert_true(same_expr(hn_defined(m, "early"), sine));
    model_finish_good(m);
    assert_int_equal(hn_model_definition_count(m), 2);
    assert_string_equal(hn_model_definition(m, 0).name, "early");
    assert_true(same_expr(hn_model_definition(m, 0).value, sine));
    assert_string_equal(hn_model_definition(m, 1).name, "energy");
    assert_int_equal(hn_model_requirement_count(m), 1);
    assert_string_equal(hn_model_requirement(m, 0).name, "positive");
    assert_true(same_expr(hn_model_requirement(m, 0).value, condition));
    assert_true(same_expr(hn_defined(m, "early"), sine)); /* looking is allowed in a finished model */
    assert_false(hn_is_valid(hn_defined(m, "nothing")));
    assert_false(hn_is_valid(hn_defined(m, NULL)));
    assert_false(hn_is_valid(hn_defined(m, "y")));
    assert_int_equal(hn_model_status(m, NULL), HN_OK);
    hn_model_destroy(m);
}

TEST(an_objective_is_minimised_or_its_negative_is) {
    for (int maximize = 0; maximize < 2; maximize++) {
        hn_model *m = model_new();
        hn_expr y = hn_output(m, "y"), f = hn_exp(y), negative = hn_neg(f);
        assert_null(hn_model_objective(m).name);
        assert_false(hn_is_valid(hn_model_objective(m).minimized));
        (maximize ? hn_maximize : hn_minimize)(m, "f", f);
        hn_objective_info objective = hn_model_objective(m);
        assert_string_equal(objective.name, "f");
        assert_int_equal(objective.maximize, maximize);
        assert_true(same_expr(objective.minimized, maximize ? negative : f));
        hn_model_destroy(m);
    }
}

static hn_expr_info info_of(hn_expr a) {
    hn_expr_info info = {.size = sizeof info};
    assert_int_equal(hn_expr_get_info(a, &info, NULL), HN_OK);
    return info;
}

TEST(an_expression_tells_what_it_is_made_of) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), first = hn_output(m, "first"), y = hn_output(m, "y"), later = hn_defined(m, "later");
    hn_expr terms[] = {y, x, first};
    hn_expr choice = hn_if(hn_less(x, y), hn_atan2(y, x), hn_constant(m, 2.5)), sum = hn_sum(m, 3, terms);
    assert_int_equal(info_of(x).op, HN_OPERATOR_INPUT);
    assert_int_equal(info_of(y).op, HN_OPERATOR_OUTPUT);
    assert_int_equal(info_of(y).index, 1);
    assert_int_equal(info_of(later).op, HN_OPERATOR_DEFINED);
    assert_int_equal(info_of(choice).op, HN_OPERATOR_IF);
    assert_int_equal(info_of(choice).count, 3);
    assert_int_equal(info_of(hn_expr_argument(choice, 0)).op, HN_OPERATOR_LESS);
    assert_int_equal(info_of(hn_expr_argument(choice, 1)).op, HN_OPERATOR_ATAN2);
    assert_true(same_expr(hn_expr_argument(hn_expr_argument(choice, 1), 1), x));
    assert_int_equal(info_of(hn_expr_argument(choice, 2)).op, HN_OPERATOR_CONSTANT);
    assert_float_equal(info_of(hn_expr_argument(choice, 2)).value, 2.5, 0);
    assert_int_equal(info_of(sum).op, HN_OPERATOR_SUM);
    assert_int_equal(info_of(sum).count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(same_expr(hn_expr_argument(sum, i), terms[i]));
    hn_model_destroy(m);
}

/* One of each operator of one argument or two, which are not simplified away. */
TEST(every_operator_has_its_place_in_the_public_list) {
    hn_model *m = model_new();
    hn_expr a = hn_output(m, "a"), b = hn_output(m, "b");
    const hn_expr unary[] = {
        hn_sqrt(a),   hn_exp(a),    hn_log(a),     hn_log10(a),         hn_sin(a),      hn_cos(a),
        hn_tan(a),    hn_asin(a),   hn_acos(a),    hn_atan(a),          hn_atan2(a, b), hn_sinh(a),
        hn_cosh(a),   hn_tanh(a),   hn_asinh(a),   hn_acosh(a),         hn_atanh(a),    hn_abs(a),
        hn_min(a, b), hn_max(a, b), hn_less(a, b), hn_less_equal(a, b), hn_equal(a, b), hn_not_equal(a, b),
        hn_and(a, b), hn_or(a, b),  hn_not(a)};
    const hn_expr arithmetic[] = {hn_add(a, b), hn_sub(a, b), hn_mul(a, b), hn_div(a, b), hn_neg(a), hn_pow(a, b)};
    for (size_t i = 0; i < COUNT_OF(arithmetic); i++)
        assert_int_equal(info_of(arithmetic[i]).op, HN_OPERATOR_ADD + i);
    for (size_t i = 0; i < COUNT_OF(unary); i++)
        assert_int_equal(info_of(unary[i]).op, HN_OPERATOR_SQRT + i);
    assert_int_equal(HN_OPERATOR_SQRT + COUNT_OF(unary), HN_OPERATOR_IF);
    hn_model_destroy(m);
}

TEST(no_expression_is_made_of_nothing) {
    hn_expr_info info = {.size = sizeof info, .op = HN_OPERATOR_ADD, .count = 7};
    const hn_expr none = {NULL, 0};
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    assert_int_equal(hn_expr_get_info(none, &info, NULL), HN_INVALID);
    assert_int_equal(info.op, HN_OPERATOR_NONE);
    assert_int_equal(info.count, 0);
    assert_int_equal(hn_expr_get_info(y, NULL, NULL), HN_INVALID);
    assert_false(hn_is_valid(hn_expr_argument(none, 0)));
    assert_false(hn_is_valid(hn_expr_argument(y, 0)));
    assert_false(hn_is_valid(hn_expr_argument(hn_sin(y), 1)));
    hn_model_destroy(m);
}

TEST(an_index_out_of_range_gives_zeros) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y = hn_output(m, "y");
    hn_define(m, "d", y);
    hn_require(m, "r", x);
    hn_constrain(m, "c", 0, y, 1);
    assert_null(hn_model_row(m, 0).name); /* before the end */
    assert_null(hn_model_group(m, 0).name);
    model_finish_good(m);
    static const size_t indices[] = {1, 2, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(indices); i++)
        for (int with = 0; with < 2; with++) {
            const hn_model *model = with ? m : NULL;
            assert_null(hn_model_input(model, indices[i]).name);
            assert_null(hn_model_output(model, indices[i]).name);
            assert_null(hn_model_row(model, indices[i]).name);
            assert_null(hn_model_group(model, indices[i]).name);
            assert_null(hn_model_definition(model, indices[i]).name);
            assert_null(hn_model_requirement(model, indices[i]).name);
            assert_false(hn_is_valid(hn_model_row(model, indices[i]).body));
            assert_false(hn_is_valid(hn_model_output(model, indices[i]).lower));
        }
    hn_model_destroy(m);
}

TEST(no_model_has_no_parts) {
    assert_int_equal(hn_model_input_count(NULL), 0);
    assert_int_equal(hn_model_output_count(NULL), 0);
    assert_int_equal(hn_model_row_count(NULL), 0);
    assert_int_equal(hn_model_group_count(NULL), 0);
    assert_int_equal(hn_model_definition_count(NULL), 0);
    assert_int_equal(hn_model_requirement_count(NULL), 0);
    assert_int_equal(hn_model_node_count(NULL), 0);
    assert_null(hn_model_objective(NULL).name);
}
