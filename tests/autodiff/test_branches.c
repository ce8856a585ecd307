/* test_branches.c - what stands in a branch that is not taken reaches neither value nor first nor second derivatives.
 *
 * One branch is good = y0 y2^2, whose derivatives are known; the other is bad: NaN or infinite at the point, first by itself,
 * then as an argument of every operator, shared, nested, through minima and maxima. In the branch that is taken the same bad
 * numbers must show.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/node_matrices.h"
#include "support/plain_graph.h"
#include "support/random_graph.h"

enum { OUTPUTS = 4 }; /* y0 and y2 make the good branch, y1 the bad one, y3 decides */

struct rig {
    struct problem problem; /* one row, no objective */
    uint32_t y[OUTPUTS], good, never, always, body;
};

static void rig_start(struct rig *rig) {
    *rig = (struct rig){.problem = {.outputs = OUTPUTS, .rows = 1}};
    struct graph *g = &rig->problem.graph;
    assert_int_equal(graph_create(g, 100000), HN_OK);
    for (uint32_t i = 0; i < OUTPUTS; i++)
        rig->y[i] = graph_leaf(g, SPACE_Y, i);
    rig->good = graph_mul(g, rig->y[0], graph_mul(g, rig->y[2], rig->y[2]));
    rig->never = graph_apply(g, OP_LESS, rig->y[3], graph_constant(g, 0), 0); /* y3 is positive */
    rig->always = graph_apply(g, OP_LESS, graph_constant(g, 0), rig->y[3], 0);
}

static uint32_t apply(struct rig *rig, enum op op, uint32_t a, uint32_t b, uint32_t c) {
    return graph_apply(&rig->problem.graph, op, a, b, c);
}

static uint32_t constant(struct rig *rig, double value) {
    return graph_constant(&rig->problem.graph, value);
}

/* ---- the verdict ---- */

/* d good and d^2 good; everything else is 0 */
static double good_first(const double *y, size_t i) {
    return i == 0 ? y[2] * y[2] : i == 2 ? 2 * y[0] * y[2] : 0;
}

static double good_second(const double *y, size_t i, size_t j) {
    if (i == 2 && j == 2)
        return 2 * y[0];
    return (i == 0 && j == 2) || (i == 2 && j == 0) ? 2 * y[2] : 0;
}

struct derivatives {
    struct node_matrix jacobian, hessian, product;
    double *values;
};

static const double v[] = {1}, t[] = {0.5, -2, 3, 0.7}, q[] = {2}, s[] = {1, 5, -0.3, 2}, lambda[] = {1};

static struct derivatives rig_derivatives(struct rig *rig, const double *y) {
    struct graph *g = &rig->problem.graph;
    struct derivatives d;
    rig->problem.body = &rig->body;
    d.jacobian = jacobian_of(g, &rig->body, 1, SPACE_Y, OUTPUTS);
    d.hessian = hessian_of(&rig->problem);
    d.product = product_of(g, &d.jacobian, (struct product_form){true, true}, SPACE_Y, OUTPUTS);
    struct plain_point point = {.leaf = {[SPACE_Y] = y, [SPACE_LAMBDA] = lambda}};
    point.leaf[SPACE_V] = v, point.leaf[SPACE_T] = t, point.leaf[SPACE_Q] = q, point.leaf[SPACE_S] = s;
    d.values = plain_values(g, point);
    assert_non_null(d.values);
    return d;
}

static void derivatives_end(struct derivatives *d) {
    node_matrix_release(&d->jacobian);
    node_matrix_release(&d->hessian);
    node_matrix_release(&d->product);
    free(d->values);
}

/* Value, gradient, Hessian and the product (v t - q s) are those of factor * good. */
static void expect_good(struct rig *rig, const double *y, double factor, const char *what) {
    struct derivatives d = rig_derivatives(rig, y);
    check_close(d.values[rig->body], factor * y[0] * y[2] * y[2], 1e-13L, what, 0);
    for (size_t i = 0; i < OUTPUTS; i++) {
        long double product = 0;
        check_close(matrix_value(&d.jacobian, 0, i, d.values), factor * good_first(y, i), 1e-13L, what, i);
        for (size_t j = 0; j < OUTPUTS; j++) {
            double expected = factor * good_second(y, i, j);
            product += (v[0] * t[j] - q[0] * s[j]) * expected;
            if (j <= i)
                check_close(matrix_value(&d.hessian, i, j, d.values), expected, 1e-13L, what, 10 * i + j);
        }
        check_close(matrix_value(&d.product, 0, i, d.values), product, 1e-12L, what, 100 + i);
    }
    derivatives_end(&d);
}

/* ---- bad expressions ---- */

/* Number `which` of the sources of bad numbers, and the y1 at which it is bad; 0 when there are no more. */
static uint32_t bad_source(struct rig *rig, size_t which, double *y1) {
    static const struct {
        enum op op;
        double at;
    } functions[] = {{OP_LOG, -1},  {OP_LOG, 0},   {OP_LOG10, -2},    {OP_SQRT, -1},  {OP_SQRT, 0},
                     {OP_ASIN, 3},  {OP_ASIN, 1},  {OP_ACOS, -3},     {OP_ACOSH, 0},  {OP_ACOSH, 1},
                     {OP_ATANH, 2}, {OP_ATANH, 1}, {OP_EXP, 1e3},     {OP_COSH, 1e3}, {OP_SIN, INFINITY},
                     {OP_TAN, NAN}, {OP_NEG, NAN}, {OP_NEG, INFINITY}};
    size_t count = COUNT_OF(functions);
    uint32_t y = rig->y[1];
    *y1 = which < count ? functions[which].at : 0;
    if (which < count)
        return apply(rig, functions[which].op, y, 0, 0);
    switch (which - count) {
    case 0:
        return apply(rig, OP_DIV, constant(rig, 1), y, 0);
    case 1:
        return apply(rig, OP_DIV, y, apply(rig, OP_SIN, y, 0, 0), 0); /* 0 / 0 */
    case 2:
        return apply(rig, OP_POW, y, constant(rig, -1.5), 0);
    case 3:
        return apply(rig, OP_ATAN2, y, apply(rig, OP_SIN, y, 0, 0), 0); /* defined, its derivative is 0 / 0 */
    case 4:
        *y1 = -1;
        return apply(rig, OP_POW, y, constant(rig, 2.5), 0);
    case 5:
        *y1 = -1;
        return apply(rig, OP_POW, y, rig->y[0], 0);
    default:
        return 0;
    }
}

enum { SOURCES = 24 };

/* Sums everything up: bad, bad as first and as second argument of the operator. */
static uint32_t through(struct rig *rig, enum op op, uint32_t bad) {
    uint32_t other = rig->y[2];
    uint32_t terms[] = {bad, bad, other};
    if (op == OP_SUM)
        return graph_sum(&rig->problem.graph, terms, 3);
    if (operator_arguments(op) == 1)
        return apply(rig, op, bad, 0, 0);
    terms[1] = apply(rig, op, bad, other, other);
    terms[2] = apply(rig, op, other, bad, other);
    if (op == OP_IF)
        terms[2] = apply(rig, op, rig->y[0], other, bad);
    return graph_sum(&rig->problem.graph, terms, 3);
}

/* ---- tests ---- */

TEST(a_bad_number_in_the_branch_not_taken_stays_there) {
    for (size_t i = 0; i < SOURCES; i++)
        for (int taken_first = 0; taken_first < 2; taken_first++) {
            struct rig rig;
            double y[OUTPUTS] = {1.3, 0, -0.7, 2};
            rig_start(&rig);
            uint32_t bad = bad_source(&rig, i, &y[1]);
            assert_int_not_equal(bad, 0);
            rig.body = taken_first != 0 ? apply(&rig, OP_IF, rig.always, rig.good, bad)
                                        : apply(&rig, OP_IF, rig.never, bad, rig.good);
            expect_good(&rig, y, 1, operator_text((enum op)rig.problem.graph.nodes[bad].op));
            graph_release(&rig.problem.graph);
        }
}

TEST(a_bad_number_stays_there_through_every_operator) {
    for (enum op op = OP_SUM; op < OP_COUNT; op++)
        for (size_t i = 0; i < SOURCES; i++) {
            struct rig rig;
            double y[OUTPUTS] = {1.3, 0, -0.7, 2};
            rig_start(&rig);
            uint32_t bad = through(&rig, op, bad_source(&rig, i, &y[1]));
            rig.body = apply(&rig, OP_IF, rig.never, bad, rig.good);
            expect_good(&rig, y, 1, operator_text(op));
            graph_release(&rig.problem.graph);
        }
}

TEST(a_bad_number_stays_there_through_every_pair_of_operators) {
    for (enum op outer = OP_SUM; outer < OP_COUNT; outer++)
        for (enum op inner = OP_SUM; inner < OP_COUNT; inner++) {
            struct rig rig;
            double y[OUTPUTS] = {1.3, 0, -0.7, 2};
            rig_start(&rig);
            uint32_t bad = bad_source(&rig, (outer + inner) % SOURCES, &y[1]);
            bad = through(&rig, outer, through(&rig, inner, bad));
            rig.body = apply(&rig, OP_IF, rig.never, bad, rig.good);
            expect_good(&rig, y, 1, operator_text(outer));
            graph_release(&rig.problem.graph);
        }
}

TEST(a_bad_number_stays_in_nested_branches) {
    for (size_t i = 0; i < SOURCES; i++) {
        struct rig rig;
        double y[OUTPUTS] = {1.3, 0, -0.7, 2};
        rig_start(&rig);
        uint32_t bad = bad_source(&rig, i, &y[1]), condition = apply(&rig, OP_LESS, bad, rig.y[0], 0);
        uint32_t both = apply(&rig, OP_IF, condition, bad, apply(&rig, OP_MUL, bad, rig.y[2], 0));
        uint32_t inner = apply(&rig, OP_IF, rig.always, rig.good, both); /* the outer branch is taken, the inner not */
        rig.body = apply(&rig, OP_IF, rig.never, both, inner);
        expect_good(&rig, y, 1, "nested");
        graph_release(&rig.problem.graph);
    }
}

/* The argument of log is shared with the branch that is taken, and log itself is used often below and beside the choice. */
TEST(what_branches_share_counts_for_the_branch_taken_alone) {
    struct rig rig;
    const double y[OUTPUTS] = {-1.3, 0, -0.7, 2}; /* y0 y2^2 < 0 */
    rig_start(&rig);
    uint32_t log = apply(&rig, OP_LOG, rig.good, 0, 0), root = apply(&rig, OP_SQRT, rig.good, 0, 0);
    uint32_t bad = apply(&rig, OP_ADD, apply(&rig, OP_MUL, log, root, 0), apply(&rig, OP_DIV, root, log, 0), 0);
    rig.body = apply(&rig, OP_ADD, apply(&rig, OP_IF, rig.never, bad, rig.good),
                     apply(&rig, OP_IF, rig.always, rig.good, apply(&rig, OP_MUL, bad, bad, 0)), 0);
    expect_good(&rig, y, 2, "shared");
    graph_release(&rig.problem.graph);
}

TEST(hubs_keep_bad_numbers_to_themselves) {
    struct rig rig;
    const double y[OUTPUTS] = {1.3, -1, -0.7, 2};
    rig_start(&rig);
    uint32_t log = apply(&rig, OP_LOG, rig.y[1], 0, 0), terms[3]; /* used by every row: a hub */
    uint32_t power = apply(&rig, OP_POW, log, rig.y[2], 0);
    for (size_t i = 0; i < COUNT_OF(terms); i++) {
        uint32_t bad = apply(&rig, OP_MUL, power, apply(&rig, OP_DIV, log, rig.y[i % 2 * 2], 0), 0);
        terms[i] = apply(&rig, OP_IF, rig.never, apply(&rig, OP_ADD, bad, constant(&rig, (double)i), 0), rig.good);
    }
    rig.body = graph_sum(&rig.problem.graph, terms, COUNT_OF(terms));
    expect_good(&rig, y, 3, "hub");
    graph_release(&rig.problem.graph);
}

TEST(an_infinite_argument_that_min_or_max_passes_over_stays_there) {
    for (int i = 0; i < 8; i++) {
        struct rig rig;
        const double y[OUTPUTS] = {1.3, 0, -0.7, 2};
        rig_start(&rig);
        uint32_t low = apply(&rig, OP_LOG, rig.y[1], 0, 0), high = apply(&rig, OP_NEG, low, 0, 0);
        if (i / 4 == 1) /* -inf and inf by other ways */
            high = apply(&rig, OP_POW, rig.y[1], constant(&rig, -2.5), 0), low = apply(&rig, OP_NEG, high, 0, 0);
        enum op op = i % 2 == 0 ? OP_MAX : OP_MIN;
        uint32_t bad = op == OP_MAX ? low : high;
        rig.body = i / 2 % 2 == 0 ? apply(&rig, op, bad, rig.good, 0) : apply(&rig, op, rig.good, bad, 0);
        expect_good(&rig, y, 1, operator_text(op));
        graph_release(&rig.problem.graph);
    }
}

TEST(a_bad_number_in_the_branch_taken_shows) {
    for (size_t i = 0; i < SOURCES; i++) {
        struct rig rig;
        double y[OUTPUTS] = {1.3, 0, -0.7, 2};
        rig_start(&rig);
        uint32_t bad = bad_source(&rig, i, &y[1]);
        if (!graph_depends(&rig.problem.graph, bad, SPACE_Y) || rig.problem.graph.nodes[bad].op == OP_NEG)
            bad = apply(&rig, OP_MUL, bad, bad, 0);
        rig.body = apply(&rig, OP_IF, rig.always, bad, rig.good);
        struct derivatives d = rig_derivatives(&rig, y);
        double first = matrix_value(&d.jacobian, 0, 1, d.values), second = matrix_value(&d.hessian, 1, 1, d.values);
        if (isfinite(d.values[rig.body]) && isfinite(first) && isfinite(second))
            fail_msg("source %zu: %g, %g and %g hide what is bad", i, d.values[rig.body], first, second);
        derivatives_end(&d);
        graph_release(&rig.problem.graph);
    }
}

TEST(a_nan_in_either_argument_of_min_or_max_shows_in_the_value) {
    for (int i = 0; i < 4; i++) {
        struct rig rig;
        const double y[OUTPUTS] = {1.3, -1, -0.7, 2};
        rig_start(&rig);
        uint32_t bad = apply(&rig, OP_LOG, rig.y[1], 0, 0);
        enum op op = i % 2 == 0 ? OP_MAX : OP_MIN;
        rig.body = i / 2 == 0 ? apply(&rig, op, bad, rig.good, 0) : apply(&rig, op, rig.good, bad, 0);
        struct derivatives d = rig_derivatives(&rig, y);
        assert_true(isnan(d.values[rig.body]));
        derivatives_end(&d);
        graph_release(&rig.problem.graph);
    }
}

/* ---- random branches ---- */

enum { POISON = OUTPUTS, LEAVES = OUTPUTS + 1, CHOICES = 3, GRAPHS = 200 };

/* A node of the graph that rests on the poisoned leaf, or one that does not. */
static uint32_t pick(const struct random_graph *graph, const bool *poisoned, bool wanted, struct random *random) {
    uint32_t node;
    do
        node = graph->terms[random_below(random, graph->count)].node;
    while (poisoned[node] != wanted);
    return node;
}

static bool *find_poison(const struct graph *g) {
    bool *poisoned = calloc(g->count, sizeof *poisoned);
    assert_non_null(poisoned);
    for (uint32_t node = 1; node < g->count; node++) {
        const uint32_t *arguments;
        size_t count = graph_arguments(g, node, &arguments);
        poisoned[node] = g->nodes[node].op == OP_LEAF && g->nodes[node].b == POISON;
        for (size_t i = 0; i < count; i++)
            poisoned[node] |= poisoned[arguments[i]];
    }
    return poisoned;
}

/* A product of sums of choices by a leaf of the space, none of which takes what is poisoned; in the twin a number stands there
 * instead. */
static void make_twins(struct random_graph *graph, struct random *random, enum space space, uint32_t *body,
                       uint32_t *twin) {
    struct graph *g = &graph->graph;
    bool *poisoned = find_poison(g);
    uint32_t leaf = graph_leaf(g, space, 0), number = graph_constant(g, 7); /* leaf 0 lies within +-2 */
    uint32_t never = graph_apply(g, OP_LESS, graph_constant(g, 5), leaf, 0);
    uint32_t always = graph_apply(g, OP_LESS, leaf, graph_constant(g, 5), 0);
    *body = *twin = pick(graph, poisoned, false, random);
    for (int i = 0; i < CHOICES; i++) {
        uint32_t bad = pick(graph, poisoned, true, random), good = pick(graph, poisoned, false, random);
        uint32_t factor = pick(graph, poisoned, false, random);
        uint32_t one = i % 2 == 0 ? graph_apply(g, OP_IF, never, graph_mul(g, bad, *body), good)
                                  : graph_apply(g, OP_IF, always, good, graph_div(g, *body, bad));
        uint32_t two = graph_apply(g, OP_IF, never, number, good);
        *body = graph_mul(g, graph_add(g, *body, one), factor);
        *twin = graph_mul(g, graph_add(g, *twin, two), factor);
    }
    free(poisoned);
}

static void compare_twins(struct graph *g, uint32_t body, uint32_t twin, const double *y) {
    static const double ones[LEAVES] = {1, 1, 1, 1, 1};
    const struct product_form form = {true, false};
    struct node_matrix jacobian[2], product[2];
    jacobian[0] = jacobian_of(g, &body, 1, SPACE_Y, LEAVES);
    jacobian[1] = jacobian_of(g, &twin, 1, SPACE_Y, LEAVES);
    for (int i = 0; i < 2; i++)
        product[i] = product_of(g, &jacobian[i], form, SPACE_Y, LEAVES);
    struct node_matrix hessian = jacobian_of(g, jacobian[0].node, jacobian[0].count, SPACE_Y, LEAVES);
    struct plain_point point = {.leaf = {[SPACE_X] = ones, [SPACE_Y] = y, [SPACE_V] = ones, [SPACE_T] = ones}};
    long double *values = plain_long(g, point, NULL, 0);
    assert_non_null(values);
    check_close(values[body], values[twin], 1e-12L * (1 + fabsl(values[twin])), "value", 0);
    for (size_t j = 0; j < LEAVES; j++) {
        long double first = matrix_long(&jacobian[1], 0, j, values), second = matrix_long(&product[1], 0, j, values);
        check_close(matrix_long(&jacobian[0], 0, j, values), first, 1e-12L * (1 + fabsl(first)), "first", j);
        check_close(matrix_long(&product[0], 0, j, values), second, 1e-12L * (1 + fabsl(second)), "second", j);
        long double sum = 0; /* the column of the Hessian times ones */
        for (size_t i = 0; i < hessian.rows; i++)
            sum += matrix_long(&hessian, i, j, values);
        check_close(sum, second, 1e-11L * (1 + fabsl(second)), "Hessian", j);
    }
    free(values);
    node_matrix_release(&hessian);
    for (int i = 0; i < 2; i++) {
        node_matrix_release(&jacobian[i]);
        node_matrix_release(&product[i]);
    }
}

TEST(random_branches_that_are_not_taken_change_nothing) {
    static const double poisons[] = {NAN, INFINITY, -INFINITY, 0};
    for (uint64_t i = 0; i < GRAPHS; i++) {
        struct random random = random_start(31, i);
        struct random_graph graph;
        struct random_graph_options options = {.operators = 30, .kinks = i % 2 == 1};
        double y[LEAVES];
        uint32_t body, twin;
        options.leaves[SPACE_Y] = LEAVES;
        assert_int_equal(random_graph_create(&graph, options, &random), HN_OK);
        random_leaves(&random, LEAVES, y);
        y[POISON] = poisons[i % COUNT_OF(poisons)];
        make_twins(&graph, &random, i / 8 % 2 == 0 ? SPACE_Y : SPACE_X, &body, &twin);
        compare_twins(&graph.graph, body, twin, y);
        random_graph_release(&graph);
    }
}
