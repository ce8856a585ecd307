/* sweep.h - one reverse sweep over a graph: adjoints flow from seeded nodes down to the leaves of one space.
 *
 * Nodes are taken in descending order from a heap, so that a sweep costs what it touches, not what the graph holds. A hub (a
 * node whose own gradient is known, see jacobian.c) hands its adjoint straight to its leaves.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_SWEEP_H
#define HN_AUTODIFF_SWEEP_H

#include "autodiff/derivatives.h"

enum { HUB_LEAVES = 4 };

struct hub {
    uint32_t count;
    uint32_t leaf[HUB_LEAVES], partial[HUB_LEAVES];
};

struct sweep {
    struct graph *graph;
    enum space space;
    size_t limit;      /* nodes that were there at the start; seeds are below it */
    uint32_t *adjoint; /* per node; 0 = none; of leaves an entry, which may be a number */
    uint8_t *tainted;  /* per node: its adjoint may be 0 only because a branch is not taken */
    uint32_t *heap;    /* nodes with an adjoint, largest on top */
    size_t heap_count;
    uint32_t *hub_of; /* per node: 1 + index in hubs, 0 = none; NULL: no hubs */
    struct hub *hubs;
    /* What LINEAR nodes hand to leaves, number times node: kept apart until the leaf is taken, so that many become one LINEAR
     * node, a column of the matrix whose rows those are. */
    struct share *shares;
    size_t share_count, share_capacity;
    uint32_t *first_share; /* per node: 1 + index of the newest, 0 = none; NULL until there are any */
    double *factors;       /* of the leaf being taken, */
    uint32_t *nodes;       /* and what they multiply */
    size_t factor_capacity, node_capacity;
};

struct share {
    uint32_t next; /* 1 + index of the one before, 0 = none */
    uint32_t node;
    double factor;
};

hn_status sweep_create(struct sweep *sweep, struct graph *graph, enum space space, hn_error *error);
void sweep_release(struct sweep *sweep);

/* Adds to the adjoint of a node. */
void sweep_add(struct sweep *sweep, uint32_t node, uint32_t adjoint, bool tainted);

/* Adds factor * node to the adjoint of a leaf. */
void sweep_share(struct sweep *sweep, uint32_t leaf, double factor, uint32_t node, bool tainted);

/* Takes the next leaf with its derivative; false when the sweep is over (or the graph has failed). */
bool sweep_next(struct sweep *sweep, uint32_t *leaf, uint32_t *derivative); /* an entry */

/* Hands the adjoint w of an operator node on to its arguments (rules.c). */
void sweep_rule(struct sweep *sweep, uint32_t node, uint32_t w, bool tainted);

/* The graph's status as an error in words. */
hn_status sweep_status(const struct graph *graph, hn_error *error);

#endif
