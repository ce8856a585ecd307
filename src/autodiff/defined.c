/* defined.c - propagates undefined intermediate values to the result: see defined.h.
 *
 * For every node and every way in which an infinity or a NaN may be masked above it (a variant), `lacks` is a
 * condition: 1 if an operation below divides by 0, takes the logarithm of 0 or is invalid, and the result would be
 * masked. It is the disjunction of the arguments' conditions; for IF only the branch taken counts, for AND and OR only
 * a side that the other one does not decide.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/defined.h"

#include "autodiff/sweep.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <string.h>

/* The non-finite results of an undefined operation, and those masked on the way up: bits. */
enum { INFINITE = MADE_INFINITE, INVALID = MADE_INVALID, BOTH = MADE_BOTH, VARIANTS = 4 };

struct search {
    struct graph *graph;
    size_t count;
    uint8_t *below;              /* of each node: what the node or its descendants may produce */
    uint8_t *asked;              /* bit v: variant v is requested */
    uint32_t (*lacks)[VARIANTS]; /* conditions; 0: never */
};

/* ---- operators ---- */

/* Of DIV, IF and POW; a^0 and 1^b are 1 for any other argument. */
static unsigned lost_of_own(const struct graph *g, const struct node *n, size_t k, unsigned lost) {
    double exponent;
    if (n->op == OP_DIV)
        return k == 1 ? lost | INFINITE : lost;
    if (n->op == OP_IF)
        return k == 0 ? BOTH : lost;
    if (k == 0 && graph_is_constant(g, n->b, &exponent) && exponent != 0)
        return exponent < 0 ? lost | INFINITE : lost;
    return BOTH;
}

/* The results of argument k that are masked, if `lost` is masked for the node. */
static unsigned lost_of(const struct graph *g, const struct node *n, size_t k, unsigned lost) {
    switch ((enum operator_masks)operator_traits_of((enum op)n->op)->masks) {
    case MASKS_NOTHING:
        return lost;
    case MASKS_INFINITE:
        return lost | INFINITE;
    case MASKS_ALL:
        return BOTH;
    case MASKS_OWN:
        return lost_of_own(g, n, k, lost);
    }
    return BOTH;
}

static uint32_t defined_apply(struct search *s, enum op op, uint32_t a, uint32_t b) {
    return graph_apply(s->graph, op, a, b, 0);
}

/* One statement per node: C does not order the evaluation of arguments. */
static uint32_t lacks_power(struct search *s, uint32_t node, const struct node *n) {
    uint32_t zero = graph_constant(s->graph, 0), pole = 0, invalid = 0;
    unsigned made = graph_made_by(s->graph, n);
    if (made & INFINITE) {
        pole = defined_apply(s, OP_LESS, n->b, zero);
        pole = defined_apply(s, OP_AND, defined_apply(s, OP_EQUAL, n->a, zero), pole);
    }
    if (made & INVALID) {
        invalid = defined_apply(s, OP_NOT_EQUAL, node, node);
        invalid = defined_apply(s, OP_AND, defined_apply(s, OP_LESS, n->a, zero), invalid);
    }
    return pole && invalid ? defined_apply(s, OP_OR, pole, invalid) : pole | invalid;
}

/* Where the operation itself is undefined. */
static uint32_t lacks_itself(struct search *s, uint32_t node, const struct node *n) {
    uint32_t zero = graph_constant(s->graph, 0), one = graph_constant(s->graph, 1);
    switch ((enum operator_undefined)operator_traits_of((enum op)n->op)->undefined) {
    case UNDEFINED_NOWHERE:
        return 0;
    case UNDEFINED_NEGATIVE:
        return defined_apply(s, OP_LESS, n->a, zero);
    case UNDEFINED_BELOW_ONE:
        return defined_apply(s, OP_LESS, n->a, one);
    case UNDEFINED_BEYOND_ONE:
        return defined_apply(s, OP_LESS, one, defined_apply(s, OP_ABS, n->a, 0));
    case UNDEFINED_NOT_POSITIVE:
        return defined_apply(s, OP_LESS_EQUAL, n->a, zero);
    case UNDEFINED_FROM_ONE:
        return defined_apply(s, OP_LESS_EQUAL, one, defined_apply(s, OP_ABS, n->a, 0));
    case UNDEFINED_DIVISOR:
        return defined_apply(s, OP_EQUAL, n->b, zero);
    case UNDEFINED_POWER:
        return lacks_power(s, node, n);
    }
    return one;
}

/* ---- conditions; 0: never ---- */

static uint32_t either(struct search *s, uint32_t a, uint32_t b) {
    return a && b ? defined_apply(s, OP_OR, a, b) : a | b;
}

static uint32_t both(struct search *s, uint32_t a, uint32_t b) {
    return a && b ? defined_apply(s, OP_AND, a, b) : 0;
}

/* An undefined side does not matter if the other one decides the value: 0 for AND, another number for OR. */
static uint32_t lacks_logic(struct search *s, const struct node *n) {
    bool all = n->op == OP_AND;
    uint32_t a = s->lacks[n->a][BOTH], b = s->lacks[n->b][BOTH];
    uint32_t open_a = all ? n->a : defined_apply(s, OP_NOT, n->a, 0),
             open_b = all ? n->b : defined_apply(s, OP_NOT, n->b, 0);
    uint32_t left = both(s, a, either(s, b, open_b)), right = both(s, b, either(s, a, open_a));
    return either(s, left, right);
}

static uint32_t lacks_if(struct search *s, const struct node *n, unsigned lost) {
    uint32_t yes = s->lacks[n->b][lost], no = s->lacks[n->c][lost], zero = graph_constant(s->graph, 0);
    uint32_t taken = yes == no ? yes : graph_apply(s->graph, OP_IF, n->a, yes ? yes : zero, no ? no : zero);
    return either(s, s->lacks[n->a][BOTH], taken);
}

static uint32_t lacks_any(struct search *s, uint32_t node, const struct node *n, unsigned lost) {
    const uint32_t *list;
    uint32_t lacks = graph_made_by(s->graph, n) & lost ? lacks_itself(s, node, n) : 0;
    size_t count = graph_arguments(s->graph, node, &list);
    for (size_t k = 0; k < count; k++) {
        graph_arguments(s->graph, node, &list); /* growing the graph may move the list */
        lacks = either(s, lacks, s->lacks[list[k]][lost_of(s->graph, n, k, lost)]);
    }
    return lacks;
}

static uint32_t lacks_of(struct search *s, uint32_t node, unsigned lost) {
    const struct node n = s->graph->nodes[node];
    if (n.op == OP_AND || n.op == OP_OR)
        return lacks_logic(s, &n);
    return n.op == OP_IF ? lacks_if(s, &n, lost) : lacks_any(s, node, &n, lost);
}

/* ---- traversal of the graph ---- */

static bool makes_something(const struct graph *g) {
    bool makes = false;
    for (size_t i = 1; i < g->count && !makes; i++)
        makes = graph_made_by(g, &g->nodes[i]) != 0;
    return makes;
}

static void look_below(struct search *s) {
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
static bool ask_arguments(struct search *s, uint32_t node) {
    const uint32_t *list;
    const struct node *n = &s->graph->nodes[node];
    size_t count = graph_arguments(s->graph, node, &list);
    unsigned made = graph_made_by(s->graph, n);
    bool found = false;
    for (unsigned lost = 0; lost < VARIANTS; lost++) {
        if (!(s->asked[node] & 1u << lost))
            continue;
        found = found || (made & lost) != 0;
        for (size_t k = 0; k < count; k++)
            if (s->below[list[k]])
                s->asked[list[k]] |= (uint8_t)(1u << lost_of(s->graph, n, k, lost));
    }
    return found;
}

static bool ask_all(struct search *s) {
    bool found = false;
    for (size_t i = s->count; i-- > 1;)
        found = (s->asked[i] && ask_arguments(s, (uint32_t)i)) || found;
    return found;
}

static void answer_all(struct search *s) {
    for (size_t i = 1; i < s->count; i++)
        for (unsigned lost = 0; lost < VARIANTS; lost++)
            if (s->asked[i] & 1u << lost)
                s->lacks[i][lost] = lacks_of(s, (uint32_t)i, lost);
}

/* c - 0/held equals c, up to the sign of a zero, if held is 1, and is NaN if held is 0. */
static void watch(struct search *s, uint32_t *node) {
    uint32_t lacks = *node ? s->lacks[*node][0] : 0;
    if (!lacks)
        return;
    uint32_t held = defined_apply(s, OP_NOT, lacks, 0);
    *node = defined_apply(s, OP_SUB, *node, defined_apply(s, OP_DIV, graph_constant(s->graph, 0), held));
}

uint32_t defined_formula(const struct graph *graph, uint32_t entry) {
    const struct node *n = entry & ENTRY_NUMBER ? &graph->nodes[0] : &graph->nodes[entry];
    const struct node *held = &graph->nodes[n->op == OP_SUB ? n->b : 0];
    bool watched = held->op == OP_DIV && graph_is_number(graph, held->a, 0) && graph->nodes[held->b].op == OP_NOT;
    return watched ? n->a : entry;
}

static void watch_all(struct search *s, const struct watched *all) {
    for (size_t i = 0; i < all->count; i++)
        watch(s, &all->nodes[i]);
}

static void ask_roots(struct search *s, const struct watched *all) {
    for (size_t i = 0; i < all->count; i++)
        s->asked[all->nodes[i]] |= 1u; /* nothing is masked at a root */
}

static void defined_release(struct search *s) {
    base_release(s->below);
    base_release(s->lacks);
}

static bool place_bytes(struct search *s) {
    size_t bytes = size_product(2, s->count);
    s->below = base_allocate(bytes);
    if (!s->below)
        return false;
    s->asked = s->below + s->count;
    memset(s->below, 0, bytes);
    return true;
}

static bool place_conditions(struct search *s) {
    size_t bytes = size_product(s->count, sizeof *s->lacks);
    s->lacks = base_allocate(bytes);
    if (s->lacks)
        memset(s->lacks, 0, bytes);
    return s->lacks != NULL;
}

static hn_status watch_lists(struct search *s, const struct watched *lists, size_t count, hn_error *error) {
    if (!place_conditions(s))
        return error_no_memory(error, "derivatives");
    answer_all(s);
    for (size_t i = 0; i < count; i++)
        watch_all(s, &lists[i]);
    return sweep_status(s->graph, error);
}

hn_status defined_watch(struct graph *graph, const struct watched *lists, size_t count, hn_error *error) {
    struct search s = {.graph = graph, .count = graph->count};
    if (!makes_something(graph))
        return HN_OK;
    if (!place_bytes(&s))
        return error_no_memory(error, "derivatives");
    look_below(&s);
    for (size_t i = 0; i < count; i++)
        ask_roots(&s, &lists[i]);
    hn_status status = ask_all(&s) ? watch_lists(&s, lists, count, error) : HN_OK;
    defined_release(&s);
    return status;
}
