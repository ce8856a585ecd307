/* tiled_kernel.h - factor and solve one full system with SIMD vectors over its entries; compiled by each backend for its width.
 *
 *     h = M M' + E,   h = L D L',   n = L D       d_j = h_jj - sum_k l_jk n_jk,   l_ij = (h_ij - sum_k l_ik n_jk) / d_j
 *
 * Matrices lie by columns. Columns are factored in panels; then the rest loses the panel's products, a tile of
 * TILE_ROWS x TILE_ACROSS entries at a time, which stays in registers; the panel is copied so that what a tile needs lies together. Every sum runs over k ascending, each product
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
enum { TILE_VECTORS = 3, TILE_ROWS = TILE_VECTORS * WIDTH, TILE_ACROSS = WIDTH == 8 ? 8 : 4 };

/* The memory of one sample's system. */
struct tiles {
    const struct tiled *task;
    double *slots;
    size_t order, depth, leading, most;
    double *m;               /* depth columns: m[k * leading + i] = M(i, k) */
    double *h;               /* order columns: M M' + E, then L below the diagonal */
    double *n;               /* TILED_DEPTH columns of L D */
    double *whole;           /* diagonal of h before it was factored */
    double *d, *inverse, *z; /* pivots, 1/D, unknowns */
    double *numbers, *out;   /* of sums of vectors */
    double *spare;           /* the other vectors, `most` apart */
    double *kept_shift;      /* of the factor that is there; NaN: there is none, */
    uint32_t *kept;          /* and how many rows it has, and which */
    uint32_t *count;         /* rows that count: first those that are known, then the others */
    size_t counted, known;
    bool recalls; /* what is known of A holds */
};

/* ---- gathering ---- */

static bool tiles_mask(const double *slots, size_t offset) {
    int64_t mask;
    memcpy(&mask, &slots[offset], sizeof mask);
    return mask != 0;
}

static struct tiles tiles_place(const struct tiled *task, double *slots) {
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
    t.recalls = task->every_row || !tiles_mask(slots, task->stretched);
    return t;
}

static void kernel_begin_tiled(const struct tiled *task, double *slots) {
    *tiles_place(task, slots).kept_shift = NAN;
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

/* A's numbers in one row, times the factor where they are those of J. */
struct tiles_row {
    const uint32_t *entry; /* offsets; NULL: */
    const double *number;  /* one behind the other */
    double factor;
};

static struct tiles_row tiles_row_of(const struct tiles *t, size_t row) {
    const struct tiled *task = t->task;
    if (task->every_row || tiles_knows(t, row))
        return (struct tiles_row){task->entry + task->first[row], NULL, tiles_scale(t, row)};
    return (struct tiles_row){NULL, t->slots + task->matrix + task->first[row], 1};
}

WIDE_INLINE double tiles_entry(const struct tiles *t, const struct tiles_row *row, size_t e) {
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

/* M: rows of A that count, as rows (outputs' side) or as columns. */
static void tiles_gather(const struct tiles *t) {
    const struct tiled *task = t->task;
    memset(t->m, 0, t->depth * t->leading * sizeof *t->m);
    for (size_t c = 0; c < t->counted; c++) {
        size_t row = t->count[c], apart = task->outputs_side ? 1 : t->leading;
        double *to = t->m + (task->outputs_side ? c * t->leading : c);
        const struct tiles_row own = tiles_row_of(t, row);
        const uint32_t *column = task->column + task->first[row];
        for (size_t e = 0; e < task->first[row + 1] - task->first[row]; e++)
            to[column[e] * apart] = own.factor * tiles_entry(t, &own, e);
    }
}

static double tiles_shift(const struct tiles *t, size_t j) {
    const struct tiled *task = t->task;
    if (!isnan(task->fixed_shift))
        return task->fixed_shift;
    return t->slots[task->shift + (task->outputs_side ? 0 : t->count[j])];
}

/* ---- products of tiles ---- */

/* c(i, j) plus or minus the sum over k of a(i, k) b(j, k), for one tile: columns of a are `apart`, those of b lie one behind the
 * other. */
WIDE_INLINE void tile_multiply(double *c, size_t leading, const double *a, const size_t apart, const double *b,
                               size_t depth, const bool minus) {
    wide sums[TILE_ACROSS][TILE_VECTORS];
    for (int j = 0; j < TILE_ACROSS; j++)
        for (int v = 0; v < TILE_VECTORS; v++)
            sums[j][v] = wide_load(c + (size_t)j * leading + (size_t)v * WIDTH);
    for (size_t k = 0; k < depth; k++, a += apart, b += TILE_ACROSS) {
        wide column[TILE_VECTORS];
        for (int v = 0; v < TILE_VECTORS; v++)
            column[v] = wide_load(a + (size_t)v * WIDTH);
        for (int j = 0; j < TILE_ACROSS; j++)
            for (int v = 0; v < TILE_VECTORS; v++)
                sums[j][v] = minus ? sums[j][v] - column[v] * b[j] : sums[j][v] + column[v] * b[j];
    }
    for (int j = 0; j < TILE_ACROSS; j++)
        for (int v = 0; v < TILE_VECTORS; v++)
            wide_store(c + (size_t)j * leading + (size_t)v * WIDTH, sums[j][v]);
}

/* Two factors as tiles, each one behind the other: rows from `row` on, columns from `column` on. */
struct tiles_pair {
    size_t order, row, column, depth;
    double *a, *b;
};

/* Rows of m, as tiles. */
static void tiles_pack_rows(const struct tiles_pair *p, const double *m, size_t leading) {
    double *to = p->a;
    for (size_t i = p->row; i < p->order; i += TILE_ROWS)
        for (size_t k = 0; k < p->depth; k++)
            for (int v = 0; v < TILE_VECTORS; v++, to += WIDTH)
                wide_store(to, wide_load(m + k * leading + i + (size_t)v * WIDTH));
}

/* The same as columns, each of m's times a number; NULL: as they are. */
static void tiles_pack_columns(const struct tiles_pair *p, const double *m, size_t leading, const double *number) {
    double *to = p->b;
    for (size_t j = p->column; j < p->order; j += TILE_ACROSS)
        for (size_t k = 0; k < p->depth; k++) {
            const double *from = m + k * leading + j, factor = number ? number[k] : 1;
            for (int c = 0; c < TILE_ACROSS; c++)
                *to++ = from[c] * factor;
        }
}

/* The lower triangle of h plus or minus a b'. */
WIDE_INLINE void tiles_update(const struct tiles_pair *p, double *h, size_t leading, const bool minus) {
    for (size_t i = p->row; i < p->order; i += TILE_ROWS) {
        const double *a = p->a + (i - p->row) * p->depth;
        size_t end = i + TILE_ROWS < p->order ? i + TILE_ROWS : p->order;
        for (size_t j = p->column; j < end; j += TILE_ACROSS)
            tile_multiply(h + j * leading + i, leading, a, TILE_ROWS, p->b + (j - p->column) * p->depth, p->depth,
                          minus);
    }
}

/* h += M M' in its rows from `row` on; pack: 2 TILED_DEPTH columns. */
static void tiles_gram(const struct tiled_gram *g, size_t row) {
    for (size_t k = 0; k < g->depth; k += TILED_DEPTH) {
        size_t depth = g->depth - k < TILED_DEPTH ? g->depth - k : TILED_DEPTH;
        const struct tiles_pair pair = {g->order, row, 0, depth, g->pack, g->pack + TILED_DEPTH * g->leading};
        tiles_pack_rows(&pair, g->m + k * g->leading, g->leading);
        tiles_pack_columns(&pair, g->m + k * g->leading, g->leading, NULL);
        tiles_update(&pair, g->h, g->leading, false);
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
    const struct tiled_gram all = {t->order, t->depth, t->leading, t->m, t->h, t->n};
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

/* d_j, or its inverse 0 for a pivot that is lost in rounding, and column j of L. Columns from `first` on are still owed. */
WIDE_INLINE void tiles_column(const struct tiles *t, size_t first, size_t j) {
    double *column = t->h + j * t->leading, d = column[j], n[TILE_ACROSS];
    const double *before = t->h + first * t->leading;
    size_t owed = j - first;
    for (size_t k = 0; k < owed; k++) {
        n[k] = before[k * t->leading + j] * t->d[first + k];
        d -= before[k * t->leading + j] * n[k];
    }
    double inverse = t->whole[j] * 0x1p-50 < d ? 1 / d : 0;
    t->d[j] = d;
    t->inverse[j] = inverse;
    for (size_t i = j + 1; i < t->order; i += WIDTH) {
        wide sum = wide_load(column + i);
        for (size_t k = 0; k < owed; k++)
            sum -= wide_load(before + k * t->leading + i) * n[k];
        wide_store(column + i, sum * inverse);
    }
}

/* Columns first..end: TILE_ACROSS at a time lose the products of those before them in the panel, then are factored. */
static void tiles_panel(const struct tiles *t, size_t first, size_t end) {
    double b[TILED_PANEL * TILE_ACROSS];
    for (size_t j = first; j < end; j += TILE_ACROSS) {
        const double *before = t->h + first * t->leading;
        for (size_t k = 0; k < j - first; k++)
            for (size_t c = 0; c < TILE_ACROSS; c++)
                b[k * TILE_ACROSS + c] = before[k * t->leading + j + c] * t->d[first + k];
        for (size_t i = j; j > first && i < t->order; i += TILE_ROWS)
            tile_multiply(t->h + j * t->leading + i, t->leading, before + i, t->leading, b, j - first, true);
        for (size_t c = j; c < j + TILE_ACROSS && c < end; c++)
            tiles_column(t, j, c);
    }
}

static void tiles_factor(const struct tiles *t) {
    for (size_t first = 0; first < t->order; first += TILED_PANEL) {
        size_t end = t->order - first < TILED_PANEL ? t->order : first + TILED_PANEL;
        const double *panel = t->h + first * t->leading;
        const struct tiles_pair rest = {t->order, end, end, end - first, t->n, t->n + TILED_PANEL * t->leading};
        tiles_panel(t, first, end);
        tiles_pack_rows(&rest, panel, t->leading);
        tiles_pack_columns(&rest, panel, t->leading, t->d + first);
        tiles_update(&rest, t->h, t->leading, true);
    }
}

/* ---- the solution ---- */

/* z = L^-1 z: each unknown in turn is taken out of those below. */
static void tiles_forward(const struct tiles *t) {
    for (size_t k = 0; k < t->order; k++) {
        const double *column = t->h + k * t->leading;
        wide z = wide_all(t->z[k]);
        for (size_t i = k + 1; i < t->order; i += WIDTH)
            wide_store(t->z + i, wide_load(t->z + i) - wide_load(column + i) * z);
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
                sums -= rows[i] * t->z[begin + i];
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

/* Whether the factor that is there is that of the rows that count: all constant, the same, the same shift. */
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

/* The range of pivots; 1 for each row that does not count. */
static void tiles_ranges(const struct tiles *t) {
    bool left_out = !t->task->outputs_side && t->counted < t->task->rows;
    t->slots[t->task->pivot_range] = left_out ? 1 : HUGE_VAL;
    t->slots[t->task->pivot_range + 1] = left_out ? 1 : 0;
    for (size_t j = 0; j < t->order; j++)
        tiles_range(t, t->d[j]);
}

#include "sparse/block_kernel.h"
#include "sparse/reduced_kernel.h"

static void tiles_solve_all(const struct tiled *task, double *slots, const struct damped_sides *sides) {
    struct tiles t = tiles_place(task, slots);
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

static void kernel_solve_tiled(const struct tiled *task, double *slots, const struct damped_sides *sides) {
    if (task->reduction.order > 0 && (task->every_row || !tiles_mask(slots, task->stretched)))
        reduced_solve(task, slots, sides);
    else
        tiles_solve_all(task, slots, sides);
}

#endif
