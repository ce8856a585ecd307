/* graph.h - the expression graph: nodes in, numbered values out, each stored once.
 *
 * A node is an operator and the numbers of its arguments, which are smaller than its own: ascending order is an order of
 * evaluation. graph_apply folds constants and simplifies trivial algebra, then looks the node up before it makes a new one.
 * A graph keeps every value as it was written; a loose one, for derivatives, may round differently (see simplify.c).
 * Number 0 is no node; once memory or the node limit runs out the graph keeps the status, answers 0 and changes no more.
 * Leaves live in spaces (x, y, and those that derivatives add); a node knows on which spaces it depends.
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

/* SUM: arguments in a list apart, b of them from a on. CONSTANT: the bits of the value in a and b. LEAF: space a, index b. */
struct node {
    uint8_t op;
    uint8_t spaces; /* bit s: depends on a leaf of space s */
    uint16_t unused;
    uint32_t a, b, c;
};

struct graph {
    struct node *nodes;
    size_t count, capacity;
    uint32_t *arguments; /* of SUM nodes */
    size_t argument_count, argument_capacity;
    uint32_t *table; /* node numbers by hash, open addressing, 0 = free */
    size_t table_size;
    size_t max_nodes;
    bool loose; /* what is added may round differently and is taken for finite: derivatives, not values */
    hn_status status;
};

hn_status graph_create(struct graph *graph, size_t max_nodes);
void graph_release(struct graph *graph);

/* Room in the table for so many more nodes, so that it need not grow, and be filled anew, on the way there. */
void graph_reserve(struct graph *graph, size_t more);

uint32_t graph_constant(struct graph *graph, double value);
uint32_t graph_leaf(struct graph *graph, enum space space, uint32_t index);
uint32_t graph_reference(struct graph *graph, uint32_t definition);
uint32_t graph_apply(struct graph *graph, enum op op, uint32_t a, uint32_t b, uint32_t c);
uint32_t graph_sum(struct graph *graph, const uint32_t *terms, size_t count);

/* Short forms. */
uint32_t graph_add(struct graph *graph, uint32_t a, uint32_t b);
uint32_t graph_sub(struct graph *graph, uint32_t a, uint32_t b);
uint32_t graph_mul(struct graph *graph, uint32_t a, uint32_t b);
uint32_t graph_div(struct graph *graph, uint32_t a, uint32_t b);
uint32_t graph_neg(struct graph *graph, uint32_t a);
uint32_t graph_scale(struct graph *graph, double factor, uint32_t a);

bool graph_is_constant(const struct graph *graph, uint32_t node, double *value); /* value may be NULL */
bool graph_is_number(const struct graph *graph, uint32_t node, double value);    /* the constant of this value */
bool graph_depends(const struct graph *graph, uint32_t node, enum space space);

/* The arguments of any node: their number, and the list (of three at most, or of the SUM). */
size_t graph_arguments(const struct graph *graph, uint32_t node, const uint32_t **list);

/* Stores a node as it is, without algebra; the same node twice gives the same number. Used by graph_apply and graph_sum. */
uint32_t graph_intern(struct graph *graph, struct node node);

/* Likewise the sum of a constant in front and the terms, zeros left out. */
uint32_t graph_intern_sum(struct graph *graph, uint32_t front, const uint32_t *terms, size_t count);

#endif
