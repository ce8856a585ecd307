/* reference_parts.h - the bridge to IPOPT: reference_build.c creates it, reference_ipopt.c solves with it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_REFERENCE_PARTS_H
#define HN_TOOLS_REFERENCE_PARTS_H

#include "base/arena.h"
#include "hardnet/evaluate.h"
#include "reference/reference.h"
#include "reference/reference_load.h"

/* An entry of the Jacobian of g: row, column, and its nonzero of dc/dy. */
struct slope_entry {
    Index row, column;
    size_t nonzero;
};

struct reference {
    const hn_model *model;
    struct reference_options options;
    struct arena arena; /* of all lists below */
    struct ipopt ipopt;
    hn_evaluator *evaluator;
    void *workspace;
    size_t bytes;
    size_t outputs, model_rows;
    size_t rows;    /* of g */
    size_t *row;    /* of the model: the k-th of g */
    size_t *column; /* of each row of the model: the output that it bounds; SIZE_MAX where it is a row of g */
    struct slope_entry *slope;
    size_t slope_count;
    hn_pattern hessian;
    bool approximate; /* there is no Hessian */
    bool *fixed;      /* of each output */
    /* one solve */
    const double *x, *y;               /* where the evaluator is */
    bool value_stale, slope_stale;     /* y has changed since they were computed */
    double f, *c, *gradient, *nonzero; /* results */
    double *lambda;                    /* of all rows of the model */
    hn_expr *exprs;  /* lower, body and upper of every row, the objective: judged by plain evaluation */
    double *numbers; /* their values */
    double *g_lower, *g_upper, *y_lower, *y_upper, *start;
    int iteration;
};

/* Runs the evaluator at r->x and r->y. */
void reference_evaluate(struct reference *r, hn_evaluation *evaluation);

#endif
