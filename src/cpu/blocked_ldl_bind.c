/* blocked_ldl_bind.c - the numeric matrices that the kernels of a blocked system read, from its plan. Part of
 * lanes_bind.
 *
 *     known      rows with constant J, with their weights and |w J|^2
 *     block      the nearly dense ones, by rows and by columns; their sums are removed from the program
 *     gram       J J' of the known rows, or
 *     reduction  if all rows are known, the tridiagonal form of the equalities (linalg/tridiagonal_schur_kernel.h)
 *
 * SPDX-License-Identifier: MIT */
#include "base/size.h"
#include "cpu/lanes_executor.h"

#include <math.h>
#include <string.h>

enum { LEAST_REDUCED = 24 }; /* equalities */

/* State shared by the parts. */
struct binder {
    struct lanes *lanes;
    const struct plan *plan;
    const uint32_t *first, *column, *slot; /* of J */
    const double *constants;
    struct known_row *known;
    size_t known_count;
};

static double *zeros(struct binder *b, struct arena *arena, size_t columns, size_t leading) {
    size_t count;
    double *numbers =
        size_multiply(columns, leading, &count) ? lanes_take(b->lanes, arena, count, sizeof *numbers) : NULL;
    b->lanes->failed = b->lanes->failed || !numbers;
    if (numbers)
        memset(numbers, 0, count * sizeof *numbers);
    return numbers;
}

/* ---- known rows ---- */

/* The same formula as the kernel uses for rows that are not known. */
static double weight_for(double most) {
    return most < 1 ? 1 : most > 0x1p1021 ? 0x1p-1021 : ldexp(1, -ilogb(most));
}

static struct known_row known_row(const struct binder *b, size_t row) {
    struct known_row known = {true, 1, 0};
    double most = 0;
    for (uint32_t e = b->first[row]; e < b->first[row + 1]; e++) {
        bool constant = b->slot[e] < b->plan->program.constants.count;
        double size = constant ? fabs(b->constants[b->slot[e]]) : 0;
        known.known = known.known && constant;
        most = most < size ? size : most;
    }
    if (!known.known)
        return known;
    if (b->plan->options.weighted)
        known.scale = weight_for(most);
    for (uint32_t e = b->first[row]; e < b->first[row + 1]; e++) {
        double a = known.scale * b->constants[b->slot[e]];
        known.squares += a * a;
    }
    return known;
}

static void find_known(struct binder *b) {
    uint32_t *numbers = lanes_take(b->lanes, &b->lanes->arena, b->plan->rows, sizeof *numbers);
    b->known = lanes_take(b->lanes, &b->lanes->arena, b->plan->rows, sizeof *b->known);
    for (size_t i = 0; numbers && b->known && i < b->plan->rows; i++) {
        b->known[i] = known_row(b, i);
        numbers[i] = b->known[i].known ? (uint32_t)b->known_count++ : UINT32_MAX;
    }
    b->lanes->tiled.known = numbers;
    b->lanes->rows.known = b->plan->options.weighted ? b->known : NULL;
}

/* ---- the block ---- */

static bool is_full(const struct binder *b, size_t row) {
    return b->known[row].known && 2 * (size_t)(b->first[row + 1] - b->first[row]) >= b->plan->outputs;
}

static void fill_block(struct binder *b, const uint32_t *row, size_t count) {
    struct tiled_block *block = &b->lanes->tiled.block;
    block->down = tiled_leading(count);
    block->across = tiled_leading(b->plan->outputs);
    double *by_columns = zeros(b, &b->lanes->arena, b->plan->outputs, block->down);
    double *by_rows = zeros(b, &b->lanes->arena, count, block->across);
    for (size_t i = 0; by_columns && by_rows && i < count; i++)
        for (uint32_t e = b->first[row[i]]; e < b->first[row[i] + 1]; e++) {
            double number = b->constants[b->slot[e]];
            by_columns[b->column[e] * block->down + i] = number;
            by_rows[i * block->across + b->column[e]] = number;
        }
    block->by_columns = by_columns;
    block->by_rows = by_rows;
}

static void bind_block(struct binder *b) {
    struct tiled_block *block = &b->lanes->tiled.block;
    uint32_t *row = lanes_take(b->lanes, &b->lanes->arena, b->plan->rows, sizeof *row);
    uint32_t *number = lanes_take(b->lanes, &b->lanes->arena, b->plan->rows, sizeof *number);
    size_t count = 0;
    for (uint32_t i = 0; row && number && i < b->plan->rows; i++) {
        number[i] = UINT32_MAX;
        if (is_full(b, i)) {
            number[i] = (uint32_t)count;
            row[count++] = i;
        }
    }
    block->row = row;
    block->number = number;
    block->rows = count;
    if (count > 0)
        fill_block(b, row, count);
}

/* ---- values ---- */

/* Removes from the program the sums that the block computes first. */
struct pruner {
    struct instruction *code;
    uint32_t *valued, *value;
    size_t count;  /* of values */
    bool *touched; /* slots that an earlier instruction reads or writes */
    size_t next;   /* the expected next row of the block */
};

/* Whether term k of a sum of products is a constant times an output. */
static bool is_term(const struct binder *b, const struct instruction *at, uint32_t k, uint32_t e) {
    const struct plan_program *program = &b->plan->program;
    uint32_t y = b->plan->y + b->column[e];
    if (at->code == CODE_LINEAR) {
        double number = plan_numbers(b->plan, program->coefficients)[at->a + k];
        return plan_words(b->plan, program->columns)[at->c + k] == y &&
               memcmp(&number, &b->constants[b->slot[e]], sizeof number) == 0;
    }
    const uint32_t *pair = plan_words(b->plan, program->pairs) + 2 * ((size_t)at->a + k);
    return (pair[0] == b->slot[e] && pair[1] == y) || (pair[1] == b->slot[e] && pair[0] == y);
}

static bool is_sum(const struct instruction *at) {
    return at->code == CODE_DOT || at->code == CODE_LINEAR;
}

/* Whether the instruction is the sum J y over a row, term by term. */
static bool is_row(const struct binder *b, const struct instruction *at, size_t row) {
    uint32_t count = b->first[row + 1] - b->first[row];
    if (at->b != count)
        return false;
    for (uint32_t k = 0; k < count; k++)
        if (!is_term(b, at, k, b->first[row] + k))
            return false;
    return true;
}

/* The index of its row in the block; SIZE_MAX: not such a row, or its slot is used earlier. */
static size_t block_row(const struct binder *b, const struct pruner *p, const struct instruction *at) {
    const struct tiled_block *block = &b->lanes->tiled.block;
    if (!is_sum(at) || p->touched[at->destination])
        return SIZE_MAX;
    for (size_t k = 0; k < block->rows; k++) {
        size_t i = (p->next + k) % block->rows;
        if (is_row(b, at, block->row[i]))
            return i;
    }
    return SIZE_MAX;
}

static void touch(const struct binder *b, const struct pruner *p, const struct instruction *at) {
    const struct plan_program *program = &b->plan->program;
    const uint32_t *pairs = plan_words(b->plan, program->pairs) + 2 * (size_t)at->a;
    const uint32_t *columns = plan_words(b->plan, program->columns) + at->c;
    p->touched[at->destination] = true;
    if (!is_sum(at))
        p->touched[at->a] = p->touched[at->b] = p->touched[at->c] = true;
    for (size_t k = 0; at->code == CODE_DOT && k < 2 * (size_t)at->b; k++)
        p->touched[pairs[k]] = true;
    for (size_t k = 0; at->code == CODE_LINEAR && k < at->b; k++)
        p->touched[columns[k]] = true;
}

static void prune(struct binder *b, struct pruner *p) {
    struct program *program = &b->lanes->program;
    const struct instruction *from = program->code;
    size_t to = program->first[1], end = program->first[2], all = program->first[PHASES];
    memcpy(p->code, from, to * sizeof *from);
    for (size_t i = program->first[1]; i < end; i++) {
        size_t row = block_row(b, p, &from[i]);
        touch(b, p, &from[i]);
        if (row == SIZE_MAX) {
            p->code[to++] = from[i];
            continue;
        }
        p->valued[p->count] = (uint32_t)row;
        p->value[p->count++] = from[i].destination;
        p->next = row + 1;
    }
    memcpy(p->code + to, from + end, (all - end) * sizeof *from);
    program->first[2] = to;
    program->first[3] = to + all - end;
    program->code = p->code;
}

static void bind_values(struct binder *b) {
    struct tiled_block *block = &b->lanes->tiled.block;
    struct arena scratch = {0}, *arena = &b->lanes->arena;
    size_t count = b->plan->program.code.count;
    struct pruner p = {.code = lanes_take(b->lanes, arena, count, sizeof *p.code),
                       .valued = lanes_take(b->lanes, arena, count, sizeof *p.valued),
                       .value = lanes_take(b->lanes, arena, count, sizeof *p.value),
                       .touched = lanes_take(b->lanes, &scratch, b->plan->slots, sizeof *p.touched)};
    if (p.code && p.valued && p.value && p.touched) {
        memset(p.touched, 0, b->plan->slots * sizeof *p.touched);
        prune(b, &p);
        block->values = p.count;
        block->valued = p.valued;
        block->value = p.value;
    }
    arena_release(&scratch);
}

/* ---- products of known rows ---- */

/* These `order` rows of w J or J, column-major. */
static void fill_rows(const struct binder *b, const uint32_t *row, size_t order, bool weighted, double *m,
                      size_t leading) {
    for (size_t i = 0; i < order; i++)
        for (uint32_t e = b->first[row[i]]; e < b->first[row[i] + 1]; e++) {
            double number = b->constants[b->slot[e]];
            m[b->column[e] * leading + i] = weighted ? b->known[row[i]].scale * number : number;
        }
}

/* The lower triangle of M M' for these rows, column-major; NULL when out of memory. */
static double *gram_of(struct binder *b, struct arena *arena, const uint32_t *row, size_t order, bool weighted) {
    struct arena scratch = {0};
    struct tiled_gram gram = {.order = order, .depth = b->plan->outputs, .leading = tiled_leading(order)};
    double *m = zeros(b, &scratch, b->plan->outputs, gram.leading);
    gram.h = zeros(b, arena, order + TILED_ACROSS, gram.leading);
    gram.pack = zeros(b, &scratch, (size_t)2 * TILED_DEPTH, gram.leading);
    if (m && gram.h && gram.pack) {
        fill_rows(b, row, order, weighted, m, gram.leading);
        gram.m = m;
        b->lanes->kernels.gram_tiled(&gram);
    }
    arena_release(&scratch);
    return m ? gram.h : NULL;
}

static void bind_gram(struct binder *b) {
    struct tiled *tiled = &b->lanes->tiled;
    struct arena scratch = {0};
    uint32_t *row = lanes_take(b->lanes, &scratch, b->plan->rows, sizeof *row);
    size_t count = 0;
    for (uint32_t i = 0; row && i < b->plan->rows; i++)
        if (b->known[i].known)
            row[count++] = i;
    if (count > 0) {
        tiled->gram = gram_of(b, &b->lanes->arena, row, count, false);
        tiled->gram_leading = tiled_leading(count);
    }
    arena_release(&scratch);
}

/* ---- the reduction ---- */

/* Lists structural equalities, which are always active, then the other rows. */
static size_t equalities_first(const struct binder *b, uint32_t *row) {
    const uint32_t *lower = plan_words(b->plan, b->plan->lower), *upper = plan_words(b->plan, b->plan->upper);
    size_t count = 0, equalities = 0;
    for (int wanted = 1; wanted >= 0; wanted--) {
        for (uint32_t i = 0; i < b->plan->rows; i++)
            if ((lower[i] == upper[i]) == wanted)
                row[count++] = i;
        equalities = wanted ? count : equalities;
    }
    return equalities;
}

/* Input of the tridiagonalisation: the full A_e A_e', and A_e A_o' next to the identity. */
static void fill_turn(const struct tiled_turn *turn, const double *gram, size_t leading, size_t others) {
    for (size_t k = 0; k < turn->order; k++) {
        for (size_t i = k; i < turn->order; i++)
            turn->c[k * turn->tall + i] = turn->c[i * turn->tall + k] = gram[k * leading + i];
        for (size_t i = 0; i < others; i++)
            turn->turn[k * turn->wide + i] = gram[k * leading + turn->order + i];
        turn->turn[k * turn->wide + others + k] = 1;
    }
}

static void keep_turned(struct binder *b, const struct tiled_turn *turn) {
    struct tiled_reduction *form = &b->lanes->tiled.reduction;
    double *turned = zeros(b, &b->lanes->arena, turn->width, turn->tall);
    for (size_t k = 0; turned && k < turn->order; k++)
        for (size_t i = 0; i < turn->width; i++)
            turned[i * turn->tall + k] = turn->turn[k * turn->wide + i];
    form->turned = turned;
    form->turn = turn->turn;
    form->diagonal = turn->diagonal;
    form->beside = turn->beside;
    form->wide = turn->wide;
    form->tall = turn->tall;
}

/* Keeps only the block of the other rows of gram_of's result. */
static void keep_others(struct binder *b, const double *gram, size_t leading) {
    struct tiled_reduction *form = &b->lanes->tiled.reduction;
    form->gram_leading = tiled_leading(form->others);
    double *kept = zeros(b, &b->lanes->arena, form->others, form->gram_leading);
    for (size_t j = 0; kept && j < form->others; j++)
        memcpy(kept + j * form->gram_leading + j, gram + (form->order + j) * leading + form->order + j,
               (form->others - j) * sizeof *kept);
    form->gram = kept;
}

static void reduce(struct binder *b, const uint32_t *row, size_t order) {
    struct tiled_reduction *form = &b->lanes->tiled.reduction;
    struct arena scratch = {0};
    size_t rows = b->plan->rows, leading = tiled_leading(rows);
    struct tiled_turn turn = {.order = order, .width = rows};
    double *gram = gram_of(b, &scratch, row, rows, true);
    form->order = order;
    form->others = rows - order;
    turn.tall = tiled_leading(order);
    turn.wide = tiled_leading(rows);
    turn.c = zeros(b, &scratch, order, turn.tall);
    turn.scratch = zeros(b, &scratch, 3, turn.wide);
    turn.turn = zeros(b, &b->lanes->arena, order, turn.wide);
    turn.diagonal = zeros(b, &b->lanes->arena, 1, turn.tall);
    turn.beside = zeros(b, &b->lanes->arena, 1, turn.tall);
    if (gram && turn.c && turn.scratch && turn.turn && turn.diagonal && turn.beside) {
        fill_turn(&turn, gram, leading, form->others);
        b->lanes->kernels.turn_tiled(&turn);
        keep_turned(b, &turn);
        keep_others(b, gram, leading);
    }
    arena_release(&scratch);
}

/* Not for methods without damping, which check pivots, or without weights, which cache the whole factor. */
static bool bind_reduction(struct binder *b) {
    uint32_t *row = lanes_take(b->lanes, &b->lanes->arena, b->plan->rows, sizeof *row);
    if (!row || b->known_count < b->plan->rows || !b->plan->options.weighted || b->plan->options.damping == 0)
        return false;
    size_t order = equalities_first(b, row);
    if (order < LEAST_REDUCED)
        return false;
    b->lanes->tiled.reduction.row = row;
    reduce(b, row, order);
    return true;
}

/* ---- all parts ---- */

void lanes_bind_tiled(struct lanes *lanes, const struct plan *plan) {
    bool weighted = plan->options.weighted, outputs_side = plan->options.outputs_side;
    struct binder b = {.lanes = lanes,
                       .plan = plan,
                       .first = plan_words(plan, plan->jacobian.first),
                       .column = plan_words(plan, plan->jacobian.column),
                       .slot = plan_words(plan, plan->jacobian.slot),
                       .constants = plan_numbers(plan, plan->program.constants)};
    lanes->tiled = (struct tiled){
        .rows = plan->rows,
        .columns = plan->outputs,
        .outputs_side = outputs_side,
        .every_row = !weighted,
        .first = b.first,
        .column = b.column,
        .entry = lanes->rows.entry,
        .matrix = plan->matrix,
        .active = plan->active,
        .stretched = plan->summary + SUMMARY_STRETCHED,
        .scale = plan->scale,
        .shift = outputs_side ? plan->eps : plan->shift,
        .fixed_shift = plan->options.damping,
        .pivot_range = plan->system.pivot_range,
        .workspace = lanes_tiles_at(plan),
    };
    find_known(&b);
    if (!lanes->failed)
        bind_block(&b);
    if (!lanes->failed && lanes->tiled.block.rows > 0)
        bind_values(&b);
    if (!lanes->failed && !outputs_side && !bind_reduction(&b) && !lanes->failed)
        bind_gram(&b);
}
