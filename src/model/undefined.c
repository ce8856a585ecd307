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
    switch ((enum operator_undefined)operator_traits_of((enum op)n->op)->undefined) {
    case UNDEFINED_NOWHERE:
        return 0;
    case UNDEFINED_NEGATIVE:
    case UNDEFINED_BELOW_ONE:
    case UNDEFINED_BEYOND_ONE:
        return MADE_INVALID;
    case UNDEFINED_NOT_POSITIVE:
    case UNDEFINED_FROM_ONE:
        return MADE_BOTH;
    case UNDEFINED_DIVISOR:
        return graph_is_constant(g, n->b, NULL) && !graph_is_number(g, n->b, 0) ? 0 : MADE_BOTH;
    case UNDEFINED_POWER:
        return made_by_power(g, n);
    }
    return MADE_BOTH;
}

bool graph_is_total(const struct graph *g, uint32_t node) {
    return !g->nodes[node].partial;
}
