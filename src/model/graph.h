/* graph.h - the expression graph: hash-consed nodes: equal nodes are stored once.
 *
 * A node is an operator and the numbers of its arguments, which are smaller than its own: ascending order is a
 * topological order. graph_apply folds constants and simplifies trivial algebra, then looks up an equal node before it
 * creates one. A graph of values keeps every value as written; a loose one, for derivatives, may round differently (see
 * simplify.c). Number 0 is not a node; once memory or the node limit is exhausted the graph keeps that status, returns
 * 0 and does not change any more. Leaves belong to spaces (x, y, and those that derivatives add); a node records the
 * spaces it depends on.
 *
 * A long sum of nodes with constant factors is one LINEAR node: its coefficients are stored in a separate list, not as
 * nodes, so that a row of a matrix costs 8 bytes per entry, plus its columns unless they equal those of the previous
 * row. An entry (of a matrix of derivatives) is a node or, with ENTRY_NUMBER set, the index of one of these numbers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_MODEL_GRAPH_H
#define HN_MODEL_GRAPH_H

#include "hardnet/base.h"
#include "model/operators.h"

enum space {
    SPACE_X,      /* inputs */
    SPACE_Y,      /* outputs */
    SPACE_V,      /* row multipliers, first product */
    SPACE_T,      /* direction, first product */
    SPACE_Q,      /* row multipliers, second product */
    SPACE_S,      /* direction, second product */
    SPACE_SIGMA,  /* multiplier of the objective: one leaf */
    SPACE_LAMBDA, /* row multipliers of the Hessian */
    SPACE_COUNT
};

/* SUM: arguments in a separate list, b of them from a on. LINEAR: likewise from c on, and as many coefficients from a
 * on; each product is rounded before it is added, from left to right. CONSTANT: the bits of the value in a and b. LEAF:
 * space a, index b. */
struct node {
    uint8_t op;
    uint8_t spaces;  /* bit s: depends on a leaf of space s */
    uint8_t partial; /* 1: this operation or one below is undefined for some finite arguments (graph.c) */
    uint8_t unused;
    uint32_t a, b, c;
};

struct graph {
    struct node *nodes;
    size_t count, capacity;
    uint32_t *arguments; /* of SUM and LINEAR nodes */
    size_t argument_count, argument_capacity;
    double *numbers; /* coefficients of LINEAR nodes, and constant entries */
    size_t number_count, number_capacity;
    size_t last_list, last_count; /* the arguments of the last LINEAR node, which the next one may share */
    uint32_t *table;              /* node numbers by hash, open addressing, 0 = free */
    size_t table_size;
    size_t max_nodes, max_numbers;
    bool loose; /* new nodes may round differently and are assumed finite: derivatives, not values */
    hn_status status;
};

/* Sums with at least so many constant factors of leaves, and at most as many other terms, are LINEAR. For shorter ones,
 * eight bytes and a slot saved per term do not justify an instruction that cannot be fused with its neighbours. */
enum { LINEAR_TERMS = 16 };

#define ENTRY_NUMBER (UINT32_C(1) << 31)

hn_status graph_create(struct graph *graph, size_t max_nodes);
void graph_release(struct graph *graph);

/* Reserves space in the table for this many more nodes, to avoid rehashing. */
void graph_reserve(struct graph *graph, size_t more);

uint32_t graph_constant(struct graph *graph, double value);
uint32_t graph_leaf(struct graph *graph, enum space space, uint32_t index);
uint32_t graph_reference(struct graph *graph, uint32_t definition);
uint32_t graph_apply(struct graph *graph, enum op op, uint32_t a, uint32_t b, uint32_t c);
uint32_t graph_sum(struct graph *graph, const uint32_t *terms, size_t count);

/* sum_i coefficients[i] * nodes[i], rounded as graph_sum of the products would be. */
uint32_t graph_linear(struct graph *graph, const double *coefficients, const uint32_t *nodes, size_t count);

/* Short forms. */
static inline uint32_t graph_add(struct graph *graph, uint32_t a, uint32_t b) {
    return graph_apply(graph, OP_ADD, a, b, 0);
}

static inline uint32_t graph_sub(struct graph *graph, uint32_t a, uint32_t b) {
    return graph_apply(graph, OP_SUB, a, b, 0);
}

static inline uint32_t graph_mul(struct graph *graph, uint32_t a, uint32_t b) {
    return graph_apply(graph, OP_MUL, a, b, 0);
}

static inline uint32_t graph_div(struct graph *graph, uint32_t a, uint32_t b) {
    return graph_apply(graph, OP_DIV, a, b, 0);
}

static inline uint32_t graph_neg(struct graph *graph, uint32_t a) {
    return graph_apply(graph, OP_NEG, a, 0, 0);
}

static inline uint32_t graph_scale(struct graph *graph, double factor, uint32_t a) {
    return graph_apply(graph, OP_MUL, graph_constant(graph, factor), a, 0);
}

bool graph_is_constant(const struct graph *graph, uint32_t node, double *value); /* value may be NULL */
bool graph_is_number(const struct graph *graph, uint32_t node, double value);    /* the constant of this value */
bool graph_depends(const struct graph *graph, uint32_t node, enum space space);

/* The results of an operation for finite arguments for which it is undefined. Overflow is not counted. */
enum { MADE_INFINITE = 1, MADE_INVALID = 2, MADE_BOTH = 3 };
unsigned graph_made_by(const struct graph *graph, const struct node *node);

/* Whether the value is defined for all finite inputs and outputs, so that the node may be dropped from a formula. */
bool graph_is_total(const struct graph *graph, uint32_t node);

/* Entries: a number among the graph's own, as an entry; whether an entry is constant; the node of an entry. */
uint32_t graph_number(struct graph *graph, double value);
bool graph_entry_is_constant(const struct graph *graph, uint32_t entry, double *value); /* value may be NULL */
uint32_t graph_entry_node(struct graph *graph, uint32_t entry);

/* The arguments of any node: returns their number, and the list (of at most three, or of the SUM or LINEAR node). */
size_t graph_arguments(const struct graph *graph, uint32_t node, const uint32_t **list);

/* Stores a node without simplification; equal nodes get the same number. Used by graph_apply and graph_sum. */
uint32_t graph_intern(struct graph *graph, struct node node);

/* The same for the sum of a leading constant and the terms; zeros are left out. */
uint32_t graph_intern_sum(struct graph *graph, uint32_t front, const uint32_t *terms, size_t count);

/* The same for a LINEAR node: its terms are appended one by one to both lists, and then become the node. */
bool graph_linear_room(struct graph *graph, size_t count);
void graph_linear_term(struct graph *graph, double coefficient, uint32_t node);
uint32_t graph_intern_linear(struct graph *graph, size_t first_argument, size_t first_number);

#endif
