/* transposed_kernel.h - the dense product with a few rows, as C' = B' A'; compiled by each backend for its width.
 *
 * matrix_kernel.h packs B, the larger matrix when a network's weights multiply a chunk of samples. Here lanes are rows
 * of C: WIDTH rows of A are packed and transposed, and elements of B are read one at a time without packing. A tile of
 * C' is transposed when it is stored. An element's sum has the same terms in the same order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_TRANSPOSED_KERNEL_H
#define HN_NN_TRANSPOSED_KERNEL_H

#include "nn/panel_kernel.h"

enum {
    TURNED_COLUMNS =
        WIDTH > 2 ? 2 * WIDTH : 4, /* columns of C in a tile: 16 accumulators fill half of AVX-512's registers, 8 half
                                    * of AVX2's */
    TURNED_FEWEST = 8              /* rows; with fewer, lanes would be idle */
};

/* A tile: a few columns of C by the rows of a panel. */
struct turned_tile {
    const double *b[TURNED_COLUMNS]; /* their columns of B; those beyond the last repeat the last */
    simd sums[TURNED_COLUMNS];
    size_t first, columns;
};

static void kernel_turned_place(const struct matrix_product *task, size_t first, struct turned_tile *tile) {
    size_t left = task->columns - first;
    tile->first = first;
    tile->columns = left < TURNED_COLUMNS ? left : TURNED_COLUMNS;
    for (size_t i = 0; i < TURNED_COLUMNS; i++) {
        size_t column = first + (i < tile->columns ? i : tile->columns - 1);
        tile->b[i] = task->b.at + column * task->b.column;
    }
}

/* ---- to C ---- */

/* Number of columns of C in the tile from `first` on, at most WIDTH. */
SIMD_INLINE size_t kernel_turned_columns(const struct turned_tile *tile, size_t first) {
    size_t left = tile->columns > first ? tile->columns - first : 0;
    return left < WIDTH ? left : WIDTH;
}

SIMD_INLINE void kernel_turned_store(const struct matrix_product *task, const struct matrix_panel *panel,
                                     struct turned_tile *tile) {
    double *c = task->c + panel->left * task->c_row + tile->first;
    for (size_t first = 0; first < TURNED_COLUMNS; first += WIDTH) {
        size_t columns = kernel_turned_columns(tile, first);
        simd *rows = tile->sums + first;
        simd_transpose(rows);
        if (panel->columns == WIDTH && columns == WIDTH)
            for (size_t i = 0; i < WIDTH; i++)
                memcpy(c + i * task->c_row + first, &rows[i], sizeof rows[i]);
        else
            for (size_t i = 0; columns > 0 && i < panel->columns; i++)
                memcpy(c + i * task->c_row + first, &rows[i], columns * sizeof *c);
    }
}

/* ---- the sums ---- */

static void kernel_turned_start(const struct matrix_product *task, struct turned_tile *tile) {
    for (size_t i = 0; i < TURNED_COLUMNS; i++) {
        bool given = task->start == MATRIX_FROM_ROW && i < tile->columns;
        tile->sums[i] = simd_all(given ? task->first[tile->first + i] : 0);
    }
}

static void kernel_turned_tile(const struct matrix_product *task, const struct matrix_panel *panel, size_t first) {
    struct turned_tile tile;
    kernel_turned_place(task, first, &tile);
    kernel_turned_start(task, &tile);
    simd sums[TURNED_COLUMNS];
    memcpy(sums, tile.sums, sizeof sums);
    for (size_t p = 0, at = 0; p < panel->depth; p++, at += task->b.row)
        for (int i = 0; i < TURNED_COLUMNS; i++)
            sums[i] += panel->at[p] * tile.b[i][at]; /* C(j,i) = C(j,i) + A(j,p) B(p,i) */
    memcpy(tile.sums, sums, sizeof sums);
    kernel_turned_store(task, panel, &tile);
}

/* Used when B fits the depth of one panel, so that it stays in the L2 cache and C is only written. With four lanes it
 * is faster only if packing B would transpose it, with fewer lanes never. */
static bool kernel_is_turned(const struct matrix_product *task) {
    bool pays = WIDTH > 4 || (WIDTH > 2 && task->b.row == 1);
    return pays && task->rows >= TURNED_FEWEST && task->rows < task->columns && task->inner <= MATRIX_DEPTH &&
           task->start != MATRIX_ONTO_C;
}

static void kernel_multiply_turned(const struct matrix_product *task) {
    const struct matrix_view turned = {task->a.at, task->a.column, task->a.row};
    struct matrix_panel panel;
    panel.top = 0;
    panel.parts = 1;
    for (panel.left = 0; panel.left < task->rows; panel.left += panel.columns) {
        panel.columns = task->rows - panel.left < WIDTH ? task->rows - panel.left : WIDTH;
        kernel_panel_copy(&panel, &turned, task->inner);
        for (size_t first = 0; first < task->columns; first += TURNED_COLUMNS)
            kernel_turned_tile(task, &panel, first);
    }
}

#endif
