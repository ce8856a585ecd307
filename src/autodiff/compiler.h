/* compiler.h - the stages of program_create and their shared state. Until slots are assigned, instructions refer to
 * nodes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_COMPILER_H
#define HN_AUTODIFF_COMPILER_H

#include "autodiff/program.h"

struct compiler {
    const struct program_request *request;
    const struct graph *graph;
    uint32_t one,
        minus_one; /* represent nodes of these values, which may not exist in the graph; numbers beyond its nodes */
    /* per node */
    uint8_t *visits;   /* depth-first search state */
    uint8_t *phase;    /* the phase that computes it */
    uint8_t *absorbed; /* computed without a separate instruction: fused into its user, or paired */
    uint32_t *uses;    /* number of uses; being an output counts as a use */
    uint32_t *cosine;  /* of a sine node: the cosine of the same argument, 0 = none; of a cosine node: its sine */
    uint32_t *slot;
    /* per needed node, in topological order, phase by phase */
    uint32_t *order;
    size_t order_count;
    /* the code */
    struct instruction *code;
    size_t code_count, first[PHASES + 1], operators[PHASES];
    uint32_t *pairs; /* two nodes each */
    size_t pair_count;
    double *coefficients;
    uint32_t *columns; /* nodes */
    size_t coefficient_count, column_count;
    size_t last_list; /* of the graph, whose copy is at the end of columns */
    uint32_t last_columns;
    /* slots */
    uint32_t *output_slot; /* per output */
    double *constants;
    size_t constant_count, slots, leaf_slot[SPACE_COUNT];
};

/* Sorts the needed nodes topologically, one phase after the other. */
hn_status compiler_order(struct compiler *compiler, hn_error *error);

/* Decides which nodes are fused and writes the code over nodes. */
hn_status compiler_emit(struct compiler *compiler, hn_error *error);

/* Assigns a slot to every node of the code. */
hn_status compiler_assign(struct compiler *compiler, hn_error *error);

int compiler_phase(const struct compiler *compiler, uint32_t node);

/* A program with the sizes of `shape` and memory for its lists, which are not filled. Also fails if it has more slots
 * than offsets can address. */
hn_status program_allocate(struct program **out, const struct program *shape, hn_error *error);

#endif
