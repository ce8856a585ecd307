/* test_graph.c - the expression graph: equal nodes are one node, numbers ascend, dependence is known, limits hold.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "model/graph.h"

static struct graph graph_new(size_t max_nodes) {
    struct graph graph;
    assert_int_equal(graph_create(&graph, max_nodes), HN_OK);
    return graph;
}

TEST(equal_nodes_are_one_node) {
    struct graph g = graph_new(1000);
    uint32_t x = graph_leaf(&g, SPACE_X, 0), y = graph_leaf(&g, SPACE_Y, 0), third = graph_leaf(&g, SPACE_Y, 1);
    uint32_t product = graph_mul(&g, x, y), sum = graph_sum(&g, (const uint32_t[]){x, y, product, third}, 4);
    uint32_t sine = graph_apply(&g, OP_SIN, sum, 0, 0), seven = graph_constant(&g, 7);
    uint32_t reference = graph_reference(&g, 3), choice = graph_apply(&g, OP_IF, x, y, product);
    size_t count = g.count, arguments = g.argument_count;
    assert_int_equal(graph_leaf(&g, SPACE_X, 0), x);
    assert_int_equal(graph_mul(&g, y, x), product);
    assert_int_equal(graph_sum(&g, (const uint32_t[]){x, y, product, third}, 4), sum);
    assert_int_equal(graph_apply(&g, OP_SIN, sum, 0, 0), sine);
    assert_int_equal(graph_constant(&g, 7), seven);
    assert_int_equal(graph_reference(&g, 3), reference);
    assert_int_equal(graph_apply(&g, OP_IF, x, y, product), choice);
    assert_int_equal(g.count, count);
    assert_int_equal(g.argument_count, arguments);
    graph_release(&g);
}

TEST(different_nodes_are_different) {
    struct graph g = graph_new(1000);
    uint32_t x = graph_leaf(&g, SPACE_X, 0), y = graph_leaf(&g, SPACE_Y, 0), z = graph_leaf(&g, SPACE_Y, 1);
    const uint32_t nodes[] = {x,
                              y,
                              z,
                              graph_constant(&g, 1),
                              graph_constant(&g, 0),
                              graph_constant(&g, -0.0),
                              graph_constant(&g, 1 + 0x1p-52),
                              graph_constant(&g, NAN),
                              graph_reference(&g, 0),
                              graph_reference(&g, 1),
                              graph_sub(&g, x, y),
                              graph_sub(&g, y, x),
                              graph_div(&g, x, y),
                              graph_apply(&g, OP_POW, x, y, 0),
                              graph_apply(&g, OP_POW, y, x, 0),
                              graph_apply(&g, OP_MIN, x, y, 0),
                              graph_apply(&g, OP_LESS, x, y, 0),
                              graph_apply(&g, OP_LESS, y, x, 0),
                              graph_apply(&g, OP_IF, x, y, z),
                              graph_apply(&g, OP_IF, x, z, y),
                              graph_sum(&g, (const uint32_t[]){x, y, z}, 3),
                              graph_sum(&g, (const uint32_t[]){x, y, y}, 3),
                              graph_sum(&g, (const uint32_t[]){x, y, z, z}, 4)};
    for (size_t i = 0; i < COUNT_OF(nodes); i++)
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(nodes[i], nodes[j]);
    graph_release(&g);
}

TEST(sharing_holds_however_many_nodes_there_are) {
    enum { LEAVES = 3000 };
    static uint32_t sines[LEAVES], sums[LEAVES];
    struct graph g = graph_new(100000);
    size_t count = 0;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < LEAVES; i++) {
            uint32_t leaf = graph_leaf(&g, SPACE_X, i), sine = graph_apply(&g, OP_SIN, leaf, 0, 0);
            uint32_t sum = graph_sum(&g, (const uint32_t[]){leaf, sine, graph_constant(&g, i), 1}, 4);
            if (round == 1) {
                assert_int_equal(sines[i], sine);
                assert_int_equal(sums[i], sum);
            }
            sines[i] = sine, sums[i] = sum;
        }
        if (round == 0)
            count = g.count;
    }
    assert_int_equal(g.count, count);
    assert_true(count > 4 * LEAVES);
    graph_release(&g);
}

TEST(arguments_have_smaller_numbers_than_their_node) {
    struct graph g = graph_new(10000);
    uint32_t node = graph_leaf(&g, SPACE_Y, 0);
    for (uint32_t i = 0; i < 500; i++) {
        uint32_t x = graph_leaf(&g, SPACE_X, i), list[] = {x, node, graph_apply(&g, OP_EXP, x, 0, 0)};
        node = i % 3 ? graph_sum(&g, list, 3) : graph_apply(&g, OP_IF, x, node, graph_neg(&g, node));
    }
    for (uint32_t i = 1; i < g.count; i++) {
        const uint32_t *arguments;
        size_t count = graph_arguments(&g, i, &arguments);
        for (size_t j = 0; j < count; j++)
            assert_true(arguments[j] > 0 && arguments[j] < i);
    }
    graph_release(&g);
}

TEST(a_node_lists_its_arguments) {
    struct graph g = graph_new(100);
    const uint32_t *list;
    uint32_t x = graph_leaf(&g, SPACE_X, 0), y = graph_leaf(&g, SPACE_Y, 0), difference = graph_sub(&g, x, y);
    assert_int_equal(graph_arguments(&g, x, &list), 0);
    assert_int_equal(graph_arguments(&g, graph_constant(&g, 3), &list), 0);
    assert_int_equal(graph_arguments(&g, difference, &list), 2);
    assert_true(list[0] == x && list[1] == y);
    uint32_t terms[] = {x, graph_constant(&g, 2), y, difference}, sum = graph_sum(&g, terms, 4);
    assert_int_equal(graph_arguments(&g, sum, &list), 4); /* all of them, in their order */
    assert_memory_equal(list, terms, sizeof terms);
    graph_release(&g);
}

TEST(a_node_knows_every_space_it_depends_on) {
    struct graph g = graph_new(1000);
    uint32_t all = graph_constant(&g, 2);
    for (int space = 0; space < SPACE_COUNT; space++) {
        uint32_t leaf = graph_leaf(&g, (enum space)space, 5), sine = graph_apply(&g, OP_SIN, leaf, 0, 0);
        all = graph_add(&g, graph_mul(&g, all, sine), leaf);
        for (int other = 0; other < SPACE_COUNT; other++) {
            assert_int_equal(graph_depends(&g, sine, (enum space)other), other == space);
            assert_int_equal(graph_depends(&g, all, (enum space)other), other <= space);
        }
    }
    uint32_t reference = graph_reference(&g, 0); /* may turn out to be anything that a model has */
    assert_true(graph_depends(&g, reference, SPACE_X) && graph_depends(&g, reference, SPACE_Y));
    assert_false(graph_depends(&g, reference, SPACE_LAMBDA));
    graph_release(&g);
}

TEST(constants_are_told_by_value) {
    struct graph g = graph_new(100);
    double value = 9;
    uint32_t zero = graph_constant(&g, -0.0), nan = graph_constant(&g, NAN), x = graph_leaf(&g, SPACE_X, 0);
    assert_true(graph_is_constant(&g, zero, &value) && same_bits(value, -0.0));
    assert_true(graph_is_number(&g, zero, 0));
    assert_false(graph_is_number(&g, zero, 1));
    assert_false(graph_is_number(&g, nan, NAN));
    assert_false(graph_is_number(&g, x, 0));
    assert_false(graph_is_constant(&g, 0, NULL)); /* no node */
    graph_release(&g);
}

TEST(a_guard_is_a_plain_product_when_nothing_can_go_wrong) {
    struct graph g = graph_new(100);
    uint32_t x = graph_leaf(&g, SPACE_X, 0), y = graph_leaf(&g, SPACE_Y, 0), three = graph_constant(&g, 3);
    uint32_t infinite = graph_constant(&g, INFINITY);
    assert_int_equal(graph_apply(&g, OP_GUARD, three, x, 0), graph_scale(&g, 3, x));
    assert_int_equal(graph_apply(&g, OP_GUARD, x, three, 0), graph_scale(&g, 3, x));
    assert_int_equal(graph_apply(&g, OP_GUARD, graph_constant(&g, 0), x, 0), graph_constant(&g, 0));
    assert_int_equal(g.nodes[graph_apply(&g, OP_GUARD, x, y, 0)].op, OP_GUARD);
    assert_int_equal(g.nodes[graph_apply(&g, OP_GUARD, x, infinite, 0)].op, OP_GUARD);
    graph_release(&g);
}

TEST(the_limit_holds_and_sticks) {
    for (size_t limit = 1; limit < 100; limit += 7) {
        struct graph g = graph_new(limit);
        uint32_t last = 0;
        for (uint32_t i = 0; i < limit; i++) {
            last = graph_leaf(&g, SPACE_X, i);
            assert_int_not_equal(last, 0);
        }
        assert_int_equal(graph_leaf(&g, SPACE_X, 0), 1); /* what is there can still be asked for */
        assert_int_equal(g.status, HN_OK);
        assert_int_equal(graph_leaf(&g, SPACE_X, (uint32_t)limit), 0);
        assert_int_equal(g.status, HN_LIMIT);
        assert_int_equal(g.count, limit + 1);
        assert_int_equal(graph_leaf(&g, SPACE_X, 0), 0); /* and not any more */
        assert_int_equal(graph_apply(&g, OP_SIN, last, 0, 0), 0);
        assert_int_equal(graph_sum(&g, (const uint32_t[]){1, 1, last}, 3), 0);
        assert_int_equal(graph_intern_sum(&g, last, &last, 1), 0);
        assert_int_equal(g.status, HN_LIMIT);
        graph_release(&g);
    }
}

TEST(a_limit_beyond_what_numbers_can_count_is_lowered) {
    struct graph g = graph_new(SIZE_MAX);
    assert_true(g.max_nodes < UINT32_MAX);
    graph_release(&g);
    assert_null(g.nodes);
    graph_release(&g);
}
