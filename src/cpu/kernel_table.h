/* kernel_table.h - what a compiled kernel offers: a table that both the library and the generated text are compiled with.
 *
 * An entry works on the slots of one thread (cpu/executor.h) and takes nothing else; masks and numbers of the samples lie in
 * slots already. An entry that is NULL is not generated: the listed kernels do its work.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_KERNEL_TABLE_H
#define HN_CPU_KERNEL_TABLE_H

#include "cpu/fused_auto.h"

#include <stdint.h>

/* X(name, text): in the order in which a step runs them. */
#define KERNEL_ENTRY_LIST(X)                                                                                           \
    X(PREPARE, "prepare")               /* the program's phase 0 */                                                    \
    X(EVALUATE, "evaluate")             /* phase 1 */                                                                  \
    X(RESIDUAL, "residual")             /* r and the summary */                                                        \
    X(RESIDUAL_BRIEF, "residual_brief") /* r only */                                                                   \
    X(RESCALE, "rescale")               /* new weights for the samples of the mask */                                  \
    X(WEIGH, "weigh")                   /* A, W r, active rows */                                                      \
    X(WEIGH_ALL, "weigh_all")           /* likewise, where all samples are taken over */                               \
    X(LARGEST, "largest")               /* the largest squared row of A */                                             \
    X(STEP_BEGIN, "step_begin")         /* up to the system, or the whole step where the system is generated */        \
    X(STEP_END, "step_end")             /* from the solution on */                                                     \
    X(BACK_BEGIN, "back_begin")         /* the adjoint, likewise */                                                    \
    X(BACK_MIDDLE, "back_middle")                                                                                      \
    X(BACK_ROWS, "back_rows")               /* D, W q, W v, -g, */                                                     \
    X(BACK_ROWS_BOUNDS, "back_rows_bounds") /* and gradients of bounds */                                              \
    X(BACK_PROGRAM, "back_program")         /* phase 2 */                                                              \
    X(BACK_END, "back_end")                 /* what it owes to y and x */                                              \
    X(ROUND, "round")                       /* of rounds, below: no entry by itself */                                 \
    X(NEAR, "near")                         /* weights and step at once, likewise, */                                  \
    X(BACK_ROUND, "back_round")             /* of the way back, likewise */

#define KERNEL_ENUMERATE(name, text) KERNEL_##name,
enum kernel_entry { KERNEL_ENTRY_LIST(KERNEL_ENUMERATE) KERNEL_ENTRIES };
#undef KERNEL_ENUMERATE

enum { KERNEL_VERSION = 4, KERNEL_DIGEST = 65, KERNEL_WIDEST = 8 };

typedef void kernel_function(double *slots);

/* Rounds of evaluation and step in which nothing is decided about a sample: every iterate is taken. They end before something has to
 * be, with y where the round that would show it begins. */
struct kernel_rounds {
    int64_t count;                 /* rounds, at most */
    int64_t busy[KERNEL_WIDEST];   /* -1: a sample, 0: nobody looks */
    double best[KERNEL_WIDEST];    /* the smallest measure so far; the y that has it goes to `best` */
    double best_at[KERNEL_WIDEST]; /* the round in which it was found, from 1 on; 0: before */
    double *tape[KERNEL_WIDEST];   /* where the y of every round goes, one after the other; NULL: nowhere */
    int64_t done[KERNEL_WIDEST];   /* rounds */
};
typedef void kernel_rounds_function(double *slots, struct kernel_rounds *rounds);

/* Steps of the adjoint one after the other, for which no bound asks. */
struct kernel_back_rounds {
    int64_t count; /* steps */
    const double
        *tape[KERNEL_WIDEST]; /* where the y of the last one lies; those before lie before it. NULL: nobody looks */
};

/* 0: not with this gradient, and nothing was done. */
typedef int kernel_back_rounds_function(double *slots, const struct kernel_back_rounds *rounds);

/* Weights and step of samples whose y is the base; nothing but y and the step's summary is left. 0: not with these weights, and nothing
 * was done. */
typedef int kernel_near_function(double *slots);

/* Rounds of auto's near stage (cpu/fused_auto.h). */
typedef void kernel_near_rounds_function(double *slots, struct fused_auto *rounds);

struct kernel_table {
    uint32_t version;                       /* KERNEL_VERSION: of this table */
    uint32_t width;                         /* samples side by side */
    uint32_t slots;                         /* of one sample, the executor's own included */
    uint32_t adjoint;                       /* 1: gradients are generated, too */
    uint32_t solves;                        /* 1: the linear system is part of step_begin and back_begin */
    char digest[KERNEL_DIGEST];             /* of the text, in hexadecimal */
    kernel_function *entry[KERNEL_ENTRIES]; /* NULL: not generated */
    kernel_rounds_function *rounds;         /* likewise, */
    kernel_near_function *near;             /* likewise, */
    kernel_near_rounds_function *near_rounds;
    kernel_back_rounds_function *back_rounds;
};

/* What a kernel exports. */
#define KERNEL_EXPORT "hardnet_kernel"

#endif
