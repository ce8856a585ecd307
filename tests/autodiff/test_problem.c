/* test_problem.c - a finished model becomes a problem: the same functions in a graph of its own, references resolved and
 * fixed outputs replaced by their values.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/node_matrices.h"
#include "support/plain_graph.h"

#include "hardnet/model.h"

static hn_model *new_model(void) {
    hn_model *model;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    return model;
}

static void finish(hn_model *model) {
    hn_error error = {.text = ""};
    if (hn_model_finish(model, &error) != HN_OK)
        fail_msg("%s", error.text);
}

static struct problem problem_of(const hn_model *model) {
    struct problem problem;
    hn_error error = {.text = ""};
    if (problem_create(&problem, model, &error) != HN_OK)
        fail_msg("%s", error.text);
    return problem;
}

static void hand_back(struct problem *problem, hn_model *model) {
    problem_release(problem);
    hn_model_destroy(model);
}

/* Two inputs, three outputs, of which the second is fixed at x0 x1; a definition used before it is there. */
static hn_model *small_model(void) {
    hn_model *m = new_model();
    hn_expr x0 = hn_input(m, "x[0]"), x1 = hn_input(m, "x[1]");
    hn_expr y0 = hn_output(m, "y[0]"), y1 = hn_output(m, "y[1]"), y2 = hn_output(m, "y[2]");
    hn_expr radius = hn_defined(m, "radius");
    hn_output_fix(y1, hn_mul(x0, x1));
    hn_output_bounds(y2, -1, 4);
    hn_output_start(y0, hn_exp(x0));
    hn_constrain_between(m, "ring", x0, hn_mul(radius, y2), hn_shift(x1, 10));
    hn_constrain(m, "wave", -INFINITY, hn_sin(hn_add(y1, y2)), 0.5);
    hn_define(m, "radius", hn_add(hn_mul(y0, y0), hn_mul(y1, y1)));
    hn_maximize(m, "profit", hn_sub(y0, hn_mul(y1, radius)));
    finish(m);
    return m;
}

static const double x[] = {0.3, -1.7}, y[] = {1.1, 99, -0.4}; /* y1 is fixed: its entry must not matter */

static double *problem_values(const struct problem *problem) {
    double *values = plain_values(&problem->graph, (struct plain_point){.leaf = {[SPACE_X] = x, [SPACE_Y] = y}});
    assert_non_null(values);
    return values;
}

static void check_expression(const hn_model *model, hn_expr expr, double found, const char *what, size_t which) {
    double expected;
    hn_error error = {.text = ""};
    if (hn_model_evaluate(model, 1, &expr, x, y, &expected, &error) != HN_OK)
        fail_msg("%s", error.text);
    if (isinf(expected))
        assert_same_bits(found, expected);
    else
        check_close(found, expected, 1e-15L * (1 + fabsl(expected)), what, which);
}

TEST(a_problem_has_the_model_s_counts_and_functions) {
    hn_model *model = small_model();
    struct problem problem = problem_of(model);
    assert_int_equal(problem.inputs, 2);
    assert_int_equal(problem.outputs, 3);
    assert_int_equal(problem.rows, hn_model_row_count(model));
    assert_int_equal(problem.rows, 3); /* ring, wave and the bounds of y2 */
    double *values = problem_values(&problem);
    for (size_t i = 0; i < problem.rows; i++) {
        hn_row_info row = hn_model_row(model, i);
        check_expression(model, row.body, values[problem.body[i]], row.name, 0);
        check_expression(model, row.lower, values[problem.lower[i]], row.name, 1);
        check_expression(model, row.upper, values[problem.upper[i]], row.name, 2);
    }
    for (size_t i = 0; i < problem.outputs; i++) {
        hn_output_info output = hn_model_output(model, i);
        check_expression(model, output.start, values[problem.start[i]], output.name, 3);
        assert_int_equal(problem.fixed[i] != 0, i == 1);
    }
    check_expression(model, hn_model_output(model, 1).fixed, values[problem.fixed[1]], "y[1]", 4);
    check_expression(model, hn_model_objective(model).minimized, values[problem.objective], "profit", 5);
    check_close(values[problem.fixed[1]], x[0] * x[1], 1e-16L, "y[1]", 6);
    free(values);
    hand_back(&problem, model);
}

TEST(no_reference_and_no_fixed_output_is_left) {
    hn_model *model = small_model();
    struct problem problem = problem_of(model);
    for (size_t i = 1; i < problem.graph.count; i++) {
        const struct node *node = &problem.graph.nodes[i];
        assert_int_not_equal(node->op, OP_REFERENCE);
        assert_false(node->op == OP_LEAF && node->a == SPACE_Y && node->b == 1);
    }
    hand_back(&problem, model);
}

/* ring = (y0^2 + (x0 x1)^2) y2 with y1 = x0 x1: by y1 nothing, by x what the chain rule says */
TEST(derivatives_go_through_the_value_of_a_fixed_output) {
    hn_model *model = small_model();
    struct problem problem = problem_of(model);
    struct graph *g = &problem.graph;
    struct node_matrix by_y = jacobian_of(g, problem.body, problem.rows, SPACE_Y, 3);
    struct node_matrix by_x = jacobian_of(g, problem.body, problem.rows, SPACE_X, 2);
    struct node_matrix lower = jacobian_of(g, problem.lower, problem.rows, SPACE_X, 2);
    double *values = problem_values(&problem);
    double fixed = x[0] * x[1];
    for (size_t row = 0; row < problem.rows; row++)
        assert_int_equal(matrix_node(&by_y, row, 1), 0);
    check_close(matrix_value(&by_y, 0, 0, values), 2 * y[0] * y[2], 1e-15L, "d ring / d y0", 0);
    check_close(matrix_value(&by_y, 0, 2, values), y[0] * y[0] + fixed * fixed, 1e-15L, "d ring / d y2", 0);
    check_close(matrix_value(&by_x, 0, 0, values), 2 * fixed * x[1] * y[2], 1e-15L, "d ring / d x0", 0);
    check_close(matrix_value(&by_x, 0, 1, values), 2 * fixed * x[0] * y[2], 1e-15L, "d ring / d x1", 0);
    check_close(matrix_value(&by_x, 1, 0, values), cos(fixed + y[2]) * x[1], 1e-15L, "d wave / d x0", 0);
    check_close(matrix_value(&lower, 0, 0, values), 1, 0, "d lower bound / d x0", 0);
    free(values);
    node_matrix_release(&by_y);
    node_matrix_release(&by_x);
    node_matrix_release(&lower);
    hand_back(&problem, model);
}

TEST(a_definition_of_a_definition_is_followed_to_its_end) {
    hn_model *m = new_model();
    hn_expr y0 = hn_output(m, "y");
    hn_constrain(m, "row", 0, hn_exp(hn_defined(m, "first")), 1);
    hn_define(m, "first", hn_scale(2, hn_defined(m, "second")));
    hn_define(m, "second", hn_sin(y0));
    finish(m);
    struct problem problem = problem_of(m);
    double *values = problem_values(&problem);
    check_close(values[problem.body[0]], exp(2 * sin(y[0])), 1e-14L, "row", 0);
    free(values);
    hand_back(&problem, m);
}

TEST(a_fixed_output_may_be_constant_and_fold_a_row) {
    hn_model *m = new_model();
    hn_expr y0 = hn_output(m, "y[0]"), y1 = hn_output(m, "y[1]");
    hn_output_fix(y0, hn_constant(m, 3));
    hn_constrain(m, "folded", 0, hn_mul(y0, y0), 9);
    hn_constrain(m, "scaled", 0, hn_mul(y0, y1), 9);
    finish(m);
    struct problem problem = problem_of(m);
    assert_true(graph_is_number(&problem.graph, problem.body[0], 9));
    struct node_matrix jacobian = jacobian_of(&problem.graph, problem.body, 2, SPACE_Y, 2);
    assert_int_equal(jacobian.count, 1);
    assert_true(graph_is_number(&problem.graph, matrix_node(&jacobian, 1, 1), 3));
    node_matrix_release(&jacobian);
    hand_back(&problem, m);
}

TEST(a_model_without_objective_inputs_or_rows_is_a_problem) {
    hn_model *m = new_model();
    hn_output(m, "y");
    finish(m);
    struct problem problem = problem_of(m);
    assert_int_equal(problem.rows, 0);
    assert_int_equal(problem.inputs, 0);
    assert_int_equal(problem.objective, 0);
    struct node_matrix hessian = hessian_of(&problem);
    assert_int_equal(hessian.count, 0);
    node_matrix_release(&hessian);
    hand_back(&problem, m);
}

/* ---- what is refused ---- */

static void expect_refusal(const hn_model *model, hn_status status, const char *words) {
    struct problem problem;
    hn_error error = {.text = ""};
    memset(&problem, 0x5a, sizeof problem);
    assert_int_equal(problem_create(&problem, model, &error), status);
    assert_int_equal(error.status, status);
    assert_contains(error.text, words);
    assert_null(problem.body);
    assert_null(problem.graph.nodes);
    assert_int_equal(problem_create(&problem, model, NULL), status);
    problem_release(&problem);
}

TEST(a_model_that_is_missing_unfinished_or_wrong_is_refused) {
    expect_refusal(NULL, HN_INVALID, "model");
    hn_model *m = new_model();
    hn_expr y0 = hn_output(m, "y");
    expect_refusal(m, HN_INVALID, "not finished");
    hn_constrain(m, "crossed", 2, y0, 1);
    assert_int_equal(hn_model_finish(m, NULL), HN_INVALID);
    expect_refusal(m, HN_INVALID, "crossed");
    hn_model_destroy(m);
}

/* sum over i of exp(y_i y_(i+1)), on a graph that may hold no more nodes than given */
static hn_model *chain_model(size_t max_nodes) {
    enum { LENGTH = 20 };
    hn_model_options options = {.size = sizeof options, .max_nodes = max_nodes};
    hn_model *m;
    hn_expr all[LENGTH], terms[LENGTH - 1];
    char name[] = "y[a]";
    assert_int_equal(hn_model_create(&m, &options, NULL), HN_OK);
    for (int i = 0; i < LENGTH; i++) {
        name[2] = (char)('a' + i);
        all[i] = hn_output(m, name);
    }
    for (int i = 0; i + 1 < LENGTH; i++)
        terms[i] = hn_exp(hn_mul(all[i], all[i + 1]));
    hn_constrain(m, "chain", 0, hn_sum(m, LENGTH - 1, terms), 1);
    return m;
}

TEST(the_node_limit_holds_inside_derivatives_too) {
    hn_model *model = chain_model(10000);
    finish(model);
    size_t enough = hn_model_node_count(model);
    hn_model_destroy(model);
    model = chain_model(enough);
    finish(model);
    struct problem problem = problem_of(model);
    struct node_matrix matrix;
    hn_error error = {.text = ""};
    assert_int_equal(derivatives_jacobian(&matrix, &problem.graph, problem.body, 1, SPACE_Y, 20, &error), HN_LIMIT);
    assert_contains(error.text, "max_nodes");
    assert_null(matrix.first);
    assert_int_equal(derivatives_hessian_block(&matrix, &problem, SPACE_Y, SPACE_Y, &error), HN_LIMIT);
    assert_null(matrix.first);
    hand_back(&problem, model);
}

/* Rows y0 y_i with y0 fixed at -x: each becomes -(x y_i), one operator more than the model has. */
static hn_model *fixed_model(size_t max_nodes) {
    enum { LENGTH = 20 };
    hn_model_options options = {.size = sizeof options, .max_nodes = max_nodes};
    hn_model *m;
    char name[] = "a";
    assert_int_equal(hn_model_create(&m, &options, NULL), HN_OK);
    hn_expr fixed = hn_output(m, "fixed");
    hn_output_fix(fixed, hn_neg(hn_input(m, "x")));
    for (int i = 0; i < LENGTH; i++) {
        name[0] = (char)('a' + i);
        hn_expr free_output = hn_output(m, name);
        name[0] = (char)('A' + i);
        hn_constrain(m, name, 0, hn_mul(fixed, free_output), 1);
    }
    finish(m);
    return m;
}

TEST(a_fixed_value_that_needs_more_nodes_meets_the_limit_in_words) {
    hn_model *model = fixed_model(10000);
    size_t count = hn_model_node_count(model);
    struct problem problem = problem_of(model);
    hand_back(&problem, model);
    model = fixed_model(count);
    expect_refusal(model, HN_LIMIT, "nodes");
    hn_model_destroy(model);
}

TEST(releasing_twice_is_harmless) {
    hn_model *model = small_model();
    struct problem problem = problem_of(model);
    struct node_matrix jacobian = jacobian_of(&problem.graph, problem.body, 3, SPACE_Y, 3);
    node_matrix_release(&jacobian);
    node_matrix_release(&jacobian);
    problem_release(&problem);
    hand_back(&problem, model);
}
