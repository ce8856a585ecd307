/* rules.c - the derivative rule of every operator: propagates its adjoint to its arguments.
 *
 * For u = f(a, b) with adjoint w: a gets w df/da, b gets w df/db. A tainted adjoint (one that may be 0 only because its
 * branch is not taken) multiplies with GUARD, so that 0 times an infinite or undefined partial derivative stays 0. At a
 * kink the rule follows the side that the value selects: abs at 0 counts as increasing, min and max as their second
 * argument if both are equal.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/sweep.h"

#include <math.h>

struct rule {
    struct sweep *sweep;
    struct graph *g;
    uint32_t u, a, b, c; /* the node and its arguments */
    uint32_t w;
    bool tainted;
};

static uint32_t number(const struct rule *r, double value) {
    return graph_constant(r->g, value);
}

static uint32_t unary(const struct rule *r, enum op op, uint32_t a) {
    return graph_apply(r->g, op, a, 0, 0);
}

/* w * partial */
static uint32_t times(const struct rule *r, uint32_t partial) {
    return graph_apply(r->g, r->tainted ? OP_GUARD : OP_MUL, r->w, partial, 0);
}

/* w / divisor */
static uint32_t over(const struct rule *r, uint32_t divisor) {
    if (r->tainted)
        return times(r, graph_div(r->g, number(r, 1), divisor));
    return graph_div(r->g, r->w, divisor);
}

static void give(const struct rule *r, uint32_t argument, uint32_t adjoint) {
    sweep_add(r->sweep, argument, adjoint, r->tainted);
}

/* (1 - a) (1 + a): exact near 1, where 1 - a^2 cancels. Separate statements, because C does not order the evaluation of
 * arguments, and so of new nodes. */
static uint32_t one_minus_square(const struct rule *r, uint32_t a) {
    uint32_t one = number(r, 1);
    uint32_t below = graph_sub(r->g, one, a);
    return graph_mul(r->g, below, graph_add(r->g, one, a));
}

static uint32_t one_plus_square(const struct rule *r, uint32_t a) {
    uint32_t square = graph_mul(r->g, a, a);
    return graph_add(r->g, number(r, 1), square);
}

/* Adds w to the adjoint of `yes` where the condition is true, else to that of `no`. */
static void choose(const struct rule *r, uint32_t condition, uint32_t yes, uint32_t no) {
    uint32_t zero = number(r, 0);
    sweep_add(r->sweep, yes, graph_apply(r->g, OP_IF, condition, r->w, zero), true);
    sweep_add(r->sweep, no, graph_apply(r->g, OP_IF, condition, zero, r->w), true);
}

static void rule_mul(const struct rule *r) {
    if (graph_depends(r->g, r->a, r->sweep->space))
        give(r, r->a, times(r, r->b));
    if (graph_depends(r->g, r->b, r->sweep->space))
        give(r, r->b, times(r, r->a));
}

/* u = a / b:  w / b,  -(w / b) u */
static void rule_div(const struct rule *r) {
    uint32_t quotient = over(r, r->b);
    give(r, r->a, quotient);
    if (graph_depends(r->g, r->b, r->sweep->space)) {
        enum op product = r->tainted ? OP_GUARD : OP_MUL;
        give(r, r->b, graph_neg(r->g, graph_apply(r->g, product, quotient, r->u, 0)));
    }
}

/* u = a^b: w b a^(b-1), w u log a (0 if u is 0, although log a and its derivative are infinite there) */
static void rule_pow(const struct rule *r) {
    if (graph_depends(r->g, r->a, r->sweep->space)) {
        uint32_t lower = graph_apply(r->g, OP_POW, r->a, graph_sub(r->g, r->b, number(r, 1)), 0);
        give(r, r->a, times(r, graph_mul(r->g, r->b, lower)));
    }
    if (graph_depends(r->g, r->b, r->sweep->space)) {
        uint32_t zero = number(r, 0), vanishes = graph_apply(r->g, OP_EQUAL, r->u, zero, 0);
        uint32_t partial = graph_mul(r->g, r->u, unary(r, OP_LOG, r->a));
        give(r, r->b, times(r, graph_apply(r->g, OP_IF, vanishes, zero, partial)));
    }
}

/* u = atan2(a, b):  w b / (a^2 + b^2),  -w a / (a^2 + b^2) */
static void rule_atan2(const struct rule *r) {
    uint32_t first = graph_mul(r->g, r->a, r->a);
    uint32_t square = graph_add(r->g, first, graph_mul(r->g, r->b, r->b));
    if (graph_depends(r->g, r->a, r->sweep->space))
        give(r, r->a, times(r, graph_div(r->g, r->b, square)));
    if (graph_depends(r->g, r->b, r->sweep->space))
        give(r, r->b, times(r, graph_neg(r->g, graph_div(r->g, r->a, square))));
}

/* u = guard(a, b): w b, guard(a, w); the latter is 0 if a tainted w is 0, because a may be a hub's partial derivative,
 * undefined there */
static void rule_guard(const struct rule *r) {
    if (graph_depends(r->g, r->a, r->sweep->space))
        give(r, r->a, times(r, r->b));
    if (graph_depends(r->g, r->b, r->sweep->space)) {
        uint32_t adjoint = graph_apply(r->g, OP_GUARD, r->a, r->w, 0);
        if (r->tainted)
            adjoint = graph_apply(r->g, OP_IF, r->w, adjoint, number(r, 0));
        sweep_add(r->sweep, r->b, adjoint, true);
    }
}

static void rule_sum(const struct rule *r) {
    uint32_t first = r->g->nodes[r->u].a, count = r->g->nodes[r->u].b;
    for (uint32_t i = 0; i < count; i++)
        give(r, r->g->arguments[first + i], r->w);
}

/* A coefficient times a constant adjoint is a number, which needs no node when it reaches a leaf. From the last term to
 * the first: the order in which separate products would be visited. */
static void rule_linear(const struct rule *r) {
    const struct node n = r->g->nodes[r->u];
    double w;
    bool constant = graph_is_constant(r->g, r->w, &w);
    for (uint32_t i = n.b; i-- > 0;) {
        uint32_t argument = r->g->arguments[n.c + i];
        double factor = r->g->numbers[n.a + i];
        if (!graph_depends(r->g, argument, r->sweep->space) || factor == 0)
            continue;
        if (r->g->nodes[argument].op != OP_LEAF)
            give(r, argument, times(r, number(r, factor)));
        else if (!constant)
            sweep_share(r->sweep, argument, factor, r->w, r->tainted);
        else
            give(r, argument, w == 1 ? ENTRY_NUMBER | (n.a + i) : graph_number(r->g, w * factor));
    }
}

static void rule_abs(const struct rule *r) {
    uint32_t negative = graph_apply(r->g, OP_LESS, r->a, number(r, 0), 0);
    give(r, r->a, graph_apply(r->g, OP_IF, negative, graph_neg(r->g, r->w), r->w));
}

/* w du/da for the functions of one argument */
static uint32_t unary_adjoint(const struct rule *r, enum op op) {
    struct graph *g = r->g;
    switch (op) {
    case OP_NEG:
        return graph_neg(g, r->w);
    case OP_SQRT: /* 1 / (2 u) */
        return over(r, graph_scale(g, 2, r->u));
    case OP_EXP:
        return times(r, r->u);
    case OP_LOG:
        return over(r, r->a);
    case OP_LOG10: /* 1 / (a log 10) */
        return over(r, graph_mul(g, r->a, unary(r, OP_LOG, number(r, 10))));
    case OP_SIN:
        return times(r, unary(r, OP_COS, r->a));
    case OP_COS:
        return graph_neg(g, times(r, unary(r, OP_SIN, r->a)));
    case OP_TAN: /* 1 + u^2 */
        return times(r, one_plus_square(r, r->u));
    case OP_ASIN: /* 1 / sqrt(1 - a^2) */
        return over(r, unary(r, OP_SQRT, one_minus_square(r, r->a)));
    case OP_ACOS:
        return graph_neg(g, over(r, unary(r, OP_SQRT, one_minus_square(r, r->a))));
    case OP_ATAN: /* 1 / (1 + a^2) */
        return over(r, one_plus_square(r, r->a));
    case OP_SINH:
        return times(r, unary(r, OP_COSH, r->a));
    case OP_COSH:
        return times(r, unary(r, OP_SINH, r->a));
    case OP_TANH: /* 1 - u^2: unlike 1 / cosh^2 a finite to all orders, for any a */
        return times(r, one_minus_square(r, r->u));
    case OP_ASINH: /* 1 / sqrt(1 + a^2) */
        return over(r, unary(r, OP_SQRT, one_plus_square(r, r->a)));
    case OP_ACOSH: /* 1 / sqrt((a - 1) (a + 1)) */
        return over(r, unary(r, OP_SQRT, graph_neg(g, one_minus_square(r, r->a))));
    case OP_ATANH: /* 1 / (1 - a^2) */
        return over(r, one_minus_square(r, r->a));
    default: /* comparisons and logic are constant wherever they have a derivative; NaN: an operator without a rule */
        return op >= OP_LESS && op <= OP_NOT ? 0 : number(r, NAN);
    }
}

void sweep_rule(struct sweep *sweep, uint32_t node, uint32_t w, bool tainted) {
    struct graph *g = sweep->graph;
    struct node n = g->nodes[node];
    struct rule r = {sweep, g, node, n.a, n.b, n.c, w, tainted};
    switch ((enum op)n.op) {
    case OP_SUM:
        rule_sum(&r);
        break;
    case OP_LINEAR:
        rule_linear(&r);
        break;
    case OP_ADD:
        give(&r, n.a, w);
        give(&r, n.b, w);
        break;
    case OP_SUB:
        give(&r, n.a, w);
        give(&r, n.b, graph_neg(g, w));
        break;
    case OP_MUL:
        rule_mul(&r);
        break;
    case OP_DIV:
        rule_div(&r);
        break;
    case OP_POW:
        rule_pow(&r);
        break;
    case OP_ATAN2:
        rule_atan2(&r);
        break;
    case OP_ABS:
        rule_abs(&r);
        break;
    case OP_MIN: /* the first argument if it is smaller, like the value */
        choose(&r, graph_apply(g, OP_LESS, n.a, n.b, 0), n.a, n.b);
        break;
    case OP_MAX:
        choose(&r, graph_apply(g, OP_LESS, n.b, n.a, 0), n.a, n.b);
        break;
    case OP_IF:
        choose(&r, n.a, n.b, n.c);
        break;
    case OP_GUARD:
        rule_guard(&r);
        break;
    default:
        give(&r, n.a, unary_adjoint(&r, (enum op)n.op));
    }
}
