/* derivatives.h - graph to graph: sparse derivatives of a finished model, as nodes beside the nodes they come from.
 *
 * In comes a model; it is copied into a graph of its own (problem), in which every function here adds nodes and answers with
 * a sparse matrix of node numbers. Patterns are exact: an entry is there unless its derivative is the constant 0. Equal
 * subexpressions are shared between values and derivatives. Kinks take the derivative of one side; a branch that is not
 * taken adds exactly 0, whatever stands in it. Nothing is evaluated here; programs do that.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_DERIVATIVES_H
#define HN_AUTODIFF_DERIVATIVES_H

#include "hardnet/model.h"
#include "model/graph.h"

/* A model as node numbers in one graph. Without an objective, objective is 0. */
struct problem {
    struct graph graph;
    size_t inputs, outputs, rows;
    uint32_t *body, *lower, *upper; /* of each row */
    uint32_t *start, *fixed;        /* of each output; fixed 0: free */
    uint32_t objective;
};

hn_status problem_create(struct problem *problem, const hn_model *model, hn_error *error);
void problem_release(struct problem *problem);

/* A sparse matrix of nodes, by rows, columns ascending in each row. Its nodes are entries (model/graph.h): where a derivative is a
 * coefficient of a LINEAR node, the number itself. */
struct node_matrix {
    size_t rows, columns, count, capacity;
    size_t *first; /* rows + 1 */
    uint32_t *column, *node;
};

void node_matrix_release(struct node_matrix *matrix);

/* Nodes as a program's outputs list them; begins as zeros. */
struct node_list {
    uint32_t *nodes;
    size_t count, capacity;
};

hn_status node_list_add(struct node_list *list, const uint32_t *nodes, size_t count, hn_error *error);
void node_list_release(struct node_list *list);

/* d nodes[i] / d leaf j of the space: dc/dy, dc/dx, dbl/dx, dbu/dx, the gradient of an objective (one row). */
hn_status derivatives_jacobian(struct node_matrix *out, struct graph *graph, const uint32_t *nodes, size_t count,
                               enum space space, size_t columns, hn_error *error);

/* d/d(leaf of the space) of sum_i lambda_i c_i, as one row, with leaves of SPACE_LAMBDA. */
hn_status derivatives_pull(struct node_matrix *out, struct problem *problem, enum space space, hn_error *error);

/* The same of sigma f + sum_i lambda_i c_i, for second derivatives: rows that are affine in the leaves are left out. */
hn_status derivatives_lagrangian(struct node_matrix *out, struct problem *problem, enum space space, hn_error *error);

/* The lower triangle of sigma Hess f + sum_i lambda_i Hess c_i in yy, with leaves of SPACE_SIGMA and SPACE_LAMBDA. */
hn_status derivatives_hessian(struct node_matrix *out, struct problem *problem, hn_error *error);

/* Any block of it, SPACE_X or SPACE_Y on either side; of blocks on the diagonal the lower triangle. */
hn_status derivatives_hessian_block(struct node_matrix *out, struct problem *problem, enum space row_space,
                                    enum space column_space, hn_error *error);

/* d/d(leaf of the space) of the sum over the nonzeros of weight * matrix node, as one row; weights (one node per nonzero) are
 * held fixed. With weights v_i t_j on dc/dy this is (sum_i v_i Hess c_i) t: in yy for SPACE_Y, in xy for SPACE_X. */
hn_status derivatives_contract(struct node_matrix *out, struct graph *graph, const struct node_matrix *matrix,
                               const uint32_t *weights, enum space space, size_t columns, hn_error *error);

/* Weights v_i t_j for derivatives_contract; with a second pair, v_i t_j - q_i s_j: the bracket of the layer's adjoint. For a
 * matrix of one row whose multiplier is 1 (Hess f times t) multipliers is false. The list comes from base_allocate. */
hn_status derivatives_weights(uint32_t **weights, struct graph *graph, const struct node_matrix *matrix,
                              bool multipliers, bool second_pair, hn_error *error);

#endif
