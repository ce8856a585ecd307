/* colors.h - columns of a sparse matrix that can be moved together, because no row sees two of them.
 *
 * Curtis, Powell and Reid (1974): one difference along all columns of a colour gives every entry in them. Rows with many entries
 * force as many colours; beyond a limit such rows are called long and left out of the colouring, and then a difference
 * gives the sum of their entries in a colour.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_COLORS_H
#define HN_CHECK_COLORS_H

#include "check/check_parts.h"

struct color_entry {
    uint32_t row;
    uint32_t entry; /* in the matrix */
};

struct coloring {
    size_t colors;
    size_t *first;    /* colors + 1: where the columns of each colour start in ... */
    uint32_t *member; /* ... this list; columns without entries are in none */
    uint32_t *color;  /* of each column; UINT32_MAX: none */
    size_t *start;    /* columns + 1: the matrix by columns */
    struct color_entry *entries;
    uint32_t *long_rows;
    size_t long_count;
    bool *is_long;       /* of each row */
    size_t most_entries; /* of short rows, in one colour */
};

/* Everything lives in the arena. Needs at most `limit` colours (at least 1). */
hn_status coloring_create(struct coloring *coloring, const struct check_matrix *matrix, size_t limit,
                          struct arena *arena, hn_error *error);

#endif
