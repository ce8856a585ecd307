/* factor_list.h - writes the streams that the kernels walk.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_FACTOR_LIST_H
#define HN_LINALG_FACTOR_LIST_H

#include "linalg/border.h"
#include "linalg/damped_system.h"
#include "linalg/gram.h"
#include "linalg/symbolic.h"

/* State while the lists of one system are written. */
struct lister {
    struct damped *system;
    const struct damped_request *request;
    const struct vectors *rows, *columns; /* of M, without columns kept out */
    const struct border *border;          /* NULL: no columns kept out; */
    const struct vectors *whole;          /* else rows of M, */
    const struct vectors *whole_columns;  /* its columns, */
    uint32_t one;                         /* and the offset of a constant 1, once it exists */
    const struct symbolic *symbolic;      /* NULL: dense, natural order */
    uint32_t *target;                     /* row of L: its number among the entries of the current column */
    uint32_t *sums, *rests;               /* pairs of each entry: of M M', of the factor */
    size_t *cursor;                       /* position of its next pair */
    uint32_t *negated;                    /* offsets of -L D, by entries of L */
    double *folded;                       /* the known constant part of each entry */
    size_t capacity, constant_capacity;   /* of stream and constants */
    uint32_t *table;                      /* constants by their bits: number + 1 */
    size_t table_size;
    uint32_t next_place; /* of the next constant's slot */
};

/* FACTOR_LISTED. For each column j of L, in order:
 *     entries below | entries of row j | offset of the shift | pairs of h_jj | these pairs ...
 *     for each entry of row j: offset of l_jk, offset of -n_jk, offset of unknown k
 *     for each entry below: offset of -n_ij | offset of the known part | pairs | these pairs ...    */
hn_status factor_list(struct lister *lister, hn_error *error);
size_t negated_slots(const struct symbolic *symbolic); /* slots for -L D that are live at the same time */

/* FACTOR_DENSE and FACTOR_WALKED: the sums of h, row by row, columns ascending, the diagonal last:
 *     dense:  (offset of the known part | pairs | pairs ...) for every column up to the diagonal
 *     walked: entries, then (column | offset of the known part | pairs | pairs ...) for each of them         */
hn_status gram_list(struct lister *lister, hn_error *error);

/* A slot with this constant. */
hn_status lister_constant(struct lister *lister, double value, uint32_t *offset, hn_error *error);

/* The initial value of an entry's sum: the diagonal's shift, or the known constant part of another entry. */
hn_status lister_shift(struct lister *lister, size_t row, double folded, uint32_t *offset, hn_error *error);
hn_status lister_known(struct lister *lister, double folded, uint32_t *offset, hn_error *error);

/* One product of M M' (entries a and b of A): counted, or written as the target's next pair. */
void lister_product(struct lister *lister, uint32_t target, uint32_t a, uint32_t b, bool write);

/* The entries of U in row or column `at` of the bordered matrix: entries of L before it in its row, or after it in its
 * column. */
void lister_border(struct lister *lister, size_t at, bool before, bool write);

/* Reserves space for `words` words, and appends one. */
hn_status lister_room(struct lister *lister, size_t words, hn_error *error);
void lister_word(struct lister *lister, uint32_t word);

#endif
