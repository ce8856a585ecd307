/* split.h - finds the kinks of a problem and reformulates those that have an exact smooth form.
 *
 * An optimum is often at a kink of abs, max or a piecewise linear term, where derivative-based conditions fail. If the
 * objective and the rows are nondecreasing in the value of a kink, it can be replaced by an additional output t and
 * additional rows (epigraph form):
 *
 *     minimise F(max(a, b), y)        minimise F(t, y)   subject to  t >= a,  t >= b
 *
 * (min likewise if they are nonincreasing.) The graph, rows, outputs and objective of the problem are changed. The
 * outputs and rows of the model come first. Other kinks are unchanged.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_SPLIT_H
#define HN_AUTODIFF_SPLIT_H

#include "autodiff/derivatives.h"

struct problem_split {
    size_t count;         /* additional outputs; 0: the problem is unchanged */
    size_t outputs, rows; /* of the model */
    uint32_t *kink;       /* by additional output: the node that it replaces, over the outputs of the model */
    uint32_t *body;       /* the original bodies, and */
    uint32_t objective;   /* the original objective */
};

hn_status problem_split_kinks(struct problem *problem, struct problem_split *split, hn_error *error);
void problem_split_release(struct problem_split *split);

/* Pairs of nodes: where both are equal, objective or rows have a kink. */
hn_status problem_list_kinks(struct problem *problem, struct node_list *pairs, hn_error *error);

/* ---- for split.c ---- */

/* Whether the objective and the rows worsen with a larger value of a node, with a smaller value, or with both. */
enum { USE_UP = 1, USE_DOWN = 2, USE_BOTH = USE_UP | USE_DOWN };

/* Propagates the use of node u, complete once all its users are visited, to its arguments. signs: of sign_of_nodes. */
void split_propagate(const struct graph *g, const uint8_t *signs, uint32_t u, uint8_t *uses);

/* Known signs of values: SIGN_* by node. */
enum { SIGN_NOT_NEGATIVE = 1, SIGN_NOT_POSITIVE = 2 };
void split_find_signs(const struct graph *graph, uint8_t *signs);

/* The lines of a tree of comparisons that is continuous, piecewise linear along one direction, and convex (USE_UP) or
 * concave (USE_DOWN). Returns the number of lines; 0: it is not of this form, or has more than `most`. */
size_t split_find_lines(const struct graph *g, uint32_t u, int use, uint32_t *lines, size_t most);

#endif
