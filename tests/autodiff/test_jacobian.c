/* test_jacobian.c - the sparse Jacobian of random graphs against complex steps; its pattern against brute force; its size.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/node_matrices.h"
#include "support/plain_graph.h"
#include "support/random_graph.h"

enum { GRAPHS = 300, ROWS = 5, POINTS = 3, INPUTS = 2, OUTPUTS = 6 };

/* ---- values on random graphs ---- */

struct sample {
    double x[INPUTS], y[OUTPUTS];
};

static struct plain_point sample_point(struct sample *sample, struct random *random) {
    random_leaves(random, INPUTS, sample->x);
    random_leaves(random, OUTPUTS, sample->y);
    return (struct plain_point){.leaf = {[SPACE_X] = sample->x, [SPACE_Y] = sample->y}};
}

static void compare_point(const struct graph *graph, const uint32_t *roots, const struct node_matrix *jacobian,
                          struct plain_point point, enum space space) {
    long double *values = plain_long(graph, point, NULL, 0);
    assert_non_null(values);
    for (uint32_t column = 0; column < jacobian->columns; column++) {
        long double *expected = plain_derivatives(graph, point, space, column);
        assert_non_null(expected);
        for (size_t row = 0; row < jacobian->rows; row++) {
            long double found = matrix_long(jacobian, row, column, values), d = expected[roots[row]];
            check_close(found, d, 1e-13L * (1 + fabsl(d)), "row", row); /* 0 where the pattern has no entry */
        }
        free(expected);
    }
    free(values);
}

static void compare_space(struct random_graph *graph, struct random *random, enum space space, size_t columns) {
    uint32_t roots[ROWS];
    struct sample sample;
    for (size_t i = 0; i < ROWS; i++)
        roots[i] = random_graph_root(graph, random);
    struct node_matrix jacobian = jacobian_of(&graph->graph, roots, ROWS, space, columns);
    for (int i = 0; i < POINTS; i++) {
        struct plain_point point = sample_point(&sample, random);
        compare_point(&graph->graph, roots, &jacobian, point, space);
    }
    node_matrix_release(&jacobian);
}

static void compare_random_graphs(bool kinks, uint64_t seed) {
    for (uint64_t i = 0; i < GRAPHS; i++) {
        struct random random = random_start(seed, i);
        struct random_graph graph;
        struct random_graph_options options = {.operators = 4 + i % 40, .kinks = kinks};
        options.leaves[SPACE_X] = INPUTS;
        options.leaves[SPACE_Y] = OUTPUTS;
        assert_int_equal(random_graph_create(&graph, options, &random), HN_OK);
        compare_space(&graph, &random, SPACE_Y, OUTPUTS);
        compare_space(&graph, &random, SPACE_X, INPUTS);
        random_graph_release(&graph);
    }
}

TEST(smooth_graphs_match_a_complex_step) {
    compare_random_graphs(false, 11);
}

TEST(graphs_with_kinks_match_a_complex_step) {
    compare_random_graphs(true, 12);
}

/* ---- patterns ---- */

enum { MANY_LEAVES = 24, PILE = 60 };

/* Sums, products, roots and exponentials of leaves: with positive leaves no derivative is 0, so that none can cancel. */
static uint32_t growing_term(struct graph *g, struct random *random, const uint32_t *terms, size_t count) {
    uint32_t a = terms[random_below(random, count)], b = terms[random_below(random, count)];
    switch (random_below(random, 5)) {
    case 0:
        return graph_add(g, a, b);
    case 1:
        return graph_mul(g, a, b);
    case 2:
        return graph_apply(g, OP_SQRT, a, 0, 0);
    case 3:
        return graph_apply(g, OP_EXP, a, 0, 0);
    default:
        return graph_sum(g, (const uint32_t[]){a, b, terms[random_below(random, count)]}, 3);
    }
}

/* reach[node], bit j: leaf j is below the node. */
static void find_reach(const struct graph *g, uint64_t *reach) {
    for (uint32_t node = 1; node < g->count; node++) {
        const uint32_t *arguments;
        size_t count = graph_arguments(g, node, &arguments);
        reach[node] = g->nodes[node].op == OP_LEAF ? UINT64_C(1) << g->nodes[node].b : 0;
        for (size_t i = 0; i < count; i++)
            reach[node] |= reach[arguments[i]];
    }
}

TEST(an_entry_is_there_exactly_where_the_leaf_is_below_the_row) {
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct random random = random_start(13, seed);
        struct graph g;
        uint32_t terms[MANY_LEAVES + PILE];
        uint64_t reach[4 * (MANY_LEAVES + PILE)];
        assert_int_equal(graph_create(&g, 100000), HN_OK);
        for (uint32_t i = 0; i < MANY_LEAVES; i++)
            terms[i] = graph_leaf(&g, SPACE_Y, (i * 7) % MANY_LEAVES); /* not in order */
        for (size_t i = MANY_LEAVES; i < MANY_LEAVES + PILE; i++)
            terms[i] = growing_term(&g, &random, terms, i);
        assert_true(g.count <= COUNT_OF(reach));
        find_reach(&g, reach);
        struct node_matrix jacobian = jacobian_of(&g, terms + MANY_LEAVES, PILE, SPACE_Y, MANY_LEAVES);
        for (size_t row = 0; row < PILE; row++)
            for (size_t j = 0; j < MANY_LEAVES; j++)
                assert_int_equal(matrix_node(&jacobian, row, j) != 0, reach[terms[MANY_LEAVES + row]] >> j & 1);
        node_matrix_release(&jacobian);
        graph_release(&g);
    }
}

TEST(what_cancels_leaves_no_entry) {
    struct graph g;
    assert_int_equal(graph_create(&g, 1000), HN_OK);
    uint32_t y0 = graph_leaf(&g, SPACE_Y, 0), y1 = graph_leaf(&g, SPACE_Y, 1), y2 = graph_leaf(&g, SPACE_Y, 2);
    uint32_t sum = graph_add(&g, y0, y1), roots[4];
    roots[0] = graph_sum(&g, (const uint32_t[]){y0, y1, graph_neg(&g, y0)}, 3);
    roots[1] = graph_sub(&g, graph_mul(&g, sum, y2), graph_sum(&g, (const uint32_t[]){sum, sum, y2}, 3));
    roots[2] = graph_apply(&g, OP_LESS, y0, y1, 0);
    roots[3] = graph_apply(&g, OP_IF, roots[2], y2, graph_constant(&g, 5));
    struct node_matrix jacobian = jacobian_of(&g, roots, 4, SPACE_Y, 3);
    assert_int_equal(matrix_node(&jacobian, 0, 0), 0);
    assert_true(graph_is_number(&g, matrix_node(&jacobian, 0, 1), 1));
    assert_int_equal(jacobian.first[2] - jacobian.first[1], 3);
    assert_int_equal(jacobian.first[3] - jacobian.first[2], 0); /* a condition has no derivative */
    assert_int_equal(jacobian.first[4] - jacobian.first[3], 1);
    assert_int_not_equal(matrix_node(&jacobian, 3, 2), 0);
    node_matrix_release(&jacobian);
    graph_release(&g);
}

/* ---- plain rows ---- */

TEST(leaves_constants_and_repeated_rows_are_rows_like_others) {
    struct graph g;
    assert_int_equal(graph_create(&g, 1000), HN_OK);
    uint32_t y0 = graph_leaf(&g, SPACE_Y, 0), y1 = graph_leaf(&g, SPACE_Y, 1), x0 = graph_leaf(&g, SPACE_X, 0);
    uint32_t product = graph_mul(&g, graph_apply(&g, OP_SIN, y0, 0, 0), x0);
    const uint32_t roots[] = {product, y1, graph_constant(&g, 3), product, x0, y0};
    struct node_matrix jacobian = jacobian_of(&g, roots, COUNT_OF(roots), SPACE_Y, 2);
    const size_t counts[] = {1, 1, 0, 1, 0, 1};
    for (size_t i = 0; i < COUNT_OF(roots); i++)
        assert_int_equal(jacobian.first[i + 1] - jacobian.first[i], counts[i]);
    assert_int_equal(matrix_node(&jacobian, 0, 0), matrix_node(&jacobian, 3, 0));
    assert_true(graph_is_number(&g, matrix_node(&jacobian, 1, 1), 1));
    assert_true(graph_is_number(&g, matrix_node(&jacobian, 5, 0), 1));
    node_matrix_release(&jacobian);
    graph_release(&g);
}

TEST(no_rows_and_no_entries_make_an_empty_matrix) {
    struct graph g;
    assert_int_equal(graph_create(&g, 1000), HN_OK);
    uint32_t constant = graph_constant(&g, 3);
    struct node_matrix none = jacobian_of(&g, NULL, 0, SPACE_Y, 2), empty = jacobian_of(&g, &constant, 1, SPACE_Y, 0);
    assert_int_equal(none.count, 0);
    assert_int_equal(empty.count, 0);
    node_matrix_release(&none);
    node_matrix_release(&empty);
    graph_release(&g);
}

/* ---- size ---- */

/* The nodes that derivatives add when `rows` rows y_i * s share an expression s of the given depth in `width` leaves. */
static size_t nodes_added(size_t rows, int depth, uint32_t width) {
    struct graph g;
    assert_int_equal(graph_create(&g, 10 * 1000 * 1000), HN_OK);
    uint32_t s = graph_constant(&g, 1);
    for (int i = 0; i < depth; i++)
        s = graph_apply(&g, OP_SIN, graph_add(&g, s, graph_leaf(&g, SPACE_Y, (uint32_t)i % width)), 0, 0);
    uint32_t *roots = calloc(rows, sizeof *roots);
    assert_non_null(roots);
    for (size_t i = 0; i < rows; i++)
        roots[i] = graph_mul(&g, s, graph_leaf(&g, SPACE_Y, width + (uint32_t)i));
    size_t before = g.count;
    struct node_matrix jacobian = jacobian_of(&g, roots, rows, SPACE_Y, width + rows);
    assert_int_equal(jacobian.count, rows * (width + 1));
    size_t added = g.count - before;
    node_matrix_release(&jacobian);
    graph_release(&g);
    free(roots);
    return added;
}

TEST(what_many_rows_share_is_differentiated_once) {
    enum { DEPTH = 200, WIDTH = 4 };
    size_t few = nodes_added(100, DEPTH, WIDTH), many = nodes_added(1100, DEPTH, WIDTH);
    assert_in_range(many - few, 1000, 1000 * (WIDTH + 1)); /* one product per entry */
    assert_in_range(few, 0, 100 * (WIDTH + 1) + 5 * DEPTH);
}

TEST(what_rests_on_many_leaves_may_be_shared_too) {
    assert_in_range(nodes_added(10, 40, 12), 1, 10 * 5 * 40);
}

TEST(a_row_of_a_hundred_thousand_terms_in_any_order_is_sorted) {
    enum { TERMS = 100 * 1000 };
    struct random random = random_start(14, 0);
    struct graph g;
    uint32_t *terms = calloc(TERMS, sizeof *terms);
    double *y = calloc(TERMS, sizeof *y);
    assert_int_equal(graph_create(&g, 10 * TERMS), HN_OK);
    assert_true(terms && y);
    for (uint32_t i = 0; i < TERMS; i++) {
        uint32_t j = (uint32_t)random_below(&random, i + 1); /* a shuffle from the inside out */
        terms[i] = terms[j];
        terms[j] = i;
    }
    random_leaves(&random, TERMS, y);
    for (size_t i = 0; i < TERMS; i++) {
        uint32_t leaf = graph_leaf(&g, SPACE_Y, terms[i]);
        terms[i] = graph_scale(&g, terms[i] + 1.0, graph_mul(&g, leaf, leaf));
    }
    uint32_t row = graph_sum(&g, terms, TERMS);
    struct node_matrix jacobian = jacobian_of(&g, &row, 1, SPACE_Y, TERMS);
    double *values = plain_values(&g, (struct plain_point){.leaf = {[SPACE_Y] = y}});
    assert_int_equal(jacobian.count, TERMS);
    for (uint32_t i = 0; i < TERMS; i++) /* d (i + 1) y_i^2 */
        check_close(values[jacobian.node[i]], 2 * (i + 1.0) * y[i], 1e-9L, "column", jacobian.column[i]);
    free(values);
    free(terms);
    free(y);
    node_matrix_release(&jacobian);
    graph_release(&g);
}

TEST(a_full_graph_is_an_error_in_words_and_leaves_no_matrix) {
    for (size_t limit = 4; limit < 14; limit++) {
        struct graph g;
        struct node_matrix jacobian;
        hn_error error = {.text = ""};
        assert_int_equal(graph_create(&g, limit), HN_OK);
        uint32_t y = graph_leaf(&g, SPACE_Y, 0), s = graph_apply(&g, OP_SIN, y, 0, 0);
        uint32_t root = graph_mul(&g, s, graph_apply(&g, OP_EXP, s, 0, 0));
        hn_status status = derivatives_jacobian(&jacobian, &g, &root, 1, SPACE_Y, 1, &error);
        if (status == HN_OK) {
            assert_true(limit > 6);
        } else {
            assert_error(status, HN_LIMIT, error, "nodes");
            assert_null(jacobian.first);
        }
        node_matrix_release(&jacobian);
        graph_release(&g);
    }
}
