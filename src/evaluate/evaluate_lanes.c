/* evaluate_lanes.c - runs the pieces of an evaluator for LANES samples at a time, or for a single one. See
 * evaluate_parts.h.
 *
 * A piece is run over all samples before the next one, so that its constants are initialised once per call. A single
 * remaining sample is run by the one-sample kernels, which give the same bits.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH 1 /* of set_kernel.h: one matrix at a time */
#define ONE_LANE
#include "base/layout.h"
#include "core/residual.h"
#include "core/set_kernel.h"
#include "evaluate/evaluate_parts.h"

#include <math.h>
#include <string.h>

hn_status evaluator_widen(hn_evaluator *evaluator, hn_error *error) {
    hn_status status = HN_OK;
    for (int piece = 0; piece < PIECES && status == HN_OK; piece++)
        if (evaluator->program[piece])
            status = program_widen(&evaluator->together[piece], evaluator->program[piece], LANES, error);
    return status;
}

/* Storage of the largest row block. */
static double *place_block(struct layout *layout, const hn_evaluator *evaluator) {
    size_t most = 0;
    for (size_t k = 0; k < evaluator->block_count; k++)
        if (set_storage(&evaluator->blocks[k]) > most)
            most = set_storage(&evaluator->blocks[k]);
    return layout_take(layout, most, sizeof(double));
}

static double *place_slots(struct layout *layout, size_t slots) {
    return layout_take(layout, slots, LANES * sizeof(double));
}

size_t evaluator_workspace(const hn_evaluator *evaluator, int pieces) {
    size_t slots = 0;
    struct layout layout = layout_measure();
    for (int piece = 0; piece < PIECES; piece++)
        if ((pieces & 1 << piece) != 0 && evaluator->program[piece] && evaluator->program[piece]->slots > slots)
            slots = evaluator->program[piece]->slots;
    place_block(&layout, evaluator);
    place_slots(&layout, slots);
    return layout_bytes(&layout);
}

/* ---- one piece, one group of lanes ---- */

struct run {
    const hn_evaluator *evaluator;
    const hn_evaluation *evaluation;
    const struct program *program;
    const struct backend *backend; /* for `lanes` samples */
    size_t lanes;
    enum piece piece;
    double *block; /* storage of a row block */
    double *slots;
    bool across; /* evaluator_run_across */
};

static double *leaf(const struct run *run, enum space space, size_t index) {
    return run->slots + (run->program->leaf_slot[space] + index) * run->lanes;
}

/* Loads width numbers per sample into the first leaves of a space; if samples is NULL they stay 0. */
static void load_leaves(const struct run *run, enum space space, const double *samples, size_t width, bool repeat,
                        size_t first, size_t count) {
    const double *from[LANES] = {NULL};
    for (size_t s = 0; s < count && samples; s++)
        from[s] = samples + (repeat ? 0 : (first + s) * width);
    if (samples && width > 0)
        run->backend->load(run->slots, (uint32_t)(run->program->leaf_slot[space] * run->lanes), width, from);
}

static void load_weight(const struct run *run, enum space space, size_t index, size_t first, size_t count) {
    const double *sigma = run->evaluation->sigma;
    for (size_t s = 0; s < count; s++)
        leaf(run, space, index)[s] = sigma ? sigma[first + s] : 1;
}

/* Loads the leaves: the table in evaluate_parts.h. */
static void load_all(const struct run *run, size_t first, size_t count) {
    const hn_evaluator *e = run->evaluator;
    const hn_evaluation *at = run->evaluation;
    bool along_y = run->piece == PIECE_ALONG_Y;
    load_leaves(run, SPACE_X, at->x, e->inputs, at->repeat_x, first, count);
    load_leaves(run, SPACE_Y, at->y, e->outputs, at->repeat_y, first, count);
    switch (run->piece) {
    case PIECE_PULL:
        load_leaves(run, SPACE_LAMBDA, at->w, e->rows, false, first, count);
        break;
    case PIECE_ALONG_Y:
    case PIECE_ALONG_X:
        load_leaves(run, SPACE_T, along_y ? at->v_y : at->v_x, along_y ? e->outputs : e->inputs, false, first, count);
        load_leaves(run, SPACE_V, at->lambda, e->rows, false, first, count);
        if (e->functions > e->rows)
            load_weight(run, SPACE_V, e->rows, first, count);
        break;
    case PIECE_HESSIAN:
        load_leaves(run, SPACE_LAMBDA, at->lambda, e->rows, false, first, count);
        load_weight(run, SPACE_SIGMA, 0, first, count);
        break;
    default:
        break;
    }
}

/* ---- results ---- */

static double result(const struct run *run, const struct quantity *quantity, size_t i, size_t sample) {
    return run->slots[(size_t)quantity->slot[i] * run->lanes + sample];
}

static void store(const struct run *run, const struct quantity *quantity, double *to, size_t first, size_t count) {
    for (size_t s = 0; s < count; s++) {
        double *row = to + (first + s) * quantity->width;
        for (size_t i = 0; i < quantity->width && quantity->entry; i++)
            row[i] = quantity->absent;
        for (size_t i = 0; i < quantity->count; i++)
            row[quantity->entry ? quantity->entry[i] : i] = result(run, quantity, i, s);
    }
}

static void store_across(const struct run *run, const struct quantity *quantity, double *to, size_t first,
                         size_t count) {
    size_t samples = run->evaluation->count;
    for (size_t i = 0; i < quantity->count; i++)
        memcpy(to + i * samples + first, run->slots + (size_t)quantity->slot[i] * run->lanes, count * sizeof *to);
}

/* The residual, with one bit pattern for NaN. An infinite value between infinite bounds is undefined, too. */
static double evaluated_residual(double c, double lower, double upper) {
    double r = residual_of(c, lower, upper);
    return isnan(r) || (r == 0 && !isfinite(c)) ? (double)NAN : r;
}

/* The entries of a matrix, times sqrt 2 off its diagonal. */
static void scale_rows(const struct set *own, double *rows) {
    for (size_t i = 0, e = 0; own->kind == HN_SET_PSD && i < own->order; i++)
        for (size_t j = 0; j <= i; j++, e++)
            rows[e] *= i == j ? 1 : SET_ROOT_TWO;
}

static void store_block_residual(const struct run *run, const struct set_block *block, double *residual,
                                 size_t sample) {
    double unused = 0;
    const struct set own = kernel_set(block, run->block, 0);
    for (size_t i = 0; i < own.rows; i++)
        own.from[i] = result(run, &run->evaluator->quantity[HN_QUANTITY_ROWS], block->row + i, sample);
    scale_rows(&own, own.from);
    kernel_set_project(&own, &unused);
    set_shown_residual(block, own.value, 1, residual + block->row);
}

static void store_residual(const struct run *run, double *to, size_t first, size_t count) {
    const struct quantity *quantity = run->evaluator->quantity;
    size_t rows = run->evaluator->rows;
    for (size_t s = 0; s < count; s++) {
        for (size_t i = 0; i < rows; i++)
            to[(first + s) * rows + i] = evaluated_residual(result(run, &quantity[HN_QUANTITY_ROWS], i, s),
                                                            result(run, &quantity[HN_QUANTITY_LOWER], i, s),
                                                            result(run, &quantity[HN_QUANTITY_UPPER], i, s));
        for (size_t k = 0; k < run->evaluator->block_count; k++)
            store_block_residual(run, &run->evaluator->blocks[k], to + (first + s) * rows, s);
    }
}

static void store_all(const struct run *run, size_t first, size_t count) {
    for (int q = 0; q < HN_QUANTITY_COUNT; q++) {
        const struct quantity *quantity = &run->evaluator->quantity[q];
        double *to = run->evaluation->values[q];
        if (!to || quantity->piece != run->piece)
            continue;
        if (run->across)
            store_across(run, quantity, to, first, count);
        else if (q == HN_QUANTITY_RESIDUAL)
            store_residual(run, to, first, count);
        else
            store(run, quantity, to, first, count);
    }
}

/* ---- all samples ---- */

static void run_samples(const struct run *run, size_t first, size_t count) {
    load_all(run, first, count);
    for (int phase = 0; phase < PHASES; phase++)
        run->backend->run(run->program, phase, run->slots);
    store_all(run, first, count);
}

/* Constants, and zeros for the leaves of idle lanes. Temporaries are written before they are read. */
static void fill_constants(const struct run *run) {
    const struct program *program = run->program;
    size_t leaves = 0;
    for (size_t i = 0; i < program->constant_count; i++)
        for (size_t lane = 0; lane < run->lanes; lane++)
            run->slots[i * run->lanes + lane] = program->constants[i];
    for (int space = 0; space < SPACE_COUNT; space++)
        leaves += program->leaf_count[space];
    memset(run->slots + program->constant_count * run->lanes, 0, leaves * run->lanes * sizeof *run->slots);
}

static void run_one(struct run *run, size_t sample) {
    run->backend = &run->evaluator->single;
    run->program = run->evaluator->program[run->piece];
    run->lanes = 1;
    fill_constants(run);
    run_samples(run, sample, 1);
}

/* A piece without a program has only constant results, like the Hessian of a linear model times v. */
static void run_piece(struct run *run, size_t first, size_t end) {
    if (!run->program) {
        store_all(run, first, end - first);
        return;
    }
    if (end - first > 1)
        fill_constants(run);
    for (; end - first > 1; first += end - first < LANES ? end - first : LANES)
        run_samples(run, first, end - first < LANES ? end - first : LANES);
    if (first < end)
        run_one(run, first);
}

static bool is_requested(const struct run *run, enum piece piece) {
    const struct quantity *quantity = run->evaluator->quantity;
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        if (run->evaluation->values[q] && quantity[q].piece == piece && quantity[q].width > 0)
            return true;
    return false;
}

static void run_pieces(struct run run, size_t first, size_t end, void *workspace) {
    struct layout layout = layout_over(workspace);
    run.block = place_block(&layout, run.evaluator);
    run.slots = place_slots(&layout, 0);
    for (int piece = 0; piece < PIECES; piece++) {
        run.program = run.evaluator->together[piece];
        run.backend = &run.evaluator->backend;
        run.lanes = LANES;
        run.piece = (enum piece)piece;
        if (is_requested(&run, run.piece))
            run_piece(&run, first, end);
    }
}

void evaluator_run(const hn_evaluator *evaluator, const hn_evaluation *evaluation, size_t first, size_t end,
                   void *workspace) {
    const struct run run = {.evaluator = evaluator, .evaluation = evaluation};
    run_pieces(run, first, end, workspace);
}

void evaluator_run_across(const hn_evaluator *evaluator, const hn_evaluation *evaluation, void *workspace) {
    const struct run run = {.evaluator = evaluator, .evaluation = evaluation, .across = true};
    run_pieces(run, 0, evaluation->count, workspace);
}
