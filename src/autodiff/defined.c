/* defined.c - makes a formula NaN if one of its parts is undefined.
 *
 * 1/0 and log(0) are infinite in IEEE arithmetic, 0/0 and log(-1) are NaN, and a non-finite row is infeasible. But
 * other operations may mask an infinity: 1/log(y) is -0 at y = 0, atan(1/y) is pi/2, min(1/y, 3) is 3; and a comparison
 * masks NaN, too. This module makes such formulas NaN where that happens and keeps all bits elsewhere. Most formulas
 * are not affected and remain unchanged. Derivatives are those of the original formula. Overflow does not count as
 * undefined, and a formula whose final value is infinite is not changed: that is detected without this module, and an
 * infinite bound means no bound.
 *
 * For every node and every way in which an infinity or a NaN may be masked above it (a variant), `undefined` is a
 * condition: 1 if an operation below divides by 0, takes the logarithm of 0 or is invalid, and the result would be
 * masked. It is the disjunction of the arguments' conditions; for IF only the branch taken counts, for AND and OR only
 * a side that the other one does not decide.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/sweep.h"
#include "base/error.h"

/* The non-finite results of an undefined operation, and those masked on the way up: bits. */
enum { INFINITE = MADE_INFINITE, INVALID = MADE_INVALID, BOTH = MADE_BOTH, VARIANTS = 4 };

struct search {
    struct graph *graph;
    size_t count;
    uint8_t *below;                  /* per node: possible non-finite results of the node or its descendants */
    uint8_t *requested;              /* bit v: variant v is requested */
    uint32_t (*undefined)[VARIANTS]; /* conditions; 0: never */
    struct arena arena;
};

/* ---- operators ---- */

/* Of DIV, IF and POW; a^0 and 1^b are 1 for any other argument. */
static unsigned masked_of_special(const struct graph *g, const struct node *n, size_t k, unsigned masked) {
    double exponent;
    if (n->op == OP_DIV)
        return k == 1 ? masked | INFINITE : masked;
    if (n->op == OP_IF)
        return k == 0 ? BOTH : masked;
    if (k == 0 && graph_is_constant(g, n->b, &exponent) && exponent != 0)
        return exponent < 0 ? masked | INFINITE : masked;
    return BOTH;
}

/* The results of argument k that are masked, if `masked` is masked for the node. */
static unsigned masked_of(const struct graph *g, const struct node *n, size_t k, unsigned masked) {
    switch ((enum operator_masks)operator_traits_of((enum op)n->op)->masks) {
    case MASKS_NOTHING:
        return masked;
    case MASKS_INFINITE:
        return masked | INFINITE;
    case MASKS_ALL:
        return BOTH;
    case MASKS_OWN:
        return masked_of_special(g, n, k, masked);
    }
    return BOTH;
}

static uint32_t apply(struct search *s, enum op op, uint32_t a, uint32_t b) {
    return graph_apply(s->graph, op, a, b, 0);
}

/* ---- conditions; 0: false ---- */

static uint32_t either(struct search *s, uint32_t a, uint32_t b) {
    return a && b ? apply(s, OP_OR, a, b) : a | b;
}

/* One statement per node: C does not order the evaluation of arguments. */
static uint32_t undefined_power(struct search *s, uint32_t node, const struct node *n) {
    uint32_t zero = graph_constant(s->graph, 0), pole = 0, invalid = 0;
    unsigned made = graph_made_by(s->graph, n);
    if (made & INFINITE) {
        pole = apply(s, OP_LESS, n->b, zero);
        pole = apply(s, OP_AND, apply(s, OP_EQUAL, n->a, zero), pole);
    }
    if (made & INVALID) {
        invalid = apply(s, OP_NOT_EQUAL, node, node);
        invalid = apply(s, OP_AND, apply(s, OP_LESS, n->a, zero), invalid);
    }
    return either(s, pole, invalid);
}

/* The condition that the operation itself is undefined. */
static uint32_t undefined_itself(struct search *s, uint32_t node, const struct node *n) {
    uint32_t zero = graph_constant(s->graph, 0), one = graph_constant(s->graph, 1);
    switch ((enum operator_undefined)operator_traits_of((enum op)n->op)->undefined) {
    case UNDEFINED_NOWHERE:
        return 0;
    case UNDEFINED_NEGATIVE:
        return apply(s, OP_LESS, n->a, zero);
    case UNDEFINED_BELOW_ONE:
        return apply(s, OP_LESS, n->a, one);
    case UNDEFINED_BEYOND_ONE:
        return apply(s, OP_LESS, one, apply(s, OP_ABS, n->a, 0));
    case UNDEFINED_NOT_POSITIVE:
        return apply(s, OP_LESS_EQUAL, n->a, zero);
    case UNDEFINED_FROM_ONE:
        return apply(s, OP_LESS_EQUAL, one, apply(s, OP_ABS, n->a, 0));
    case UNDEFINED_DIVISOR:
        return apply(s, OP_EQUAL, n->b, zero);
    case UNDEFINED_POWER:
        return undefined_power(s, node, n);
    }
    return one;
}

static uint32_t both(struct search *s, uint32_t a, uint32_t b) {
    return a && b ? apply(s, OP_AND, a, b) : 0;
}

/* An undefined side does not matter if the other one decides the value: 0 for AND, another number for OR. */
static uint32_t undefined_logic(struct search *s, const struct node *n) {
    bool all = n->op == OP_AND;
    uint32_t a = s->undefined[n->a][BOTH], b = s->undefined[n->b][BOTH];
    uint32_t open_a = all ? n->a : apply(s, OP_NOT, n->a, 0), open_b = all ? n->b : apply(s, OP_NOT, n->b, 0);
    uint32_t left = both(s, a, either(s, b, open_b)), right = both(s, b, either(s, a, open_a));
    return either(s, left, right);
}

static uint32_t undefined_if(struct search *s, const struct node *n, unsigned masked) {
    uint32_t yes = s->undefined[n->b][masked], no = s->undefined[n->c][masked], zero = graph_constant(s->graph, 0);
    uint32_t taken = yes == no ? yes : graph_apply(s->graph, OP_IF, n->a, yes ? yes : zero, no ? no : zero);
    return either(s, s->undefined[n->a][BOTH], taken);
}

static uint32_t undefined_any(struct search *s, uint32_t node, const struct node *n, unsigned masked) {
    const uint32_t *list;
    uint32_t undefined = graph_made_by(s->graph, n) & masked ? undefined_itself(s, node, n) : 0;
    size_t count = graph_arguments(s->graph, node, &list);
    for (size_t k = 0; k < count; k++) {
        graph_arguments(s->graph, node, &list); /* growing the graph may move the list */
        undefined = either(s, undefined, s->undefined[list[k]][masked_of(s->graph, n, k, masked)]);
    }
    return undefined;
}

static uint32_t undefined_of(struct search *s, uint32_t node, unsigned masked) {
    const struct node n = s->graph->nodes[node];
    if (n.op == OP_AND || n.op == OP_OR)
        return undefined_logic(s, &n);
    return n.op == OP_IF ? undefined_if(s, &n, masked) : undefined_any(s, node, &n, masked);
}

/* ---- traversal of the graph ---- */

static void find_below(struct search *s) {
    for (size_t i = 1; i < s->count; i++) {
        const uint32_t *list;
        size_t count = graph_arguments(s->graph, (uint32_t)i, &list);
        unsigned below = graph_made_by(s->graph, &s->graph->nodes[i]);
        for (size_t k = 0; k < count; k++)
            below |= s->below[list[k]];
        s->below[i] = (uint8_t)below;
    }
}

/* Requests the variants of a node's arguments; returns whether something may be masked at the node itself. */
static bool request_arguments(struct search *s, uint32_t node) {
    const uint32_t *list;
    const struct node *n = &s->graph->nodes[node];
    size_t count = graph_arguments(s->graph, node, &list);
    unsigned made = graph_made_by(s->graph, n);
    bool found = false;
    for (unsigned masked = 0; masked < VARIANTS; masked++) {
        if (!(s->requested[node] & 1u << masked))
            continue;
        found = found || (made & masked) != 0;
        for (size_t k = 0; k < count; k++)
            if (s->below[list[k]])
                s->requested[list[k]] |= (uint8_t)(1u << masked_of(s->graph, n, k, masked));
    }
    return found;
}

static bool request_all(struct search *s) {
    bool found = false;
    for (size_t i = s->count; i-- > 1;)
        found = (s->requested[i] && request_arguments(s, (uint32_t)i)) || found;
    return found;
}

static void form_conditions(struct search *s) {
    for (size_t i = 1; i < s->count; i++)
        for (unsigned masked = 0; masked < VARIANTS; masked++)
            if (s->requested[i] & 1u << masked)
                s->undefined[i][masked] = undefined_of(s, (uint32_t)i, masked);
}

/* c - 0/defined equals c, up to the sign of a zero, if defined is 1, and is NaN if defined is 0. */
static void replace(struct search *s, uint32_t *node) {
    uint32_t undefined = *node ? s->undefined[*node][0] : 0;
    if (!undefined)
        return;
    uint32_t defined = apply(s, OP_NOT, undefined, 0);
    *node = apply(s, OP_SUB, *node, apply(s, OP_DIV, graph_constant(s->graph, 0), defined));
}

uint32_t defined_formula(const struct graph *graph, uint32_t entry) {
    const struct node *n = entry & ENTRY_NUMBER ? &graph->nodes[0] : &graph->nodes[entry];
    const struct node *defined = &graph->nodes[n->op == OP_SUB ? n->b : 0];
    bool replaced =
        defined->op == OP_DIV && graph_is_number(graph, defined->a, 0) && graph->nodes[defined->b].op == OP_NOT;
    return replaced ? n->a : entry;
}

hn_status defined_replace(struct graph *graph, const struct formulas *lists, size_t count, hn_error *error) {
    struct search s = {.graph = graph, .count = graph->count};
    hn_status status = HN_OK;
    s.below = arena_zeros(&s.arena, s.count, sizeof *s.below);
    s.requested = arena_zeros(&s.arena, s.count, sizeof *s.requested);
    bool ready = s.below && s.requested, found = false;
    if (ready) {
        find_below(&s);
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0; i < lists[k].count; i++)
                s.requested[lists[k].nodes[i]] |= 1u; /* nothing is masked at a root */
        found = request_all(&s);
    }
    if (found) {
        s.undefined = arena_zeros(&s.arena, s.count, sizeof *s.undefined);
        ready = s.undefined != NULL;
    }
    if (found && ready) {
        form_conditions(&s);
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0; i < lists[k].count; i++)
                replace(&s, &lists[k].nodes[i]);
        status = sweep_status(graph, error);
    }
    arena_release(&s.arena);
    return ready ? status : error_no_memory(error, "derivatives");
}
