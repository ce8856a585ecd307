/* test_random_graphs.c - whatever the algebra does to a graph, its values stay: thousands of random graphs.
 *
 * The graphs compute with integers and halves small enough that every operation is exact in double, in any order. So the
 * values of the simplified graph must equal those of the formula as it was written, computed beside it without a graph.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"

#include "base/random.h"
#include "model/operators.h"

enum { GRAPHS = 2000, TERMS = 40, LEAVES = 6, INPUTS = 2, POINTS = 4 };

/* Values that stay exact however they are added and multiplied: multiples of 1/4096 below 2^36. */
static const double LARGEST = 0x1p36, GRAIN = 0x1p-12;

struct term {
    hn_expr expr;
    double values[POINTS];
};

struct world {
    hn_model *model;
    struct random random;
    struct term terms[TERMS];
    size_t count;
};

static bool is_exact(const struct term *term) {
    for (int i = 0; i < POINTS; i++)
        if (!(fabs(term->values[i]) < LARGEST) || fmod(term->values[i], GRAIN) != 0)
            return false;
    return true;
}

static const struct term *any(struct world *w) {
    return &w->terms[random_below(&w->random, w->count)];
}

static double small_constant(struct random *random) {
    static const double constants[] = {0, 0, 1, 1, -1, -1, 2, 3, -2, 0.5, 4};
    return constants[random_below(random, COUNT_OF(constants))];
}

static struct term constant(struct world *w, double value) {
    struct term term = {.expr = hn_constant(w->model, value)};
    for (int i = 0; i < POINTS; i++)
        term.values[i] = value;
    return term;
}

/* The operators whose results are exact, each with the public function that makes it. */
static const struct {
    enum op op;
    hn_expr (*one)(hn_expr);
    hn_expr (*two)(hn_expr, hn_expr);
} exact[] = {
    {OP_NEG, hn_neg, NULL},
    {OP_ABS, hn_abs, NULL},
    {OP_NOT, hn_not, NULL},
    {OP_ADD, NULL, hn_add},
    {OP_SUB, NULL, hn_sub},
    {OP_MUL, NULL, hn_mul},
    {OP_ADD, NULL, hn_add},
    {OP_SUB, NULL, hn_sub},
    {OP_MUL, NULL, hn_mul},
    {OP_MIN, NULL, hn_min},
    {OP_MAX, NULL, hn_max},
    {OP_LESS, NULL, hn_less},
    {OP_AND, NULL, hn_and},
    {OP_OR, NULL, hn_or},
    {OP_LESS_EQUAL, NULL, hn_less_equal},
    {OP_EQUAL, NULL, hn_equal},
    {OP_NOT_EQUAL, NULL, hn_not_equal},
};

static struct term apply_exact(struct world *w) {
    size_t i = random_below(&w->random, COUNT_OF(exact));
    struct term a = *any(w), b = *any(w), result;
    result.expr = exact[i].one ? exact[i].one(a.expr) : exact[i].two(a.expr, b.expr);
    for (int j = 0; j < POINTS; j++)
        result.values[j] = operator_apply(exact[i].op, a.values[j], b.values[j], 0);
    return result;
}

static struct term apply_choice(struct world *w) {
    struct term a = *any(w), b = *any(w), c = *any(w), result = {.expr = hn_if(a.expr, b.expr, c.expr)};
    for (int j = 0; j < POINTS; j++)
        result.values[j] = a.values[j] != 0 ? b.values[j] : c.values[j];
    return result;
}

static struct term apply_power(struct world *w) {
    struct term a = *any(w), exponent = constant(w, (double)random_below(&w->random, 5));
    struct term result = {.expr = hn_pow(a.expr, exponent.expr)};
    for (int j = 0; j < POINTS; j++)
        result.values[j] = pow(a.values[j], exponent.values[j]);
    return result;
}

static struct term apply_quotient(struct world *w) {
    static const double divisors[] = {1, -1, 2, -2, 4, -0.5};
    struct term a = *any(w), b = constant(w, divisors[random_below(&w->random, COUNT_OF(divisors))]);
    struct term result = {.expr = hn_div(a.expr, b.expr)};
    for (int j = 0; j < POINTS; j++)
        result.values[j] = a.values[j] / b.values[j];
    return result;
}

static struct term apply_sum(struct world *w) {
    hn_expr exprs[TERMS];
    struct term result;
    size_t count = random_below(&w->random, 8);
    memset(result.values, 0, sizeof result.values);
    for (size_t i = 0; i < count; i++) {
        const struct term *a = any(w);
        exprs[i] = a->expr;
        for (int j = 0; j < POINTS; j++)
            result.values[j] += a->values[j];
    }
    result.expr = hn_sum(w->model, count, exprs);
    return result;
}

static struct term draw_term(struct world *w) {
    switch (random_below(&w->random, 10)) {
    case 0:
        return constant(w, small_constant(&w->random));
    case 1:
        return apply_choice(w);
    case 2:
        return apply_power(w);
    case 3:
        return apply_quotient(w);
    case 4:
        return apply_sum(w);
    default:
        return apply_exact(w);
    }
}

static void add_leaves(struct world *w) {
    for (; w->count < LEAVES; w->count++) {
        struct term *leaf = &w->terms[w->count];
        const char name[] = {(char)('a' + w->count), 0};
        leaf->expr = w->count < INPUTS ? hn_input(w->model, name) : hn_output(w->model, name);
        for (int i = 0; i < POINTS; i++)
            leaf->values[i] = (double)random_below(&w->random, 13) - 6;
    }
}

static void check_values(const struct world *w) {
    hn_expr exprs[TERMS];
    double at[LEAVES], values[TERMS];
    for (size_t i = 0; i < w->count; i++)
        exprs[i] = w->terms[i].expr;
    for (int point = 0; point < POINTS; point++) {
        for (size_t i = 0; i < LEAVES; i++)
            at[i] = w->terms[i].values[point];
        assert_int_equal(hn_model_evaluate(w->model, w->count, exprs, at, at + INPUTS, values, NULL), HN_OK);
        for (size_t i = 0; i < w->count; i++)
            if (values[i] != w->terms[i].values[point]) /* the sign of a zero may differ */
                fail_msg("term %zu is %.17g, not %.17g", i, values[i], w->terms[i].values[point]);
    }
}

TEST(random_graphs_keep_the_values_of_their_formulas) {
    size_t kept = 0, nodes = 0;
    for (uint64_t graph = 0; graph < GRAPHS; graph++) {
        struct world w = {.model = model_new(), .random = random_start(51, graph)};
        add_leaves(&w);
        for (int tries = 0; tries < 4 * TERMS && w.count < TERMS; tries++) {
            w.terms[w.count] = draw_term(&w);
            w.count += is_exact(&w.terms[w.count]);
        }
        kept += w.count;
        nodes += hn_model_node_count(w.model);
        model_finish_good(w.model);
        check_values(&w);
        hn_model_destroy(w.model);
    }
    assert_true(kept > GRAPHS * TERMS * 9 / 10); /* the test has not come to nothing */
    assert_true(nodes > GRAPHS * TERMS / 2);
}
