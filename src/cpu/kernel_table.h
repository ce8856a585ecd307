/* kernel_table.h - the table of functions of a compiled kernel, shared by the library and the generated code.
 *
 * The only argument of an entry is the slots of a thread (cpu/executor.h); masks and numbers of the lanes are already
 * in slots. An entry that is NULL was not generated; the interpreting kernels are used instead.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_KERNEL_TABLE_H
#define HN_CPU_KERNEL_TABLE_H

#include "cpu/fused_auto.h"

#include <stdint.h>

/* X(name, text), in the order of a step. */
#define KERNEL_ENTRY_LIST(X)                                                                                           \
    X(PREPARE, "prepare")               /* the program's phase 0 */                                                    \
    X(EVALUATE, "evaluate")             /* phase 1 */                                                                  \
    X(RESIDUAL, "residual")             /* r and the summary */                                                        \
    X(RESIDUAL_BRIEF, "residual_brief") /* r only */                                                                   \
    X(RESCALE, "rescale")               /* new weights for the lanes of the mask */                                    \
    X(WEIGH, "weigh")                   /* A, W r, active rows */                                                      \
    X(WEIGH_ALL, "weigh_all")           /* the same if all lanes are committed */                                      \
    X(LARGEST, "largest")               /* the largest squared row of A */                                             \
    X(STEP_BEGIN, "step_begin")         /* up to the system, or the whole step if the system is generated */           \
    X(STEP_END, "step_end")             /* after the solution */                                                       \
    X(BACK_BEGIN, "back_begin")         /* the same for the adjoint */                                                 \
    X(BACK_MIDDLE, "back_middle")                                                                                      \
    X(BACK_ROWS, "back_rows")               /* D, W q, W v, -g */                                                      \
    X(BACK_ROWS_BOUNDS, "back_rows_bounds") /* the same with gradients of bounds */                                    \
    X(BACK_PROGRAM, "back_program")         /* phase 2 */                                                              \
    X(BACK_END, "back_end")                 /* its contribution to grad y and grad x */                                \
    X(ROUND, "round")                       /* part of rounds, below; not called separately */                         \
    X(NEAR, "near")                         /* fused weights and step; the same */                                     \
    X(BACK_ROUND, "back_round")             /* fused adjoint; the same */

#define KERNEL_ENUMERATE(name, text) KERNEL_##name,
enum kernel_entry { KERNEL_ENTRY_LIST(KERNEL_ENUMERATE) KERNEL_ENTRIES };
#undef KERNEL_ENUMERATE

enum { KERNEL_VERSION = 4, KERNEL_DIGEST = 65, KERNEL_WIDEST = 8 };

typedef void kernel_function(double *slots);

/* Fused iterations: evaluate and step without a stopping test; every iterate is accepted. They end before an iteration
 * that needs a decision, with y at its first iterate. */
struct kernel_rounds {
    int64_t count;                 /* maximum number of iterations */
    int64_t busy[KERNEL_WIDEST];   /* -1: a sample, 0: idle */
    double best[KERNEL_WIDEST];    /* the smallest measure so far; its y is copied to `best` */
    double best_at[KERNEL_WIDEST]; /* the iteration that attained it, from 1 on; 0: earlier */
    double *tape[KERNEL_WIDEST];   /* receives the y of every iteration, consecutively; NULL: not recorded */
    int64_t done[KERNEL_WIDEST];   /* rounds */
};
typedef void kernel_rounds_function(double *slots, struct kernel_rounds *rounds);

/* Consecutive steps of the adjoint without gradients of bounds. */
struct kernel_back_rounds {
    int64_t count;                     /* steps */
    const double *tape[KERNEL_WIDEST]; /* the y of the last step; earlier ones precede it in memory. NULL: idle */
};

/* Returns 0 if not possible with this gradient; nothing was done then. */
typedef int kernel_back_rounds_function(double *slots, const struct kernel_back_rounds *rounds);

/* Weights and step of samples whose y is the base; the only results are y and the summary of the step. Returns 0 if not
 * possible with these weights; nothing was done then. */
typedef int kernel_near_function(double *slots);

/* Fused iterations of auto's near stage (cpu/fused_auto.h). */
typedef void kernel_near_rounds_function(double *slots, struct fused_auto *rounds);

struct kernel_table {
    uint32_t version;                       /* KERNEL_VERSION: of this table */
    uint32_t width;                         /* number of lanes */
    uint32_t slots;                         /* per sample, with those of the executor */
    uint32_t adjoint;                       /* 1: gradients are generated, too */
    uint32_t solves;                        /* 1: the linear system is part of step_begin and back_begin */
    char digest[KERNEL_DIGEST];             /* of the source, in hexadecimal */
    kernel_function *entry[KERNEL_ENTRIES]; /* NULL: not generated */
    kernel_rounds_function *rounds;         /* likewise, */
    kernel_near_function *near;             /* likewise, */
    kernel_near_rounds_function *near_rounds;
    kernel_back_rounds_function *back_rounds;
};

/* The symbol that a kernel exports. */
#define KERNEL_EXPORT "hardnet_kernel"

#endif
