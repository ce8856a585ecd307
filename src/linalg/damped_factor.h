/* damped_factor.h - the plan that damped_system.h makes and damped_kernel.h executes, as plain data: it is uploaded to
 * devices unchanged, with its lists relocated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_DAMPED_FACTOR_H
#define HN_LINALG_DAMPED_FACTOR_H

#include "base/real.h"

/* Qualifier of lists: const in an emitted file. */
#ifndef DAMPED_LIST
#define DAMPED_LIST
#endif

/* A product with A or A': for each entry of the result a count and as many pairs (offset of A's entry, offset in the
 * vector). */
struct product {
    size_t count;
    size_t words;
    DAMPED_LIST uint32_t *stream;
};

/* FACTOR_TILED does not use lists: blocked_ldl.h. */
enum factor_kind { FACTOR_LISTED, FACTOR_WALKED, FACTOR_DENSE, FACTOR_TILED };

/* A constant, written to its slot once. */
struct damped_constant {
    uint32_t offset;
    real value;
};

struct damped {
    bool outputs_side; /* M = A' */
    enum factor_kind kind;
    size_t order;         /* unknowns, */
    size_t added;         /* the last of them for columns kept out; FACTOR_LISTED and FACTOR_WALKED only */
    size_t nonzeros;      /* of L below its diagonal */
    real multiply_adds;   /* sums of M M', factorisation and solves */
    size_t slots;         /* storage of the kernels, from `storage` on */
    uint32_t lower;       /* offset of L */
    uint32_t negated;     /* offset of -L D, whose slots are reused (FACTOR_LISTED), or of some rows of it (others) */
    uint32_t inverse;     /* offset of 1/D */
    uint32_t pivot_range; /* offset of two slots: the smallest and the largest pivot */
    uint32_t zero;        /* offset of a zero slot */
    uint32_t solution;    /* with added unknowns: offset of two vectors of all unknowns */
    struct product by_rows, by_columns; /* A x, A' x */
    size_t words;
    DAMPED_LIST uint32_t *stream;                 /* FACTOR_LISTED: see factor_list.c; others: the sums of M M' */
    DAMPED_LIST uint32_t *permutation;            /* order: offset in vectors of each unknown, in elimination order */
    DAMPED_LIST uint32_t *column_first;           /* order + 1; NULL when dense */
    DAMPED_LIST uint32_t *row_offset;             /* nonzeros: offset in vectors of each entry's row */
    DAMPED_LIST uint32_t *row_number;             /* FACTOR_WALKED: nonzeros: the row index */
    DAMPED_LIST uint32_t *row_first;              /* FACTOR_WALKED: order + 1 */
    DAMPED_LIST uint32_t *row_column, *row_entry; /* FACTOR_WALKED: nonzeros, as in symbolic.h */
    size_t constant_count;
    DAMPED_LIST struct damped_constant *constants;
};

/* Factors, and does the forward substitution for `sides` right-hand sides (1 or 2), each of `order` slots. */
struct damped_sides {
    int count;
    uint32_t from[2]; /* right-hand sides */
    uint32_t to[2];   /* solutions; may equal `from` */
};

#endif
