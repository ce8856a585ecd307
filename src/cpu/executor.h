/* executor.h - what runs a plan for samples: the interface between a layer's decisions and its arithmetic.
 *
 * An executor works on `width` samples side by side, in memory that each thread owns: plan->slots numbers per sample, number s of
 * sample k at slots[s * width + k], and possibly more of its own behind them. Vectors are named by their first slot. Arrays of
 * flags and numbers have one element per sample. Samples know nothing of each other: what an entry computes for one sample
 * depends on that sample's numbers only, and every executor computes the same bits, with helpers or
 * without. No entry allocates or prints; none locks, except to wake helpers that have fallen asleep.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_EXECUTOR_H
#define HN_CPU_EXECUTOR_H

#include "base/helpers.h"
#include "core/plan.h"
#include "cpu/fused_auto.h"

enum { MAX_LANES = 16 };

struct executor;

/* Which rows count in the step from an iterate. */
struct executor_rows {
    const bool *accepted; /* samples whose iterate is taken over; the others keep what they have */
    const double *hold;   /* satisfied rows nearer to a bound than this, in units of their weight, count too */
    const bool *leads;    /* inequalities in several outputs do not count */
    const bool *holds;    /* outputs on a bound stay there unless A' W r leads back inside */
};

/* One step of the adjoint. */
struct executor_back {
    const double *eps;
    const bool *clipped; /* the step was clipped into the bounds */
    const double *slope; /* d(eps) / d|W r| / |W r|; divided by eps on the outputs' side */
    bool bounds;         /* gradients of bounds are wanted */
};

/* Steps back that are all alike. */
struct fused_adjoint {
    int count;
    const double
        *tape[MAX_LANES]; /* per seat, where y before the last of them lies; those before lie before it. NULL: idle */
};

/* Rounds of evaluate and step in which nothing is decided about a sample; see sample_goes_on. */
struct fused_iterations {
    int count;               /* at most */
    bool busy[MAX_LANES];    /* seats with a sample */
    double best[MAX_LANES];  /* in: the smallest measure so far; out: that of all */
    int best_at[MAX_LANES];  /* out: the round whose iterate has it, from 1 on; 0: none */
    int done[MAX_LANES];     /* out: rounds */
    double *tape[MAX_LANES]; /* where the y that each round begins with goes, one after the other; NULL: nowhere */
};

struct executor {
    const char *name;
    uint32_t width; /* at most MAX_LANES */
    size_t bytes;   /* of a thread's memory, which begins on a boundary of 64 bytes */
    const struct plan *plan;
    void *own; /* what the executor made of the plan */

    /* Threads that may help with one sample; NULL: none. An executor has none; a thread that leads a crew makes itself a copy. */
    struct helpers *helpers;

    /* Constants into fresh memory, zero everywhere else. */
    void (*begin)(const struct executor *x, double *slots);

    /* count numbers of each sample from its own array, or into it. NULL: such a sample's numbers do not matter; it is left out. */
    void (*load)(const struct executor *x, double *slots, uint32_t slot, size_t count, const double *const *from);
    void (*unload)(const struct executor *x, const double *slots, uint32_t slot, size_t count, double *const *to);

    /* A vector onto another one, for the samples that are flagged. */
    void (*copy)(const struct executor *x, double *slots, uint32_t from, uint32_t to, size_t count, const bool *flags);

    /* What depends on x only: bounds, start values, fixed values and their derivatives. */
    void (*prepare)(const struct executor *x, double *slots);

    /* c, J and r at y. New row weights for the samples that are flagged; NULL: for none. Unless `brief`, in the summary: WORST,
     * FINITE, and with weights SQUARES. */
    void (*evaluate)(const struct executor *x, double *slots, const bool *fresh, bool brief);

    /* After evaluate, methods with weights only: A, W r and the rows that count, of the present y. */
    void (*weigh)(const struct executor *x, double *slots, const struct executor_rows *rows);

    /* The largest squared row of A, in `largest`. */
    void (*largest)(const struct executor *x, double *slots);

    /* y = base - A' (A A' + eps I)^-1 W r, clipped into the bounds of the outputs for the samples that are flagged (NULL: for none).
     * eps is NULL where it is part of the plan. In the summary MOVED and USABLE; the range of pivots; where steps are judged
     * step_squares and step_gain. */
    void (*step)(const struct executor *x, double *slots, const double *eps, const bool *clipped);

    /* weigh, with y as base, and step at once, for samples that are flagged: all whose results matter. A and W r are lost. False: not
     * with the present weights, and nothing was done. NULL: there is no such entry. */
    bool (*step_near)(const struct executor *x, double *slots, const struct executor_rows *rows, const double *eps);

    /* As many rounds as asked for, or fewer: up to the first in which a busy sample has something to be decided. y is where that
     * round begins, or the round after the last; iterates that were the best are in `best`, the one that a round
     * was given up at included. What evaluations leave is lost. NULL: there is no such entry. */
    void (*go_on)(const struct executor *x, double *slots, struct fused_iterations *rounds);

    /* Rounds of auto's near stage; see cpu/fused_auto.h. `best` has the best iterate of every sample that is not fresh. c, J, r
     * and the summary are those of the last evaluation, but for what the step after it says. NULL: there is no such entry. */
    void (*near_rounds)(const struct executor *x, double *slots, struct fused_auto *rounds);

    /* As many steps back as asked for, for which no bound asks and whose samples have none with an eps or weights of its own: from the
     * iterates of the tapes. False: not with this gradient, and nothing was done. NULL: there is no such entry. */
    bool (*go_back)(const struct executor *x, double *slots, const struct fused_adjoint *way);

    /* After evaluate (and weigh): the gradient p by the y that the step from here led to becomes the gradient by this y; what x and
     * the bounds owe is added to their sums. */
    void (*back)(const struct executor *x, double *slots, const struct executor_back *step);
};

/* Fails when this processor lacks the instructions. */
hn_status executor_check(hn_instructions instructions, hn_error *error);

/* The listed streams of a plan over SIMD lanes, or for one sample at a time. The plan outlives the executor. A plan whose system is
 * tiled goes one sample at a time in either; what opens lanes then makes the tiles with these instructions. */
hn_status executor_open_lanes(struct executor *out, const struct plan *plan, hn_instructions instructions,
                              hn_error *error);
hn_status executor_open_single(struct executor *out, const struct plan *plan, hn_error *error);
void executor_close(struct executor *executor);

#endif
