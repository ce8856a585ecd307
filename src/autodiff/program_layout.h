/* program_layout.h - where what a program computes lies, as plain data: a device gets it as it is, with its lists moved there.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_PROGRAM_LAYOUT_H
#define HN_AUTODIFF_PROGRAM_LAYOUT_H

#include "base/real.h"

/* Offsets of the three numbers of every row. */
struct row_places {
    uint32_t *value, *lower, *upper; /* by row */
};

/* A sparse matrix by rows: columns and places of its entries. */
struct matrix_places {
    size_t rows, count;
    size_t *first; /* rows + 1 */
    uint32_t *column, *entry;
};

#endif
