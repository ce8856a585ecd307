/* multistart.h - the best feasible point that a general solver, or the method optimal, finds for one input, from
 * several starts.
 *
 * The first start is the model's own, the second the caller's (a network's output, the last step's solution), further
 * ones are disturbances of both, y_j = s_j + w max(1, |s_j|) N(0, 1) with w = 0.5, 1, 1.5, ..., from a random stream
 * that depends only on the seed and the input. Feasibility is checked by plain evaluation.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_MULTISTART_H
#define HN_TOOLS_MULTISTART_H

#include "eval/eval.h"
#include "reference/reference.h"

struct multistart {
    const hn_model *model;
    size_t inputs, outputs, starts, seed;
    double feasible; /* the largest violation that is */
    double seconds;  /* of processor time for one solve, at most; 0: no limit */
    bool optimal;    /* the layer's own method optimal solves, not a general solver */
    struct reference *reference;
    hn_layer *layer; /* of optimal */
    void *workspace;
    struct eval_judge judge;
    hn_expr *start_exprs;        /* of the model's outputs */
    double *start, *model_start; /* outputs each */
    double *y;                   /* where the last solve ended ... */
    const char *said;            /* ... in the words of the solver */
};

/* Model, starts, seed, feasible, seconds and optimal must be set; creates the rest. Release it in either case. */
hn_status multistart_create(struct multistart *multistart, bool relative, hn_error *error);
void multistart_release(struct multistart *multistart);

/* Solves that reach the time limit are counted in best->late, and their points are used if feasible; the starts of such
 * a sample do not count as done, so that a cache repeats them. Improves on the best known point, if any (its objective
 * is not NaN). own: the second start; NULL: none. */
hn_status multistart_run(struct multistart *multistart, const double *x, const double *own, struct optimum *best,
                         double *y, hn_error *error);

#endif
