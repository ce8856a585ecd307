/* damped_factor.h - what damped_system.h makes and damped_kernel.h walks, as plain data: a device gets it as it is, with its lists moved
 * there.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_DAMPED_FACTOR_H
#define HN_LINALG_DAMPED_FACTOR_H

#include "base/real.h"

/* A qualifier of lists: const in an emitted file. */
#ifndef DAMPED_LIST
#define DAMPED_LIST
#endif

/* A product with A or A': for each entry of the result a count and as many pairs (offset of A's entry, offset in the vector). */
struct product {
    size_t count;
    size_t words;
    DAMPED_LIST uint32_t *stream;
};

/* FACTOR_TILED has no lists: blocked_ldl.h. */
enum factor_kind { FACTOR_LISTED, FACTOR_WALKED, FACTOR_DENSE, FACTOR_TILED };

/* A number that is filled into its slot once. */
struct damped_constant {
    uint32_t offset;
    real value;
};

struct damped {
    bool outputs_side; /* M = A' */
    enum factor_kind kind;
    size_t order;         /* unknowns, */
    size_t added;         /* the last of them for columns that are kept out; FACTOR_LISTED and FACTOR_WALKED only */
    size_t nonzeros;      /* of L below its diagonal */
    real multiply_adds;   /* sums of M M', factor and solves */
    size_t slots;         /* storage that the kernels need, from `storage` on */
    uint32_t lower;       /* offset of L */
    uint32_t negated;     /* offset of -L D, entries at a time; of rows of it in the other factors */
    uint32_t inverse;     /* offset of 1/D */
    uint32_t pivot_range; /* offset of two slots: the smallest and the largest pivot */
    uint32_t zero;        /* offset of a slot of zeros */
    uint32_t solution;    /* where some are added: offset of two vectors of all unknowns */
    struct product by_rows, by_columns; /* A x, A' x */
    size_t words;
    DAMPED_LIST uint32_t *stream;                 /* FACTOR_LISTED: see factor_list.c; others: the sums of M M' */
    DAMPED_LIST uint32_t *permutation;            /* order: offset in vectors of each unknown, in elimination order */
    DAMPED_LIST uint32_t *column_first;           /* order + 1; NULL when dense */
    DAMPED_LIST uint32_t *row_offset;             /* nonzeros: offset in vectors of each entry's row */
    DAMPED_LIST uint32_t *row_number;             /* FACTOR_WALKED: nonzeros: the row itself */
    DAMPED_LIST uint32_t *row_first;              /* FACTOR_WALKED: order + 1 */
    DAMPED_LIST uint32_t *row_column, *row_entry; /* FACTOR_WALKED: nonzeros, as in symbolic.h */
    size_t constant_count;
    DAMPED_LIST struct damped_constant *constants;
};

/* Factors, and takes `sides` right-hand sides (1 or 2) from where they lie, each of `order` slots, through the forward half. */
struct damped_sides {
    int count;
    uint32_t from[2]; /* right-hand sides */
    uint32_t to[2];   /* solutions; may be where the right-hand sides are */
};

#endif
