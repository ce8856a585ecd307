/* gram.h - the sparsity pattern of M M', and the products that each of its entries sums.
 *
 * Functions return false when out of memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_GRAM_H
#define HN_LINALG_GRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A sparsity pattern by rows; entry numbers refer to the stored numbers. */
struct vectors {
    size_t count, across; /* rows and columns */
    size_t *first;        /* count + 1 */
    uint32_t *index;      /* columns, ascending in each row */
    uint32_t *entry;
};

/* A copy by rows, and the same by columns (the transpose). */
bool vectors_copy(struct vectors *out, size_t rows, size_t columns, const size_t *first, const uint32_t *index);
bool vectors_transpose(struct vectors *out, const struct vectors *in);
void vectors_release(struct vectors *vectors);

/* A copy of the columns without a number, or of the numbered ones under their numbers; across: columns of the copy. */
#define COLUMN_STAYS UINT32_MAX
bool vectors_select(struct vectors *out, const struct vectors *in, const uint32_t *number, bool numbered,
                    size_t across);

/* The number of products in M M', both triangles and the diagonal: the sum of the squared column lengths of M. */
double gram_products(const struct vectors *columns);

/* The pattern of M M' without its diagonal, by rows: the rows that share a column with each row of M. */
bool gram_pattern(struct vectors *out, const struct vectors *rows, const struct vectors *columns);

/* A pattern of M M' extended by one unknown per column of U, adjacent to the rows with entries in that column. */
bool gram_extend(struct vectors *out, const struct vectors *pattern, const struct vectors *u_rows,
                 const struct vectors *u_columns);

#endif
