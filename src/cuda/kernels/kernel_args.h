/* kernel_args.h - what a kernel of the device is called with: both the library and the text of the kernel are compiled with it.
 *
 * Numbers that come in and go out are doubles, whatever the kernel computes in (real); a tape is the kernel's own.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_ARGS_H
#define HN_CUDA_KERNEL_ARGS_H

#include "base/real.h"

enum { POLISH_STEPS = 8 }; /* in double, after those of floats, at most */

/* hn_report, to the byte. */
struct device_report {
    int32_t outcome, iterations, steps, unused;
    double violation_before, violation;
    uint64_t worst;
    double moved, damping;
    uint64_t culprit;
    double slope, kkt, distance;
    uint64_t programmes, factorisations;
    double objective, complementarity, proof;
    int32_t reason, rest; /* rest: zeros, up to the size of hn_report */
};

/* Everything lies in the memory of the device; what is not wanted, or not there, is 0. */
struct device_call {
    uint64_t count;
    const double *x, *raw;
    double *y;
    struct device_report *reports;
    double *residual;
    const double *fallback;
    double *warm;
    struct tape_head *heads; /* of the tape; 0: there is none */
    real *tape_eps, *tape_y;
    int32_t *tape_kind;
    uint64_t tape_room, tape_width; /* the steps that it holds of each sample; see struct solver_tape */
    const double *grad_y;
    double *grad_raw, *grad_x, *grad_lower, *grad_upper;
    unsigned char *flagged;
    unsigned int *next; /* the first sample that nobody has taken */
    int32_t repeats_x, repeats_raw;
    real *global_slots,
        *global_rows; /* where slots lie in the device's memory: those of all threads, and an array over outputs each */
    int32_t adds;     /* gradients are added to what is there, and so are flags */
    const struct device_report *first; /* what a kernel of floats has found, */
    const double *led;                 /* the outputs that it has led to, */
    struct tape_head *first_heads;     /* and the heads of its tape */
    /* of the methods nearest and optimal: what they walk, numbers of all threads, results and gradients of their own */
    const struct search_places *search;
    double *search_memory, *multipliers, *tape_numbers, *proof_y;
    const double *grad_multipliers;
    double *grad_weights;
};

#endif
