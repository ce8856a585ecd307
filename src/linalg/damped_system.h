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
#ifndef HN_LINALG_DAMPED_SYSTEM_H
#define HN_LINALG_DAMPED_SYSTEM_H

#include "hardnet/base.h"
#include "linalg/damped_factor.h"

/* A, by rows, columns ascending. Entry e lies at offset[e]; where fixed[e] is a number, not NaN, it is that number for ever. */
struct damped_matrix {
    size_t rows, columns;
    uint32_t stride;        /* doubles from one slot to the next, at least 1 */
    const size_t *first;    /* rows + 1 */
    const uint32_t *column; /* of each entry */
    const uint32_t *offset;
    const double *fixed; /* NULL: nothing is known in advance; given only together with a fixed shift */
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

#endif
