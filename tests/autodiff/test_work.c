/* test_work.c - how many operators derivatives cost: one stage of the unicycle against a count by hand.
 *
 * A stage has the rows  p' - (p + dt v cos h),  q' - (q + dt v sin h),  h' - (h + dt w),  a p^2 + b q^2.  By hand:
 *   c        cos, sin, v cos, v sin, 3 dt*, 3 adds, 3 subs; 2 squares, 2 scales, 1 add                                18
 *   c and J  beside these  -dt cos, -dt sin, -dt (v cos), 2 a p, 2 b q; the row of p shares dt (v sin)                23
 *   bracket  6 weights v t - q s of 3; 2 scales; cos, sin; d/dv = dt (A sin - B cos), 4;
 *            d/dh = dt (cos (v A - D) + sin (v B + C)), 8                                                             34
 * Loads, constants and copies do not count, and a sum of n terms counts as n - 1 additions.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/node_matrices.h"

#include "hardnet/model.h"

enum { STATES = 3, CONTROLS = 2 };

struct stage {
    hn_expr state[STATES];
};

static hn_expr named_output(hn_model *m, const char *family, int stage, int index) {
    char name[40];
    snprintf(name, sizeof name, "%s[%d,%d]", family, stage, index);
    return hn_output(m, name);
}

static void constrain(hn_model *m, const char *group, int stage, int index, hn_expr body) {
    char name[40];
    snprintf(name, sizeof name, "%s[%d,%d]", group, stage, index);
    hn_constrain(m, name, 0, body, 0);
}

static struct stage add_stage(hn_model *m, int k, struct stage from) {
    struct stage to;
    const double dt = 0.2;
    for (int i = 0; i < STATES; i++)
        to.state[i] = named_output(m, "z", k, i);
    hn_expr speed = named_output(m, "u", k, 0), turn = named_output(m, "u", k, 1), heading = from.state[2];
    hn_expr move[STATES] = {hn_mul(speed, hn_cos(heading)), hn_mul(speed, hn_sin(heading)), turn};
    for (int i = 0; i < STATES; i++)
        constrain(m, "dynamics", k, i, hn_sub(to.state[i], hn_add(from.state[i], hn_scale(dt, move[i]))));
    hn_expr p = to.state[0], q = to.state[1];
    constrain(m, "obstacle", k, 0, hn_add(hn_scale(0.51020408, hn_mul(p, p)), hn_scale(0.90702948, hn_mul(q, q))));
    return to;
}

static struct problem unicycle(int stages) {
    hn_model *m;
    struct problem problem = {.rows = 0};
    hn_error error = {.text = ""};
    assert_int_equal(hn_model_create(&m, NULL, NULL), HN_OK);
    struct stage at = {{hn_input(m, "p"), hn_input(m, "q"), hn_input(m, "h")}};
    for (int k = 1; k <= stages; k++)
        at = add_stage(m, k, at);
    if (hn_model_finish(m, &error) != HN_OK || problem_create(&problem, m, &error) != HN_OK)
        fail_msg("%s", error.text);
    hn_model_destroy(m);
    return problem;
}

/* ---- counting ---- */

static void mark(const struct graph *g, const uint32_t *roots, size_t count, bool *needed) {
    for (size_t i = 0; i < count; i++)
        needed[roots[i]] = true;
    for (size_t node = g->count; node-- > 1;) {
        const uint32_t *arguments;
        size_t n = needed[node] ? graph_arguments(g, (uint32_t)node, &arguments) : 0;
        for (size_t i = 0; i < n; i++)
            needed[arguments[i]] = true;
    }
}

static size_t count_operators(const struct graph *g, const bool *needed) {
    size_t count = 0;
    for (size_t node = 1; node < g->count; node++) {
        enum op op = (enum op)g->nodes[node].op;
        if (needed[node] && op >= OP_SUM)
            count += op == OP_SUM ? g->nodes[node].b - 1 : 1;
    }
    return count;
}

struct work {
    size_t rows, both, bracket;
};

static struct work work_of(int stages) {
    struct problem problem = unicycle(stages);
    struct graph *g = &problem.graph;
    struct work work;
    struct node_matrix jacobian = jacobian_of(g, problem.body, problem.rows, SPACE_Y, problem.outputs);
    struct node_matrix bracket = product_of(g, &jacobian, (struct product_form){true, true}, SPACE_Y, problem.outputs);
    bool *needed = calloc(2 * g->count, sizeof *needed), *apart = needed + g->count;
    assert_non_null(needed);
    mark(g, problem.body, problem.rows, needed);
    work.rows = count_operators(g, needed);
    mark(g, jacobian.node, jacobian.count, needed);
    work.both = count_operators(g, needed);
    mark(g, bracket.node, bracket.count, apart);
    work.bracket = count_operators(g, apart);
    free(needed);
    node_matrix_release(&jacobian);
    node_matrix_release(&bracket);
    problem_release(&problem);
    return work;
}

TEST(a_stage_costs_no_more_than_by_hand) {
    struct work ten = work_of(10), eleven = work_of(11);
    assert_in_range(eleven.rows - ten.rows, 1, 18);
    assert_in_range(eleven.both - ten.both, 1, 23);
    assert_in_range(eleven.bracket - ten.bracket, 1, 34);
}

TEST(a_hundred_stages_cost_ten_times_as_much_as_ten) {
    struct work ten = work_of(10), eleven = work_of(11), many = work_of(100);
    assert_int_equal(many.rows, ten.rows + 90 * (eleven.rows - ten.rows));
    assert_int_equal(many.both, ten.both + 90 * (eleven.both - ten.both));
    assert_int_equal(many.bracket, ten.bracket + 90 * (eleven.bracket - ten.bracket));
}

TEST(terms_with_a_common_factor_are_scaled_once) {
    static const struct {
        enum op op, inner;
        double p, q;
    } cases[] = {{OP_ADD, OP_ADD, 3, 3}, {OP_ADD, OP_SUB, 3, -3}, {OP_SUB, OP_SUB, 3, 3}, {OP_SUB, OP_ADD, 3, -3}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct graph g;
        assert_int_equal(graph_create(&g, 100), HN_OK);
        g.loose = true; /* as it is for derivatives */
        uint32_t a = graph_leaf(&g, SPACE_Y, 0), b = graph_leaf(&g, SPACE_Y, 1);
        uint32_t apart =
            graph_apply(&g, cases[i].op, graph_scale(&g, cases[i].p, a), graph_scale(&g, cases[i].q, b), 0);
        uint32_t once = graph_scale(&g, cases[i].p, graph_apply(&g, cases[i].inner, a, b, 0));
        assert_int_equal(apart, once);
        graph_release(&g);
    }
}
