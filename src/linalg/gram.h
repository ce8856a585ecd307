/* gram.h - the pattern of M M', and for each of its entries the products that it is a sum of.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_GRAM_H
#define HN_LINALG_GRAM_H

#include "hardnet/base.h"

/* The pattern of a matrix by rows; entry numbers lead back to where the numbers lie. */
struct vectors {
    size_t count, across; /* rows and columns */
    size_t *first;        /* count + 1 */
    uint32_t *index;      /* columns, ascending in each row */
    uint32_t *entry;
};

/* A copy by rows, and the same by columns (the transpose). */
hn_status vectors_copy(struct vectors *out, size_t rows, size_t columns, const size_t *first, const uint32_t *index,
                       hn_error *error);
hn_status vectors_transpose(struct vectors *out, const struct vectors *in, hn_error *error);
void vectors_release(struct vectors *vectors);

/* A copy without some columns: those that have a number. */
#define COLUMN_STAYS UINT32_MAX
hn_status vectors_without(struct vectors *out, const struct vectors *in, const uint32_t *number, hn_error *error);

/* Products in M M', both triangles and the diagonal: sum over the columns of M of their length squared. */
double gram_products(const struct vectors *columns);

/* Which other rows each row of M shares a column with: the pattern of M M' without its diagonal (index), by rows. */
hn_status gram_pattern(struct vectors *out, const struct vectors *rows, const struct vectors *columns, hn_error *error);

/* A pattern of M M' with unknowns behind its own, one per numbered column of M, each beside the rows that the column stands in. */
hn_status gram_extend(struct vectors *out, const struct vectors *pattern, const struct vectors *rows,
                      const uint32_t *number, size_t added, hn_error *error);

#endif
