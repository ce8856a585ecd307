/* undefined.c - operations that are undefined for some finite arguments: division by 0, logarithms, roots, some powers.
 *
 * A node is partial if its operation, or one it depends on, is such an operation. Simplification may drop an operand
 * only if it is not partial; otherwise a row could become ok although part of its formula has no value.
 *
 * SPDX-License-Identifier: MIT */
#include "model/graph.h"

#include <math.h>

static unsigned made_by_power(const struct graph *g, const struct node *n) {
    double exponent;
    if (!graph_is_constant(g, n->b, &exponent))
        return MADE_BOTH;
    return (exponent < 0 ? MADE_INFINITE : 0) | (floor(exponent) == exponent ? 0 : MADE_INVALID);
}

unsigned graph_made_by(const struct graph *g, const struct node *n) {
    switch ((enum op)n->op) {
    case OP_DIV:
        return graph_is_constant(g, n->b, NULL) && !graph_is_number(g, n->b, 0) ? 0 : MADE_BOTH;
    case OP_LOG:
    case OP_LOG10:
    case OP_ATANH:
        return MADE_BOTH;
    case OP_SQRT:
    case OP_ASIN:
    case OP_ACOS:
    case OP_ACOSH:
        return MADE_INVALID;
    case OP_POW:
        return made_by_power(g, n);
    default:
        return 0;
    }
}

bool graph_is_total(const struct graph *g, uint32_t node) {
    return !g->nodes[node].partial;
}
