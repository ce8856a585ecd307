/* block_product_kernel.h - products of dense matrices in register tiles of TILE_ROWS x TILE_ACROSS entries.
 *
 *     h = h + a b',  h = h - a b'     the lower triangle; k ascending, each product rounded before it is added
 *
 * Factors are first packed so that the data of a tile are contiguous. Rows of tiles are shared among the helpers: the
 * sum of an entry does not depend on the partition. Part of blocked_ldl_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCK_PRODUCT_KERNEL_H
#define HN_LINALG_BLOCK_PRODUCT_KERNEL_H

#include "base/helpers.h"
#include "base/simd.h"
#include "linalg/blocked_ldl.h"

#include <string.h>

/* Registers contain the sums, a column of one factor and a number of the other. TILE_UNIT rows are a whole number of
 * tiles, as rows and as columns, at every WIDTH. */
enum { TILE_VECTORS = 3, TILE_ROWS = TILE_VECTORS * WIDTH, TILE_ACROSS = WIDTH == 8 ? 8 : 4, TILE_UNIT = 24 };

/* c(i, j) plus or minus the sum over k of a(i, k) b(j, k), for one tile of `vectors` SIMD vectors by TILE_ACROSS:
 * columns of a are `apart`, those of b contiguous. */
SIMD_INLINE void tile_multiply(double *c, size_t leading, const double *a, const size_t apart, const double *b,
                               size_t depth, const bool minus, const int vectors) {
    simd sums[TILE_ACROSS][TILE_VECTORS];
    for (int j = 0; j < TILE_ACROSS; j++)
        for (int v = 0; v < vectors; v++)
            sums[j][v] = simd_load(c + (size_t)j * leading + (size_t)v * WIDTH);
    for (size_t k = 0; k < depth; k++, a += apart, b += TILE_ACROSS) {
        simd column[TILE_VECTORS];
        for (int v = 0; v < vectors; v++)
            column[v] = simd_load(a + (size_t)v * WIDTH);
        for (int j = 0; j < TILE_ACROSS; j++)
            for (int v = 0; v < vectors; v++)
                sums[j][v] = minus ? sums[j][v] - column[v] * b[j] : sums[j][v] + column[v] * b[j];
    }
    for (int j = 0; j < TILE_ACROSS; j++)
        for (int v = 0; v < vectors; v++)
            simd_store(c + (size_t)j * leading + (size_t)v * WIDTH, sums[j][v]);
}

/* ---- clearing ---- */

enum { CLEAR_UNIT = 4096 };

struct tiles_clearing {
    double *numbers;
    size_t count;
};

static void tiles_clear_part(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct tiles_clearing *c = context;
    size_t end = to * CLEAR_UNIT < c->count ? to * CLEAR_UNIT : c->count;
    memset(c->numbers + from * CLEAR_UNIT, 0, (end - from * CLEAR_UNIT) * sizeof *c->numbers);
}

// NOLINTNEXTLINE(readability-non-const-parameter): written by the jobs
static void tiles_clear(struct helpers *helpers, double *numbers, size_t count) {
    const struct tiles_clearing clearing = {numbers, count};
    const struct helpers_job job = {(count + CLEAR_UNIT - 1) / CLEAR_UNIT, 1, 1, tiles_clear_part, &clearing, NULL};
    helpers_share(helpers, &job);
}

/* ---- products ---- */

/* The update of h: packed factors, one tile after the other, of rows from `row` on and columns from `column` on. */
struct tiles_pair {
    size_t order, row, column, depth, leading;
    double *a, *b;
    double *h;
    const double *m;      /* source of both factors, by columns; NULL: already packed */
    const double *number; /* columns of m are multiplied by these; NULL: not scaled */
    bool tight; /* `order` is a multiple of WIDTH, and tiles end there: the rows below belong to another thread */
};

/* Packs tiles from..to of rows of m. */
static void tiles_pack_rows(const struct tiles_pair *p, size_t from, size_t to) {
    double *into = p->a + from * TILE_ROWS * p->depth;
    for (size_t tile = from; tile < to; tile++)
        for (size_t k = 0; k < p->depth; k++)
            for (int v = 0; v < TILE_VECTORS; v++, into += WIDTH)
                simd_store(into, simd_load(p->m + k * p->leading + p->row + tile * TILE_ROWS + (size_t)v * WIDTH));
}

/* The same for columns, scaled by their numbers. */
static void tiles_pack_columns(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct tiles_pair *p = context;
    double *into = p->b + from * TILE_ACROSS * p->depth;
    for (size_t tile = from; tile < to; tile++)
        for (size_t k = 0; k < p->depth; k++) {
            const double *column = p->m + k * p->leading + p->column + tile * TILE_ACROSS;
            const double factor = p->number ? p->number[k] : 1;
            for (int c = 0; c < TILE_ACROSS; c++)
                *into++ = column[c] * factor;
        }
}

/* A row of tiles of the lower triangle, `vectors` vectors high. */
SIMD_INLINE void tiles_row(const struct tiles_pair *p, size_t tile, const bool minus, const int vectors) {
    size_t i = p->row + tile * TILE_ROWS, end = i + TILE_ROWS < p->order ? i + TILE_ROWS : p->order;
    const double *a = p->a + tile * TILE_ROWS * p->depth;
    for (size_t j = p->column; j < end; j += TILE_ACROSS)
        tile_multiply(p->h + j * p->leading + i, p->leading, a, TILE_ROWS, p->b + (j - p->column) * p->depth, p->depth,
                      minus, vectors);
}

/* Rows of tiles from..to of the lower triangle. */
SIMD_INLINE void tiles_multiply(const struct tiles_pair *p, size_t from, size_t to, const bool minus) {
    if (p->m)
        tiles_pack_rows(p, from, to);
    for (size_t tile = from; tile < to; tile++) {
        size_t i = p->row + tile * TILE_ROWS, left = p->order - i;
        if (left >= TILE_ROWS || !p->tight)
            tiles_row(p, tile, minus, TILE_VECTORS);
        else if (left > WIDTH)
            tiles_row(p, tile, minus, 2);
        else
            tiles_row(p, tile, minus, 1);
    }
}

static void tiles_add(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    tiles_multiply(context, from, to, false);
}

static void tiles_subtract(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    tiles_multiply(context, from, to, true);
}

/* h = h +- a b' */
static void tiles_update(const struct tiles_pair *p, struct helpers *helpers, bool minus) {
    size_t across = p->order > p->column ? (p->order - p->column + TILE_ACROSS - 1) / TILE_ACROSS : 0;
    size_t down = p->order > p->row ? (p->order - p->row + TILE_ROWS - 1) / TILE_ROWS : 0;
    const struct helpers_job columns = {across, 4, 1, tiles_pack_columns, p, NULL};
    const struct helpers_job rows = {down, 1, 4, minus ? tiles_subtract : tiles_add, p, NULL};
    if (p->m)
        helpers_share(helpers, &columns);
    helpers_share(helpers, &rows);
}

/* h += M M' in rows from `row` on; pack: 2 TILED_DEPTH columns. */
static void tiles_gram(const struct tiled_gram *g, size_t row) {
    for (size_t k = 0; k < g->depth; k += TILED_DEPTH) {
        const struct tiles_pair pair = {.order = g->order,
                                        .row = row,
                                        .depth = g->depth - k < TILED_DEPTH ? g->depth - k : TILED_DEPTH,
                                        .leading = g->leading,
                                        .a = g->pack,
                                        .b = g->pack + TILED_DEPTH * g->leading,
                                        .h = g->h,
                                        .m = g->m + k * g->leading};
        tiles_update(&pair, g->helpers, false);
    }
}

#endif
