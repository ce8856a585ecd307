/* kernel_args.h - the arguments of a kernel, for the library and for kernels.
 *
 * Inputs and results are doubles; tapes and slots have the kernel's precision (real).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_ARGS_H
#define HN_CUDA_KERNEL_ARGS_H

#include "base/real.h"

enum { POLISH_STEPS = 8 }; /* most steps in double after float */

/* Same layout as hn_report. */
struct device_report {
    int32_t outcome, iterations, steps, unused;
    double violation_before, violation;
    size_t worst;
    double moved, damping;
    size_t culprit;
    double slope, kkt, distance;
    size_t programmes, factorisations;
    double objective, complementarity, proof;
    int32_t reason, rest; /* rest: zeros, up to the size of hn_report */
};
#define SOLVER_REPORT struct device_report

/* Arrays in device memory; 0: not requested or absent. */
struct device_call {
    uint64_t count;
    const double *x, *raw;
    double *y;
    struct device_report *reports;
    double *residual;
    const double *fallback;
    double *warm;
    struct tape_head *heads; /* of the tape; 0: no tape */
    real *tape_eps, *tape_y;
    int32_t *tape_kind;
    uint64_t tape_room, tape_width; /* most steps of a sample; see struct solver_tape */
    const double *grad_y;
    double *grad_raw, *grad_x, *grad_lower, *grad_upper;
    unsigned char *flagged;
    unsigned int *next; /* the counter of samples */
    int32_t repeats_x, repeats_raw;
    real *global_slots, *global_rows;  /* slots of all threads in global memory; per thread an array over outputs */
    int32_t adds;                      /* gradients and flags are added to the caller's */
    const struct device_report *first; /* reports of the float kernel, */
    const double *led;                 /* its outputs, */
    struct tape_head *first_heads;     /* and the heads of its tape */
    /* the methods nearest and optimal: constant data, workspaces of all threads, results and gradients */
    const struct search_places *search;
    double *search_memory, *multipliers, *tape_numbers, *proof_y;
    const double *grad_multipliers;
    double *grad_weights;
};

#endif
