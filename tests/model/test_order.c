/* test_order.c - walks through a model: an order of evaluation, and a copy into another graph without detours.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"

#include "base/memory.h"
#include "model/parts.h"

struct sample {
    hn_model *m;
    hn_expr x, y, z, forward, body;
};

/* body = forward * y + z with z fixed at x + 1, forward = exp(x) defined later */
static struct sample sample_new(void) {
    struct sample s = {.m = model_new()};
    s.x = hn_input(s.m, "x"), s.y = hn_output(s.m, "y"), s.z = hn_output(s.m, "z");
    s.forward = hn_defined(s.m, "forward");
    s.body = hn_add(hn_mul(s.forward, s.y), s.z);
    hn_define(s.m, "forward", hn_exp(s.x));
    hn_output_fix(s.z, hn_shift(s.x, 1));
    return s;
}

TEST(everything_comes_after_what_it_needs_and_once) {
    struct sample s = sample_new();
    model_finish_good(s.m);
    uint32_t roots[] = {s.body.node, s.forward.node, 0, s.body.node}, *order;
    size_t count, place[64] = {0};
    assert_int_equal(model_order(s.m, roots, 4, &order, &count, NULL), HN_OK);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *arguments;
        size_t argument_count = graph_arguments(&s.m->graph, order[i], &arguments);
        for (size_t j = 0; j < argument_count; j++)
            assert_true(place[arguments[j]] != 0);
        assert_true(place[order[i]] == 0);
        place[order[i]] = i + 1;
    }
    hn_expr definition = hn_model_definition(s.m, 0).value, fixed = hn_model_output(s.m, 1).fixed;
    assert_true(place[definition.node] != 0 && place[definition.node] < place[s.forward.node]);
    assert_true(place[fixed.node] != 0 && place[fixed.node] < place[s.z.node]);
    base_release(order);
    hn_model_destroy(s.m);
}

TEST(an_order_of_nothing_is_empty) {
    struct sample s = sample_new();
    uint32_t *order;
    size_t count = 7;
    assert_int_equal(model_order(s.m, NULL, 0, &order, &count, NULL), HN_OK);
    assert_int_equal(count, 0);
    base_release(order);
    hn_model_destroy(s.m);
}

TEST(an_order_that_is_none_gives_none) {
    struct sample s = sample_new();
    hn_expr ghost = hn_defined(s.m, "ghost");
    uint32_t root = ghost.node, *order = &root;
    size_t count;
    hn_error error;
    assert_int_equal(model_order(s.m, &root, 1, &order, &count, &error), HN_INVALID);
    assert_null(order);
    assert_string_equal(error.text, "definition ghost: used but never defined");
    hn_model_destroy(s.m);
}

TEST(a_copy_has_neither_references_nor_fixed_outputs) {
    struct sample s = sample_new();
    hn_expr terms[] = {s.x, s.y, s.forward, hn_sin(s.y), hn_constant(s.m, 3)}, sum = hn_sum(s.m, 5, terms);
    model_finish_good(s.m);
    struct graph to;
    uint32_t roots[] = {s.body.node, sum.node, 0, s.z.node};
    assert_int_equal(graph_create(&to, 1000), HN_OK);
    assert_int_equal(model_import(s.m, &to, roots, 4, NULL), HN_OK);
    uint32_t x = graph_leaf(&to, SPACE_X, 0), y = graph_leaf(&to, SPACE_Y, 0),
             z = graph_add(&to, graph_constant(&to, 1), x);
    uint32_t forward = graph_apply(&to, OP_EXP, x, 0, 0), sine = graph_apply(&to, OP_SIN, y, 0, 0);
    size_t count = to.count;
    assert_int_equal(roots[0], graph_add(&to, graph_mul(&to, forward, y), z));
    assert_int_equal(roots[1], graph_sum(&to, (const uint32_t[]){x, y, forward, sine, graph_constant(&to, 3)}, 5));
    assert_int_equal(roots[2], 0);
    assert_int_equal(roots[3], z);
    assert_int_equal(to.count, count); /* all of it was there already */
    for (uint32_t i = 1; i < to.count; i++)
        assert_true(to.nodes[i].op != OP_REFERENCE);
    graph_release(&to);
    hn_model_destroy(s.m);
}

TEST(a_copy_that_outgrows_its_limit_is_refused) {
    struct sample s = sample_new();
    model_finish_good(s.m);
    for (size_t limit = 1; limit < 6; limit++) {
        struct graph to;
        uint32_t root = s.body.node;
        hn_error error;
        char text[80];
        assert_int_equal(graph_create(&to, limit), HN_OK);
        assert_int_equal(model_import(s.m, &to, &root, 1, &error), HN_LIMIT);
        snprintf(text, sizeof text, "model: more than %zu nodes in the graph; raise max_nodes", limit);
        assert_string_equal(error.text, text);
        graph_release(&to);
    }
    hn_model_destroy(s.m);
}

TEST(a_copy_of_what_has_no_order_is_refused) {
    struct sample s = sample_new();
    uint32_t root = hn_defined(s.m, "ghost").node;
    struct graph to;
    assert_int_equal(graph_create(&to, 100), HN_OK);
    assert_int_equal(model_import(s.m, &to, &root, 1, NULL), HN_INVALID);
    graph_release(&to);
    hn_model_destroy(s.m);
}
