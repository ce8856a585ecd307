/* test_linear.c - derivatives of sums whose coefficients are numbers beside the graph: entries without nodes, columns as rows.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "autodiff/derivatives.h"
#include "base/memory.h"
#include "base/random.h"
#include "support/node_matrices.h"
#include "support/plain_graph.h"
#include "support/random_graph.h"

enum { ROWS = 30, COLUMNS = 40 };

struct matrix {
    struct graph graph;
    double a[ROWS][COLUMNS];
    uint32_t leaves[COLUMNS], rows[ROWS];
};

static void draw_matrix(struct matrix *m, uint64_t seed) {
    struct random random = random_start(seed, 0);
    assert_int_equal(graph_create(&m->graph, 1000 * 1000), HN_OK);
    for (uint32_t j = 0; j < COLUMNS; j++)
        m->leaves[j] = graph_leaf(&m->graph, SPACE_Y, j);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++)
            m->a[i][j] = random_between(&random, 0.5, 2);
        m->rows[i] = graph_linear(&m->graph, m->a[i], m->leaves, COLUMNS);
    }
    m->graph.loose = true;
}

TEST(rows_of_a_matrix_share_their_columns_and_need_a_node_each) {
    struct matrix m;
    draw_matrix(&m, 1);
    assert_int_equal(m.graph.count, 1 + COLUMNS + ROWS);
    assert_int_equal(m.graph.number_count, ROWS * COLUMNS);
    assert_int_equal(m.graph.argument_count, COLUMNS);
    assert_int_equal(graph_linear(&m.graph, m.a[3], m.leaves, COLUMNS), m.rows[3]);
    assert_int_equal(m.graph.number_count, ROWS * COLUMNS); /* an equal row is the same node */
    graph_release(&m.graph);
}

TEST(their_jacobian_is_the_matrix_itself_without_a_node) {
    struct matrix m;
    struct node_matrix jacobian;
    draw_matrix(&m, 2);
    size_t before = m.graph.count, numbers = m.graph.number_count;
    assert_int_equal(derivatives_jacobian(&jacobian, &m.graph, m.rows, ROWS, SPACE_Y, COLUMNS, NULL), HN_OK);
    assert_in_range(m.graph.count, before, before + 1); /* the 1 that each sweep starts with */
    assert_int_equal(m.graph.number_count, numbers);
    assert_int_equal(jacobian.count, ROWS * COLUMNS);
    for (size_t e = 0; e < jacobian.count; e++) {
        double value = 0;
        assert_int_equal(jacobian.column[e], e % COLUMNS);
        assert_true(graph_entry_is_constant(&m.graph, jacobian.node[e], &value));
        assert_true(value == m.a[e / COLUMNS][e % COLUMNS]);
    }
    node_matrix_release(&jacobian);
    graph_release(&m.graph);
}

TEST(a_scaled_row_has_scaled_entries) {
    struct matrix m;
    draw_matrix(&m, 3);
    uint32_t root = graph_neg(&m.graph, graph_scale(&m.graph, 3, m.rows[5]));
    struct node_matrix jacobian = jacobian_of(&m.graph, &root, 1, SPACE_Y, COLUMNS);
    double value = 0;
    for (size_t j = 0; j < COLUMNS; j++) {
        assert_true(graph_is_constant(&m.graph, jacobian.node[j], &value));
        assert_true(value == -3 * m.a[5][j]);
    }
    node_matrix_release(&jacobian);
    graph_release(&m.graph);
}

TEST(the_product_with_the_transpose_is_one_node_per_column) {
    struct matrix m;
    struct node_matrix pull;
    uint32_t weights[ROWS];
    double v[ROWS], y[COLUMNS] = {0};
    struct random random = random_start(4, 1);
    draw_matrix(&m, 4);
    random_leaves(&random, ROWS, v);
    for (uint32_t i = 0; i < ROWS; i++)
        weights[i] = graph_leaf(&m.graph, SPACE_LAMBDA, i);
    size_t before = m.graph.count;
    const struct node_matrix seeds = {.rows = 1, .count = ROWS, .node = m.rows};
    assert_int_equal(derivatives_contract(&pull, &m.graph, &seeds, weights, SPACE_Y, COLUMNS, NULL), HN_OK);
    assert_int_equal(pull.count, COLUMNS);
    assert_int_equal(m.graph.count, before + COLUMNS);
    double *values = plain_values(&m.graph, (struct plain_point){.leaf = {[SPACE_Y] = y, [SPACE_LAMBDA] = v}});
    for (size_t j = 0; j < COLUMNS; j++) {
        double sum = 0;
        for (size_t i = 0; i < ROWS; i++)
            sum += m.a[i][j] * v[i];
        assert_true(values[pull.node[j]] == sum); /* rows ascend */
    }
    free(values);
    node_matrix_release(&pull);
    graph_release(&m.graph);
}

/* sum_i y_i (A y)_i and a sine of each row: values, gradient and its size */
TEST(a_quadratic_form_has_a_gradient_of_few_nodes) {
    struct matrix m;
    uint32_t terms[ROWS + 1];
    double y[COLUMNS];
    struct random random = random_start(5, 1);
    draw_matrix(&m, 5);
    random_leaves(&random, COLUMNS, y);
    for (size_t i = 0; i < ROWS; i++)
        terms[i] = graph_mul(&m.graph, m.leaves[i], m.rows[i]);
    terms[ROWS] = graph_apply(&m.graph, OP_SIN, m.rows[0], 0, 0);
    uint32_t root = graph_sum(&m.graph, terms, ROWS + 1);
    size_t before = m.graph.count;
    struct node_matrix gradient = jacobian_of(&m.graph, &root, 1, SPACE_Y, COLUMNS);
    assert_in_range(m.graph.count - before, 1, 4 * COLUMNS);
    double *values = plain_values(&m.graph, (struct plain_point){.leaf = {[SPACE_Y] = y}});
    for (uint32_t j = 0; j < COLUMNS; j++) {
        long double *exact = plain_derivatives(&m.graph, (struct plain_point){.leaf = {[SPACE_Y] = y}}, SPACE_Y, j);
        check_close(values[gradient.node[j]], exact[root], 1e-12L, "gradient", j);
        free(exact);
    }
    free(values);
    node_matrix_release(&gradient);
    graph_release(&m.graph);
}

/* Rows with a nonlinear part: the Hessian comes from that alone. */
TEST(a_linear_part_has_no_second_derivatives) {
    struct matrix m;
    uint32_t roots[ROWS];
    draw_matrix(&m, 6);
    for (size_t i = 0; i < ROWS; i++)
        roots[i] = graph_add(&m.graph, m.rows[i], graph_mul(&m.graph, m.leaves[i], m.leaves[i + 1]));
    struct problem problem = {.graph = m.graph, .inputs = 0, .outputs = COLUMNS, .rows = ROWS, .body = roots};
    problem.objective = graph_constant(&problem.graph, 0);
    struct node_matrix hessian = hessian_of(&problem);
    assert_int_equal(hessian.count, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        uint32_t node = matrix_node(&hessian, i + 1, i);
        assert_int_equal(node, graph_leaf(&problem.graph, SPACE_LAMBDA, (uint32_t)i));
    }
    node_matrix_release(&hessian);
    graph_release(&problem.graph);
}
