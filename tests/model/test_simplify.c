/* test_simplify.c - every rule of the graph's algebra: the form that comes out, and its value against the form that went in.
 *
 * A rule is one line: its name, what is built, the node that must come out, and the formula as it was built, which C
 * evaluates without any algebra. Rules of value graphs must give the very number for every operand, infinite and undefined ones
 * included; where they need finite operands they are in a list of their own. What they must leave alone is listed, too: there
 * the value at the same operands is all that counts. Rules of loose graphs may round differently: random points, a few ulp.
 * half is a constant made before the outputs, so that both orders of numbers occur.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"

#include "base/random.h"
#include "model/parts.h"

enum { POINTS = 50, ULPS = 4 };

/* clang-format off */
#define RULES(X) \
    X(adding_zero_changes_nothing,           hn_shift(a, 0),                          a,                                a + 0) \
    X(adding_to_zero_changes_nothing,        hn_add(k(0), a),                         a,                                0 + a) \
    X(a_sum_has_one_order,                   hn_add(b, a),                            hn_add(a, b),                     b + a) \
    X(twice_the_same_is_a_double,            hn_add(a, a),                            hn_scale(2, a),                   a + a) \
    X(an_added_negative_is_a_difference,     hn_add(a, hn_neg(b)),                    hn_sub(a, b),                     a + -b) \
    X(a_negative_added_to_is_a_difference,   hn_add(hn_neg(a), b),                    hn_sub(b, a),                     -a + b) \
    X(subtracting_zero_changes_nothing,      hn_sub(a, k(0)),                         a,                                a - 0) \
    X(zero_minus_a_is_its_negative,          hn_sub(k(0), a),                         hn_neg(a),                        0 - a) \
    X(a_subtracted_constant_is_added,        hn_sub(a, k(3)),                         hn_shift(a, -3),                  a - 3) \
    X(a_subtracted_negative_is_added,        hn_sub(a, hn_neg(b)),                    hn_add(a, b),                     a - -b) \
    X(two_negatives_cancel,                  hn_neg(hn_neg(a)),                       a,                                - -a) \
    X(a_negative_multiple_is_one_product,    hn_neg(hn_scale(2, a)),                  hn_scale(-2, a),                  -(2 * a)) \
    X(a_negative_difference_is_turned,       hn_neg(hn_sub(a, b)),                    hn_sub(b, a),                     -(a - b)) \
    X(one_times_a_is_a,                      hn_mul(k(1), a),                         a,                                1 * a) \
    X(a_times_one_is_a,                      hn_mul(a, k(1)),                         a,                                a * 1) \
    X(minus_one_times_a_is_its_negative,     hn_scale(-1, a),                         hn_neg(a),                        -1 * a) \
    X(minus_one_times_a_negative_is_a,       hn_scale(-1, hn_neg(a)),                 a,                                -1 * -a) \
    X(minus_one_joins_a_constant_factor,     hn_scale(-1, hn_scale(2, a)),            hn_scale(-2, a),                  -1 * (2 * a)) \
    X(minus_one_turns_a_difference,          hn_scale(-1, hn_sub(a, b)),              hn_sub(b, a),                     -1 * (a - b)) \
    X(a_sign_comes_out_of_a_product,         hn_mul(hn_neg(a), b),                    hn_neg(hn_mul(a, b)),             -a * b) \
    X(two_signs_in_a_product_cancel,         hn_mul(hn_neg(a), hn_neg(b)),            hn_mul(a, b),                     -a * -b) \
    X(a_product_has_one_order,               hn_mul(b, a),                            hn_mul(a, b),                     b * a) \
    X(a_over_one_is_a,                       hn_div(a, k(1)),                         a,                                a / 1) \
    X(a_power_of_two_divides_as_a_product,   hn_div(a, k(-4)),                        hn_scale(-0.25, a),               a / -4) \
    X(a_sign_comes_out_of_a_quotient,        hn_div(hn_neg(a), b),                    hn_neg(hn_div(a, b)),             -a / b) \
    X(a_sign_comes_out_of_a_denominator,     hn_div(a, hn_neg(b)),                    hn_neg(hn_div(a, b)),             a / -b) \
    X(two_signs_in_a_quotient_cancel,        hn_div(hn_neg(a), hn_neg(b)),            hn_div(a, b),                     -a / -b) \
    X(the_power_zero_is_one,                 hn_pow(a, k(0)),                         k(1),                             pow(a, 0)) \
    X(any_power_of_one_is_one,               hn_pow(k(1), a),                         k(1),                             pow(1, a)) \
    X(the_first_power_is_itself,             hn_pow(a, k(1)),                         a,                                pow(a, 1)) \
    X(the_second_power_is_a_product,         hn_pow(a, k(2)),                         hn_mul(a, a),                     pow(a, 2)) \
    X(the_third_power_is_a_product,          hn_pow(a, k(3)),                         hn_mul(a, hn_mul(a, a)),          (a * a) * a) \
    X(the_fourth_power_is_a_square_squared,  hn_pow(a, k(4)),                         hn_pow(hn_mul(a, a), k(2)),       (a * a) * (a * a)) \
    X(the_power_minus_one_is_a_reciprocal,   hn_pow(a, k(-1)),                        hn_div(k(1), a),                  pow(a, -1)) \
    X(the_power_minus_two_squares_it,        hn_pow(a, k(-2)),                        hn_pow(hn_div(k(1), a), k(2)),    (1 / a) * (1 / a)) \
    X(the_power_one_half_is_a_root,          hn_pow(a, half),                         hn_sqrt(a),                       sqrt(a)) \
    X(true_and_a_is_the_truth_of_a,          hn_and(k(2), c),                         hn_not_equal(c, k(0)),            2 && c != 0) \
    X(a_and_true_is_the_truth_of_a,          hn_and(c, k(2)),                         hn_not_equal(c, k(0)),            c != 0 && 2) \
    X(false_and_a_is_false,                  hn_and(k(0), c),                         k(0),                             0 && c != 0) \
    X(a_and_false_is_false,                  hn_and(c, k(0)),                         k(0),                             c != 0 && 0) \
    X(a_and_a_is_the_truth_of_a,             hn_and(c, c),                            hn_not_equal(c, k(0)),            c != 0) \
    X(and_has_one_order,                     hn_and(c, b),                            hn_and(b, c),                     c != 0 && b != 0) \
    X(true_or_a_is_true,                     hn_or(k(2), c),                          k(1),                             2 || c != 0) \
    X(a_or_true_is_true,                     hn_or(c, k(2)),                          k(1),                             c != 0 || 2) \
    X(false_or_a_is_the_truth_of_a,          hn_or(k(0), c),                          hn_not_equal(c, k(0)),            0 || c != 0) \
    X(a_or_false_is_the_truth_of_a,          hn_or(c, k(0)),                          hn_not_equal(c, k(0)),            c != 0 || 0) \
    X(a_or_a_is_the_truth_of_a,              hn_or(c, c),                             hn_not_equal(c, k(0)),            c != 0) \
    X(or_has_one_order,                      hn_or(c, b),                             hn_or(b, c),                      c != 0 || b != 0) \
    X(a_condition_is_its_own_truth,          hn_and(k(1), hn_less(a, b)),             hn_less(a, b),                    a < b) \
    X(a_condition_differs_from_zero,         hn_not_equal(k(0), hn_not(c)),           hn_not(c),                        0 != (c == 0)) \
    X(equality_has_one_order,                hn_equal(b, a),                          hn_equal(a, b),                   b == a) \
    X(inequality_has_one_order,              hn_not_equal(b, a),                      hn_not_equal(a, b),               b != a) \
    X(a_true_condition_chooses_the_first,    hn_if(k(3), a, b),                       a,                                3 ? a : b) \
    X(a_false_condition_chooses_the_other,   hn_if(k(0), a, b),                       b,                                0 ? a : b) \
    X(equal_branches_need_no_choice,         hn_if(c, a, a),                          a,                                c != 0 ? a : a) \
    X(the_minimum_of_the_same_is_itself,     hn_min(a, a),                            a,                                a) \
    X(the_maximum_of_the_same_is_itself,     hn_max(a, a),                            a,                                a) \
    X(an_absolute_value_stays_itself,        hn_abs(hn_abs(a)),                       hn_abs(a),                        fabs(fabs(a))) \
    X(an_absolute_value_ignores_the_sign,    hn_abs(hn_neg(a)),                       hn_abs(a),                        fabs(-a)) \
    X(a_sum_of_nothing_is_zero,              hn_sum(m, 0, NULL),                      k(0),                             0) \
    X(a_sum_of_constants_is_a_constant,      hn_sum(m, 2, list(k(2), k(3), a, b)),       k(5),                             5) \
    X(a_sum_of_one_is_itself,                hn_sum(m, 1, list(a, a, a, a)),             a,                                a) \
    X(a_sum_of_two_is_a_sum,                 hn_sum(m, 2, list(a, b, a, b)),             hn_add(a, b),                     a + b) \
    X(a_sum_adds_the_constants_in_front,     hn_sum(m, 4, list(k(1), k(2), a, b)),     hn_sum(m, 3, list(k(3), a, b, b)), ((1.0 + 2) + a) + b) \
    X(a_sum_leaves_later_constants_there,    hn_sum(m, 3, list(a, k(3), b, b)),        hn_sum(m, 4, list(a, k(3), b, k(0))), (a + 3) + b) \
    X(a_sum_leaves_zeros_out,                hn_sum(m, 4, list(k(0), a, k(0), b)),     hn_add(a, b),                     ((0 + a) + 0) + b) \
    X(a_sign_comes_out_of_a_scaled_product,  hn_mul(hn_neg(a), hn_scale(3, b)),        hn_neg(hn_mul(a, hn_scale(3, b))), -a * (3 * b)) \
    X(a_negative_takes_a_factor,             hn_scale(3, hn_neg(a)),                   hn_scale(-3, a),                  3 * -a)

#define FINITE_RULES(X) \
    X(a_difference_of_the_same_is_zero,      hn_sub(a, a),                            k(0),                             a - a) \
    X(zero_times_a_is_zero,                  hn_scale(0, a),                          k(0),                             0 * fabs(a)) \
    X(zero_times_a_condition_is_zero,        hn_scale(0, hn_less(a, b)),               k(0),                             0) \
    X(zero_times_a_sine_is_zero,             hn_scale(0, hn_sin(hn_neg(a))),           k(0),                             0) \
    X(a_part_minus_itself_is_zero,           hn_sub(hn_scale(0.3, a), hn_scale(0.3, a)), k(0),                             0) \
    X(a_negative_and_itself_cancel,          hn_add(a, hn_neg(a)),                     k(0),                             a + -a)

#define LOOSE_RULES(X) \
    X(constants_in_a_sum_meet,               hn_shift(hn_shift(a, 1.5), 2.25),        hn_shift(a, 3.75),                (a + 1.5) + 2.25) \
    X(constants_in_a_sum_meet_in_front,      hn_add(k(2), hn_add(half, a)),           hn_shift(a, 2.5),                 2 + (0.5 + a)) \
    X(constants_in_a_sum_may_cancel,         hn_shift(hn_shift(a, 3), -3),            a,                                a) \
    X(multiples_add_up,                      hn_add(hn_scale(3, a), hn_scale(2, a)),  hn_scale(5, a),                   3 * a + 2 * a) \
    X(a_multiple_and_itself_add_up,          hn_add(a, hn_scale(0.5, a)),             hn_scale(1.5, a),                 a + 0.5 * a) \
    X(multiples_may_cancel,                  hn_add(hn_scale(3, a), hn_scale(-3, a)), k(0),                             3 * a + -3 * a) \
    X(multiples_subtract,                    hn_sub(hn_scale(3, a), a),               hn_scale(2, a),                   3 * a - a) \
    X(constant_factors_meet,                 hn_scale(2, hn_scale(3, a)),             hn_scale(6, a),                   2 * (3 * a)) \
    X(constant_factors_may_cancel,           hn_scale(2, hn_mul(half, a)),            a,                                2 * (0.5 * a)) \
    X(constant_factors_come_out,             hn_mul(hn_scale(2, a), hn_scale(3, b)),  hn_scale(6, hn_mul(a, b)),        (2 * a) * (3 * b)) \
    X(one_constant_factor_comes_out,         hn_mul(a, hn_mul(half, b)),              hn_scale(0.5, hn_mul(a, b)),      a * (0.5 * b)) \
    X(zero_over_a_is_zero,                   hn_div(k(0), a),                         k(0),                             0 / fabs(a)) \
    X(a_over_itself_is_one,                  hn_div(a, a),                            k(1),                             a / a) \
    X(any_difference_of_the_same_is_zero,    hn_sub(hn_log(a), hn_log(a)),             k(0),                             0) \
    X(zero_times_anything_is_zero,           hn_scale(0, hn_exp(a)),                   k(0),                             0) \
    X(a_common_factor_comes_out,             hn_add(hn_scale(3, a), hn_scale(3, b)),   hn_scale(3, hn_add(a, b)),        3 * a + 3 * b)

/* What is built, and the formula. */
#define KEPT(X) \
    X(a_quotient_by_itself_stays,              hn_div(a, a),                                                                    a / a) \
    X(zero_over_it_stays,                      hn_div(k(0), a),                                                                 0 / a) \
    X(a_logarithm_minus_itself_stays,          hn_sub(hn_log(a), hn_log(a)),                                                    log(a) - log(a)) \
    X(zero_times_a_logarithm_stays,            hn_scale(0, hn_log(a)),                                                          0 * log(a)) \
    X(zero_times_a_product_stays,              hn_mul(hn_mul(a, b), k(0)),                                                      (a * b) * 0) \
    X(zero_times_a_sum_stays,                  hn_mul(k(0), hn_add(a, b)),                                                      0 * (a + b)) \
    X(zero_times_a_large_multiple_stays,       hn_scale(0, hn_scale(2, a)),                                                     0 * (2 * a)) \
    X(a_square_minus_itself_stays,             hn_sub(hn_mul(a, a), hn_mul(a, a)),                                              a * a - a * a) \
    X(multiples_of_one_stays,                  hn_add(hn_scale(3, a), hn_scale(0.1, a)),                                        3 * a + 0.1 * a) \
    X(a_difference_of_multiples_stays,         hn_sub(hn_scale(3, a), hn_scale(0.1, a)),                                        3 * a - 0.1 * a) \
    X(a_factor_in_both_terms_stays,            hn_add(hn_scale(0.1, a), hn_scale(0.1, b)),                                      0.1 * a + 0.1 * b) \
    X(a_factor_with_both_signs_stays,          hn_sub(hn_scale(0.1, a), hn_scale(-0.1, b)),                                     0.1 * a - -0.1 * b) \
    X(factors_within_factors_stays,            hn_scale(0.1, hn_scale(3, a)),                                                   0.1 * (3 * a)) \
    X(factors_in_a_product_stays,              hn_mul(hn_scale(0.1, a), hn_scale(3, b)),                                        (0.1 * a) * (3 * b)) \
    X(shifts_of_shifts_stays,                  hn_shift(hn_shift(a, 0.1), 1e16),                                                (a + 0.1) + 1e16) \
    X(a_sum_in_parentheses_stays,              hn_add(a, hn_sub(b, half)),                                                      a + (b - 0.5)) \
    X(a_difference_of_sums_stays,              hn_sub(hn_shift(a, 0.1), hn_shift(b, 0.3)),                                      (a + 0.1) - (b + 0.3)) \
    X(a_sum_of_sums_stays,                     hn_sum(m, 3, list(a, hn_sum(m, 3, list(b, a, k(1e16), b)), k(-1e16), b)),        (a + ((b + a) + 1e16)) + -1e16) \
    X(a_power_of_a_quotient_stays,             hn_pow(hn_div(a, a), k(2)),                                                      (a / a) * (a / a)) \
    X(the_power_zero_of_an_undefined_value_stays, hn_pow(hn_log(a), k(0)),                                                         pow(log(a), 0)) \
    X(one_to_an_undefined_power_stays,         hn_pow(k(1), hn_log(a)),                                                         pow(1, log(a))) \
    X(a_choice_between_undefined_values_stays, hn_if(hn_less(a, b), hn_div(a, a), k(2)),                                        a < b ? a / a : 2) \
    X(equal_branches_of_an_undefined_condition_stay, hn_if(hn_less(hn_log(a), b), a, a),                                         a) \
    X(an_infinite_factor_stays,                hn_scale(INFINITY, a),                                                           INFINITY * a)
/* clang-format on */

static const hn_expr *list(hn_expr first, hn_expr second, hn_expr third, hn_expr fourth) {
    static hn_expr exprs[4];
    exprs[0] = first, exprs[1] = second, exprs[2] = third, exprs[3] = fourth;
    return exprs;
}

struct terms {
    hn_model *m;
    hn_expr a, b, c, half;
};

typedef hn_expr builder(struct terms t);
typedef double formula(double a, double b, double c);

#define k(value) hn_constant(m, value)
#define IN_TERMS(expression)                                                                                           \
    hn_model *m = t.m;                                                                                                 \
    hn_expr a = t.a, b = t.b, c = t.c, half = t.half;                                                                  \
    (void)m, (void)a, (void)b, (void)c, (void)half;                                                                    \
    return expression;

static struct terms start(bool loose) {
    struct terms t = {.m = model_new()};
    t.half = hn_constant(t.m, 0.5);
    t.a = hn_output(t.m, "a"), t.b = hn_output(t.m, "b"), t.c = hn_output(t.m, "c");
    t.m->graph.loose = loose;
    return t;
}

/* ---- values as written ---- */

static const double operands[] = {0, -0.0, 1, -1, 0.1, -3.3, 1e16, 1e-310, 1.7e308, -1.7e308, INFINITY, -INFINITY, NAN};

/* The very number, but for the sign of a zero. */
static void assert_same_value(double value, double expected) {
    if (!(value == expected || (isnan(value) && isnan(expected))))
        fail_msg("%.17g instead of %.17g", value, expected);
}

static void check_operands(struct terms t, hn_expr result, formula *meaning, bool finite) {
    model_finish_good(t.m);
    for (size_t i = 0; i < COUNT_OF(operands); i++)
        for (size_t j = 0; j < COUNT_OF(operands); j++) {
            double at[] = {operands[i], operands[j], (double)(i % 2)};
            if (!finite || (isfinite(at[0]) && isfinite(at[1])))
                assert_same_value(model_value(t.m, result, NULL, at), meaning(at[0], at[1], at[2]));
        }
    hn_model_destroy(t.m);
}

static void check_rule(builder *built, builder *expected, formula *meaning) {
    struct terms t = start(false);
    hn_expr result = built(t);
    assert_true(hn_is_valid(result));
    assert_true(same_expr(result, expected(t)));
    check_operands(t, result, meaning, false);
}

static void check_finite_rule(builder *built, builder *expected, formula *meaning) {
    struct terms t = start(false);
    hn_expr result = built(t);
    assert_true(same_expr(result, expected(t)));
    check_operands(t, result, meaning, true);
}

static void check_kept(builder *built, formula *meaning) {
    struct terms t = start(false);
    check_operands(t, built(t), meaning, false);
}

/* ---- loose graphs ---- */

static void check_loose_rule(builder *built, builder *expected, formula *meaning) {
    struct terms t = start(true);
    struct random random = random_start(41, 0);
    hn_expr result = built(t);
    assert_true(hn_is_valid(result));
    assert_true(same_expr(result, expected(t)));
    model_finish_good(t.m);
    for (int i = 0; i < POINTS; i++) {
        double at[] = {random_between(&random, 0.1, 4), random_between(&random, 0.1, 4),
                       (double)random_below(&random, 2)};
        at[0] *= i % 2 ? 1 : -1;
        at[1] *= i % 3 ? 1 : -1;
        double expected_value = meaning(at[0], at[1], at[2]), scale = fabs(at[0]) + fabs(at[1]) + 3;
        double value = model_value(t.m, result, NULL, at);
        if (ulps_between(value, expected_value) > ULPS) /* sums may cancel: then the size of their parts counts */
            assert_in_interval(value - expected_value, -ULPS * scale * 0x1p-53, ULPS * scale * 0x1p-53);
    }
    hn_model_destroy(t.m);
}

#define RULE_TEST_BY(check, name, expression, form, value)                                                             \
    static hn_expr built_##name(struct terms t) {                                                                      \
        IN_TERMS(expression)                                                                                           \
    }                                                                                                                  \
    static hn_expr form_##name(struct terms t) {                                                                       \
        IN_TERMS(form)                                                                                                 \
    }                                                                                                                  \
    static double value_##name(double a, double b, double c) {                                                         \
        (void)a, (void)b, (void)c;                                                                                     \
        return value;                                                                                                  \
    }                                                                                                                  \
    TEST(name) {                                                                                                       \
        check(built_##name, form_##name, value_##name);                                                                \
    }
#define RULE_TEST(name, expression, form, value)        RULE_TEST_BY(check_rule, name, expression, form, value)
#define FINITE_RULE_TEST(name, expression, form, value) RULE_TEST_BY(check_finite_rule, name, expression, form, value)
#define LOOSE_RULE_TEST(name, expression, form, value)  RULE_TEST_BY(check_loose_rule, name, expression, form, value)
#define SPILL_TEST(name, expression, value)                                                                            \
    static hn_expr built_##name(struct terms t) {                                                                      \
        IN_TERMS(expression)                                                                                           \
    }                                                                                                                  \
    static double value_##name(double a, double b, double c) {                                                         \
        (void)a, (void)b, (void)c;                                                                                     \
        return value;                                                                                                  \
    }                                                                                                                  \
    TEST(name) {                                                                                                       \
        check_kept(built_##name, value_##name);                                                                        \
    }
RULES(RULE_TEST)
FINITE_RULES(FINITE_RULE_TEST)
LOOSE_RULES(LOOSE_RULE_TEST)
KEPT(SPILL_TEST)
#undef k

/* ---- where a rule must not apply ---- */

/* The value of an expression of one output */
static double value_at(hn_expr (*build)(hn_expr), double y) {
    hn_model *m = model_new();
    m->graph.loose = true;
    hn_expr result = build(hn_output(m, "y"));
    model_finish_good(m);
    double value = model_value(m, result, NULL, &y);
    hn_model_destroy(m);
    return value;
}

static hn_expr huge_twice(hn_expr y) {
    return hn_scale(1e200, hn_scale(1e200, y));
}

static hn_expr tiny_twice(hn_expr y) {
    return hn_scale(1e-200, hn_scale(1e-200, y));
}

static hn_expr huge_product(hn_expr y) {
    return hn_mul(hn_scale(1e200, y), hn_scale(1e200, hn_sin(y)));
}

static hn_expr huge_sum(hn_expr y) {
    return hn_add(hn_scale(1e308, y), hn_scale(1.5e308, y));
}

static hn_expr huge_difference(hn_expr y) {
    return hn_sub(hn_scale(1e308, y), hn_scale(-1.5e308, y));
}

static hn_expr minus_huge(hn_expr y) {
    return hn_scale(-1, hn_scale(1e300, y));
}

static hn_expr huge_shifts(hn_expr y) {
    return hn_shift(hn_shift(y, 1.5e308), 1e308);
}

static hn_expr infinite_shift(hn_expr y) {
    return hn_shift(hn_shift(y, INFINITY), -1e308);
}

static hn_expr over_tiny(hn_expr y) {
    return hn_div(y, hn_constant(y.model, 0x1p-1060));
}

static hn_expr over_three(hn_expr y) {
    return hn_div(y, hn_constant(y.model, 3));
}

TEST(constants_that_would_leave_their_range_are_not_folded) {
    assert_within_ulps(value_at(huge_twice, 1e-300), 1e200 * (1e200 * 1e-300), ULPS);
    assert_within_ulps(value_at(tiny_twice, 1e300), 1e-200 * (1e-200 * 1e300), ULPS);
    assert_within_ulps(value_at(huge_product, 1e-150), 1e200 * 1e-150 * (1e200 * 1e-150), ULPS);
    assert_within_ulps(value_at(huge_sum, 0.25), 2.5e307 + 3.75e307, ULPS);
    assert_same_bits(value_at(huge_sum, 0), 0);
    assert_within_ulps(value_at(huge_difference, 0.25), 2.5e307 + 3.75e307, ULPS);
    assert_same_bits(value_at(minus_huge, 2), -2e300);
    assert_within_ulps(value_at(huge_shifts, -1.5e308), 1e308, ULPS);
    assert_same_bits(value_at(infinite_shift, 1), INFINITY);
    assert_within_ulps(value_at(over_tiny, 0x1p-1000), 0x1p+60, 0);
}

TEST(a_divisor_without_an_exact_reciprocal_divides) {
    struct random random = random_start(42, 0);
    for (int i = 0; i < POINTS; i++) {
        double y = random_normal(&random);
        assert_same_bits(value_at(over_three, y), y / 3);
    }
}

TEST(other_powers_stay_powers) {
    static const double exponents[] = {5, -3, 2.5, -0.5, 1.0 / 3, 100};
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y"), z = hn_output(m, "z"), powers[COUNT_OF(exponents)], power = hn_pow(y, z);
    for (size_t i = 0; i < COUNT_OF(exponents); i++)
        powers[i] = hn_pow(y, hn_constant(m, exponents[i]));
    model_finish_good(m);
    for (size_t i = 0; i < COUNT_OF(exponents); i++) {
        double at[] = {1.75, exponents[i]};
        assert_within_ulps(model_value(m, powers[i], NULL, at), pow(1.75, exponents[i]), ULPS);
        assert_same_bits(model_value(m, powers[i], NULL, at), model_value(m, power, NULL, at));
    }
    hn_model_destroy(m);
}

/* Every operation that may drop an operand p of a value, applied to p. */
static size_t without_operand(hn_expr y, hn_expr p, hn_expr results[]) {
    hn_model *m = y.model;
    hn_expr condition = hn_less(p, y), zero = hn_constant(m, 0), one = hn_constant(m, 1);
    size_t count = 0;
    results[count++] = hn_if(condition, y, y);
    results[count++] = hn_if(hn_not(condition), y, y);
    results[count++] = hn_if(hn_or(condition, hn_less(y, zero)), y, y);
    results[count++] = hn_pow(p, zero);
    results[count++] = hn_pow(one, p);
    results[count++] = hn_mul(zero, condition);
    results[count++] = hn_sub(condition, condition);
    return count;
}

TEST(an_operand_is_dropped_only_if_it_is_defined_everywhere) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y"), dropped[8], kept[8];
    hn_expr safe = hn_div(hn_sin(y), hn_constant(m, 3));
    hn_expr partial[] = {hn_log(y),
                         hn_div(safe, y),
                         hn_add(y, hn_exp(hn_sqrt(safe))),
                         hn_pow(y, hn_constant(m, -3)),
                         hn_pow(y, hn_constant(m, 2.5)),
                         hn_defined(m, "later")};
    size_t count = without_operand(y, safe, dropped);
    for (size_t i = 0; i < count; i++)
        assert_true(same_expr(dropped[i], y) || same_expr(dropped[i], hn_constant(m, 0)) ||
                    same_expr(dropped[i], hn_constant(m, 1)));
    for (size_t p = 0; p < COUNT_OF(partial); p++) {
        without_operand(y, partial[p], kept);
        for (size_t i = 0; i < count; i++)
            assert_false(same_expr(kept[i], dropped[i]));
    }
    hn_model_destroy(m);
}
