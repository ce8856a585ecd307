/* blocked_ldl_kernel.h - factors and solves one dense system with SIMD vectors over its entries; compiled by each
 * backend for its width.
 *
 *     h = M M' + E,   h = L D L',   n = L D       d_j = h_jj - sum_k l_jk n_jk,   l_ij = (h_ij - sum_k l_ik n_jk) / d_j
 *
 * Matrices are stored by columns. Columns are factored in panels (block_factor_kernel.h); then the panel's products are
 * subtracted from the rest, one tile at a time (block_product_kernel.h). Every sum runs over k ascending, each product
 * rounded before it is added, as in dense_ldl_kernel.h: the bits do not depend on the width, the size of tiles or the
 * number of helpers. Rows below the last are zero or unused.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCKED_LDL_KERNEL_H
#define HN_LINALG_BLOCKED_LDL_KERNEL_H

#include "linalg/block_product_kernel.h"

#include <math.h>
#include <string.h>

/* The memory of one sample's system. */
struct tiles {
    const struct tiled *task;
    struct helpers *helpers; /* may be NULL */
    double *slots;
    size_t order, depth, leading, most;
    double *m;               /* depth columns: m[k * leading + i] = M(i, k) */
    double *h;               /* order columns: M M' + E, then L below the diagonal */
    double *n;               /* TILED_DEPTH columns of L D */
    double *whole;           /* diagonal of h before the factorisation */
    double *d, *inverse, *z; /* pivots, 1/D, unknowns */
    double *numbers, *out;   /* of sums of vectors */
    double *spare;           /* the other vectors, `most` apart */
    double *kept_shift;      /* shift of the cached factor; NaN: not valid, */
    uint32_t *kept;          /* its number of rows, and the rows */
    uint32_t *count;         /* active rows: first those with precomputed products, then the others */
    size_t counted, known;
    bool recalls; /* the precomputed products of A are valid */
};

/* ---- gathering ---- */

static bool tiles_mask(const double *slots, size_t offset) {
    int64_t mask;
    memcpy(&mask, &slots[offset], sizeof mask);
    return mask != 0;
}

/* The layout of the workspace. */
static struct tiles tiles_lay_out(const struct tiled *task, double *slots) {
    struct tiles t = {.task = task, .slots = slots};
    const struct tiled_room room = tiled_room_of(task->rows, task->columns, task->outputs_side);
    double *vectors = slots + task->workspace + room.m + room.h + room.n;
    t.leading = room.leading;
    t.most = room.most;
    t.m = slots + task->workspace;
    t.h = t.m + room.m;
    t.n = t.h + room.h;
    t.whole = vectors;
    t.d = vectors + room.most;
    t.inverse = vectors + 2 * room.most;
    t.z = vectors + 3 * room.most;
    t.numbers = vectors + 4 * room.most;
    t.out = vectors + 5 * room.most;
    t.spare = vectors + 6 * room.most;
    t.kept_shift = vectors + room.vectors;
    t.count = (uint32_t *)(void *)(t.kept_shift + 1);
    t.kept = t.count + task->rows;
    return t;
}

static struct tiles tiles_place(const struct tiled *task, double *slots, struct helpers *helpers) {
    struct tiles t = tiles_lay_out(task, slots);
    size_t order = task->outputs_side ? task->columns : task->rows;
    t.helpers = helpers && (order >= TILED_FAR || helpers_keep_near(helpers)) ? helpers : NULL;
    t.recalls = task->every_row || !tiles_mask(slots, task->stretched);
    return t;
}

static void kernel_begin_tiled(const struct tiled *task, double *slots) {
    *tiles_lay_out(task, slots).kept_shift = NAN;
}

static bool tiles_counts(const struct tiles *t, size_t row) {
    return t->task->every_row || tiles_mask(t->slots, t->task->active + row);
}

static bool tiles_knows(const struct tiles *t, size_t row) {
    return t->recalls && t->task->known[row] != UINT32_MAX;
}

static double tiles_scale(const struct tiles *t, size_t row) {
    return t->task->every_row ? 1 : t->slots[t->task->scale + row];
}

/* A's numbers in one row, scaled if they are those of J. */
struct tiles_row {
    const uint32_t *entry; /* offsets; NULL: */
    const double *number;  /* contiguous */
    double factor;
};

static struct tiles_row tiles_row_of(const struct tiles *t, size_t row) {
    const struct tiled *task = t->task;
    if (task->every_row || tiles_knows(t, row))
        return (struct tiles_row){task->entry + task->first[row], NULL, tiles_scale(t, row)};
    return (struct tiles_row){NULL, t->slots + task->matrix + task->first[row], 1};
}

SIMD_INLINE double tiles_entry(const struct tiles *t, const struct tiles_row *row, size_t e) {
    return row->entry ? t->slots[row->entry[e]] : row->number[e];
}

static void tiles_choose_rows(struct tiles *t) {
    const struct tiled *task = t->task;
    t->counted = 0;
    for (size_t i = 0; task->gram && i < task->rows; i++)
        if (tiles_knows(t, i) && tiles_counts(t, i))
            t->count[t->counted++] = (uint32_t)i;
    t->known = t->counted;
    for (size_t i = 0; i < task->rows; i++)
        if (!(task->gram && tiles_knows(t, i)) && tiles_counts(t, i))
            t->count[t->counted++] = (uint32_t)i;
    t->order = task->outputs_side ? task->columns : t->counted;
    t->depth = task->outputs_side ? t->counted : task->columns;
}

/* M: active rows of A, as rows (outputs' side) or as columns. */
static void tiles_gather_rows(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct tiles *t = context;
    const struct tiled *task = t->task;
    for (size_t c = from; c < to; c++) {
        size_t row = t->count[c], apart = task->outputs_side ? 1 : t->leading;
        double *into = t->m + (task->outputs_side ? c * t->leading : c);
        const struct tiles_row numbers = tiles_row_of(t, row);
        const uint32_t *column = task->column + task->first[row];
        for (size_t e = 0; e < task->first[row + 1] - task->first[row]; e++)
            into[column[e] * apart] = numbers.factor * tiles_entry(t, &numbers, e);
    }
}

static void tiles_gather(const struct tiles *t) {
    const struct helpers_job rows = {t->counted, TILE_UNIT, 1, tiles_gather_rows, t, NULL};
    tiles_clear(t->helpers, t->m, t->depth * t->leading);
    helpers_share(t->helpers, &rows);
}

static double tiles_shift(const struct tiles *t, size_t j) {
    const struct tiled *task = t->task;
    if (!isnan(task->fixed_shift))
        return task->fixed_shift;
    return t->slots[task->shift + (task->outputs_side ? 0 : t->count[j])];
}

/* ---- the matrix ---- */

static void kernel_gram_tiled(const struct tiled_gram *g) {
    tiles_gram(g, 0);
}

/* W J J' W of the rows with precomputed products: exact, because weights are powers of two. */
static void tiles_recall(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct tiles *t = context;
    const struct tiled *task = t->task;
    for (size_t j = from; j < to; j++) {
        size_t row = t->count[j];
        const double *known = task->gram + task->known[row] * task->gram_leading;
        double *into = t->h + j * t->leading, scale = task->every_row ? 1 : t->slots[task->scale + row];
        for (size_t i = j; i < t->known; i++) {
            size_t other = t->count[i];
            double number = scale * known[task->known[other]];
            into[i] = task->every_row ? number : t->slots[task->scale + other] * number;
        }
    }
}

static void tiles_product(const struct tiles *t) {
    const struct tiled_gram all = {t->order, t->depth, t->leading, t->m, t->h, t->n, t->helpers};
    const struct helpers_job recalled = {t->known, TILE_UNIT, 4, tiles_recall, t, NULL};
    tiles_clear(t->helpers, t->h, (t->order + TILED_ACROSS) * t->leading);
    for (size_t j = t->known; j < t->order; j++)
        t->h[j * t->leading + j] = tiles_shift(t, j);
    helpers_share(t->helpers, &recalled);
    for (size_t j = 0; j < t->known; j++)
        t->h[j * t->leading + j] += tiles_shift(t, j);
    if (t->known < t->order) {
        tiles_gather(t);
        tiles_gram(&all, t->known);
    }
    for (size_t j = 0; j < t->order; j++)
        t->whole[j] = t->h[j * t->leading + j];
}

#include "linalg/block_factor_kernel.h"

/* ---- the solution ---- */

static void tiles_solve(const struct tiles *t, uint32_t from, uint32_t to) {
    const struct tiled *task = t->task;
    if (!task->outputs_side && from != to) /* inactive rows keep their values: 1 times the unknown */
        for (size_t i = 0; i < task->rows; i++)
            t->slots[to + i] = t->slots[from + i];
    for (size_t i = 0; i < t->order; i++)
        t->z[i] = t->slots[from + (task->outputs_side ? i : t->count[i])];
    tiles_forward(t);
    for (size_t i = 0; i < t->order; i++)
        t->z[i] *= t->inverse[i];
    tiles_backward(t);
    for (size_t i = 0; i < t->order; i++)
        t->slots[to + (task->outputs_side ? i : t->count[i])] = t->z[i];
}

/* Whether the cached factor is valid for the active rows: all constant, the same rows, the same shift. */
static bool tiles_keeps(const struct tiles *t, double shift) {
    return *t->kept_shift == shift && *t->kept == t->counted && t->known == t->counted &&
           memcmp(t->kept + 1, t->count, t->counted * sizeof *t->count) == 0;
}

static void tiles_keep(const struct tiles *t, double shift) {
    *t->kept_shift = !t->task->outputs_side && t->known == t->counted ? shift : NAN;
    *t->kept = (uint32_t)t->counted;
    memcpy(t->kept + 1, t->count, t->counted * sizeof *t->count);
}

static void tiles_range(const struct tiles *t, double d) {
    double *low = &t->slots[t->task->pivot_range], *high = low + 1;
    *low = d < *low ? d : *low;
    *high = *high < d ? d : *high;
}

/* The range of pivots; 1 for each inactive row. */
static void tiles_ranges(const struct tiles *t) {
    bool left_out = !t->task->outputs_side && t->counted < t->task->rows;
    t->slots[t->task->pivot_range] = left_out ? 1 : HUGE_VAL;
    t->slots[t->task->pivot_range + 1] = left_out ? 1 : 0;
    for (size_t j = 0; j < t->order; j++)
        tiles_range(t, t->d[j]);
}

#include "linalg/tridiagonal_schur_kernel.h"
#include "linalg/vector_product_kernel.h"

static void tiles_solve_all(const struct tiled *task, double *slots, const struct damped_sides *sides,
                            struct helpers *helpers) {
    struct tiles t = tiles_place(task, slots, helpers);
    tiles_choose_rows(&t);
    double shift = t.counted > 0 ? tiles_shift(&t, 0) : 0;
    if (!tiles_keeps(&t, shift)) {
        tiles_product(&t);
        tiles_factor(&t);
        tiles_keep(&t, shift);
    }
    tiles_ranges(&t);
    for (int side = 0; side < sides->count; side++)
        tiles_solve(&t, sides->from[side], sides->to[side]);
}

static void kernel_solve_tiled(const struct tiled *task, double *slots, const struct damped_sides *sides,
                               struct helpers *helpers) {
    if (task->reduction.order > 0 && (task->every_row || !tiles_mask(slots, task->stretched)))
        reduced_solve(task, slots, sides, helpers);
    else
        tiles_solve_all(task, slots, sides, helpers);
}

#endif
