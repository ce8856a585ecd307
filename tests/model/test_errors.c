/* test_errors.c - bad models and bad calls: a status and a sentence that names the culprit, once and for good.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"

TEST(a_model_without_outputs_is_refused) {
    hn_model *m = model_new();
    hn_input(m, "x");
    assert_refused(m, HN_INVALID, "model: no outputs");
}

/* ---- names ---- */

TEST(a_missing_name_is_refused) {
    hn_model *m = model_new();
    hn_input(m, "x");
    assert_false(hn_is_valid(hn_input(m, NULL)));
    assert_refused(m, HN_INVALID, "input 1: name is NULL or empty");
    m = model_new();
    assert_false(hn_is_valid(hn_output(m, "")));
    assert_refused(m, HN_INVALID, "output 0: name is NULL or empty");
    m = model_new();
    hn_constrain(m, NULL, 0, hn_output(m, "y"), 1);
    assert_refused(m, HN_INVALID, "constraint 0: name is NULL or empty");
    m = model_new();
    hn_define(m, NULL, hn_output(m, "y"));
    assert_refused(m, HN_INVALID, "definition 0: name is NULL or empty");
    m = model_new();
    assert_false(hn_is_valid(hn_defined(m, NULL)));
    assert_refused(m, HN_INVALID, "definition 0: name is NULL or empty");
    m = model_new();
    hn_minimize(m, NULL, hn_output(m, "y"));
    assert_refused(m, HN_INVALID, "objective 0: name is NULL or empty");
    m = model_new();
    hn_require(m, NULL, hn_input(m, "x"));
    assert_refused(m, HN_INVALID, "requirement 0: name is NULL or empty");
}

TEST(a_taken_name_is_refused_whatever_took_it) {
    hn_model *m = model_new();
    hn_input(m, "speed");
    assert_false(hn_is_valid(hn_output(m, "speed")));
    assert_refused(m, HN_INVALID, "output speed: the name is already used");
    m = model_new();
    hn_output(m, "speed");
    assert_false(hn_is_valid(hn_input(m, "speed")));
    assert_refused(m, HN_INVALID, "input speed: the name is already used");
    m = model_new();
    hn_constrain(m, "speed", 0, hn_output(m, "y"), 1);
    hn_define(m, "speed", hn_constant(m, 1));
    assert_refused(m, HN_INVALID, "definition speed: the name is already used");
    m = model_new();
    hn_define(m, "speed", hn_output(m, "y"));
    hn_require(m, "speed", hn_input(m, "x"));
    assert_refused(m, HN_INVALID, "requirement speed: the name is already used");
    m = model_new();
    hn_require(m, "speed", hn_input(m, "x"));
    hn_maximize(m, "speed", hn_output(m, "y"));
    assert_refused(m, HN_INVALID, "objective speed: the name is already used");
    m = model_new();
    hn_minimize(m, "speed", hn_output(m, "y"));
    hn_constrain(m, "speed", 0, hn_constant(m, 0), 1);
    assert_refused(m, HN_INVALID, "constraint speed: the name is already used");
}

TEST(an_input_is_no_definition_even_at_the_same_place) {
    hn_model *m = model_new();
    hn_define(m, "first definition", hn_output(m, "y"));
    hn_input(m, "first input");
    assert_false(hn_is_valid(hn_defined(m, "first input")));
    assert_refused(m, HN_INVALID, "definition first input: the name is already used");
}

/* ---- bounds ---- */

TEST(a_crossed_constant_bound_is_refused_by_name) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    hn_constrain(m, "speed[6]", 2, y, 3);
    hn_constrain(m, "speed[7]", 3, y, 2);
    assert_refused(m, HN_INVALID, "constraint speed[7]: lower bound 3 exceeds upper bound 2");
    m = model_new();
    hn_output_bounds(hn_output(m, "u[1,2]"), 0.5, -0.125);
    assert_refused(m, HN_INVALID, "output u[1,2]: lower bound 0.5 exceeds upper bound -0.125");
}

TEST(a_bound_crossed_after_folding_is_refused) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    hn_constrain_between(m, "c", hn_sqrt(hn_constant(m, 16)), y, hn_exp(hn_constant(m, 0)));
    assert_refused(m, HN_INVALID, "constraint c: lower bound 4 exceeds upper bound 1");
}

TEST(a_bound_that_is_not_a_number_is_refused) {
    for (int side = 0; side < 2; side++) {
        hn_model *m = model_new();
        hn_constrain(m, "c", side ? 0 : NAN, hn_output(m, "y"), side ? NAN : 0);
        assert_refused(m, HN_INVALID, "constraint c: a bound is NaN");
        m = model_new();
        hn_expr x = hn_input(m, "x"), bad = hn_constant(m, NAN);
        hn_output_between(hn_output(m, "y"), side ? x : bad, side ? bad : x);
        assert_refused(m, HN_INVALID, "output y: a bound is NaN");
    }
}

TEST(an_infinite_bound_on_the_wrong_side_is_refused) {
    hn_model *m = model_new();
    hn_constrain(m, "c", INFINITY, hn_output(m, "y"), INFINITY);
    assert_refused(m, HN_INVALID, "constraint c: a bound is infinite on the wrong side");
    m = model_new();
    hn_output_bounds(hn_output(m, "y"), -INFINITY, -INFINITY);
    assert_refused(m, HN_INVALID, "output y: a bound is infinite on the wrong side");
}

/* Calls use(y, expression that depends on y) and expects the sentence. */
static void check_depends(void (*use)(hn_model *, hn_expr, hn_expr), const char *text) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y"), z = hn_output(m, "z");
    use(m, y, hn_add(hn_input(m, "x"), z));
    assert_refused(m, HN_INVALID, text);
    m = model_new();
    y = hn_output(m, "y"), z = hn_output(m, "z");
    hn_expr later = hn_defined(m, "later"); /* seen through a reference too */
    use(m, y, hn_sin(later));
    hn_define(m, "later", hn_exp(z));
    assert_refused(m, HN_INVALID, text);
}

static void bound_below(hn_model *m, hn_expr y, hn_expr bad) {
    hn_constrain_between(m, "c", bad, y, hn_constant(m, 1));
}

static void bound_above(hn_model *m, hn_expr y, hn_expr bad) {
    hn_constrain_between(m, "c", hn_constant(m, 1), y, bad);
}

static void output_below(hn_model *m, hn_expr y, hn_expr bad) {
    hn_output_between(y, bad, hn_constant(m, 1));
}

static void output_above(hn_model *m, hn_expr y, hn_expr bad) {
    hn_output_between(y, hn_constant(m, 1), bad);
}

static void output_start(hn_model *m, hn_expr y, hn_expr bad) {
    (void)m;
    hn_output_start(y, bad);
}

static void output_fix(hn_model *m, hn_expr y, hn_expr bad) {
    (void)m;
    hn_output_fix(y, bad);
}

static void require_output(hn_model *m, hn_expr y, hn_expr bad) {
    (void)y;
    hn_require(m, "r", hn_less(bad, hn_constant(m, 0)));
}

TEST(what_may_depend_on_inputs_alone_is_refused_when_it_depends_on_outputs) {
    check_depends(bound_below, "constraint c: the lower bound depends on outputs");
    check_depends(bound_above, "constraint c: the upper bound depends on outputs");
    check_depends(output_below, "output y: the lower bound depends on outputs");
    check_depends(output_above, "output y: the upper bound depends on outputs");
    check_depends(output_start, "output y: the start depends on outputs");
    check_depends(output_fix, "output y: the fixed value depends on outputs");
    check_depends(require_output, "requirement r: the condition depends on outputs");
}

/* y between 0 and 1, fixed at the value. */
static hn_model *model_fixed_at(double value, bool fixed_first) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    if (fixed_first)
        hn_output_fix(y, hn_constant(m, value));
    hn_output_bounds(y, 0, 1);
    if (!fixed_first)
        hn_output_fix(y, hn_constant(m, value));
    return m;
}

TEST(an_output_fixed_outside_its_bounds_is_refused) {
    for (int first = 0; first < 2; first++) {
        assert_refused(model_fixed_at(5, first), HN_INVALID, "output y: fixed at 5, above its upper bound 1");
        assert_refused(model_fixed_at(-0.25, first), HN_INVALID, "output y: fixed at -0.25, below its lower bound 0");
        for (int i = 0; i < 3; i++) {
            hn_model *good = model_fixed_at(i == 2 ? 1 + 1e-9 : i, first); /* at a bound, and by rounding beyond it */
            assert_int_equal(hn_model_finish(good, NULL), HN_OK);
            hn_model_destroy(good);
        }
    }
}

TEST(an_output_fixed_in_terms_of_itself_is_refused) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    hn_output_fix(y, hn_sin(y));
    assert_refused(m, HN_INVALID, "output y: the fixed value depends on outputs");
    m = model_new();
    y = hn_output(m, "y");
    hn_define(m, "innocent", hn_sin(hn_defined(m, "also innocent")));
    hn_define(m, "also innocent", hn_cos(y));
    hn_output_fix(y, hn_exp(y));
    assert_refused(m, HN_INVALID, "output y: the fixed value depends on outputs");
    m = model_new();
    y = hn_output(m, "y");
    hn_output_fix(y, hn_defined(m, "round"));
    hn_define(m, "round", hn_shift(y, 1));
    assert_refused(m, HN_INVALID, "output y: the fixed value depends on outputs");
}

TEST(an_empty_input_range_is_refused) {
    static const double ranges[][2] = {{1, 0}, {NAN, 1}, {0, NAN}};
    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        hn_model *m = model_new();
        hn_input_range(hn_input(m, "x"), ranges[i][0], ranges[i][1]);
        assert_refused(m, HN_INVALID, "input x: the range is empty or not a number");
    }
}

/* ---- definitions ---- */

TEST(a_definition_in_terms_of_itself_is_refused_by_name) {
    hn_model *m = model_new();
    hn_output(m, "y");
    hn_define(m, "again", hn_defined(m, "again"));
    assert_refused(m, HN_INVALID, "definition again: circular definition");
    m = model_new();
    hn_expr a = hn_defined(m, "a"), b = hn_defined(m, "b"), y = hn_output(m, "y");
    hn_define(m, "outside", hn_sin(a));
    hn_define(m, "a", hn_add(hn_cos(b), y));
    hn_define(m, "b", hn_mul(hn_tan(a), y));
    hn_error error;
    assert_error(hn_model_finish(m, &error), HN_INVALID, error, ": circular definition");
    assert_true(strstr(error.text, "definition a") || strstr(error.text, "definition b"));
    hn_model_destroy(m);
}

TEST(a_reference_that_is_never_defined_is_refused_by_name) {
    hn_model *m = model_new();
    hn_constrain(m, "c", 0, hn_add(hn_output(m, "y"), hn_defined(m, "ghost")), 1);
    assert_refused(m, HN_INVALID, "definition ghost: used but never defined");
    m = model_new();
    hn_output(m, "y");
    hn_defined(m, "unused ghost");
    assert_refused(m, HN_INVALID, "definition unused ghost: used but never defined");
}

TEST(a_second_definition_or_objective_is_refused) {
    hn_model *m = model_new();
    hn_expr y = hn_output(m, "y");
    hn_define(m, "d", y);
    hn_define(m, "d", y);
    assert_refused(m, HN_INVALID, "definition d: defined twice");
    m = model_new();
    y = hn_output(m, "y");
    hn_minimize(m, "cost", y);
    hn_maximize(m, "gain", y);
    assert_refused(m, HN_INVALID, "objective gain: the model already has an objective, cost");
}

/* ---- the limit ---- */

TEST(more_nodes_than_the_limit_are_refused) {
    for (size_t limit = 0; limit < 40; limit++) {
        hn_model *m = model_with_limit(limit);
        hn_expr sum = hn_output(m, "y");
        for (int i = 0; i < 40; i++)
            sum = hn_sin(hn_add(sum, hn_input(m, (const char[]){'x', (char)('A' + i), 0})));
        assert_false(hn_is_valid(sum));
        assert_true(hn_model_node_count(m) <= limit);
        hn_error error;
        assert_int_equal(hn_model_finish(m, &error), HN_LIMIT);
        assert_contains(error.text, " nodes in the graph; raise max_nodes");
        char number[40];
        snprintf(number, sizeof number, ": more than %zu nodes", limit);
        assert_contains(error.text, number);
        hn_model_destroy(m);
    }
}

TEST(a_sum_longer_than_the_limit_is_refused) {
    hn_model *m = model_with_limit(10);
    hn_expr y = hn_output(m, "y"), terms[20];
    for (int i = 0; i < 20; i++)
        terms[i] = y;
    assert_false(hn_is_valid(hn_sum(m, 20, terms)));
    assert_refused(m, HN_LIMIT, "sum: more than 10 nodes in the graph; raise max_nodes");
}

TEST(a_maximised_objective_may_be_the_node_too_many) {
    hn_model *m = model_with_limit(4);
    hn_maximize(m, "gain", hn_output(m, "y"));
    assert_refused(m, HN_LIMIT, "gain: more than 4 nodes in the graph; raise max_nodes");
}
