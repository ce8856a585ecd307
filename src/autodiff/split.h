/* split.h - kinks of a problem, and how those that can be are taken out of it.
 *
 * An optimum is often at a kink of abs, max or a piecewise linear term, where no derivative is that of a solution. Where the objective, and
 * the rows, are the larger the larger a kink's value is, the kink has an exact form without it, an additional output t and additional rows:
 *
 *     minimise F(max(a, b), y)        minimise F(t, y)   subject to  t >= a,  t >= b
 *
 * (min likewise where less is worse.) In comes a problem; its graph, rows, outputs and objective are changed. The model's own outputs and
 * rows come first. Other kinks stay as they are.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_SPLIT_H
#define HN_AUTODIFF_SPLIT_H

#include "autodiff/derivatives.h"

struct problem_split {
    size_t count;         /* additional outputs; 0: nothing was changed */
    size_t outputs, rows; /* the model's own */
    uint32_t *kink;       /* by additional output: the node that it stands for, over the model's own outputs */
    uint32_t *body;       /* as they were, and */
    uint32_t objective;   /* likewise */
};

hn_status problem_split_kinks(struct problem *problem, struct problem_split *split, hn_error *error);
void problem_split_release(struct problem_split *split);

/* Pairs of nodes: where both are equal, objective or rows have a kink. */
hn_status problem_list_kinks(struct problem *problem, struct node_list *pairs, hn_error *error);

/* ---- for split.c ---- */

/* How the objective and the rows get worse: with a larger value of a node, with a smaller one, with both. */
enum { USE_UP = 1, USE_DOWN = 2, USE_BOTH = USE_UP | USE_DOWN };

/* How a node is used, by node, once that of all nodes above it is known: handed on to its arguments. signs: of sign_of_nodes. */
void split_hand_on(const struct graph *g, const uint8_t *signs, uint32_t u, uint8_t *uses);

/* What is known of values: SIGN_* by node. */
enum { SIGN_NOT_NEGATIVE = 1, SIGN_NOT_POSITIVE = 2 };
void split_find_signs(const struct graph *graph, uint8_t *signs);

/* A tree of comparisons that is continuous, piecewise linear along one direction, and convex (USE_UP) or concave (USE_DOWN): its lines.
 * The number of lines, 0: it is not, or has more than most. */
size_t split_find_lines(const struct graph *g, uint32_t u, int use, uint32_t *lines, size_t most);

#endif
