/* random_graph.c - see random_graph.h.
 *
 * Every term carries a bound of its size. A product or a sum that may grow beyond LARGE is squeezed by a bounded function or
 * scaled down before others build on it.
 *
 * SPDX-License-Identifier: MIT */
#include "support/random_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONSTANTS = 6, LONGEST_SUM = 8, LONGEST_LINEAR = LINEAR_TERMS + 12 };
#define LARGE 6.0

/* What the makers of terms need. */
struct maker {
    struct random_graph *to;
    struct random *random;
};

static struct random_term term(uint32_t node, double bound) {
    return (struct random_term){node, bound};
}

static struct random_term number(struct maker *m, double value) {
    return term(graph_constant(&m->to->graph, value), fabs(value));
}

static struct random_term unary(struct maker *m, enum op op, struct random_term a, double bound) {
    return term(graph_apply(&m->to->graph, op, a.node, 0, 0), bound);
}

static struct random_term binary(struct maker *m, enum op op, struct random_term a, struct random_term b,
                                 double bound) {
    return term(graph_apply(&m->to->graph, op, a.node, b.node, 0), bound);
}

static struct random_term scaled(struct maker *m, double factor, struct random_term a) {
    return term(graph_scale(&m->to->graph, factor, a.node), fabs(factor) * a.bound);
}

static struct random_term shifted(struct maker *m, double offset, struct random_term a) {
    return binary(m, OP_ADD, number(m, offset), a, fabs(offset) + a.bound);
}

/* A function of a that stays within the limit. */
static struct random_term tame(struct maker *m, struct random_term a, double limit) {
    if (a.bound <= limit)
        return a;
    switch (random_below(m->random, 3)) {
    case 0:
        return scaled(m, limit / a.bound, a);
    case 1:
        return scaled(m, limit, unary(m, OP_SIN, a, 1));
    default:
        return scaled(m, limit, unary(m, OP_TANH, a, 1));
    }
}

/* low + a^2: positive, of any sign in a */
static struct random_term above(struct maker *m, double low, struct random_term a) {
    struct random_term small = tame(m, a, 2);
    return shifted(m, low, binary(m, OP_MUL, small, small, small.bound * small.bound));
}

/* 0.9 sin a: inside (-1, 1) */
static struct random_term inside(struct maker *m, struct random_term a) {
    return scaled(m, 0.9, unary(m, OP_SIN, a, 1));
}

/* 1.5 + sin a: at least 0.5 */
static struct random_term positive(struct maker *m, struct random_term a) {
    return shifted(m, 1.5, unary(m, OP_SIN, a, 1));
}

static struct random_term any(struct maker *m) {
    return m->to->terms[random_below(m->random, m->to->count)];
}

/* ---- operators that need care ---- */

/* Integer, real and variable exponents; the base has any sign where the exponent allows it. */
static struct random_term make_pow(struct maker *m, struct random_term a, struct random_term b) {
    static const double whole[] = {0, 1, 2, 3, 4, 5, 7}, inverse[] = {-1, -2, -3, -5},
                        fraction[] = {0.5, 1.5, 2.5, -0.7};
    switch (random_below(m->random, 5)) {
    case 0:
        return binary(m, OP_POW, tame(m, a, 1.2), number(m, whole[random_below(m->random, 7)]), 4);
    case 1:
        return binary(m, OP_POW, positive(m, a), number(m, inverse[random_below(m->random, 4)]), 32);
    case 2: /* a negative base under a whole negative exponent */
        return binary(m, OP_POW, unary(m, OP_NEG, positive(m, a), 2.5), number(m, -3), 8);
    case 3:
        return binary(m, OP_POW, above(m, 0.5, a), number(m, fraction[random_below(m->random, 4)]), 43);
    default:
        return binary(m, OP_POW, positive(m, a), tame(m, b, 2), 6.25);
    }
}

static struct random_term make_div(struct maker *m, struct random_term a, struct random_term b) {
    switch (random_below(m->random, 3)) {
    case 0:
        return binary(m, OP_DIV, a, positive(m, b), 2 * a.bound);
    case 1:
        return binary(m, OP_DIV, a, above(m, 0.5, b), 2 * a.bound);
    default:
        return binary(m, OP_DIV, a, number(m, random_between(m->random, 1, 4)), a.bound);
    }
}

/* Away from the cut along the negative x axis. */
static struct random_term make_atan2(struct maker *m, struct random_term a, struct random_term b) {
    if (random_below(m->random, 2) == 0)
        return binary(m, OP_ATAN2, a, positive(m, b), 1.6);
    return binary(m, OP_ATAN2, positive(m, a), b, 3.2);
}

/* Terms may repeat and may be constants. */
static struct random_term make_sum(struct maker *m) {
    uint32_t nodes[LONGEST_SUM];
    size_t count = (size_t)random_below(m->random, LONGEST_SUM + 1);
    double bound = 0;
    for (size_t i = 0; i < count; i++) {
        struct random_term a = any(m);
        nodes[i] = a.node;
        bound += a.bound;
    }
    return term(graph_sum(&m->to->graph, nodes, count), bound);
}

/* A row of a matrix: most terms are leaves, which may repeat, and about half are long enough to be kept as numbers. */
static struct random_term make_linear(struct maker *m) {
    double coefficients[LONGEST_LINEAR], bound = 0;
    uint32_t nodes[LONGEST_LINEAR];
    size_t count = LINEAR_TERMS - 4 + (size_t)random_below(m->random, LONGEST_LINEAR - LINEAR_TERMS + 5), leaves = 0;
    for (size_t space = 0; space < SPACE_COUNT; space++)
        leaves += m->to->options.leaves[space];
    for (size_t i = 0; i < count; i++) {
        static const double plain[] = {0, 1, -1, 2};
        struct random_term a = any(m);
        if (leaves > 0 && random_below(m->random, 8) != 0)
            a = m->to->terms[random_below(m->random, leaves)];
        coefficients[i] = random_between(m->random, -1, 1);
        if (random_below(m->random, 4) == 0)
            coefficients[i] = plain[random_below(m->random, 4)];
        nodes[i] = a.node;
        bound += fabs(coefficients[i]) * a.bound;
    }
    return term(graph_linear(&m->to->graph, coefficients, nodes, count), bound);
}

/* The condition is a comparison more often than not. */
static struct random_term make_if(struct maker *m, struct random_term a, struct random_term b) {
    struct random_term condition = any(m);
    if (random_below(m->random, 4) != 0)
        condition = binary(m, random_below(m->random, 2) == 0 ? OP_LESS : OP_LESS_EQUAL, condition, any(m), 1);
    return term(graph_apply(&m->to->graph, OP_IF, condition.node, a.node, b.node), fmax(a.bound, b.bound));
}

/* ---- any operator ---- */

static struct random_term apply(struct maker *m, enum op op) {
    struct random_term a = any(m), b = any(m);
    switch (op) {
    case OP_SUM:
        return make_sum(m);
    case OP_LINEAR:
        return make_linear(m);
    case OP_ADD:
    case OP_SUB:
        return binary(m, op, a, b, a.bound + b.bound);
    case OP_MUL:
    case OP_GUARD:
        return binary(m, op, a, b, a.bound * b.bound);
    case OP_DIV:
        return make_div(m, a, b);
    case OP_POW:
        return make_pow(m, a, b);
    case OP_ATAN2:
        return make_atan2(m, a, b);
    case OP_NEG:
    case OP_ABS:
    case OP_ASINH:
        return unary(m, op, a, a.bound);
    case OP_SIN:
    case OP_COS:
    case OP_TANH:
        return unary(m, op, a, 1);
    case OP_ATAN:
        return unary(m, op, a, 1.6);
    case OP_EXP:
    case OP_SINH:
    case OP_COSH:
        return unary(m, op, tame(m, a, 1.5), 4.5);
    case OP_SQRT:
    case OP_LOG:
    case OP_LOG10:
        return unary(m, op, above(m, 0.5, a), 2.2);
    case OP_TAN:
    case OP_ASIN:
    case OP_ATANH:
        return unary(m, op, inside(m, a), 1.5);
    case OP_ACOS:
        return unary(m, op, inside(m, a), 2.8);
    case OP_ACOSH:
        return unary(m, op, above(m, 1.5, a), 2.4);
    case OP_MIN:
    case OP_MAX:
        return binary(m, op, a, b, fmax(a.bound, b.bound));
    case OP_IF:
        return make_if(m, a, b);
    default: /* comparisons, logic, and what is at most 1 in size for |a| < 0.9 */
        if (operator_arguments(op) == 1)
            return unary(m, op, op == OP_NOT ? a : inside(m, a), 1);
        return binary(m, op, a, b, 1);
    }
}

/* All operators, SUM and LINEAR, equally often; those with a kink, which come last, when asked for. */
static enum op any_operator(struct maker *m) {
    enum op end = m->to->options.kinks ? OP_COUNT : OP_ABS;
    return (enum op)(OP_SUM + random_below(m->random, end - OP_SUM));
}

static void add(struct random_graph *to, struct random_term made) {
    to->terms[to->count++] = made;
}

static void add_constants(struct maker *m) {
    static const double plain[] = {0, 1, -1, 2, 0.5};
    for (size_t i = 0; i < CONSTANTS; i++)
        add(m->to, number(m, i % 2 == 0 ? random_between(m->random, -RANDOM_LEAF, RANDOM_LEAF)
                                        : plain[random_below(m->random, 5)]));
}

static size_t add_leaves(struct random_graph *to) {
    for (size_t space = 0; space < SPACE_COUNT; space++)
        for (size_t i = 0; i < to->options.leaves[space]; i++)
            add(to, term(graph_leaf(&to->graph, (enum space)space, (uint32_t)i), RANDOM_LEAF));
    return to->count;
}

hn_status random_graph_create(struct random_graph *out, struct random_graph_options options, struct random *random) {
    struct maker maker = {out, random};
    size_t most = CONSTANTS + options.operators;
    for (size_t space = 0; space < SPACE_COUNT; space++)
        most += options.leaves[space];
    *out = (struct random_graph){.options = options, .terms = malloc(most * sizeof *out->terms)};
    if (!out->terms || graph_create(&out->graph, 1000 * 1000) != HN_OK) {
        free(out->terms);
        return HN_NO_MEMORY;
    }
    add_leaves(out);
    add_constants(&maker);
    while (out->count < most)
        add(out, tame(&maker, apply(&maker, any_operator(&maker)), LARGE));
    return out->graph.status;
}

void random_graph_release(struct random_graph *graph) {
    graph_release(&graph->graph);
    free(graph->terms);
    memset(graph, 0, sizeof *graph);
}

uint32_t random_graph_root(const struct random_graph *graph, struct random *random) {
    size_t first = graph->count - graph->options.operators;
    uint64_t p = random_below(random, graph->options.operators), q = random_below(random, graph->options.operators);
    return graph->terms[first + (p > q ? p : q)].node;
}

void random_leaves(struct random *random, size_t count, double *values) {
    for (size_t i = 0; i < count; i++)
        values[i] = random_between(random, -RANDOM_LEAF, RANDOM_LEAF);
}
