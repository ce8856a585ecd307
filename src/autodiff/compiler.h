/* compiler.h - the stages of program_create and their shared state.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_COMPILER_H
#define HN_AUTODIFF_COMPILER_H

#include "autodiff/program.h"

struct compiler {
    const struct program_request *request;
    const struct graph *graph;
    struct program program;  /* with stride 1; until slots are assigned, its code and lists refer to nodes */
    struct arena arena;      /* of all lists */
    uint32_t one, minus_one; /* numbers of 1 and -1, after the graph's nodes: the graph may not contain them */
    /* per node */
    uint8_t *phase;    /* the phase that computes it */
    uint8_t *absorbed; /* computed without a separate instruction: fused into its user, or paired */
    uint32_t *uses;    /* number of uses, including as an output */
    uint32_t *cosine;  /* of a sine node: the cosine of the same argument, 0 = none; of a cosine node: its sine */
    uint32_t *slot;
    /* per needed node, in topological order, phase by phase */
    uint32_t *order;
    size_t order_count;
    size_t code_count;
    size_t last_list; /* of the graph, whose copy is at the end of columns */
    uint32_t last_columns;
};

/* Selects the nodes to fuse and emits code over nodes. */
hn_status compiler_emit(struct compiler *compiler, hn_error *error);

/* Assigns a slot to every node of the code and replaces nodes by slots. */
hn_status compiler_assign(struct compiler *compiler, hn_error *error);

/* A program with the sizes of `shape` and uninitialised lists. Also fails if it has more slots than offsets can
 * address. */
hn_status program_allocate(struct program **out, const struct program *shape, hn_error *error);

#endif
