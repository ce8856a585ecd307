/* evaluate_parts.h - the struct of an evaluator: up to six programs, and for each quantity the slots of its results.
 *
 * Input: a model; output: programs that do not share nodes with it. The programs differ in the meaning of their leaves:
 *
 *     PIECE_VALUES    x, y                             c, f, bl, bu, start, fixed values
 *     PIECE_FIRST     x, y                             first derivatives
 *     PIECE_PULL      x, y, LAMBDA = w                 J' w
 *     PIECE_ALONG_Y   x, y, T = v_y, V = lambda, sigma J v_y, Hessian v_y
 *     PIECE_ALONG_X   x, y, T = v_x, V = lambda, sigma J v_x, Hessian v_x
 *     PIECE_HESSIAN   x, y, LAMBDA = lambda, SIGMA     blocks of the Hessian
 *
 * A call runs only the pieces of the requested quantities. They share one workspace.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_EVALUATE_PARTS_H
#define HN_EVALUATE_PARTS_H

#include "base/arena.h"
#include "cpu/backend.h"
#include "hardnet/evaluate.h"

#define WANT(name) HN_WANT(HN_QUANTITY_##name)

enum piece {
    PIECE_VALUES,
    PIECE_FIRST,
    PIECE_PULL,
    PIECE_ALONG_Y,
    PIECE_ALONG_X,
    PIECE_HESSIAN,
    PIECES, /* also: not part of any piece, because it was not wanted */
};

/* The source of a quantity. Results without an entry are `absent`. */
struct quantity {
    enum piece piece;
    size_t width;    /* numbers per sample */
    size_t count;    /* of these, computed by a program */
    uint32_t *slot;  /* count: their slots */
    uint32_t *entry; /* count: their positions within the width; NULL: in order */
    double absent;
    hn_pattern pattern; /* of matrices; otherwise first is NULL */
};

struct hn_evaluator {
    struct arena arena; /* of all lists */
    struct backend backend, single;
    hn_instructions instructions;
    size_t inputs, outputs, rows;
    size_t functions;                 /* rows, and the objective if there is one: multipliers of products */
    struct program *program[PIECES];  /* for one sample, */
    struct program *together[PIECES]; /* and for all lanes */
    struct quantity quantity[HN_QUANTITY_COUNT];
    struct set_block *blocks; /* for residuals; without storage */
    size_t block_count;
    size_t nodes;
    bool hessian_left_out;
    size_t bytes; /* of a workspace */
};

/* Sets everything except backend and instructions. */
hn_status evaluator_build(hn_evaluator *evaluator, const hn_model *model, const hn_evaluator_options *options,
                          hn_error *error);

/* Copies and checks the caller's evaluation. */
hn_status evaluation_check(hn_evaluation *own, const hn_evaluator *evaluator, const hn_evaluation *evaluation,
                           hn_error *error);

/* ---- over lanes ---- */

/* Creates every program for all lanes. */
hn_status evaluator_widen(hn_evaluator *evaluator, hn_error *error);

/* Bytes of a workspace for some pieces (bits 1 << piece); 0 on overflow of size_t. */
enum { EVERY_PIECE = (1 << PIECES) - 1 };
size_t evaluator_workspace(const hn_evaluator *evaluator, int pieces);

/* The same for all samples, but with the samples of each result contiguous, and only results that programs compute:
 * number i of quantity q for sample s goes to values[q][i * count + s], i below quantity[q].count. Not for
 * residuals. */
void evaluator_run_across(const hn_evaluator *evaluator, const hn_evaluation *evaluation, void *workspace);

/* Samples first to end (exclusive) of a checked evaluation. */
void evaluator_run(const hn_evaluator *evaluator, const hn_evaluation *evaluation, size_t first, size_t end,
                   void *workspace);

#endif
