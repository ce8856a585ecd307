/* derivatives.h - sparse symbolic derivatives of a finished model, as nodes in the same graph as the values.
 *
 * The model is copied into a separate graph (problem), to which every function here adds nodes; the result is a sparse
 * matrix of node numbers. Sparsity patterns are exact: an entry exists unless its derivative is the constant 0. Common
 * subexpressions are shared between values and derivatives. At a kink a one-sided derivative is used; a branch that is
 * not taken contributes exactly 0, even if it is undefined. Nothing is evaluated here; programs do that.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_DERIVATIVES_H
#define HN_AUTODIFF_DERIVATIVES_H

#include "hardnet/model.h"
#include "model/graph.h"

/* A model as node numbers in one graph. objective is 0 without an objective. */
struct problem {
    struct graph graph;
    size_t inputs, outputs, rows;
    uint32_t *body, *lower, *upper; /* of each row */
    uint32_t *start, *fixed;        /* of each output; fixed 0: free */
    uint32_t objective;
};

hn_status problem_create(struct problem *problem, const hn_model *model, hn_error *error);
void problem_release(struct problem *problem);

/* Sets the sizes of a problem and allocates its lists; false when out of memory. */
bool problem_take_lists(struct problem *problem, size_t rows, size_t outputs);

/* Nodes, replaced if necessary; 0 entries are skipped. */
struct formulas {
    uint32_t *nodes;
    size_t count;
};

/* Replaces formulas by others that are NaN where one of their parts is undefined (defined.c). Derivatives are those of
 * the original formula, which defined_formula returns: the node itself if it was not replaced, or is a number. */
hn_status defined_replace(struct graph *graph, const struct formulas *lists, size_t count, hn_error *error);
uint32_t defined_formula(const struct graph *graph, uint32_t entry);

/* A sparse matrix of nodes, by rows, columns ascending in each row. Its nodes are entries (model/graph.h): a derivative
 * that is a coefficient of a LINEAR node is the number itself. */
struct node_matrix {
    size_t rows, columns, count, capacity;
    size_t *first; /* rows + 1 */
    uint32_t *column, *node;
};

void node_matrix_release(struct node_matrix *matrix);

/* A list of nodes, such as the outputs of a program; initialise with zeros. */
struct node_list {
    uint32_t *nodes;
    size_t count, capacity;
};

hn_status node_list_add(struct node_list *list, const uint32_t *nodes, size_t count, hn_error *error);
void node_list_release(struct node_list *list);

/* d nodes[i] / d leaf j of the space: dc/dy, dc/dx, dbl/dx, dbu/dx, the gradient of an objective (one row). */
hn_status derivatives_jacobian(struct node_matrix *out, struct graph *graph, const uint32_t *nodes, size_t count,
                               enum space space, size_t columns, hn_error *error);

/* The gradient of sum_i lambda_i c_i with respect to the leaves of the space, as one row, with leaves of
 * SPACE_LAMBDA. */
hn_status derivatives_pull(struct node_matrix *out, struct problem *problem, enum space space, hn_error *error);

/* The same for sigma f + sum_i lambda_i c_i, for second derivatives: rows that are affine in the leaves are omitted. */
hn_status derivatives_lagrangian(struct node_matrix *out, struct problem *problem, enum space space, hn_error *error);

/* A block of sigma Hess f + sum_i lambda_i Hess c_i, SPACE_X or SPACE_Y on either side, with leaves of SPACE_SIGMA and
 * SPACE_LAMBDA; of a diagonal block the lower triangle. */
hn_status derivatives_hessian_block(struct node_matrix *out, struct problem *problem, enum space row_space,
                                    enum space column_space, hn_error *error);

/* The gradient, with respect to the leaves of the space, of the sum over the nonzeros of weight * matrix node, as one
 * row; weights (one node per nonzero) are treated as constants. With weights v_i t_j on dc/dy this is (sum_i v_i Hess
 * c_i) t: in yy for SPACE_Y, in xy for SPACE_X. */
hn_status derivatives_contract(struct node_matrix *out, struct graph *graph, const struct node_matrix *matrix,
                               const uint32_t *weights, enum space space, size_t columns, hn_error *error);

/* Weights v_i t_j for derivatives_contract; with a second pair, v_i t_j - q_i s_j: the bracket of the layer's adjoint.
 * Set multipliers to false for a matrix of one row with multiplier 1 (Hess f times t). The list comes from
 * base_allocate. */
hn_status derivatives_weights(uint32_t **weights, struct graph *graph, const struct node_matrix *matrix,
                              bool multipliers, bool second_pair, hn_error *error);

#endif
