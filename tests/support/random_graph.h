/* random_graph.h - random expression graphs for property tests: the same seed, the same graph.
 *
 * Operators are piled up on leaves and constants, each on arguments in its domain: log(1/2 + a^2), asin(0.9 sin a). With
 * leaves of at most RANDOM_LEAF in size every value is finite and of moderate size, so that results can be compared with a
 * tolerance. Without kinks every node is a smooth function of the leaves.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_RANDOM_GRAPH_H
#define HN_TESTS_SUPPORT_RANDOM_GRAPH_H

#include "base/random.h"
#include "model/graph.h"

#define RANDOM_LEAF 2.0

struct random_graph_options {
    size_t operators;           /* how many to pile up; each brings up to three more for its domain */
    size_t leaves[SPACE_COUNT]; /* how many of each space */
    bool kinks;                 /* abs, min, max, if, guard, comparisons and logic too */
};

/* A node of the graph, and what its value never exceeds in size. */
struct random_term {
    uint32_t node;
    double bound;
};

struct random_graph {
    struct graph graph;
    struct random_graph_options options;
    struct random_term
        *terms; /* leaves first, then constants, then what was piled up; later ones rest on earlier ones */
    size_t count;
};

hn_status random_graph_create(struct random_graph *out, struct random_graph_options options, struct random *random);
void random_graph_release(struct random_graph *graph);

/* Any of the nodes that were piled up, later ones more often. */
uint32_t random_graph_root(const struct random_graph *graph, struct random *random);

/* Values for count leaves. */
void random_leaves(struct random *random, size_t count, double *values);

#endif
