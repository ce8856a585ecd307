/* test_evaluate.c - plain evaluation: the numbers that the formulas give, at fixed outputs, references and kinks too.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"

#include "base/random.h"

TEST(an_expression_has_the_value_of_its_formula) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y = hn_output(m, "y"), z = hn_output(m, "z");
    hn_expr exprs[] = {x, y, z, hn_add(hn_mul(y, y), hn_mul(z, z)), hn_sub(hn_div(x, y), hn_constant(m, 0.5))};
    double at_x = 3, at_y[] = {1.25, -7}, values[5];
    model_finish_good(m);
    assert_int_equal(hn_model_evaluate(m, 5, exprs, &at_x, at_y, values, NULL), HN_OK);
    assert_same_bits(values[0], 3);
    assert_same_bits(values[1], 1.25);
    assert_same_bits(values[2], -7);
    assert_same_bits(values[3], 1.25 * 1.25 + 49);
    assert_same_bits(values[4], 3 / 1.25 - 0.5);
    hn_model_destroy(m);
}

TEST(a_long_sum_is_added_from_left_to_right) {
    enum { TERMS = 200 };
    hn_model *m = model_new();
    struct random random = random_start(21, 0);
    hn_expr terms[TERMS + 2];
    double y[TERMS], expected = 0;
    char name[16];
    for (int i = 0; i < TERMS; i++) {
        snprintf(name, sizeof name, "y[%d]", i);
        terms[i] = hn_output(m, name);
        y[i] = random_normal(&random);
        expected = i == 0 ? y[0] : expected + y[i];
    }
    hn_expr sum = hn_sum(m, TERMS, terms);
    terms[TERMS] = hn_constant(m, 2);
    terms[TERMS + 1] = hn_constant(m, 0.5);
    hn_expr shifted = hn_sum(m, TERMS + 2, terms);
    model_finish_good(m);
    assert_same_bits(model_value(m, sum, NULL, y), expected);
    assert_same_bits(model_value(m, shifted, NULL, y), 2.5 + expected);
    hn_model_destroy(m);
}

TEST(a_fixed_output_takes_the_value_that_it_is_fixed_at) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y = hn_output(m, "y"), z = hn_output(m, "z");
    hn_expr body = hn_add(hn_mul(y, z), y);
    hn_output_fix(y, hn_shift(x, 1));
    hn_constrain(m, "c", 0, body, 1);
    model_finish_good(m);
    double at_x = 4, at_y[] = {NAN, 3};
    assert_same_bits(model_value(m, body, &at_x, at_y), 5 * 3 + 5);
    assert_same_bits(model_value(m, y, &at_x, at_y), 5);
    hn_model_destroy(m);
}

TEST(a_reference_has_the_value_of_the_definition_made_later) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y"), later = hn_defined(m, "later"), even_later = hn_defined(m, "even later");
    hn_expr body = hn_mul(later, y);
    hn_define(m, "later", hn_shift(even_later, 1));
    hn_define(m, "even later", hn_scale(10, y));
    model_finish_good(m);
    double at = 3;
    assert_same_bits(model_value(m, body, NULL, &at), 31 * 3);
    assert_same_bits(model_value(m, hn_defined(m, "later"), NULL, &at), 31);
    hn_model_destroy(m);
}

TEST(a_nan_in_the_branch_not_taken_does_not_show) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y"), zero = hn_constant(m, 0);
    hn_expr positive = hn_less(zero, y);
    hn_expr root = hn_if(positive, hn_sqrt(y), hn_log(hn_neg(y)));
    hn_expr outer = hn_shift(hn_scale(2, root), 1);
    model_finish_good(m);
    double at[] = {4, -1, 0};
    assert_same_bits(model_value(m, outer, NULL, &at[0]), 5);
    assert_same_bits(model_value(m, outer, NULL, &at[1]), 1);
    assert_same_bits(model_value(m, outer, NULL, &at[2]), -INFINITY);
    hn_model_destroy(m);
}

TEST(nan_and_infinity_pass_through_as_arithmetic_says) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y"), z = hn_output(m, "z");
    const struct {
        hn_expr expr;
        double y, z, expected;
    } cases[] = {
        {hn_add(y, z), INFINITY, -INFINITY, NAN},
        {hn_mul(y, z), INFINITY, 0, NAN},
        {hn_div(y, z), 1, 0, INFINITY},
        {hn_div(y, z), -1, 0, -INFINITY},
        {hn_sqrt(y), -1, 0, NAN},
        {hn_log(y), 0, 0, -INFINITY},
        {hn_exp(y), 1000, 0, INFINITY},
        {hn_min(y, z), NAN, 1, NAN},
        {hn_min(y, z), 1, NAN, NAN},
        {hn_max(y, z), NAN, 1, NAN},
        {hn_max(y, z), 1, NAN, NAN},
        {hn_less(y, z), NAN, 1, 0},
        {hn_less_equal(y, z), 1, NAN, 0},
        {hn_equal(y, z), NAN, NAN, 0},
        {hn_not_equal(y, z), NAN, NAN, 1},
        {hn_and(y, z), NAN, 1, 1},
        {hn_or(y, z), 0, NAN, 1},
        {hn_not(y), NAN, 0, 0},
        {hn_if(y, z, hn_exp(z)), NAN, 2, 2},
        {hn_abs(y), -INFINITY, 0, INFINITY},
    };
    model_finish_good(m);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double at[] = {cases[i].y, cases[i].z};
        assert_within_ulps(model_value(m, cases[i].expr, NULL, at), cases[i].expected, 0);
    }
    hn_model_destroy(m);
}

TEST(a_chain_of_a_million_nodes_is_built_finished_and_evaluated) {
    enum { LINKS = 1000000 };
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y"), z = hn_output(m, "z"), chain = hn_mul(y, z);
    for (int i = 0; i < LINKS; i++)
        chain = hn_add(chain, i % 2 ? y : z);
    hn_constrain(m, "chain", 0, chain, 1);
    model_finish_good(m);
    assert_true(hn_model_node_count(m) > LINKS);
    double at[] = {1, 2};
    assert_same_bits(model_value(m, chain, NULL, at), 2 + 1.5 * LINKS);
    hn_model_destroy(m);
}

TEST(evaluation_needs_a_finished_model_and_a_point) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y = hn_output(m, "y"), both = hn_add(x, y), none = {NULL, 0}, beyond = {m, 100};
    double at = 1, value = 7;
    hn_error error;
    assert_int_equal(hn_model_evaluate(m, 1, &both, &at, &at, &value, &error), HN_INVALID);
    assert_string_equal(error.text, "hn_model_evaluate: the model is not finished");
    model_finish_good(m);
    assert_int_equal(hn_model_evaluate(m, 1, &both, NULL, &at, &value, &error), HN_INVALID);
    assert_string_equal(error.text, "hn_model_evaluate: x is NULL");
    assert_int_equal(hn_model_evaluate(m, 1, &both, &at, NULL, &value, &error), HN_INVALID);
    assert_string_equal(error.text, "hn_model_evaluate: y is NULL");
    hn_expr exprs[] = {both, none};
    assert_int_equal(hn_model_evaluate(m, 2, exprs, &at, &at, &value, &error), HN_INVALID);
    assert_string_equal(error.text, "hn_model_evaluate: expression 1 is not of this model");
    beyond.model = m;
    exprs[1] = beyond;
    assert_int_equal(hn_model_evaluate(m, 2, exprs, &at, &at, &value, NULL), HN_INVALID);
    exprs[1] = (hn_expr){m, 0};
    assert_int_equal(hn_model_evaluate(m, 2, exprs, &at, &at, &value, NULL), HN_INVALID);
    assert_int_equal(hn_model_evaluate(m, 0, NULL, &at, &at, NULL, NULL), HN_OK);
    assert_same_bits(value, 7);
    assert_same_bits(model_value(m, both, &at, &at), 2);
    hn_model_destroy(m);
}
