/* nearest.h - from a point that holds the constraints to the nearest one, with multipliers that prove it.
 *
 *     minimise |S (y - y_raw)|^2 / 2   subject to  bl <= c(y) <= bu
 *
 * In come samples (x, y_raw, and a y that holds the constraints); out go y, the multipliers and the residual of the optimality
 * conditions. A primal-dual interior-point method leads close to a local solution, Newton's method on the rows that are active there ends
 * at it (nearest_barrier.h, nearest_polish.h). Nothing is returned that is further from y_raw than the y that came in. The bits of a sample
 * depend on that sample only. No allocation, no lock, nothing printed while it runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_H
#define HN_NEAREST_H

#include "backends/backend.h"
#include "nearest/nearest_inputs.h"
#include "nearest/nearest_plan.h"

/* Constant; any number of threads may use it, each in memory of its own. */
struct nearest {
    struct backend backend;
    struct nearest_plan plan;         /* plan.stride samples go side by side */
    struct nearest_products products; /* of the Hessian, where the plan's program does not have it */
    struct nearest_inputs by_inputs;
    size_t products_at, inputs_at; /* where their memory begins */
    size_t bytes;                  /* of memory for one thread */
};

/* instructions: as in hn_layer_options. alone: for one sample at a time, in plain doubles, to the same bits. */
hn_status nearest_create(struct nearest *nearest, const hn_model *model, const struct nearest_goal *goal,
                         hn_instructions instructions, bool alone, hn_error *error);
void nearest_release(struct nearest *nearest);

/* Memory of nearest->bytes, 64-byte aligned, is begun once. */
void nearest_begin(const struct nearest *nearest, double *memory);

struct nearest_sample {
    const double *x, *raw; /* inputs, outputs */
    double *y;             /* outputs: in and out */
    double *multipliers;   /* rows, out: positive at lower bounds; or NULL */
    /* out */
    bool moved;               /* y is another one */
    double objective, before; /* of the goal optimal: f at y, and at the y that came in */
    double kkt;     /* the residual of the optimality conditions at y; infinite where no multipliers are known */
    int programmes; /* interior-point problems: values of mu */
    int factorisations;
};

/* Runs the program's last phase, and the products: the Hessian's entries. */
void nearest_bend(const struct nearest *nearest, double *memory);

/* With the system's factor, from UNKNOWN_RIGHT to UNKNOWN_STEP: the solution, refined. */
void nearest_solve(const struct nearest *nearest, double *memory);

/* Whether a search is to end early; asked between its steps. */
struct nearest_watch {
    bool (*ends)(void *context);
    void *context;
};

/* At most plan.stride samples. A search that ends early has what it had found by then: a proof, or none. */
void nearest_run(const struct nearest *nearest, double *memory, struct nearest_sample *samples, size_t count,
                 const struct nearest_watch *watch);

/* ---- where nothing holds the rows ---- */

/* Weights that prove it to first order, as multipliers are: positive at lower bounds, 0 on rows that are no part of it. With them what y is
 * beyond its bounds weighs 1, less what rows that hold have left, and what J' w is lets a step of length d (largest entry) mend at most
 * rest d of it. */
struct nearest_proof {
    const double *x, *y; /* inputs, outputs */
    double *multipliers; /* rows, out */
    double rest;         /* out: the sum of |J' w|; infinite where there are no weights */
};

/* At most plan.stride samples; watch as in nearest_run. */
void nearest_prove(const struct nearest *nearest, double *memory, struct nearest_proof *samples, size_t count,
                   const struct nearest_watch *watch);

/* ---- the gradient, by the implicit function theorem ---- */

/* At a certified y with its multipliers: a gradient by both becomes gradients by what they depend on. */
struct nearest_pull {
    const double *x, *y, *multipliers, *grad_y;
    const double *grad_multipliers; /* rows; or NULL */
    double *gradient;               /* outputs, out: by y_raw, 0 of the goal optimal; of fixed outputs by their value */
    double *grad_x;                 /* inputs, out: y_raw, bounds and fixed values held */
    double *grad_lower, *grad_upper; /* rows, out */
    double *grad_weights;            /* outputs, out: by S, where the solution is one; or NULL */
    bool
        regular; /* out: active rows are independent, none is weakly active, and the solution is strict; else the gradient is one of
                   * several, or 0 */
};

/* At most plan.stride samples. */
void nearest_pull(const struct nearest *nearest, double *memory, struct nearest_pull *samples, size_t count);

#endif
