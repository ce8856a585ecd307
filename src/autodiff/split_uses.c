/* split_uses.c - see split.h: signs of values, and the direction in which each node worsens objective and rows.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/split.h"

#include <math.h>

/* ---- signs ---- */

static unsigned flipped(unsigned mask) {
    return (mask & 1u) << 1 | (mask & 2u) >> 1;
}

static unsigned sign_of_number(double value) {
    return (value >= 0 ? SIGN_NOT_NEGATIVE : 0) | (value <= 0 ? SIGN_NOT_POSITIVE : 0);
}

static unsigned sign_of_product(unsigned a, unsigned b) {
    return a == 0 || b == 0 ? 0 : a == SIGN_NOT_POSITIVE ? flipped(b) : a == SIGN_NOT_NEGATIVE ? b : a;
}

/* 2 for an even, 1 for an odd integer exponent; else 0. */
static int parity(const struct graph *g, uint32_t exponent) {
    double p;
    if (!graph_is_constant(g, exponent, &p) || p != floor(p) || !(fabs(p) < 1e9))
        return 0;
    return fmod(fabs(p), 2) == 0 ? 2 : 1;
}

static unsigned sign_of_list(const struct graph *g, const struct node *n, const uint8_t *signs) {
    unsigned sign = SIGN_NOT_NEGATIVE | SIGN_NOT_POSITIVE;
    for (uint32_t i = 0; i < n->b; i++)
        if (n->op == OP_SUM)
            sign &= signs[g->arguments[n->a + i]];
        else
            sign &= sign_of_product(sign_of_number(g->numbers[n->a + i]), signs[g->arguments[n->c + i]]);
    return sign;
}

static unsigned sign_of_power(const struct graph *g, const struct node *n, const uint8_t *signs) {
    int whole = parity(g, n->b);
    if (whole == 2 || signs[n->a] & SIGN_NOT_NEGATIVE)
        return SIGN_NOT_NEGATIVE;
    return whole == 1 ? signs[n->a] : 0;
}

static unsigned sign_of_special(const struct graph *g, const struct node *n, const uint8_t *signs) {
    unsigned a = signs[n->a], b = signs[n->b];
    switch ((enum op)n->op) {
    case OP_ADD:
        return a & b;
    case OP_SUB:
        return a & flipped(b);
    case OP_NEG:
        return flipped(a);
    case OP_MUL:
        return n->a == n->b ? SIGN_NOT_NEGATIVE : sign_of_product(a, b);
    case OP_DIV:
        return sign_of_product(a, b);
    case OP_POW:
        return sign_of_power(g, n, signs);
    case OP_MAX:
        return ((a | b) & SIGN_NOT_NEGATIVE) | (a & b & SIGN_NOT_POSITIVE);
    case OP_MIN:
        return ((a | b) & SIGN_NOT_POSITIVE) | (a & b & SIGN_NOT_NEGATIVE);
    case OP_IF:
        return b & signs[n->c];
    default:
        return 0;
    }
}

static unsigned sign_of_node(const struct graph *g, uint32_t u, const uint8_t *signs) {
    const struct node *n = &g->nodes[u];
    double value;
    if (graph_is_constant(g, u, &value))
        return sign_of_number(value);
    if (n->op == OP_SUM || n->op == OP_LINEAR)
        return sign_of_list(g, n, signs);
    switch ((enum operator_sign)operator_traits_of((enum op)n->op)->sign) {
    case RESULT_ANY:
        return 0;
    case RESULT_ODD:
        return signs[n->a];
    case RESULT_NOT_NEGATIVE:
        return SIGN_NOT_NEGATIVE;
    case RESULT_OWN:
        return sign_of_special(g, n, signs);
    }
    return 0;
}

void split_find_signs(const struct graph *g, uint8_t *signs) {
    signs[0] = 0;
    for (uint32_t u = 1; u < g->count; u++) {
        const struct node *n = &g->nodes[u];
        bool plain = n->op != OP_LEAF && n->op != OP_NONE && n->op != OP_REFERENCE;
        signs[u] = plain ? (uint8_t)sign_of_node(g, u, signs) : 0;
    }
}

/* ---- uses ---- */

/* The use of one factor, given the sign of the other: the same, the opposite, or both. */
static unsigned use_by(unsigned use, unsigned sign) {
    return sign & SIGN_NOT_NEGATIVE ? use : sign & SIGN_NOT_POSITIVE ? flipped(use) : USE_BOTH;
}

static void propagate_list(const struct graph *g, const struct node *n, unsigned use, uint8_t *uses) {
    for (uint32_t i = 0; i < n->b; i++)
        if (n->op == OP_SUM)
            uses[g->arguments[n->a + i]] |= (uint8_t)use;
        else
            uses[g->arguments[n->c + i]] |= (uint8_t)use_by(use, sign_of_number(g->numbers[n->a + i]));
}

/* For a / b: with a known sign of b, the quotient decreases in b where a is positive. */
static void propagate_quotient(const struct node *n, const uint8_t *signs, unsigned use, uint8_t *uses) {
    uses[n->a] |= (uint8_t)use_by(use, signs[n->b]);
    uses[n->b] |= (uint8_t)(signs[n->b] ? use_by(flipped(use), signs[n->a]) : USE_BOTH);
}

static unsigned use_of_base(const struct graph *g, const struct node *n, const uint8_t *signs, unsigned use) {
    double p;
    if (!graph_is_constant(g, n->b, &p))
        return USE_BOTH;
    int whole = parity(g, n->b);
    if (p < 0)
        return signs[n->a] & SIGN_NOT_NEGATIVE ? flipped(use) : USE_BOTH;
    return whole == 1 ? use : whole == 2 ? use_by(use, signs[n->a]) : use; /* otherwise the base is nonnegative */
}

static void propagate_special(const struct graph *g, const uint8_t *signs, const struct node *n, unsigned use,
                              uint8_t *uses) {
    switch ((enum op)n->op) {
    case OP_SUB:
        uses[n->a] |= (uint8_t)use;
        uses[n->b] |= (uint8_t)flipped(use);
        return;
    case OP_MUL:
        uses[n->a] |= (uint8_t)use_by(use, n->a == n->b ? signs[n->a] : signs[n->b]);
        uses[n->b] |= (uint8_t)use_by(use, signs[n->a]);
        return;
    case OP_DIV:
        propagate_quotient(n, signs, use, uses);
        return;
    case OP_POW:
        uses[n->a] |= (uint8_t)use_of_base(g, n, signs, use);
        uses[n->b] |= USE_BOTH;
        return;
    default: /* OP_IF */
        uses[n->a] |= USE_BOTH;
        uses[n->b] |= (uint8_t)use;
        uses[n->c] |= (uint8_t)use;
    }
}

/* Of an argument with this sign. */
static unsigned use_by_slope(enum operator_slope slope, unsigned use, unsigned sign) {
    if (slope == SLOPE_EVEN)
        return use_by(use, sign);
    return slope == SLOPE_RISES ? use : slope == SLOPE_FALLS ? flipped(use) : USE_BOTH;
}

void split_propagate(const struct graph *g, const uint8_t *signs, uint32_t u, uint8_t *uses) {
    const struct node *n = &g->nodes[u];
    enum operator_slope slope = (enum operator_slope)operator_traits_of((enum op)n->op)->slope;
    if (n->op == OP_SUM || n->op == OP_LINEAR)
        propagate_list(g, n, uses[u], uses);
    else if (slope == SLOPE_OWN)
        propagate_special(g, signs, n, uses[u], uses);
    else
        for (int i = 0; i < operator_arguments((enum op)n->op); i++) {
            uint32_t argument = (&n->a)[i];
            uses[argument] |= (uint8_t)use_by_slope(slope, uses[u], signs[argument]);
        }
}
