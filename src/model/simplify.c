/* simplify.c - algebraic simplification for graph_apply: constant folding and rewriting of trivial forms.
 *
 * Two sets of rules. In a graph of values a rewrite must give the same number for every operand, infinite and undefined
 * ones included (except for the sign of a zero), or for every finite one if the operand is known to be finite. An
 * operand that does not affect the value (equal branches of `if`, a^0, 1^a) is dropped only if it is defined
 * everywhere. So signs move ((-a)*b = -(a*b), a + (-b) = a - b), small powers become products, 0*y is 0 for an output
 * y; but sums and products are not reassociated, and a/a, 0/a, a - a stay unless a is known to be finite and nonzero.
 *
 * A loose graph, to which derivatives are added, may also round differently and assumes that parts are finite: constant
 * factors are merged (c*(d*a) = (c*d)*a), sums factor out common factors (c*a + c*b = c*(a+b)), 0*a and a - a become 0,
 * so that equal expressions become equal nodes and identically zero derivatives are not entries of a Jacobian.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/size.h"
#include "model/graph.h"

#include <math.h>

static uint32_t intern(struct graph *g, enum op op, uint32_t a, uint32_t b, uint32_t c) {
    return graph_intern(g, (struct node){.op = (uint8_t)op, .a = a, .b = b, .c = c});
}

/* Canonical argument order of a commutative operator, so that a+b and b+a are one node. */
static uint32_t intern_ordered(struct graph *g, enum op op, uint32_t a, uint32_t b) {
    return a <= b ? intern(g, op, a, b, 0) : intern(g, op, b, a, 0);
}

static bool is(const struct graph *g, uint32_t node, enum op op) {
    return g->nodes[node].op == op;
}

/* node = factor * rest with a constant factor; 1 if the node has none. */
static uint32_t split_factor(const struct graph *g, uint32_t node, double *factor) {
    const struct node *n = &g->nodes[node];
    *factor = 1;
    if (n->op == OP_NEG) {
        *factor = -1;
        return n->a;
    }
    if (n->op == OP_MUL && graph_is_constant(g, n->a, factor))
        return n->b;
    if (n->op == OP_MUL && graph_is_constant(g, n->b, factor))
        return n->a;
    return node;
}

/* Whether a product of constants may be folded: it must be within the range where it is exact to rounding. */
static bool is_harmless(double product) {
    return fabs(product) > 1e-290 && fabs(product) < 1e290;
}

/* Whether p*r + q*s has a common factor, up to sign, that saves a product. */
static bool is_common(double p, double q) {
    return fabs(p) == fabs(q) && fabs(p) != 1 && is_harmless(p);
}

/* Whether p * (q*a) may become (p*q) * a: always if one of them is a sign. */
static bool may_fold(const struct graph *g, double p, double q) {
    return fabs(p) == 1 || fabs(q) == 1 || (g->loose && is_harmless(p * q));
}

/* Whether a value is finite for all finite inputs and outputs; searches only a few levels. */
static bool is_finite(const struct graph *g, uint32_t a, int depth) {
    const struct node *n = &g->nodes[a];
    uint32_t rest;
    double value;
    switch (n->op) {
    case OP_CONSTANT:
        graph_is_constant(g, a, &value);
        return isfinite(value);
    case OP_LEAF:
        return true;
    case OP_MUL: /* times a constant of at most 1 */
        rest = split_factor(g, a, &value);
        return depth > 0 && rest != a && fabs(value) <= 1 && is_finite(g, rest, depth - 1);
    default:
        if (operator_traits_of((enum op)n->op)->finite)
            return depth > 0 && is_finite(g, n->a, depth - 1);
        return n->op >= OP_LESS && n->op <= OP_NOT && graph_is_total(g, a);
    }
}

/* Whether an operand that does not change the value may be dropped: in a formula of values it affects where the value
 * is defined. */
static bool may_drop(const struct graph *g, uint32_t a) {
    return g->loose || graph_is_total(g, a);
}

/* Whether 0 * a and a - a may be replaced by 0. */
static bool may_vanish(const struct graph *g, uint32_t a) {
    enum { FEW = 4 };
    return g->loose || is_finite(g, a, FEW);
}

static uint32_t apply_neg(struct graph *g, uint32_t a) {
    double factor;
    uint32_t rest = split_factor(g, a, &factor);
    if (is(g, a, OP_NEG))
        return rest;
    if (rest != a)
        return graph_scale(g, -factor, rest);
    if (is(g, a, OP_SUB))
        return graph_sub(g, g->nodes[a].b, g->nodes[a].a);
    return intern(g, OP_NEG, a, 0, 0);
}

/* constant + b */
static uint32_t add_constant(struct graph *g, double value, uint32_t b) {
    const struct node *n = &g->nodes[b];
    double other;
    if (value == 0)
        return b;
    bool fold = g->loose && n->op == OP_ADD;
    if (fold && graph_is_constant(g, n->a, &other) && isfinite(value + other))
        return graph_add(g, graph_constant(g, value + other), g->nodes[b].b);
    if (fold && graph_is_constant(g, n->b, &other) && isfinite(value + other))
        return graph_add(g, graph_constant(g, value + other), g->nodes[b].a);
    return intern_ordered(g, OP_ADD, graph_constant(g, value), b);
}

static uint32_t apply_add(struct graph *g, uint32_t a, uint32_t b) {
    double value, p, q;
    if (graph_is_constant(g, a, &value))
        return add_constant(g, value, b);
    if (graph_is_constant(g, b, &value))
        return add_constant(g, value, a);
    if (a == b)
        return graph_scale(g, 2, a);
    uint32_t rest = split_factor(g, a, &p), other = split_factor(g, b, &q);
    if (g->loose && rest == other && isfinite(p + q)) /* p*r + q*r = (p+q)*r */
        return graph_scale(g, p + q, rest);
    if (g->loose && is_common(p, q)) /* p*r + p*s = p*(r+s),  p*r + (-p)*s = p*(r-s) */
        return graph_scale(g, p, graph_apply(g, p == q ? OP_ADD : OP_SUB, rest, other, 0));
    if (is(g, b, OP_NEG))
        return graph_sub(g, a, g->nodes[b].a);
    if (is(g, a, OP_NEG))
        return graph_sub(g, b, g->nodes[a].a);
    return intern_ordered(g, OP_ADD, a, b);
}

static uint32_t apply_sub(struct graph *g, uint32_t a, uint32_t b) {
    double value, p, q;
    if (graph_is_constant(g, b, &value))
        return add_constant(g, -value, a);
    if (graph_is_number(g, a, 0))
        return graph_neg(g, b);
    if (a == b && may_vanish(g, a))
        return graph_constant(g, 0);
    uint32_t rest = split_factor(g, a, &p), other = split_factor(g, b, &q);
    if (g->loose && rest == other && isfinite(p - q)) /* p*r - q*r = (p-q)*r */
        return graph_scale(g, p - q, rest);
    if (g->loose && is_common(p, q)) /* p*r - p*s = p*(r-s),  p*r - (-p)*s = p*(r+s) */
        return graph_scale(g, p, graph_apply(g, p == q ? OP_SUB : OP_ADD, rest, other, 0));
    if (is(g, b, OP_NEG))
        return graph_add(g, a, g->nodes[b].a);
    return intern(g, OP_SUB, a, b, 0);
}

/* constant * b */
static uint32_t scale(struct graph *g, double value, uint32_t b) {
    double factor;
    uint32_t rest = split_factor(g, b, &factor);
    if (value == 0 && may_vanish(g, b))
        return graph_constant(g, 0);
    if (value == 1)
        return b;
    if (value == -1 && (rest == b || is(g, b, OP_NEG)))
        return graph_neg(g, b);
    if (rest != b && may_fold(g, value, factor))
        return graph_scale(g, value * factor, rest);
    return intern_ordered(g, OP_MUL, graph_constant(g, value), b);
}

static uint32_t apply_mul(struct graph *g, uint32_t a, uint32_t b) {
    double value, p, q;
    if (graph_is_constant(g, a, &value))
        return scale(g, value, b);
    if (graph_is_constant(g, b, &value))
        return scale(g, value, a);
    uint32_t rest_a = split_factor(g, a, &p), rest_b = split_factor(g, b, &q);
    if (g->loose && (rest_a != a || rest_b != b) && is_harmless(p * q)) /* (p*r)*(q*s) = (p*q)*(r*s) */
        return graph_scale(g, p * q, graph_mul(g, rest_a, rest_b));
    if (is(g, a, OP_NEG))
        return graph_neg(g, graph_mul(g, rest_a, b));
    if (is(g, b, OP_NEG))
        return graph_neg(g, graph_mul(g, a, rest_b));
    return intern_ordered(g, OP_MUL, a, b);
}

static uint32_t apply_div(struct graph *g, uint32_t a, uint32_t b) {
    double value;
    if (g->loose && graph_is_number(g, a, 0))
        return a;
    if (g->loose && a == b)
        return graph_constant(g, 1);
    if (graph_is_constant(g, b, &value)) {
        int exponent;
        if (value == 1)
            return a;
        if (fabs(frexp(value, &exponent)) == 0.5 && is_harmless(value)) /* power of two: exact reciprocal */
            return graph_scale(g, 1 / value, a);
    }
    if (is(g, a, OP_NEG))
        return graph_neg(g, graph_div(g, g->nodes[a].a, b));
    if (is(g, b, OP_NEG))
        return graph_neg(g, graph_div(g, a, g->nodes[b].a));
    return intern(g, OP_DIV, a, b, 0);
}

/* Exponents for which products (or a root) keep the error within 2 ulp; negative ones invert first, to avoid premature
 * overflow or underflow. */
static uint32_t apply_pow(struct graph *g, uint32_t a, uint32_t b) {
    double exponent;
    if (graph_is_number(g, a, 1) && may_drop(g, b))
        return a;
    if (!graph_is_constant(g, b, &exponent))
        return intern(g, OP_POW, a, b, 0);
    if (exponent == 0 && may_drop(g, a))
        return graph_constant(g, 1);
    if (exponent == 0.5)
        return graph_apply(g, OP_SQRT, a, 0, 0);
    if (exponent == -1 || exponent == -2)
        a = graph_div(g, graph_constant(g, 1), a);
    if (exponent == 1 || exponent == -1)
        return a;
    if (exponent == 2 || exponent == -2)
        return graph_mul(g, a, a);
    if (exponent == 3)
        return graph_mul(g, graph_mul(g, a, a), a);
    if (exponent == 4)
        return graph_mul(g, graph_mul(g, a, a), graph_mul(g, a, a));
    return intern(g, OP_POW, a, b, 0);
}

static uint32_t truth(struct graph *g, uint32_t a) {
    return graph_apply(g, OP_NOT_EQUAL, a, graph_constant(g, 0), 0);
}

/* A constant operand decides the value if it is 1 for `or`, 0 for `and`. */
static uint32_t apply_and_or(struct graph *g, enum op op, uint32_t a, uint32_t b) {
    double value;
    bool first = graph_is_constant(g, a, &value);
    if (first || graph_is_constant(g, b, &value))
        return (value != 0) == (op == OP_OR) ? graph_constant(g, value != 0) : truth(g, first ? b : a);
    return a == b ? truth(g, a) : intern_ordered(g, op, a, b);
}

/* Whether a node is always 0 or 1, so that it is its own truth value. */
static bool is_condition(const struct graph *g, uint32_t a) {
    enum op op = (enum op)g->nodes[a].op;
    return (op >= OP_LESS && op <= OP_NOT) || graph_is_number(g, a, 0) || graph_is_number(g, a, 1);
}

static uint32_t apply_not_equal(struct graph *g, uint32_t a, uint32_t b) {
    if (is_condition(g, a) && graph_is_number(g, b, 0))
        return a;
    if (is_condition(g, b) && graph_is_number(g, a, 0))
        return b;
    return intern_ordered(g, OP_NOT_EQUAL, a, b);
}

static uint32_t apply_if(struct graph *g, uint32_t condition, uint32_t yes, uint32_t no) {
    double value;
    if (graph_is_constant(g, condition, &value))
        return value != 0 ? yes : no;
    return yes == no && may_drop(g, condition) ? yes : intern(g, OP_IF, condition, yes, no);
}

/* A product that is 0 if a is 0: an ordinary one if the other factor is a finite number. */
static uint32_t apply_guard(struct graph *g, uint32_t a, uint32_t b) {
    double value;
    if (graph_is_constant(g, a, NULL) || (graph_is_constant(g, b, &value) && isfinite(value)))
        return graph_mul(g, a, b);
    return intern(g, OP_GUARD, a, b, 0);
}

static bool all_constant(const struct graph *g, enum op op, const uint32_t *arguments, double *values) {
    int count = operator_arguments(op);
    for (int i = 0; i < count && i < MOST_ARGUMENTS; i++)
        if (!graph_is_constant(g, arguments[i], &values[i]))
            return false;
    return true;
}

uint32_t graph_apply(struct graph *g, enum op op, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t arguments[MOST_ARGUMENTS] = {a, b, c};
    double values[MOST_ARGUMENTS] = {0, 0, 0};
    if (g->status != HN_OK)
        return 0;
    if (all_constant(g, op, arguments, values))
        return graph_constant(g, operator_apply(op, values[0], values[1], values[2]));
    switch (op) {
    case OP_ADD:
        return apply_add(g, a, b);
    case OP_SUB:
        return apply_sub(g, a, b);
    case OP_MUL:
        return apply_mul(g, a, b);
    case OP_DIV:
        return apply_div(g, a, b);
    case OP_NEG:
        return apply_neg(g, a);
    case OP_POW:
        return apply_pow(g, a, b);
    case OP_AND:
    case OP_OR:
        return apply_and_or(g, op, a, b);
    case OP_NOT_EQUAL:
        return apply_not_equal(g, a, b);
    case OP_IF:
        return apply_if(g, a, b, c);
    case OP_GUARD:
        return apply_guard(g, a, b);
    case OP_MIN:
    case OP_MAX:
        return a == b ? a : intern(g, op, a, b, 0);
    case OP_ABS:
        return is(g, a, OP_ABS) ? a : intern(g, op, is(g, a, OP_NEG) ? g->nodes[a].a : a, 0, 0);
    case OP_EQUAL:
        return intern_ordered(g, op, a, b);
    default:
        return intern(g, op, a, b, c);
    }
}

/* ---- sums ---- */

/* Terms of a sum: coefficients[i] * nodes[i], without coefficients nodes[i]. */
struct terms {
    const double *coefficients;
    const uint32_t *nodes;
    size_t count;
};

/* Term i as factor * node, if that rounds alike: a sign, or the only constant factor. */
static uint32_t term_at(const struct graph *g, const struct terms *terms, size_t i, double *factor) {
    double given = terms->coefficients ? terms->coefficients[i] : 1, own;
    uint32_t node = terms->nodes[i], rest = split_factor(g, node, &own);
    bool split = rest != node && isfinite(own) && (fabs(given) == 1 || fabs(own) == 1);
    *factor = split ? given * own : given;
    return split ? rest : node;
}

static bool is_linear(const struct graph *g, const struct terms *terms) {
    size_t linear = 0, others = 0;
    double factor;
    for (size_t i = 0; i < terms->count; i++) {
        uint32_t node = term_at(g, terms, i, &factor);
        if (!isfinite(factor))
            return false;
        if (is(g, node, OP_LEAF))
            linear += factor != 0;
        else
            others += !is(g, node, OP_CONSTANT);
    }
    return linear >= LINEAR_TERMS && linear >= others;
}

/* From left to right, the order of rounding: leading constants are added up, later ones keep their position, zeros are
 * left out. */
static double add_up_front(const struct graph *g, struct terms *terms) {
    double sum = 0, value;
    for (; terms->count > 0 && graph_is_constant(g, terms->nodes[0], &value); terms->nodes++, terms->count--)
        sum += terms->coefficients ? *terms->coefficients++ * value : value;
    return sum;
}

static uint32_t linear_of(struct graph *g, struct terms terms) {
    size_t first_argument = g->argument_count, first_number = g->number_count;
    double front = add_up_front(g, &terms), factor, value;
    if (!graph_linear_room(g, terms.count + 1))
        return 0;
    if (front != 0)
        graph_linear_term(g, 1, graph_constant(g, front));
    for (size_t i = 0; i < terms.count; i++) {
        uint32_t node = term_at(g, &terms, i, &factor);
        if (graph_is_constant(g, node, &value)) {
            if (factor * value != 0)
                graph_linear_term(g, 1, graph_constant(g, factor * value));
        } else if (factor != 0 || !may_vanish(g, node))
            graph_linear_term(g, factor, node);
    }
    return graph_intern_linear(g, first_argument, first_number);
}

uint32_t graph_linear(struct graph *g, const double *coefficients, const uint32_t *nodes, size_t count) {
    const struct terms terms = {coefficients, nodes, count};
    uint32_t few[LINEAR_TERMS], *products = few;
    if (g->status != HN_OK)
        return 0;
    if (is_linear(g, &terms))
        return linear_of(g, terms);
    if (count > LINEAR_TERMS)
        products = base_allocate(size_product(count, sizeof *products));
    if (!products) {
        g->status = HN_NO_MEMORY;
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        products[i] = coefficients[i] == 1 ? nodes[i] : graph_scale(g, coefficients[i], nodes[i]);
    uint32_t sum = graph_sum(g, products, count);
    if (products != few)
        base_release(products);
    return sum;
}

uint32_t graph_sum(struct graph *g, const uint32_t *terms, size_t count) {
    struct terms all = {NULL, terms, count};
    size_t kept = 0;
    uint32_t two[2] = {0, 0};
    if (g->status != HN_OK)
        return 0;
    if (count >= LINEAR_TERMS && is_linear(g, &all))
        return linear_of(g, all);
    double constant = add_up_front(g, &all);
    size_t first = count - all.count;
    uint32_t front = graph_constant(g, constant);
    if (constant != 0)
        two[kept++] = front;
    for (size_t i = first; i < count; i++)
        if (!graph_is_number(g, terms[i], 0) && kept++ < 2)
            two[kept - 1] = terms[i];
    if (kept < 2)
        return kept == 0 ? front : two[0];
    return kept == 2 ? graph_add(g, two[0], two[1]) : graph_intern_sum(g, front, terms + first, count - first);
}
