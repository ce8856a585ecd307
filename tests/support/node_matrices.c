/* node_matrices.c - see node_matrices.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/node_matrices.h"

#include "base/memory.h"
#include "support/check.h"

static void check_row(const struct graph *graph, const struct node_matrix *matrix, size_t row) {
    assert_true(matrix->first[row] <= matrix->first[row + 1]);
    for (size_t i = matrix->first[row]; i < matrix->first[row + 1]; i++) {
        assert_true(i == matrix->first[row] || matrix->column[i - 1] < matrix->column[i]);
        assert_true(matrix->column[i] < matrix->columns);
        assert_true(matrix->node[i] > 0 && matrix->node[i] < graph->count);
        assert_false(graph_is_number(graph, matrix->node[i], 0));
    }
}

static void check_form(const struct graph *graph, const struct node_matrix *matrix, size_t rows, size_t columns) {
    assert_int_equal(matrix->rows, rows);
    assert_int_equal(matrix->columns, columns);
    assert_int_equal(matrix->first[0], 0);
    assert_int_equal(matrix->first[rows], matrix->count);
    for (size_t row = 0; row < rows; row++)
        check_row(graph, matrix, row);
}

static void matrix_entries_to_nodes(struct graph *graph, struct node_matrix *matrix) {
    for (size_t i = 0; i < matrix->count; i++)
        matrix->node[i] = graph_entry_node(graph, matrix->node[i]);
}

struct node_matrix jacobian_of(struct graph *graph, const uint32_t *nodes, size_t count, enum space space,
                               size_t columns) {
    struct node_matrix matrix;
    hn_error error = {.text = ""};
    if (derivatives_jacobian(&matrix, graph, nodes, count, space, columns, &error) != HN_OK)
        fail_msg("%s", error.text);
    matrix_entries_to_nodes(graph, &matrix);
    check_form(graph, &matrix, count, columns);
    return matrix;
}

struct node_matrix hessian_of(struct problem *problem) {
    struct node_matrix matrix;
    hn_error error = {.text = ""};
    if (derivatives_hessian_block(&matrix, problem, SPACE_Y, SPACE_Y, &error) != HN_OK)
        fail_msg("%s", error.text);
    matrix_entries_to_nodes(&problem->graph, &matrix);
    check_form(&problem->graph, &matrix, problem->outputs, problem->outputs);
    return matrix;
}

struct node_matrix product_of(struct graph *graph, const struct node_matrix *matrix, struct product_form form,
                              enum space space, size_t columns) {
    struct node_matrix product = {.rows = 0};
    uint32_t *weights;
    hn_error error = {.text = ""};
    hn_status status = derivatives_weights(&weights, graph, matrix, form.multipliers, form.second_pair, &error);
    if (status == HN_OK)
        status = derivatives_contract(&product, graph, matrix, weights, space, columns, &error);
    if (status != HN_OK)
        fail_msg("%s", error.text);
    base_release(weights);
    matrix_entries_to_nodes(graph, &product);
    check_form(graph, &product, 1, columns);
    return product;
}

uint32_t matrix_node(const struct node_matrix *matrix, size_t row, size_t column) {
    for (size_t i = matrix->first[row]; i < matrix->first[row + 1]; i++)
        if (matrix->column[i] == column)
            return matrix->node[i];
    return 0;
}

double matrix_value(const struct node_matrix *matrix, size_t row, size_t column, const double *values) {
    uint32_t node = matrix_node(matrix, row, column);
    return node != 0 ? values[node] : 0;
}

long double matrix_long(const struct node_matrix *matrix, size_t row, size_t column, const long double *values) {
    uint32_t node = matrix_node(matrix, row, column);
    return node != 0 ? values[node] : 0;
}

void check_close(long double value, long double expected, long double tolerance, const char *what, size_t which) {
    if (!(fabsl(value - expected) <= tolerance))
        fail_msg("%s, %zu: %.17Lg is not %.17Lg, the difference %.3Lg exceeds %.3Lg", what, which, value, expected,
                 value - expected, tolerance);
}
