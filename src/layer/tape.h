/* tape.h - what the gradient needs of a forward run: per sample the attempt that led to the result, and of each of its steps eps,
 * the kind, and y before it.
 *
 * A tape is memory of the caller; it may begin anywhere. A sample's part has room for plan->tape_steps steps: a head, then the steps,
 * then the iterates, in doubles. A longer way has no gradient, and says so.
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

/* How y depends on what came in, of the method nearest. */
enum {
    TAPE_BY_STEPS,  /* by auto's steps */
    TAPE_CERTIFIED, /* as a solution does */
    TAPE_ELSEWHERE  /* nobody knows */
};

/* One sample's part. */
struct tape {
    struct tape_head *head;
    struct tape_step *step;
    double *iterate; /* steps x outputs */
    double *numbers; /* plan->tape_numbers: of the method nearest one of TAPE_*, then the multipliers */
    size_t room, outputs;
};

/* Bytes for so many samples; 0 when they do not fit a size_t. */
size_t tape_bytes(const struct plan *plan, size_t count);

struct tape tape_of(const struct plan *plan, void *memory, size_t sample);

/* The step that led to iterate number `steps`; nothing where there was none, or no room. */
void tape_write_step(const struct tape *tape, int steps, double eps, enum sample_step kind);

/* Where iterate number `steps` goes; NULL where there is no room for a step from it. */
double *tape_iterate(const struct tape *tape, int steps);

/* Asks for an iterate ahead of time: a tape is larger than the caches. */
void tape_prefetch(const struct tape *tape, int steps, bool write);

/* The head, from the state of a sample that has ended. */
void tape_close(const struct tape *tape, const struct sample *sample);

/* The head as the way back takes it. */
struct tape_head tape_open(const struct tape *tape);

#endif
