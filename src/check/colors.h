/* colors.h - colouring of a sparse matrix: columns of one colour share no row and can be perturbed together.
 *
 * Curtis, Powell and Reid (1974): one difference along all columns of a colour gives every entry in them. Rows with
 * many entries need as many colours; beyond a limit such rows are called long and left out of the colouring; for them a
 * difference gives the sum of their entries in a colour.
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
    size_t *first;    /* colors + 1: the start of each colour in ... */
    uint32_t *member; /* ... this list; empty columns are left out */
    uint32_t *color;  /* of each column; UINT32_MAX for an empty one */
    size_t *start;    /* columns + 1: the matrix by columns */
    struct color_entry *entries;
    uint32_t *long_rows;
    size_t long_count;
    bool *is_long;       /* of each row */
    size_t most_entries; /* of short rows, in one colour */
};

/* Uses at most `limit` colours (at least 1). */
void coloring_create(struct coloring *coloring, const struct check_matrix *matrix, size_t limit, struct check *check);

#endif
