/* matrix_kernel.h - the dense product and the activations; compiled by each backend for its width.
 *
 * B is packed into column panels that fit into the L1 cache, in the order in which they are read, padded with zeros
 * beyond the last column. A block of C, a few rows by one panel, accumulates in registers, one element of A times a row
 * of the panel. Matrices wider or deeper than a panel and remainders change the grouping of elements, never the order
 * of an element's sum.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_MATRIX_KERNEL_H
#define HN_NN_MATRIX_KERNEL_H

#include "base/elementary.h"
#include "core/activation_kernel.h"
#include "nn/row_kernel.h"
#include "nn/transposed_kernel.h"

enum {
    MATRIX_ROWS = 4
}; /* rows of a block: 4 x 3 accumulators fill half of AVX-512's registers, 4 x 2 half of
                           * AVX2's */

/* ---- a block of C ---- */

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
