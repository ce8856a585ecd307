/* panel_kernel.h - packs a part of a dense matrix in the order in which it is read; compiled by each backend for its
 * width.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_PANEL_KERNEL_H
#define HN_NN_PANEL_KERNEL_H

#include "base/simd.h"
#include "core/network_task.h"

#include <string.h>

enum {
    MATRIX_PARTS = WIDTH == 8 ? 3 : 2, /* SIMD vectors in a row of the widest panel */
    MATRIX_DEPTH = 128,                /* rows of a panel: 24 KiB at most */
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

#endif
