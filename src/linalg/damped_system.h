/* damped_system.h - the linear system of a damped step over lanes: (M M' + E) z = b with M sparse and E diagonal.
 *
 * M is A (one unknown per row) or A' (one unknown per column), whichever has the lower predicted cost. Input: the
 * pattern of A and the offsets of its numbers; output: streams of offsets that the kernels (damped_kernel.h) execute
 * for several samples at once. All symbolic work is done here, once; sample values are never seen.
 *
 * Columns of M that would cause much fill-in are kept out of M M' as additional unknowns (border.h), after the others.
 *
 * Offsets are counted in doubles from the start of a worker's slots: the slot number times the matrix's stride. The
 * factor is L D L' with unit L, pivots in the order of symbolic.h; M M' is not stored, its entries are summed when the
 * factorisation needs them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_DAMPED_SYSTEM_H
#define HN_LINALG_DAMPED_SYSTEM_H

#include "hardnet/base.h"
#include "linalg/damped_factor.h"

/* A, by rows, columns ascending. Entry e is at offset[e]; if fixed[e] is not NaN, the entry has that constant value. */
struct damped_matrix {
    size_t rows, columns;
    uint32_t stride;        /* doubles from one slot to the next, at least 1 */
    const size_t *first;    /* rows + 1 */
    const uint32_t *column; /* of each entry */
    const uint32_t *offset;
    const double *fixed; /* NULL: no known constants; given only together with a fixed shift */
};

struct damped_request {
    struct damped_matrix matrix;
    bool rows_side_only;    /* E may be 0 */
    double fixed_shift;     /* of the whole diagonal; NaN: */
    uint32_t shift;         /* offset of E on the rows' side: one slot per row, */
    uint32_t shift_uniform; /* on the outputs' side: one slot for all */
    uint32_t storage;       /* first offset that belongs to the system */
    size_t tiled_from;      /* dense factors of this order or more are tiled; 0: never */
    bool may_border;        /* columns of M may be kept out: E is well above 0 except in */
    const bool *undamped;   /* these rows, where it may be nearly 0; NULL: no such rows */
};

/* All memory of the system comes from base_allocate and is freed by damped_release. */
hn_status damped_create(struct damped *out, const struct damped_request *request, hn_error *error);
void damped_release(struct damped *system);

/* Adapts streams to slots `factor` times as wide: multiplies offsets, not counts. The stream of a product with this
 * many results; the stream of a factor. */
void stream_scale_product(uint32_t *stream, size_t results, uint32_t factor);
void stream_scale_factor(uint32_t *stream, enum factor_kind kind, size_t order, uint32_t factor);

/* A product with the matrix, or with its transpose; its stream comes from base_allocate. */
hn_status product_create(struct product *out, const struct damped_matrix *matrix, bool transposed, hn_error *error);

#endif
