/* tiled_kernel.h - factor and solve one full system with SIMD vectors over its entries; compiled by each backend for its width.
 *
 *     h = M M' + E,   h = L D L',   n = L D       d_j = h_jj - sum_k l_jk n_jk,   l_ij = (h_ij - sum_k l_ik n_jk) / d_j
 *
 * Matrices lie by columns. Columns are factored in panels; then the rest loses the panel's products, a tile of
 * TILE_ROWS x TILE_ACROSS entries at a time, which stays in registers. Every sum runs over k ascending, each product
 * rounded before it is added, as in dense_kernel.h: the same bits, whatever the width and the size of tiles. Rows below
 * the last are zeros or never used.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_SPARSE_TILED_KERNEL_H
#define HN_SPARSE_TILED_KERNEL_H

#include "base/wide.h"
#include "sparse/tiled_system.h"

#include <math.h>
#include <string.h>

/* Registers hold the sums, a column of the one factor and a number of the other. */
enum { TILE_VECTORS = 3, TILE_ROWS = TILE_VECTORS * WIDTH, TILE_ACROSS = WIDTH == 8 ? 8 : 4, PRODUCT_DEPTH = 128 };

/* The memory of one sample's system. */
struct tiles {
    const struct tiled *task;
    double *slots;
    size_t order, depth, leading;
    double *m;               /* depth columns: m[k * leading + i] = M(i, k) */
    double *h;               /* order columns: M M' + E, then L below the diagonal */
    double *n;               /* TILED_PANEL columns of L D */
    double *whole;           /* diagonal of h before it was factored */
    double *d, *inverse, *z; /* pivots, 1/D, unknowns */
    uint32_t *count;         /* rows that count: first those that are known, then the others */
    size_t counted, known;
    bool recalls; /* what is known of J J' holds */
};

/* ---- gathering ---- */

static struct tiles tiles_place(const struct tiled *task, double *slots) {
    struct tiles t = {.task = task, .slots = slots};
    size_t most = task->outputs_side ? task->columns : task->rows;
    size_t depth = task->outputs_side ? task->rows : task->columns;
    t.leading = tiled_leading(most);
    t.m = slots + task->workspace;
    t.h = t.m + depth * t.leading;
    t.n = t.h + (most + TILED_ACROSS) * t.leading;
    t.whole = t.n + TILED_PANEL * t.leading;
    t.d = t.whole + t.leading;
    t.inverse = t.d + t.leading;
    t.z = t.inverse + t.leading;
    t.count = (uint32_t *)(void *)(t.z + t.leading);
    return t;
}

static bool tiles_mask(const struct tiles *t, size_t offset) {
    int64_t mask;
    memcpy(&mask, &t->slots[offset], sizeof mask);
    return mask != 0;
}

static bool tiles_counts(const struct tiles *t, size_t row) {
    return t->task->every_row || tiles_mask(t, t->task->active + row);
}

static bool tiles_knows(const struct tiles *t, size_t row) {
    return t->recalls && t->task->known[row] != UINT32_MAX;
}

static void tiles_choose_rows(struct tiles *t) {
    const struct tiled *task = t->task;
    t->counted = 0;
    t->recalls = task->gram && (task->every_row || !tiles_mask(t, task->stretched));
    for (size_t i = 0; t->recalls && i < task->rows; i++)
        if (tiles_knows(t, i) && tiles_counts(t, i))
            t->count[t->counted++] = (uint32_t)i;
    t->known = t->counted;
    for (size_t i = 0; i < task->rows; i++)
        if (!tiles_knows(t, i) && tiles_counts(t, i))
            t->count[t->counted++] = (uint32_t)i;
    t->order = task->outputs_side ? task->columns : t->counted;
    t->depth = task->outputs_side ? t->counted : task->columns;
}

/* M: rows of A that count, as rows (outputs' side) or as columns. */
static void tiles_gather(const struct tiles *t) {
    const struct tiled *task = t->task;
    memset(t->m, 0, t->depth * t->leading * sizeof *t->m);
    for (size_t c = 0; c < t->counted; c++) {
        size_t row = t->count[c];
        double *to = t->m + (task->outputs_side ? c * t->leading : c);
        size_t apart = task->outputs_side ? 1 : t->leading;
        for (uint32_t e = task->first[row]; e < task->first[row + 1]; e++)
            to[task->column[e] * apart] = t->slots[task->entry ? task->entry[e] : task->matrix + (size_t)e];
    }
}

static double tiles_shift(const struct tiles *t, size_t j) {
    const struct tiled *task = t->task;
    if (!isnan(task->fixed_shift))
        return task->fixed_shift;
    return t->slots[task->shift + (task->outputs_side ? 0 : t->count[j])];
}

/* ---- products of tiles ---- */

/* c(i, j) plus or minus the sum over k of a(i, k) b(j, k), for one tile; all three by columns. */
WIDE_INLINE void tile_multiply(double *c, const double *a, const double *b, size_t leading, size_t depth,
                               const bool minus) {
    wide sums[TILE_ACROSS][TILE_VECTORS];
    for (int j = 0; j < TILE_ACROSS; j++)
        for (int v = 0; v < TILE_VECTORS; v++)
            sums[j][v] = wide_load(c + (size_t)j * leading + (size_t)v * WIDTH);
    for (size_t k = 0; k < depth; k++, a += leading, b += leading) {
        wide column[TILE_VECTORS];
        for (int v = 0; v < TILE_VECTORS; v++)
            column[v] = wide_load(a + (size_t)v * WIDTH);
        for (int j = 0; j < TILE_ACROSS; j++)
            for (int v = 0; v < TILE_VECTORS; v++)
                sums[j][v] = minus ? sums[j][v] - column[v] * wide_all(b[j]) : sums[j][v] + column[v] * wide_all(b[j]);
    }
    for (int j = 0; j < TILE_ACROSS; j++)
        for (int v = 0; v < TILE_VECTORS; v++)
            wide_store(c + (size_t)j * leading + (size_t)v * WIDTH, sums[j][v]);
}

/* The lower triangle of h, its rows from `row` and its columns from `column` on, plus or minus a b'. */
WIDE_INLINE void tiles_update(const struct tiled_gram *g, size_t row, size_t column, const double *b,
                              const bool minus) {
    for (size_t j = column; j < g->order; j += TILE_ACROSS)
        for (size_t i = j < row ? row : row + (j - row) / TILE_ROWS * TILE_ROWS; i < g->order; i += TILE_ROWS)
            tile_multiply(g->h + j * g->leading + i, g->m + i, b + j, g->leading, g->depth, minus);
}

/* h += M M' in its rows from `row` on. */
static void tiles_gram(const struct tiled_gram *g, size_t row) {
    for (size_t k = 0; k < g->depth; k += PRODUCT_DEPTH) {
        struct tiled_gram part = *g;
        part.m = g->m + k * g->leading;
        part.depth = g->depth - k < PRODUCT_DEPTH ? g->depth - k : PRODUCT_DEPTH;
        tiles_update(&part, row, 0, part.m, false);
    }
}

static void kernel_gram_tiled(const struct tiled_gram *g) {
    tiles_gram(g, 0);
}

/* W J J' W of the rows that are known: exact, because weights are powers of two. */
static void tiles_recall(const struct tiles *t) {
    const struct tiled *task = t->task;
    for (size_t j = 0; j < t->known; j++) {
        size_t row = t->count[j];
        const double *from = task->gram + task->known[row] * task->gram_leading;
        double *to = t->h + j * t->leading, scale = task->every_row ? 1 : t->slots[task->scale + row];
        for (size_t i = j; i < t->known; i++) {
            size_t other = t->count[i];
            double number = scale * from[task->known[other]];
            to[i] = task->every_row ? number : t->slots[task->scale + other] * number;
        }
    }
}

static void tiles_product(const struct tiles *t) {
    const struct tiled_gram all = {t->order, t->depth, t->leading, t->m, t->h};
    memset(t->h, 0, (t->order + TILED_ACROSS) * t->leading * sizeof *t->h);
    for (size_t j = t->known; j < t->order; j++)
        t->h[j * t->leading + j] = tiles_shift(t, j);
    tiles_recall(t);
    for (size_t j = 0; j < t->known; j++)
        t->h[j * t->leading + j] += tiles_shift(t, j);
    if (t->known < t->order) {
        tiles_gather(t);
        tiles_gram(&all, t->known);
    }
    for (size_t j = 0; j < t->order; j++)
        t->whole[j] = t->h[j * t->leading + j];
}

/* ---- the factor ---- */

/* Column j of the panel that begins at `first`: what the columns before it in the panel owe. */
WIDE_INLINE void tiles_column(const struct tiles *t, size_t first, size_t j) {
    double *column = t->h + j * t->leading;
    for (size_t i = j; i < t->order; i += 4 * WIDTH) {
        wide sums[4];
        for (size_t v = 0; v < 4; v++)
            sums[v] = wide_load(column + i + v * WIDTH);
        for (size_t k = first; k < j; k++) {
            const double *before = t->h + k * t->leading;
            wide n = wide_all(before[j] * t->d[k]);
            for (size_t v = 0; v < 4; v++)
                sums[v] -= wide_load(before + i + v * WIDTH) * n;
        }
        for (size_t v = 0; v < 4; v++)
            wide_store(column + i + v * WIDTH, sums[v]);
    }
}

/* 1/d, or 0 for a pivot that is lost in rounding; then column j of L. */
WIDE_INLINE void tiles_pivot(const struct tiles *t, size_t j) {
    double *column = t->h + j * t->leading, d = column[j];
    double *low = &t->slots[t->task->pivot_range], *high = low + 1;
    t->d[j] = d;
    t->inverse[j] = t->whole[j] * 0x1p-50 < d ? 1 / d : 0;
    *low = d < *low ? d : *low;
    *high = *high < d ? d : *high;
    for (size_t i = j + 1; i < t->order; i++)
        column[i] *= t->inverse[j];
}

static void tiles_factor(const struct tiles *t) {
    for (size_t first = 0; first < t->order; first += TILED_PANEL) {
        size_t end = t->order - first < TILED_PANEL ? t->order : first + TILED_PANEL;
        for (size_t j = first; j < end; j++) {
            tiles_column(t, first, j);
            tiles_pivot(t, j);
        }
        for (size_t k = first; k < end; k++)
            for (size_t i = end; i < t->order + TILED_ACROSS; i++)
                t->n[(k - first) * t->leading + i] = t->h[k * t->leading + i] * t->d[k];
        const struct tiled_gram rest = {t->order, end - first, t->leading, t->h + first * t->leading, t->h};
        tiles_update(&rest, end, end, t->n, true);
    }
}

/* ---- the solution ---- */

/* z = L^-1 z: each unknown in turn is taken out of those below. */
static void tiles_forward(const struct tiles *t) {
    for (size_t k = 0; k < t->order; k++) {
        const double *column = t->h + k * t->leading;
        for (size_t i = k + 1; i < t->order; i++)
            t->z[i] -= column[i] * t->z[k];
    }
}

/* z = L'^-1 z: the last unknown first, each taken out of those above. WIDTH rows and as many columns at a time, turned round. */
static void tiles_backward(const struct tiles *t) {
    size_t end = t->order;
    for (; end % WIDTH != 0; end--)
        for (size_t k = 0; k + 1 < end; k++)
            t->z[k] -= t->h[k * t->leading + end - 1] * t->z[end - 1];
    for (; end > 0; end -= WIDTH) {
        size_t begin = end - WIDTH;
        for (size_t i = end; i-- > begin;)
            for (size_t k = begin; k < i; k++)
                t->z[k] -= t->h[k * t->leading + i] * t->z[i];
        for (size_t k = 0; k < begin; k += WIDTH) {
            wide rows[WIDTH], sums = wide_load(t->z + k);
            for (size_t c = 0; c < WIDTH; c++)
                rows[c] = wide_load(t->h + (k + c) * t->leading + begin);
            wide_transpose(rows);
            for (size_t i = WIDTH; i-- > 0;)
                sums -= rows[i] * wide_all(t->z[begin + i]);
            wide_store(t->z + k, sums);
        }
    }
}

static void tiles_solve(const struct tiles *t, uint32_t from, uint32_t to) {
    const struct tiled *task = t->task;
    if (!task->outputs_side && from != to) /* rows that do not count keep what they have: 1 times the unknown */
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

static void kernel_solve_tiled(const struct tiled *task, double *slots, const struct damped_sides *sides) {
    struct tiles t = tiles_place(task, slots);
    tiles_choose_rows(&t);
    bool left_out = !task->outputs_side && t.order < task->rows; /* a pivot of 1 for each row that does not count */
    t.slots[task->pivot_range] = left_out ? 1 : HUGE_VAL;
    t.slots[task->pivot_range + 1] = left_out ? 1 : 0;
    tiles_product(&t);
    tiles_factor(&t);
    for (int side = 0; side < sides->count; side++)
        tiles_solve(&t, sides->from[side], sides->to[side]);
}

#endif
