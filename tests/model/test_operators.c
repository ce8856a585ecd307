/* test_operators.c - every operator of hardnet/model.h means what C's function of that name means, to a few ulp.
 *
 * How good the elementary functions are is judged by MPFR in base/elementary; here the point is that each public name
 * reaches its operator with its arguments in order, and that folding a constant gives the bits of evaluation.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"

#include "base/random.h"
#include "model/operators.h"

enum { POINTS = 200, ULPS = 4 };

static double negate(double a) {
    return -a;
}

static double is_zero(double a) {
    return a == 0;
}

static double add(double a, double b) {
    return a + b;
}

static double subtract(double a, double b) {
    return a - b;
}

static double multiply(double a, double b) {
    return a * b;
}

static double divide(double a, double b) {
    return a / b;
}

static double less(double a, double b) {
    return a < b;
}

static double less_equal(double a, double b) {
    return a <= b;
}

static double equal(double a, double b) {
    return a == b;
}

static double not_equal(double a, double b) {
    return a != b;
}

static double both(double a, double b) {
    return a != 0 && b != 0;
}

static double either(double a, double b) {
    return a != 0 || b != 0;
}

static const struct {
    hn_expr (*operator)(hn_expr);
    double (*meaning)(double);
    double low, high;
} unaries[] = {
    {hn_neg, negate, -9, 9},   {hn_sqrt, sqrt, 0, 9},  {hn_exp, exp, -700, 700}, {hn_log, log, 1e-3, 1e3},
    {hn_log10, log10, 0, 1e3}, {hn_sin, sin, -30, 30}, {hn_cos, cos, -30, 30},   {hn_tan, tan, -30, 30},
    {hn_asin, asin, -1, 1},    {hn_acos, acos, -1, 1}, {hn_atan, atan, -9, 9},   {hn_sinh, sinh, -9, 9},
    {hn_cosh, cosh, -9, 9},    {hn_tanh, tanh, -9, 9}, {hn_asinh, asinh, -9, 9}, {hn_acosh, acosh, 1, 99},
    {hn_atanh, atanh, -1, 1},  {hn_abs, fabs, -9, 9},  {hn_not, is_zero, -1, 1}, {hn_log, log, -1, 1},
};

static const struct {
    hn_expr (*operator)(hn_expr, hn_expr);
    double (*meaning)(double, double);
} binaries[] = {
    {hn_add, add},     {hn_sub, subtract}, {hn_mul, multiply}, {hn_div, divide},          {hn_pow, pow},
    {hn_atan2, atan2}, {hn_min, fmin},     {hn_max, fmax},     {hn_less, less},           {hn_less_equal, less_equal},
    {hn_equal, equal}, {hn_and, both},     {hn_or, either},    {hn_not_equal, not_equal},
};

/* Numbers among which there are zeros, ones and equals. */
static double draw(struct random *random, double low, double high) {
    static const double special[] = {0, 1, -1, 0.5};
    double chosen = special[random_below(random, COUNT_OF(special))];
    bool take = random_below(random, 4) == 0 && low <= chosen && chosen <= high;
    return take ? chosen : random_between(random, low, high);
}

TEST(every_function_of_one_argument_is_that_of_c) {
    hn_model *m = model_new();
    struct random random = random_start(31, 0);
    hn_expr y = hn_output(m, "y"), exprs[COUNT_OF(unaries)];
    for (size_t i = 0; i < COUNT_OF(unaries); i++)
        exprs[i] = unaries[i].operator(y);
    model_finish_good(m);
    for (size_t i = 0; i < COUNT_OF(unaries); i++)
        for (int j = 0; j < POINTS; j++) {
            double a = draw(&random, unaries[i].low, unaries[i].high);
            assert_within_ulps(model_value(m, exprs[i], NULL, &a), unaries[i].meaning(a), ULPS);
        }
    hn_model_destroy(m);
}

TEST(every_function_of_two_arguments_is_that_of_c) {
    hn_model *m = model_new();
    struct random random = random_start(32, 0);
    hn_expr y = hn_output(m, "y"), z = hn_output(m, "z"), exprs[COUNT_OF(binaries)];
    for (size_t i = 0; i < COUNT_OF(binaries); i++)
        exprs[i] = binaries[i].operator(y, z);
    model_finish_good(m);
    for (size_t i = 0; i < COUNT_OF(binaries); i++)
        for (int j = 0; j < POINTS; j++) {
            double at[] = {draw(&random, -4, 4), draw(&random, -4, 4)};
            assert_within_ulps(model_value(m, exprs[i], NULL, at), binaries[i].meaning(at[0], at[1]), ULPS);
        }
    hn_model_destroy(m);
}

TEST(if_scale_and_shift_take_their_arguments_in_order) {
    hn_model *m = model_new();
    hn_expr a = hn_output(m, "a"), b = hn_output(m, "b"), c = hn_output(m, "c");
    hn_expr choice = hn_if(a, b, c), scaled = hn_scale(3, a), shifted = hn_shift(a, 4);
    model_finish_good(m);
    double yes[] = {-0.5, 10, 20}, no[] = {0, 10, 20};
    assert_same_bits(model_value(m, choice, NULL, yes), 10);
    assert_same_bits(model_value(m, choice, NULL, no), 20);
    assert_same_bits(model_value(m, scaled, NULL, yes), -1.5);
    assert_same_bits(model_value(m, shifted, NULL, yes), 3.5);
    hn_model_destroy(m);
}

TEST(a_folded_constant_has_the_bits_of_evaluation) {
    hn_model *m = model_new();
    struct random random = random_start(33, 0);
    double at[2], folded;
    hn_expr y = hn_output(m, "y"), z = hn_output(m, "z");
    hn_expr live[COUNT_OF(unaries) + COUNT_OF(binaries)], constants[COUNT_OF(live)];
    at[0] = random_uniform(&random), at[1] = random_uniform(&random);
    hn_expr p = hn_constant(m, at[0]), q = hn_constant(m, at[1]);
    for (size_t i = 0; i < COUNT_OF(unaries); i++)
        live[i] = unaries[i].operator(y), constants[i] = unaries[i].operator(p);
    for (size_t i = 0; i < COUNT_OF(binaries); i++) {
        live[COUNT_OF(unaries) + i] = binaries[i].operator(y, z);
        constants[COUNT_OF(unaries) + i] = binaries[i].operator(p, q);
    }
    model_finish_good(m);
    for (size_t i = 0; i < COUNT_OF(live); i++) {
        assert_true(hn_is_constant(constants[i], &folded));
        double value = model_value(m, live[i], NULL, at);
        assert_true(same_bits(folded, value) || (isnan(folded) && isnan(value)));
    }
    hn_model_destroy(m);
}

TEST(the_list_names_every_operator_once) {
    for (int i = 0; i < OP_COUNT; i++) {
        assert_in_interval(operator_arguments((enum op)i), i < OP_ADD ? 0 : 1, i < OP_ADD ? 0 : 3);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(operator_text((enum op)i), operator_text((enum op)j));
    }
    assert_string_equal(operator_text(OP_LESS_EQUAL), "less_equal");
    assert_same_bits(operator_apply(OP_LEAF, 3, 0, 0), 3); /* has no meaning of its own */
}

TEST(a_guard_is_a_product_that_its_first_factor_can_stop) {
    assert_same_bits(operator_apply(OP_GUARD, 0, NAN, 0), 0);
    assert_same_bits(operator_apply(OP_GUARD, 0, INFINITY, 0), 0);
    assert_same_bits(operator_apply(OP_GUARD, -0.0, NAN, 0), 0);
    assert_same_bits(operator_apply(OP_GUARD, 2, 3, 0), 6);
    assert_true(isnan(operator_apply(OP_GUARD, NAN, 0, 0)));
    assert_true(isnan(operator_apply(OP_GUARD, 1, NAN, 0)));
}
