/* colors.c - see colors.h.
 *
 * Greedy, columns in order: each gets the first colour that is not used in its (short) rows. If that needs more colours
 * than the limit, rows of half the length count as long, and so on; without short rows one colour is enough.
 *
 * SPDX-License-Identifier: MIT */
#include "check/colors.h"

#include <string.h>

static const uint32_t NO_COLOR = UINT32_MAX;

/* The matrix by columns (counting sort). */
static void transpose(struct coloring *c, const struct check_matrix *matrix) {
    for (size_t e = 0; e < matrix->count; e++)
        c->start[matrix->column[e] + 2]++;
    for (size_t j = 2; j < matrix->columns + 2; j++)
        c->start[j] += c->start[j - 1];
    for (size_t i = 0; i < matrix->rows; i++)
        for (size_t e = matrix->first[i]; e < matrix->first[i + 1]; e++)
            c->entries[c->start[matrix->column[e] + 1]++] = (struct color_entry){(uint32_t)i, (uint32_t)e};
}

static void mark_long(struct coloring *c, const struct check_matrix *matrix, size_t longest) {
    c->long_count = 0;
    for (size_t i = 0; i < matrix->rows; i++) {
        c->is_long[i] = matrix->first[i + 1] - matrix->first[i] > longest;
        if (c->is_long[i])
            c->long_rows[c->long_count++] = (uint32_t)i;
    }
}

/* Stamps the colours of the columns that share a short row with column j. */
static void stamp_neighbours(const struct coloring *c, const struct check_matrix *matrix, size_t j, size_t *stamp) {
    for (size_t k = c->start[j]; k < c->start[j + 1]; k++) {
        uint32_t row = c->entries[k].row;
        if (c->is_long[row])
            continue;
        for (size_t e = matrix->first[row]; e < matrix->first[row + 1]; e++)
            if (c->color[matrix->column[e]] != NO_COLOR)
                stamp[c->color[matrix->column[e]]] = j + 1;
    }
}

/* False if the limit is exceeded. */
static bool paint(struct coloring *c, const struct check_matrix *matrix, size_t limit, size_t *stamp) {
    memset(stamp, 0, (limit + 1) * sizeof *stamp);
    c->colors = 0;
    for (size_t j = 0; j < matrix->columns; j++)
        c->color[j] = NO_COLOR;
    for (size_t j = 0; j < matrix->columns; j++) {
        uint32_t color = 0;
        if (c->start[j] == c->start[j + 1])
            continue;
        stamp_neighbours(c, matrix, j, stamp);
        while (color < c->colors && stamp[color] == j + 1)
            color++;
        if (color == limit)
            return false;
        c->color[j] = color;
        c->colors += color == c->colors;
    }
    return true;
}

/* The columns by colour, and the largest number of short-row entries in one colour. */
static void gather_colors(struct coloring *c, size_t columns, size_t *filled) {
    memset(filled, 0, (c->colors + 1) * sizeof *filled);
    c->most_entries = 0;
    for (size_t j = 0; j < columns; j++) {
        if (c->color[j] == NO_COLOR)
            continue;
        c->first[c->color[j] + 1]++;
        for (size_t k = c->start[j]; k < c->start[j + 1]; k++)
            filled[c->color[j]] += !c->is_long[c->entries[k].row];
    }
    for (size_t q = 0; q < c->colors; q++) {
        c->first[q + 1] += c->first[q];
        c->most_entries = filled[q] > c->most_entries ? filled[q] : c->most_entries;
        filled[q] = c->first[q];
    }
    for (size_t j = 0; j < columns; j++)
        if (c->color[j] != NO_COLOR)
            c->member[filled[c->color[j]]++] = (uint32_t)j;
}

void coloring_create(struct coloring *c, const struct check_matrix *matrix, size_t limit, struct check *check) {
    limit = limit < matrix->columns ? limit : matrix->columns;
    limit = limit > 0 ? limit : 1;
    size_t columns = matrix->columns + 1, longest = limit;
    size_t *scratch = check_take(check, limit + 1, sizeof *scratch);
    *c = (struct coloring){.first = check_take(check, columns, sizeof *c->first),
                           .member = check_take(check, columns, sizeof *c->member),
                           .color = check_take(check, columns, sizeof *c->color),
                           .start = check_take(check, columns, sizeof *c->start),
                           .entries = check_take(check, matrix->count, sizeof *c->entries),
                           .long_rows = check_take(check, matrix->rows, sizeof *c->long_rows),
                           .is_long = check_take(check, matrix->rows, sizeof *c->is_long)};
    if (check->status != HN_OK)
        return;
    transpose(c, matrix);
    mark_long(c, matrix, longest);
    while (!paint(c, matrix, limit, scratch)) {
        longest /= 2;
        mark_long(c, matrix, longest);
    }
    gather_colors(c, matrix->columns, scratch);
}
