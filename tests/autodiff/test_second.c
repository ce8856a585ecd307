/* test_second.c - second derivatives: the Hessian's lower triangle and products with vectors, against complex steps.
 *
 * The yardstick steps the nodes of the Jacobian, which test_jacobian.c has judged, once more along every leaf:
 * H(k, j) = sum_i w_i d J(i, k) / d y_j. All in 80-bit arithmetic, so that rounding leaves the formulas alone.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/node_matrices.h"
#include "support/plain_graph.h"
#include "support/random_graph.h"

#include "base/memory.h"

enum { GRAPHS = 150, ROWS = 4, INPUTS = 3, OUTPUTS = 5 };

/* A problem over a random graph, and a point in all its spaces. */
struct rig {
    struct random_graph random;
    struct problem problem; /* borrows the random graph's graph */
    uint32_t body[ROWS];
    double x[INPUTS], y[OUTPUTS], v[ROWS], t[OUTPUTS], q[ROWS], s[OUTPUTS], sigma[1], lambda[ROWS];
};

static struct rig rig_start(uint64_t seed, uint64_t stream, size_t rows, bool objective) {
    struct rig rig = {.sigma = {0}};
    struct random random = random_start(seed, stream);
    struct random_graph_options options = {.operators = 5 + stream % 30, .kinks = stream % 2 == 1};
    options.leaves[SPACE_X] = INPUTS;
    options.leaves[SPACE_Y] = OUTPUTS;
    assert_int_equal(random_graph_create(&rig.random, options, &random), HN_OK);
    for (size_t i = 0; i < rows; i++)
        rig.body[i] = random_graph_root(&rig.random, &random);
    rig.problem = (struct problem){.inputs = INPUTS, .outputs = OUTPUTS, .rows = rows};
    rig.problem.objective = objective ? random_graph_root(&rig.random, &random) : 0;
    rig.problem.graph = rig.random.graph;
    double *const all[] = {rig.x, rig.y, rig.v, rig.t, rig.q, rig.s, rig.sigma, rig.lambda};
    const size_t counts[] = {INPUTS, OUTPUTS, ROWS, OUTPUTS, ROWS, OUTPUTS, 1, ROWS};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        random_leaves(&random, counts[i], all[i]);
    return rig;
}

static void rig_end(struct rig *rig) {
    rig->random.graph = rig->problem.graph;
    random_graph_release(&rig->random);
}

static struct plain_point rig_point(const struct rig *rig) {
    return (struct plain_point){
        .leaf = {rig->x, rig->y, rig->v, rig->t, rig->q, rig->s, rig->sigma, rig->lambda},
    };
}

/* The derivatives of all rows by outputs; the last row is the objective's gradient, empty without one. */
static struct node_matrix rig_jacobian(struct rig *rig) {
    uint32_t nodes[ROWS + 1];
    memcpy(nodes, rig->body, sizeof rig->body);
    nodes[rig->problem.rows] = rig->problem.objective;
    return jacobian_of(&rig->problem.graph, nodes, rig->problem.rows + 1, SPACE_Y, OUTPUTS);
}

/* ---- the Hessian ---- */

/* Column j of sigma Hess f + sum_i lambda_i Hess c_i */
static void expect_column(const struct rig *rig, const struct node_matrix *jacobian, uint32_t j, long double *column) {
    long double *derivatives = plain_derivatives(&rig->problem.graph, rig_point(rig), SPACE_Y, j);
    assert_non_null(derivatives);
    for (size_t k = 0; k < OUTPUTS; k++) {
        column[k] = 0;
        for (size_t i = 0; i < jacobian->rows; i++) {
            double weight = i < rig->problem.rows ? rig->lambda[i] : rig->sigma[0];
            column[k] += weight * matrix_long(jacobian, i, k, derivatives);
        }
    }
    free(derivatives);
}

static void compare_hessian(struct rig *rig) {
    long double expected[OUTPUTS][OUTPUTS]; /* by columns */
    rig->problem.body = rig->body;
    struct node_matrix jacobian = rig_jacobian(rig), hessian = hessian_of(&rig->problem);
    long double *values = plain_long(&rig->problem.graph, rig_point(rig), NULL, 0);
    assert_non_null(values);
    for (uint32_t j = 0; j < OUTPUTS; j++)
        expect_column(rig, &jacobian, j, expected[j]);
    for (size_t k = 0; k < OUTPUTS; k++)
        for (size_t j = 0; j < OUTPUTS; j++) {
            long double tolerance = 1e-12L * (1 + fabsl(expected[j][k]));
            size_t low = k > j ? k : j, high = k > j ? j : k; /* the upper triangle is the lower one's mirror image */
            check_close(matrix_long(&hessian, low, high, values), expected[j][k], tolerance, "entry", 10 * k + j);
            if (j > k)
                assert_int_equal(matrix_node(&hessian, k, j), 0);
        }
    free(values);
    node_matrix_release(&jacobian);
    node_matrix_release(&hessian);
}

TEST(the_hessian_of_the_lagrangian_matches_stepped_gradients) {
    for (uint64_t i = 0; i < GRAPHS; i++) {
        struct rig rig = rig_start(21, i, ROWS, true);
        compare_hessian(&rig);
        rig_end(&rig);
    }
}

TEST(a_hessian_needs_no_objective_and_no_rows) {
    for (uint64_t i = 0; i < 20; i++) {
        struct rig only_rows = rig_start(22, i, ROWS, false), only_objective = rig_start(23, i, 0, true);
        compare_hessian(&only_rows);
        compare_hessian(&only_objective);
        rig_end(&only_rows);
        rig_end(&only_objective);
    }
    struct rig nothing = rig_start(24, 0, 0, false);
    struct node_matrix hessian = hessian_of(&nothing.problem);
    assert_int_equal(hessian.count, 0);
    node_matrix_release(&hessian);
    rig_end(&nothing);
}

/* ---- products ---- */

/* Entry j of the product: sum over rows and columns of (v_i t_k - q_i s_k) dJ(i, k)/d(leaf j). */
static long double expect_product(const struct rig *rig, const struct node_matrix *jacobian, struct product_form form,
                                  const long double *derivatives) {
    long double sum = 0;
    for (size_t i = 0; i < jacobian->rows; i++)
        for (size_t k = 0; k < OUTPUTS; k++) {
            long double weight = rig->t[k] * (form.multipliers ? rig->v[i] : 1.0L);
            if (form.second_pair)
                weight -= rig->s[k] * (form.multipliers ? rig->q[i] : 1.0L);
            sum += weight * matrix_long(jacobian, i, k, derivatives);
        }
    return sum;
}

static void compare_product(struct rig *rig, const struct node_matrix *jacobian, struct product_form form,
                            enum space space, size_t columns) {
    struct graph *graph = &rig->problem.graph;
    struct node_matrix product = product_of(graph, jacobian, form, space, columns);
    long double *values = plain_long(graph, rig_point(rig), NULL, 0);
    assert_non_null(values);
    for (uint32_t j = 0; j < columns; j++) {
        long double *derivatives = plain_derivatives(graph, rig_point(rig), space, j);
        assert_non_null(derivatives);
        long double expected = expect_product(rig, jacobian, form, derivatives);
        check_close(matrix_long(&product, 0, j, values), expected, 1e-12L * (1 + fabsl(expected)), "entry", j);
        free(derivatives);
    }
    free(values);
    node_matrix_release(&product);
}

static void compare_products(uint64_t seed, size_t rows, bool objective, struct product_form form) {
    for (uint64_t i = 0; i < GRAPHS; i++) {
        struct rig rig = rig_start(seed, i, rows, objective);
        const uint32_t *nodes = objective ? &rig.problem.objective : rig.body;
        struct node_matrix jacobian = jacobian_of(&rig.problem.graph, nodes, objective ? 1 : rows, SPACE_Y, OUTPUTS);
        compare_product(&rig, &jacobian, form, SPACE_Y, OUTPUTS);
        compare_product(&rig, &jacobian, form, SPACE_X, INPUTS);
        node_matrix_release(&jacobian);
        rig_end(&rig);
    }
}

TEST(the_product_with_one_pair_matches_stepped_jacobians) {
    compare_products(25, ROWS, false, (struct product_form){.multipliers = true});
}

TEST(the_bracket_of_two_pairs_matches_stepped_jacobians) {
    compare_products(26, ROWS, false, (struct product_form){.multipliers = true, .second_pair = true});
}

TEST(the_objective_times_a_vector_matches_stepped_gradients) {
    compare_products(27, 0, true, (struct product_form){.multipliers = false});
    compare_products(28, 0, true, (struct product_form){.multipliers = false, .second_pair = true});
}

/* The product and the Hessian know the same matrix: (sum_i v_i Hess c_i) t with lambda = v, sigma = 0. */
TEST(a_product_is_the_hessian_times_the_vector) {
    for (uint64_t i = 0; i < GRAPHS; i++) {
        struct rig rig = rig_start(29, i, ROWS, true);
        struct graph *graph = &rig.problem.graph;
        memcpy(rig.lambda, rig.v, sizeof rig.v);
        rig.sigma[0] = 0;
        rig.problem.body = rig.body;
        struct node_matrix jacobian = jacobian_of(graph, rig.body, ROWS, SPACE_Y, OUTPUTS);
        struct node_matrix hessian = hessian_of(&rig.problem);
        struct node_matrix product =
            product_of(graph, &jacobian, (struct product_form){.multipliers = true}, SPACE_Y, OUTPUTS);
        long double *values = plain_long(graph, rig_point(&rig), NULL, 0);
        assert_non_null(values);
        for (size_t k = 0; k < OUTPUTS; k++) {
            long double sum = 0, size = 1;
            for (size_t j = 0; j < OUTPUTS; j++) {
                long double term = rig.t[j] * matrix_long(&hessian, k > j ? k : j, k > j ? j : k, values);
                sum += term;
                size += fabsl(term);
            }
            check_close(matrix_long(&product, 0, k, values), sum, 1e-13L * size, "entry", k);
        }
        free(values);
        node_matrix_release(&jacobian);
        node_matrix_release(&hessian);
        node_matrix_release(&product);
        rig_end(&rig);
    }
}

/* ---- patterns and work ---- */

TEST(linear_rows_have_no_second_derivatives_and_cost_nothing) {
    struct graph g;
    uint32_t *weights;
    assert_int_equal(graph_create(&g, 1000), HN_OK);
    uint32_t y0 = graph_leaf(&g, SPACE_Y, 0), y1 = graph_leaf(&g, SPACE_Y, 1), x0 = graph_leaf(&g, SPACE_X, 0);
    const uint32_t rows[] = {graph_add(&g, y0, graph_scale(&g, 3, y1)), graph_mul(&g, x0, y1)};
    struct node_matrix jacobian = jacobian_of(&g, rows, 2, SPACE_Y, 2);
    assert_int_equal(derivatives_weights(&weights, &g, &jacobian, true, true, NULL), HN_OK);
    assert_true(weights[0] == 0 && weights[1] == 0 && weights[2] != 0); /* constant entries carry no weight */
    base_release(weights);
    const struct product_form bracket = {.multipliers = true, .second_pair = true};
    struct node_matrix yy = product_of(&g, &jacobian, bracket, SPACE_Y, 2);
    struct node_matrix xy = product_of(&g, &jacobian, bracket, SPACE_X, 1);
    assert_int_equal(yy.count, 0);
    assert_int_equal(xy.count, 1); /* d x0 y1 / dy1 dx0 = 1 */
    node_matrix_release(&jacobian);
    node_matrix_release(&yy);
    node_matrix_release(&xy);
    graph_release(&g);
}

TEST(a_separable_hessian_is_diagonal) {
    struct problem problem = {.outputs = 40, .rows = 0};
    uint32_t terms[40];
    assert_int_equal(graph_create(&problem.graph, 10000), HN_OK);
    for (uint32_t i = 0; i < 40; i++) /* every third output enters linearly */
        terms[i] = graph_leaf(&problem.graph, SPACE_Y, i);
    for (uint32_t i = 0; i < 40; i++)
        terms[i] = i % 3 == 0 ? terms[i] : graph_apply(&problem.graph, OP_SIN, terms[i], 0, 0);
    problem.objective = graph_sum(&problem.graph, terms, 40);
    struct node_matrix hessian = hessian_of(&problem);
    assert_int_equal(hessian.count, 26);
    for (size_t i = 0; i < 40; i++) {
        assert_int_equal(hessian.first[i + 1] - hessian.first[i], i % 3 != 0);
        assert_int_equal(matrix_node(&hessian, i, i) != 0, i % 3 != 0);
    }
    node_matrix_release(&hessian);
    graph_release(&problem.graph);
}

TEST(a_full_graph_is_an_error_in_words) {
    for (size_t limit = 3; limit < 60; limit++) {
        struct problem problem = {.outputs = 2, .rows = 0};
        struct node_matrix hessian;
        hn_error error = {.text = ""};
        assert_int_equal(graph_create(&problem.graph, limit), HN_OK);
        uint32_t y0 = graph_leaf(&problem.graph, SPACE_Y, 0), y1 = graph_leaf(&problem.graph, SPACE_Y, 1);
        problem.objective = graph_apply(&problem.graph, OP_TAN, graph_mul(&problem.graph, y0, y1), 0, 0);
        hn_status status = derivatives_hessian_block(&hessian, &problem, SPACE_Y, SPACE_Y, &error);
        if (status == HN_OK) {
            assert_true(limit > 8);
        } else {
            assert_error(status, HN_LIMIT, error, "nodes");
            assert_true(limit < 40);
        }
        node_matrix_release(&hessian);
        graph_release(&problem.graph);
    }
}

TEST(weights_on_a_full_graph_are_an_error_in_words) {
    struct graph g;
    uint32_t *weights;
    hn_error error = {.text = ""};
    assert_int_equal(graph_create(&g, 4), HN_OK);
    uint32_t y = graph_leaf(&g, SPACE_Y, 0), root = graph_apply(&g, OP_EXP, y, 0, 0);
    struct node_matrix jacobian = jacobian_of(&g, &root, 1, SPACE_Y, 1);
    assert_int_equal(derivatives_weights(&weights, &g, &jacobian, true, true, &error), HN_LIMIT);
    assert_null(weights);
    assert_contains(error.text, "nodes");
    node_matrix_release(&jacobian);
    graph_release(&g);
}
