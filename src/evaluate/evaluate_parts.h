/* evaluate_parts.h - what an evaluator is made of: up to six programs, and for each quantity where its results lie in them.
 *
 * In comes a model, out go programs that share no node with it. The programs differ in what their leaves stand for:
 *
 *     PIECE_VALUES    x, y                             c, f, bl, bu, start, fixed values
 *     PIECE_FIRST     x, y                             first derivatives
 *     PIECE_PULL      x, y, LAMBDA = w                 J' w
 *     PIECE_ALONG_Y   x, y, T = v_y, V = lambda, sigma J v_y, Hessian v_y
 *     PIECE_ALONG_X   x, y, T = v_x, V = lambda, sigma J v_x, Hessian v_x
 *     PIECE_HESSIAN   x, y, LAMBDA = lambda, SIGMA     blocks of the Hessian
 *
 * One call runs only the pieces that something is asked of. They take turns in one workspace.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_EVALUATE_PARTS_H
#define HN_EVALUATE_PARTS_H

#include "base/arena.h"
#include "cpu/backend.h"
#include "hardnet/evaluate.h"

enum piece {
    PIECE_VALUES,
    PIECE_FIRST,
    PIECE_PULL,
    PIECE_ALONG_Y,
    PIECE_ALONG_X,
    PIECE_HESSIAN,
    PIECES, /* also: of no piece, because it was not wanted */
};

/* Where a quantity comes from. Results without an entry are `absent`. */
struct quantity {
    enum piece piece;
    size_t width;    /* numbers per sample */
    size_t count;    /* of them that a program computes */
    uint32_t *slot;  /* count: where they lie */
    uint32_t *entry; /* count: which of the width they are; NULL: in order */
    double absent;
    hn_pattern pattern; /* of matrices; first is NULL elsewhere */
};

struct hn_evaluator {
    struct arena arena; /* of all lists */
    struct backend backend, single;
    hn_instructions instructions;
    size_t inputs, outputs, rows;
    size_t functions;                 /* rows, and one for the objective if there is one: multipliers of products */
    struct program *program[PIECES];  /* for one sample, */
    struct program *together[PIECES]; /* and for as many as go side by side */
    struct quantity quantity[HN_QUANTITY_COUNT];
    size_t nodes;
    bool hessian_left_out;
    size_t bytes; /* of a workspace */
};

/* Fills everything but backend and instructions. */
hn_status evaluator_build(hn_evaluator *evaluator, const hn_model *model, const hn_evaluator_options *options,
                          hn_error *error);

/* The caller's evaluation as this version of the library knows it, looked through. */
hn_status evaluation_check(hn_evaluation *own, const hn_evaluator *evaluator, const hn_evaluation *evaluation,
                           hn_error *error);

/* ---- over lanes ---- */

/* Every program once more, for as many samples as go side by side. */
hn_status evaluator_widen(hn_evaluator *evaluator, hn_error *error);

/* Bytes of a workspace for some pieces (bits 1 << piece); 0 when they do not fit a size_t. */
enum { EVERY_PIECE = (1 << PIECES) - 1 };
size_t evaluator_workspace(const hn_evaluator *evaluator, int pieces);

/* The same for all samples, but each result with its samples next to each other, and only what programs compute: number i of
 * quantity q for sample s goes to values[q][i * count + s], i below quantity[q].count. Not for residuals. */
void evaluator_run_across(const hn_evaluator *evaluator, const hn_evaluation *evaluation, void *workspace);

/* Samples first to before end of an evaluation that was checked. */
void evaluator_run(const hn_evaluator *evaluator, const hn_evaluation *evaluation, size_t first, size_t end,
                   void *workspace);

#endif
