/* program_layout.h - the offsets of a program's results, as plain data: uploaded to devices as it is, with its lists
 * relocated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_PROGRAM_LAYOUT_H
#define HN_AUTODIFF_PROGRAM_LAYOUT_H

#include "base/real.h"

/* Offsets of the body and both bounds of every row. */
struct row_places {
    uint32_t *value, *lower, *upper; /* by row */
};

/* A sparse matrix by rows: columns and offsets of its entries. */
struct matrix_places {
    size_t rows, count;
    size_t *first; /* rows + 1 */
    uint32_t *column, *entry;
};

#endif
