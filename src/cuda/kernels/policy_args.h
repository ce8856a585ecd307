/* policy_args.h - what kernels of a policy are called with: the library and the text of the kernels are compiled with it.
 *
 * One struct for all of them: each takes what it needs. Rows of inputs are `count`; samples are rows too, one per candidate: candidate k of
 * input i is sample k * count + i.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_ARGS_H
#define HN_CUDA_POLICY_ARGS_H

#include "core/program_lists.h"

/* The loss of nn/loss.h: slots of what goes in and comes out. */
struct policy_loss {
    struct policy_program program;
    const uint32_t *value, *lower, *upper; /* of rows */
    const uint32_t *gradient_at, *gradient_entry, *pull_at, *pull_entry;
    size_t gradient_count, pull_count;
    uint32_t x, y, multiplier, objective;
    int32_t there;       /* the model has an objective */
    double size, square; /* weights of |r| and |r|^2 */
};

/* C = start + A B, element (i, j) of A and B at i * row + j * column; matrix.h says in which order. */
struct policy_matrix {
    size_t rows, columns, inner, a_row, a_column, b_row, b_column;
    const double *a, *b, *first; /* first: the row that every row of C starts from; 0: zeros */
    double *c;
};

/* Numbers one by one: rows of `width`, each number with its own shift and scale. */
struct policy_each {
    size_t numbers, width;
    const double *from, *gradient, *shift, *scale;
    double *to;
    double *inverse; /* of layer normalisation: one per row */
    int32_t activation;
};

/* What training adds. */
struct policy_lesson {
    const double *targets; /* rows of inputs; 0: none */
    const double *output_scale;
    double *moved, *total, *grad_y, *grad_raw, *grad_lower, *grad_upper, *rows;
    unsigned char *dropped;
    const size_t *bound_row, *bound_column;
    size_t bounds, chunk;
    double residual_weight, square_weight, move_weight, inward, clip, huber, best_weight, other_weight;
    /* one layer of weights: its sums over samples of a chunk, and of chunks, in order */
    const double *h, *g;
    size_t in, out;
    double *gradient, *norm;
    /* Adam */
    double *parameters, *first, *second;
    size_t parameter_count;
    double scale, rate, first_share, second_share, beta_1, beta_2, eps;
};

/* Refinement (nn/refiner.h) of the call's samples, and improved outputs (nn/improver.h). */
struct policy_refinement {
    const struct refine_places *places; /* there, as its lists are */
    size_t slots, threads, width; /* of a thread; threads that there is room for, whole warps; threads of a warp */
    double *memory;               /* of all threads, warp by warp: a slot of its threads lies side by side */
    double *trial, *tried;        /* samples: what a step leads to, and the layer's answer to that */
    double *objective, *multipliers, *length;
    struct device_report *reports; /* of what was tried */
    int32_t known;                 /* the multipliers are those of nearby outputs */
    /* targets of samples, and what exploring finds for inputs */
    double *targets;
    const double *starts; /* inputs; 0: from another input's best raw output, so far away: */
    size_t distance;
    double *beyond_raw, *beyond_y, *beyond_objective, *beyond_residual;
    struct device_report *beyond_reports;
    double explore; /* the share of the objective that it must gain */
};

struct policy_call {
    size_t count, candidates, samples, inputs, outputs, rows;
    struct policy_matrix matrix;
    struct policy_each each;
    struct policy_loss loss;
    struct policy_lesson lesson;
    struct policy_refinement refinement;
    const double *x;         /* rows of inputs */
    double *all_x, *network; /* samples; rows of inputs: what the network gives */
    double *raw, *y;         /* samples */
    double *objective, *residual, *value;
    struct device_report *reports;
    size_t *best; /* of inputs: the sample */
    double *out_y, *out_objective;
    struct device_report *out_reports;
    double *slots; /* of programs, side by side */
    size_t apart;  /* from a slot of a thread to its next one: threads that there is room for */
    int32_t corrected, wants_gradient;
};

#endif
