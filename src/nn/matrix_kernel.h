/* matrix_kernel.h - the dense product and the activations; compiled by each backend for its width.
 *
 * B is packed into column panels that fit into the L1 cache, in read order, padded with zeros
 * beyond the last column. A block of C, a few rows by one panel, accumulates in registers, one element of A times a row
 * of the panel. Matrices wider or deeper than a panel and remainders change the grouping of elements. With few rows C'
 * = B' A' is computed instead, and for a single row B is not packed. All three add the terms of an element's sum in the
 * same order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_MATRIX_KERNEL_H
#define HN_NN_MATRIX_KERNEL_H

#include "base/elementary.h"
#include "core/activation_kernel.h"
#include "core/network_task.h"

#include <string.h>

/* ---- panels: parts of a matrix, packed in read order ---- */

enum {
    MATRIX_PARTS = WIDTH == 8 ? 3 : 2, /* SIMD vectors in a row of the widest panel */
    MATRIX_DEPTH = 128,                /* rows of a panel: 24 KiB at most */
    MATRIX_ROWS = 4, /* of a block: 4 x 3 accumulators fill half of AVX-512's registers, 4 x 2 half of AVX2's */
    ROW_COLUMNS = 8,
    TURNED_COLUMNS = WIDTH > 2 ? 2 * WIDTH : 4, /* of C in a tile: as many accumulators as above */
    TURNED_FEWEST = 8                           /* rows; with fewer, lanes would be idle */
};

/* Part of B: depth x columns from (top, left), parts SIMD vectors to a row. */
struct matrix_panel {
    size_t top, left, depth, columns;
    int parts;
    simd at[MATRIX_DEPTH * MATRIX_PARTS];
};

/* Packs one SIMD vector of a row, element by element; 0 beyond the last column. */
SIMD_INLINE void kernel_panel_edge(const struct matrix_view *b, struct matrix_panel *panel, size_t p, size_t part) {
    const double *from = b->at + (panel->top + p) * b->row + (panel->left + part * WIDTH) * b->column;
    double own[WIDTH] = {0};
    for (size_t i = 0; i < WIDTH && part * WIDTH + i < panel->columns; i++)
        own[i] = from[i * b->column];
    memcpy(&panel->at[p * (size_t)panel->parts + part], own, sizeof own);
}

/* Packs WIDTH rows of one SIMD vector from a column-major matrix. */
SIMD_INLINE void kernel_panel_turned(const struct matrix_view *b, struct matrix_panel *panel, size_t p, size_t part) {
    const double *from = b->at + (panel->top + p) + (panel->left + part * WIDTH) * b->column;
    simd rows[WIDTH];
    for (size_t i = 0; i < WIDTH; i++)
        memcpy(&rows[i], from + i * b->column, sizeof rows[i]);
    simd_transpose(rows);
    for (size_t i = 0; i < WIDTH; i++)
        panel->at[(p + i) * (size_t)panel->parts + part] = rows[i];
}

SIMD_INLINE void kernel_panel_part(const struct matrix_view *b, struct matrix_panel *panel, size_t part) {
    bool whole = (part + 1) * WIDTH <= panel->columns;
    size_t p = 0;
    if (whole && b->row == 1)
        for (; p + WIDTH <= panel->depth; p += WIDTH)
            kernel_panel_turned(b, panel, p, part);
    if (whole && b->column == 1)
        for (; p < panel->depth; p++)
            memcpy(&panel->at[p * (size_t)panel->parts + part],
                   b->at + (panel->top + p) * b->row + panel->left + part * WIDTH, sizeof(simd));
    for (; p < panel->depth; p++)
        kernel_panel_edge(b, panel, p, part);
}

/* Chooses the width from column `left` on; the columns are divided evenly among the panels. */
static void kernel_panel_width(struct matrix_panel *panel, size_t columns) {
    size_t vectors = (columns - panel->left + WIDTH - 1) / WIDTH, panels = (vectors + MATRIX_PARTS - 1) / MATRIX_PARTS;
    size_t parts = (vectors + panels - 1) / panels, left = columns - panel->left;
    panel->parts = (int)parts;
    panel->columns = left < parts * WIDTH ? left : parts * WIDTH;
}

/* Packs the panel from row `top` on. */
static void kernel_panel_copy(struct matrix_panel *panel, const struct matrix_view *b, size_t rows) {
    size_t below = rows - panel->top;
    panel->depth = below < MATRIX_DEPTH ? below : MATRIX_DEPTH;
    for (int part = 0; part < panel->parts; part++)
        kernel_panel_part(b, panel, (size_t)part);
}

/* ---- one row times a column-major matrix: c = start + a B, inference of a network for one input ----
 *
 * Packing a panel costs more than it saves for a single row. With eight lanes, squares of B are transposed in registers
 * and used at once; with fewer lanes, eight column sums in scalar code are faster. */

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

/* ---- a few rows, as C' = B' A' ----
 *
 * Blocks pack B, the larger matrix when a network's weights multiply a chunk of samples. Here lanes are rows of C: WIDTH
 * rows of A are packed and transposed, and elements of B are read one at a time without packing. A tile of C' is
 * transposed when it is stored. */

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

/* ---- blocks: a few rows by one panel ---- */

struct matrix_block {
    const double *a; /* the first element of its rows that the panel multiplies */
    size_t a_row, a_column, c_row;
    double *c;
    const double *start; /* NULL: zero */
    size_t start_row;
};

SIMD_INLINE void kernel_block_load(simd *sums, const double *from, size_t columns, const int parts) {
    if (columns == (size_t)parts * WIDTH) {
        memcpy(sums, from, (size_t)parts * sizeof *sums);
        return;
    }
    double own[MATRIX_PARTS * WIDTH] = {0};
    memcpy(own, from, columns * sizeof *own);
    memcpy(sums, own, (size_t)parts * sizeof *sums);
}

SIMD_INLINE void kernel_block_sum(const struct matrix_panel *panel, const struct matrix_block *block, const int rows,
                                  const int parts) {
    simd sums[MATRIX_ROWS][MATRIX_PARTS];
    for (int i = 0; i < rows; i++)
        if (block->start)
            kernel_block_load(sums[i], block->start + (size_t)i * block->start_row, panel->columns, parts);
        else
            memset(sums[i], 0, (size_t)parts * sizeof(simd));
    const simd *b = panel->at;
    for (size_t p = 0; p < panel->depth; p++, b += parts)
        for (int i = 0; i < rows; i++) {
            double a = block->a[(size_t)i * block->a_row + p * block->a_column];
            for (int j = 0; j < parts; j++)
                sums[i][j] += a * b[j]; /* C(i,j) = C(i,j) + A(i,p) B(p,j) */
        }
    for (int i = 0; i < rows; i++)
        memcpy(block->c + (size_t)i * block->c_row, sums[i], panel->columns * sizeof(double));
}

SIMD_INLINE void kernel_block(const struct matrix_panel *panel, const struct matrix_block *block, const int rows) {
    if (MATRIX_PARTS > 2 && panel->parts == MATRIX_PARTS)
        kernel_block_sum(panel, block, rows, MATRIX_PARTS);
    else if (panel->parts == 2)
        kernel_block_sum(panel, block, rows, 2);
    else
        kernel_block_sum(panel, block, rows, 1);
}

/* Initial accumulators of a block: the product's start for the first panel, C for the later ones. */
static void kernel_block_start(const struct matrix_product *task, const struct matrix_panel *panel,
                               struct matrix_block *block) {
    bool go_on = panel->top > 0 || task->start == MATRIX_ONTO_C;
    block->start = block->c;
    block->start_row = task->c_row;
    if (!go_on) {
        block->start = task->start == MATRIX_FROM_ROW ? task->first + panel->left : NULL;
        block->start_row = 0;
    }
}

static void kernel_panel_times(const struct matrix_product *task, const struct matrix_panel *panel) {
    for (size_t i = 0; i < task->rows;) {
        struct matrix_block block = {.a = task->a.at + i * task->a.row + panel->top * task->a.column,
                                     .a_row = task->a.row,
                                     .a_column = task->a.column,
                                     .c = task->c + i * task->c_row + panel->left,
                                     .c_row = task->c_row};
        kernel_block_start(task, panel, &block);
        if (task->rows - i >= MATRIX_ROWS) {
            kernel_block(panel, &block, MATRIX_ROWS);
            i += MATRIX_ROWS;
        } else {
            kernel_block(panel, &block, 1);
            i++;
        }
    }
}

static void kernel_multiply_straight(const struct matrix_product *task) {
    struct matrix_panel panel;
    for (panel.left = 0; panel.left < task->columns; panel.left += panel.columns) {
        kernel_panel_width(&panel, task->columns);
        panel.top = 0;
        do { /* at least once: empty sums equal their starts */
            kernel_panel_copy(&panel, &task->b, task->inner);
            kernel_panel_times(task, &panel);
            panel.top += panel.depth;
        } while (panel.top < task->inner);
    }
}

static void kernel_multiply_matrix(const struct matrix_product *task) {
    if (kernel_is_row(task))
        kernel_multiply_row(task);
    else if (kernel_is_turned(task))
        kernel_multiply_turned(task);
    else
        kernel_multiply_straight(task);
}

/* ---- activations ---- */

/* The task from element i on: a SIMD vector or the remainder. */
SIMD_INLINE void kernel_activate_at(const struct activation_task *task, size_t i, hn_activation kind, const bool back,
                                    const size_t bytes) {
    simd z = simd_all(0), gradient = simd_all(0);
    memcpy(&z, task->z + i, bytes);
    if (back)
        memcpy(&gradient, task->gradient + i, bytes);
    simd value = back ? kernel_activation_back(kind, z, gradient) : kernel_activation(kind, z);
    memcpy(task->out + i, &value, bytes);
}

SIMD_INLINE void kernel_activate_all(const struct activation_task *task, hn_activation kind, const bool back) {
    size_t i = 0;
    for (; i + WIDTH <= task->count; i += WIDTH)
        kernel_activate_at(task, i, kind, back, sizeof(simd));
    if (i < task->count)
        kernel_activate_at(task, i, kind, back, (task->count - i) * sizeof(double));
}

/* One loop per kind, with the switch outside. */
SIMD_INLINE void kernel_activation_task(const struct activation_task *task, const bool back) {
    if (task->kind == HN_ACTIVATION_TANH)
        kernel_activate_all(task, HN_ACTIVATION_TANH, back);
    else if (task->kind == HN_ACTIVATION_SILU)
        kernel_activate_all(task, HN_ACTIVATION_SILU, back);
    else
        kernel_activate_all(task, HN_ACTIVATION_RELU, back);
}

static void kernel_activate(const struct activation_task *task) {
    kernel_activation_task(task, false);
}

static void kernel_activate_back(const struct activation_task *task) {
    kernel_activation_task(task, true);
}

#endif
