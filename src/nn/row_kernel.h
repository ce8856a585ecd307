/* row_kernel.h - one row times a column-major matrix; compiled by each backend for its width.
 *
 *     c = start + a B          inference of a network for one input
 *
 * Packing a panel (panel_kernel.h) does not pay off for a single row. With eight lanes, squares of B are transposed in
 * registers and used at once; with fewer lanes, eight column sums in scalar code are faster. An element's sum has the
 * same terms in the same order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_ROW_KERNEL_H
#define HN_NN_ROW_KERNEL_H

#include "base/simd.h"
#include "core/network_task.h"

#include <string.h>

enum { ROW_COLUMNS = 8 };

/* Columns of B, and their sums; columns beyond the last repeat the last. */
struct row_tile {
    const double *b[ROW_COLUMNS];
    double sums[ROW_COLUMNS];
    size_t first, count;
};

static bool kernel_is_row(const struct matrix_product *task) {
    return task->rows == 1 && task->b.row == 1;
}

static void kernel_row_begin(const struct matrix_product *task, struct row_tile *tile) {
    size_t left = task->columns - tile->first;
    const double *start = task->start == MATRIX_ONTO_C ? task->c : task->first;
    tile->count = left < ROW_COLUMNS ? left : ROW_COLUMNS;
    for (size_t i = 0; i < ROW_COLUMNS; i++)
        tile->b[i] = task->b.at + (tile->first + (i < tile->count ? i : tile->count - 1)) * task->b.column;
    memset(tile->sums, 0, sizeof tile->sums);
    if (task->start != MATRIX_FROM_ZERO)
        memcpy(tile->sums, start + tile->first, tile->count * sizeof *start);
}

/* c(j) = c(j) + a(p) B(p,j) for p from `begin` on */
SIMD_INLINE void kernel_row_numbers(const struct matrix_product *task, struct row_tile *tile, size_t begin) {
    double sums[ROW_COLUMNS];
    memcpy(sums, tile->sums, sizeof sums);
    for (size_t p = begin; p < task->inner; p++) {
        double a = task->a.at[p * task->a.column];
        for (size_t i = 0; i < ROW_COLUMNS; i++)
            sums[i] += a * tile->b[i][p];
    }
    memcpy(tile->sums, sums, sizeof sums);
}

/* The same for whole squares; returns the first remaining p. */
SIMD_INLINE size_t kernel_row_squares(const struct matrix_product *task, struct row_tile *tile) {
    size_t p = 0;
    simd sums;
    memcpy(&sums, tile->sums, sizeof sums);
    for (; p + WIDTH <= task->inner; p += WIDTH) {
        simd square[WIDTH];
        for (size_t i = 0; i < WIDTH; i++)
            memcpy(&square[i], tile->b[i] + p, sizeof square[i]);
        simd_transpose(square);
        for (size_t i = 0; i < WIDTH; i++)
            sums += task->a.at[(p + i) * task->a.column] * square[i];
    }
    memcpy(tile->sums, &sums, sizeof sums);
    return p;
}

static void kernel_multiply_row(const struct matrix_product *task) {
    struct row_tile tile = {.first = 0};
    for (; tile.first < task->columns; tile.first += ROW_COLUMNS) {
        kernel_row_begin(task, &tile);
        kernel_row_numbers(task, &tile, WIDTH == ROW_COLUMNS ? kernel_row_squares(task, &tile) : 0);
        memcpy(task->c + tile.first, tile.sums, tile.count * sizeof *tile.sums);
    }
}

#endif
