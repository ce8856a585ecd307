/* compiler.h - the stages of program_create and what they share. Until slots are assigned, instructions name nodes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_COMPILER_H
#define HN_AUTODIFF_COMPILER_H

#include "autodiff/program.h"

struct compiler {
    const struct program_request *request;
    const struct graph *graph;
    uint32_t one, minus_one; /* stand for nodes of these values, which the graph may not have; numbers beyond its own */
    /* per node */
    uint8_t *visits;   /* while ordering */
    uint8_t *phase;    /* in which it is computed */
    uint8_t *absorbed; /* done without an instruction of its own: fused into its user, or paired */
    uint32_t *uses;    /* how often it is needed; an output counts as a use */
    uint32_t *cosine;  /* of a sine node: the cosine of the same argument, 0 = none; of a cosine node: its sine */
    uint32_t *slot;
    /* per needed node, arguments first, phases in order */
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
    size_t last_list; /* of the graph, whose copy are the last columns */
    uint32_t last_columns;
    /* slots */
    uint32_t *output_slot; /* per output */
    double *constants;
    size_t constant_count, slots, leaf_slot[SPACE_COUNT];
};

/* Orders the needed nodes by a depth-first walk from the outputs, one phase after the other. */
hn_status compiler_order(struct compiler *compiler, hn_error *error);

/* Decides what is fused and writes the code over nodes. */
hn_status compiler_emit(struct compiler *compiler, hn_error *error);

/* Gives every node of the code its slot. */
hn_status compiler_assign(struct compiler *compiler, hn_error *error);

int compiler_phase(const struct compiler *compiler, uint32_t node);

/* A program with the numbers of this shape and room for its lists, which are not filled. Fails also where its slots are more than
 * offsets can name. */
hn_status program_allocate(struct program **out, const struct program *shape, hn_error *error);

#endif
