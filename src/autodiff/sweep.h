/* sweep.h - one reverse sweep over a graph: propagates adjoints from seeded nodes to the leaves of one space.
 *
 * Nodes are taken in descending order from a heap, so that the cost of a sweep depends on the nodes it visits, not on
 * the size of the graph. A hub (a node with a precomputed gradient, see derivatives.c) passes its adjoint directly to its
 * leaves.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_SWEEP_H
#define HN_AUTODIFF_SWEEP_H

#include "autodiff/derivatives.h"
#include "base/arena.h"

enum { HUB_LEAVES = 4 };

struct hub {
    uint32_t count;
    uint32_t leaf[HUB_LEAVES], partial[HUB_LEAVES];
};

struct sweep {
    struct graph *graph;
    enum space space;
    size_t limit;      /* nodes at the start; seeds are below it */
    uint32_t *adjoint; /* per node; 0 = none; for leaves an entry, which may be a number */
    uint8_t *tainted;  /* per node: its adjoint may be 0 only because a branch is not taken */
    uint32_t *heap;    /* nodes with an adjoint, largest on top */
    size_t heap_count;
    uint32_t *hub_of; /* per node: 1 + index in hubs, 0 = none; NULL: no hubs */
    struct hub *hubs;
    /* Contributions of LINEAR nodes to leaves, number times node: collected until the leaf is visited, so that they
     * become one LINEAR node, a column of the matrix. */
    struct share *shares;
    size_t share_count, share_capacity;
    uint32_t *first_share; /* per node: 1 + index of the most recent, 0 = none */
    double *factors;       /* of the current leaf, */
    uint32_t *nodes;       /* and their nodes */
    size_t factor_capacity, node_capacity;
    struct arena arena; /* of the lists of fixed size */
};

struct share {
    uint32_t next; /* 1 + index of the previous one, 0 = none */
    uint32_t node;
    double factor;
};

hn_status sweep_create(struct sweep *sweep, struct graph *graph, enum space space, hn_error *error);
void sweep_release(struct sweep *sweep);

/* Adds to the adjoint of a node. */
void sweep_add(struct sweep *sweep, uint32_t node, uint32_t adjoint, bool tainted);

/* Adds factor * node to the adjoint of a leaf. */
void sweep_share(struct sweep *sweep, uint32_t leaf, double factor, uint32_t node, bool tainted);

/* Returns the next leaf with its derivative; false when the sweep is over (or the graph has failed). */
bool sweep_next(struct sweep *sweep, uint32_t *leaf, uint32_t *derivative); /* an entry */

/* Propagates the adjoint w of an operator node to its arguments (rules.c). */
void sweep_rule(struct sweep *sweep, uint32_t node, uint32_t w, bool tainted);

/* The graph's status as an error. */
hn_status sweep_status(const struct graph *graph, hn_error *error);

#endif
