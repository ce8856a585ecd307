/* executor.h - runs a plan for samples: the interface between a layer's decisions and its arithmetic.
 *
 * An executor works on `width` lanes, one sample each, in memory owned by a thread: plan->slots numbers per sample,
 * number s of sample k at slots[s * width + k], and possibly more after them. Vectors are identified by their first
 * slot. Arrays of flags and numbers have one element per lane. Samples are independent: the result of an entry for a
 * sample depends on that sample's numbers only, and every executor computes the same bits, with or without helper
 * threads. Entries neither allocate nor print; they lock only to wake sleeping helpers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_EXECUTOR_H
#define HN_CPU_EXECUTOR_H

#include "base/helpers.h"
#include "core/plan.h"
#include "cpu/fused_auto.h"

enum { MAX_LANES = 16 };

struct executor;

/* Selects the rows that enter the step from an iterate. */
struct executor_rows {
    const bool *accepted; /* lanes whose iterate is committed; the others are unchanged */
    const double *hold;   /* satisfied rows closer to a bound than this, in units of their weight, are active */
    const bool *leads;    /* inequalities in several outputs are inactive */
    const bool *holds;    /* outputs on a bound are kept there unless -A' W r points inwards */
};

/* One step of the adjoint. */
struct executor_back {
    const double *eps;
    const bool *clipped; /* the step was clipped into the bounds */
    const double *slope; /* d(eps) / d|W r| / |W r|; divided by eps on the outputs' side */
    bool bounds;         /* gradients of bounds are requested */
};

/* Fused adjoint steps of the same kind. */
struct fused_adjoint {
    int count;
    const double
        *tape[MAX_LANES]; /* per lane, the y before the last step; earlier ones precede it in memory. NULL: idle */
};

/* Fused iterations: evaluate and step without a stopping test; see sample_goes_on. */
struct fused_iterations {
    int count;               /* at most */
    bool busy[MAX_LANES];    /* lanes with a sample */
    double best[MAX_LANES];  /* in: the smallest measure so far; out: after all iterations */
    int best_at[MAX_LANES];  /* out: the iteration that attained it, from 1 on; 0: none */
    int done[MAX_LANES];     /* out: iterations done */
    double *tape[MAX_LANES]; /* receives the first y of each iteration, consecutively; NULL: not recorded */
};

struct executor {
    const char *name;
    uint32_t width; /* at most MAX_LANES */
    size_t bytes;   /* of a thread's memory, 64-byte aligned */
    const struct plan *plan;
    void *own; /* the executor's data */

    /* Helper threads for a sample; NULL: none. NULL in an executor; a thread with helpers uses a copy. */
    struct helpers *helpers;

    /* Initialises new memory: constants, zero elsewhere. */
    void (*begin)(const struct executor *x, double *slots);

    /* Copies count numbers per lane from or to its array. NULL: the lane is skipped; its numbers are unspecified. */
    void (*load)(const struct executor *x, double *slots, uint32_t slot, size_t count, const double *const *from);
    void (*unload)(const struct executor *x, const double *slots, uint32_t slot, size_t count, double *const *to);

    /* Copies a vector for the flagged lanes. */
    void (*copy)(const struct executor *x, double *slots, uint32_t from, uint32_t to, size_t count, const bool *flags);

    /* Evaluates the quantities that depend on x only: bounds, start values, fixed values and their derivatives. */
    void (*prepare)(const struct executor *x, double *slots);

    /* Evaluates c, J and r at y. Computes new row weights for the flagged lanes (NULL: none). Unless `brief`, sets
     * WORST, FINITE and, with weights, SQUARES in the summary. */
    void (*evaluate)(const struct executor *x, double *slots, const bool *fresh, bool brief);

    /* After evaluate, methods with weights only: A, W r and the active rows at the present y. */
    void (*weigh)(const struct executor *x, double *slots, const struct executor_rows *rows);

    /* The largest squared row of A, in `largest`. */
    void (*largest)(const struct executor *x, double *slots);

    /* y = base - A' (A A' + eps I)^-1 W r, clipped to the bounds of the outputs for the flagged lanes (NULL: none). eps
     * is NULL if the plan fixes it. Sets MOVED and USABLE in the summary, the range of pivots, and step_squares and
     * step_gain if steps can be rejected. */
    void (*step)(const struct executor *x, double *slots, const double *eps, const bool *clipped);

    /* Fused weigh (with y as base) and step for the flagged lanes, which are all that are used. Invalidates A and W r.
     * False: not possible with the present weights; nothing was done. NULL: not supported. */
    bool (*step_near)(const struct executor *x, double *slots, const struct executor_rows *rows, const double *eps);

    /* Up to the requested number of iterations; ends before the first in which a busy sample needs a decision. y is the
     * first iterate of that iteration, or of the one after the last; `best` has the best iterates, including that of an
     * abandoned iteration. Invalidates the results of evaluations. NULL: not supported. */
    void (*go_on)(const struct executor *x, double *slots, struct fused_iterations *rounds);

    /* Fused iterations of auto's near stage; see cpu/fused_auto.h. `best` has the best iterate of every sample that is
     * not fresh. c, J, r and the summary are from the last evaluation, except those that the step after it sets. NULL:
     * not supported. */
    void (*near_rounds)(const struct executor *x, double *slots, struct fused_auto *rounds);

    /* The requested number of adjoint steps, from the iterates of the tapes; without gradients of bounds, and only if
     * no step has its own eps or weights. False: not possible with this gradient; nothing was done. NULL: not
     * supported. */
    bool (*go_back)(const struct executor *x, double *slots, const struct fused_adjoint *way);

    /* After evaluate (and weigh): turns the gradient p with respect to the y after the step into the gradient with
     * respect to the y before it; adds to the gradients with respect to x and the bounds. */
    void (*back)(const struct executor *x, double *slots, const struct executor_back *step);
};

/* Fails if the processor lacks the instructions. */
hn_status executor_check(hn_instructions instructions, hn_error *error);

/* Interprets the lists of a plan over SIMD lanes, or for one sample at a time. The plan must outlive the executor. A
 * plan with a blocked system runs one sample at a time in both; executor_open_lanes then uses these instructions for
 * the blocks. */
hn_status executor_open_lanes(struct executor *out, const struct plan *plan, hn_instructions instructions,
                              hn_error *error);
hn_status executor_open_single(struct executor *out, const struct plan *plan, hn_error *error);
void executor_close(struct executor *executor);

#endif
