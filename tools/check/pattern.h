/* pattern.h - the pattern of J on a grid of cells, for the terminal and for pictures.
 *
 * A cell covers a block of rows and columns. It counts its entries and records whether one of them is not constant.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_PATTERN_H
#define HN_TOOLS_PATTERN_H

#include "check/check_view.h"

struct pattern_cell {
    uint32_t count;
    bool varies;
};

struct pattern {
    size_t height, width; /* cells */
    struct pattern_cell *cells;
};

/* At most this many cells, one per entry if possible. Allocated in the check's arena. */
hn_status pattern_create(struct pattern *pattern, struct check_view *check, size_t most_height, size_t most_width,
                         hn_error *error);

/* The cell row of a row of J; likewise columns, with width and columns. */
size_t pattern_place(size_t index, size_t count, size_t cells);

#endif
