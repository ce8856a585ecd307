/* damped_system.h - the linear system of a damped step over lanes: (M M' + E) z = b with M sparse and E diagonal.
 *
 * M is A (one unknown per row) or A' (one unknown per column), whichever is predicted to cost less. In come the pattern of A and
 * the offsets where its numbers lie; out go streams of offsets that the kernels (damped_kernel.h) walk for several samples at
 * once. Everything symbolic happens here, once; nothing here ever sees a sample.
 *
 * Columns of M that would fill the factor are kept out of M M' as unknowns of their own (border.h), behind the others.
 *
 * Offsets are counted in doubles from the start of a worker's slots: the slot number times the matrix's stride. The factor is L D L' with unit L,
 * pivots in the order of symbolic.h; M M' is never stored, its entries are summed where the factor needs them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_SPARSE_DAMPED_SYSTEM_H
#define HN_SPARSE_DAMPED_SYSTEM_H

#include "hardnet/base.h"

/* A, by rows, columns ascending. Entry e lies at offset[e]; where fixed[e] is a number, not NaN, it is that number for ever. */
struct damped_matrix {
    size_t rows, columns;
    uint32_t stride;        /* doubles from one slot to the next, at least 1 */
    const size_t *first;    /* rows + 1 */
    const uint32_t *column; /* of each entry */
    const uint32_t *offset;
    const double *fixed; /* NULL: nothing is known in advance; given only together with a fixed shift */
};

/* A product with A or A': for each entry of the result a count and as many pairs (offset of A's entry, offset in the vector). */
struct product {
    size_t count;
    size_t words;
    uint32_t *stream;
};

/* FACTOR_TILED has no lists: tiled_system.h. */
enum factor_kind { FACTOR_LISTED, FACTOR_WALKED, FACTOR_DENSE, FACTOR_TILED };

/* A number that is filled into its slot once. */
struct damped_constant {
    uint32_t offset;
    double value;
};

struct damped {
    bool outputs_side; /* M = A' */
    enum factor_kind kind;
    size_t order;         /* unknowns, */
    size_t added;         /* the last of them for columns that are kept out; FACTOR_LISTED and FACTOR_WALKED only */
    size_t nonzeros;      /* of L below its diagonal */
    double multiply_adds; /* sums of M M', factor and solves */
    size_t slots;         /* storage that the kernels need, from `storage` on */
    uint32_t lower;       /* offset of L */
    uint32_t negated;     /* offset of -L D, entries at a time; of rows of it in the other factors */
    uint32_t inverse;     /* offset of 1/D */
    uint32_t pivot_range; /* offset of two slots: the smallest and the largest pivot */
    uint32_t zero;        /* offset of a slot of zeros */
    uint32_t solution;    /* where some are added: offset of two vectors of all unknowns */
    struct product by_rows, by_columns; /* A x, A' x */
    size_t words;
    uint32_t *stream;                 /* FACTOR_LISTED: see factor_list.c; others: the sums of M M' */
    uint32_t *permutation;            /* order: offset in vectors of each unknown, in elimination order */
    uint32_t *column_first;           /* order + 1; NULL when dense */
    uint32_t *row_offset;             /* nonzeros: offset in vectors of each entry's row */
    uint32_t *row_number;             /* FACTOR_WALKED: nonzeros: the row itself */
    uint32_t *row_first;              /* FACTOR_WALKED: order + 1 */
    uint32_t *row_column, *row_entry; /* FACTOR_WALKED: nonzeros, as in symbolic.h */
    size_t constant_count;
    struct damped_constant *constants;
};

struct damped_request {
    struct damped_matrix matrix;
    bool rows_side_only;    /* E may be 0 */
    double fixed_shift;     /* of the whole diagonal; NaN: */
    uint32_t shift;         /* offset of E on the rows' side: one slot per row, */
    uint32_t shift_uniform; /* on the outputs' side: one slot for all */
    uint32_t storage;       /* first offset that belongs to the system */
    size_t tiled_from;      /* full factors of this order or more are tiled; 0: none */
    bool may_border;        /* columns of M may be kept out: E is well above 0, but for */
    const bool *undamped;   /* rows where it may be next to 0; NULL: none */
};

/* All of the system's memory comes from base_allocate and goes with damped_release. */
hn_status damped_create(struct damped *out, const struct damped_request *request, hn_error *error);
void damped_release(struct damped *system);

/* A product with the matrix, or with its transpose; its stream comes from base_allocate. */
hn_status product_create(struct product *out, const struct damped_matrix *matrix, bool transposed, hn_error *error);

/* ---- what the kernels take ---- */

/* Factors, and takes `sides` right-hand sides (1 or 2) from where they lie, each of `order` slots, through the forward half. */
struct damped_sides {
    int count;
    uint32_t from[2]; /* right-hand sides */
    uint32_t to[2];   /* solutions; may be where the right-hand sides are */
};

#endif
