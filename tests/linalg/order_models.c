/* order_models.c - the patterns of J J' and J' J of model files.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/derivatives.h"
#include "hardnet/read.h"
#include "linalg/order_patterns.h"
#include "support/check.h"
#include "support/node_matrices.h"

/* Columns of J as lists of rows. */
static struct pattern transpose(const struct node_matrix *matrix) {
    struct pattern t = {.n = matrix->columns};
    t.first = calloc(t.n + 2, sizeof *t.first);
    t.index = calloc(matrix->count + 1, sizeof *t.index);
    assert_non_null(t.first);
    assert_non_null(t.index);
    for (size_t e = 0; e < matrix->count; e++)
        t.first[matrix->column[e] + 2]++;
    for (size_t j = 1; j <= t.n; j++)
        t.first[j + 1] += t.first[j];
    for (uint32_t i = 0; i < matrix->rows; i++)
        for (size_t e = matrix->first[i]; e < matrix->first[i + 1]; e++)
            t.index[t.first[matrix->column[e] + 1]++] = i;
    return t;
}

/* Rows that share a column are neighbours in J J', columns that share a row in J' J. */
static struct pattern product_pattern(const struct node_matrix *matrix, bool transposed) {
    struct edges edges = {.n = transposed ? matrix->columns : matrix->rows};
    struct pattern columns = transpose(matrix);
    if (transposed)
        for (size_t i = 0; i < matrix->rows; i++)
            edges_clique(&edges, matrix->column + matrix->first[i], matrix->first[i + 1] - matrix->first[i]);
    else
        for (size_t j = 0; j < columns.n; j++)
            edges_clique(&edges, columns.index + columns.first[j], columns.first[j + 1] - columns.first[j]);
    pattern_release(&columns);
    return edges_finish(&edges, NULL);
}

struct pattern model_pattern(const char *path, const char *let, bool transposed) {
    hn_read_options options = hn_read_defaults();
    options.lets = &let;
    options.let_count = let != NULL;
    options.relax_integrality = true;
    hn_model *model;
    hn_error error;
    if (hn_model_read(&model, 1, &path, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    struct problem problem;
    assert_int_equal(problem_create(&problem, model, &error), HN_OK);
    struct node_matrix jacobian = jacobian_of(&problem.graph, problem.body, problem.rows, SPACE_Y, problem.outputs);
    struct pattern pattern = product_pattern(&jacobian, transposed);
    node_matrix_release(&jacobian);
    problem_release(&problem);
    hn_model_destroy(model);
    return pattern;
}
