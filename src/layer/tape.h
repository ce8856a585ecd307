/* tape.h - data that the backward pass needs from a forward run: per sample the attempt that led to the result, and
 * eps, kind and base of each of its steps.
 *
 * A tape is memory of the caller, without alignment requirements. A sample's part stores up to plan->tape_steps steps:
 * a head, then the steps, then the iterates, in doubles. A longer run has no gradient; the head records that.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LAYER_TAPE_H
#define HN_LAYER_TAPE_H

#include "core/plan.h"

struct tape_step {
    double eps;
    int32_t kind; /* enum sample_step */
    int32_t unused;
};

/* One sample's part. */
struct tape {
    struct tape_head *head;
    struct tape_step *step;
    double *iterate; /* steps x outputs */
    double *numbers; /* plan->tape_numbers: of nearest and optimal: core/solver_search.h */
    size_t room, outputs;
};

/* Bytes for count samples; 0 on overflow of size_t. */
size_t tape_bytes(const struct plan *plan, size_t count);

struct tape tape_of(const struct plan *plan, void *memory, size_t sample);

/* Writes the step that led to iterate number `steps`; does nothing if there was no step or the tape is full. */
void tape_write_step(const struct tape *tape, int steps, double eps, enum sample_step kind);

/* The destination of iterate number `steps`; NULL if the tape is full. */
double *tape_iterate(const struct tape *tape, int steps);

/* Prefetches an iterate: a tape is larger than the caches. */
void tape_prefetch(const struct tape *tape, int steps, bool write);

#endif
