/* signed_system.h - L D L' of a sparse symmetric matrix whose pivots have either sign, over lanes.
 *
 * In come the entries below the diagonal, as pairs of unknowns with the offsets where their numbers lie, and the offset of the
 * diagonal, one slot per unknown. Out go the pattern of L and the lists that signed_kernel.h walks. Pivots are taken on the diagonal in
 * the order of symbolic.h and are never exchanged: that is safe where the matrix is quasi-definite, [H J'; J -W] with H and W positive
 * (Vanderbei, SIAM J. Optim. 5, 1995). Elsewhere the number of positive pivots is the number of positive eigenvalues (Sylvester), which
 * the kernel counts, and pivots that are lost in rounding are counted, too.
 *
 * Offsets count doubles, as in damped_system.h; vectors have one slot per unknown, in the numbering of the caller.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_SPARSE_SIGNED_SYSTEM_H
#define HN_SPARSE_SIGNED_SYSTEM_H

#include "base/arena.h"
#include "hardnet/base.h"

/* An entry off the diagonal; each pair of unknowns at most once. */
struct signed_entry {
    uint32_t row, column, offset;
};

/* Slots of the summary. */
enum {
    SIGNED_POSITIVE, /* how many pivots are above 0 */
    SIGNED_LOST,     /* how many are lost in the rounding of their diagonal entry: their unknown is 0 */
    SIGNED_SUMMARY
};

struct signed_system {
    size_t order, entries, nonzeros; /* unknowns; entries off the diagonal; of L below its diagonal */
    uint32_t diagonal;               /* offset of the diagonal */
    uint32_t lower, inverse, work;   /* offsets of L, 1/D and a row at a time */
    uint32_t summary;
    size_t slots;                                 /* storage that the kernels need */
    uint32_t *permutation;                        /* order: offset in vectors of each unknown, in elimination order */
    uint32_t *column_first;                       /* order + 1 */
    uint32_t *row_number, *row_offset;            /* nonzeros: the row of each entry, and its offset in vectors */
    uint32_t *row_first, *row_column, *row_entry; /* L by rows, as in symbolic.h */
    uint32_t *own_first;               /* order + 1: entries of the matrix in each row, in elimination order, */
    uint32_t *own_column, *own_offset; /* their columns and where the numbers lie */
    uint32_t *pair;                    /* entries x 3: offsets in vectors of both unknowns, and of the number */
    struct arena arena;
};

struct signed_request {
    size_t order, entries;
    const struct signed_entry *entry;
    uint32_t stride;   /* doubles from one slot to the next */
    uint32_t diagonal; /* offset */
    uint32_t storage;  /* first offset that belongs to the system */
};

hn_status signed_create(struct signed_system *out, const struct signed_request *request, hn_error *error);
void signed_release(struct signed_system *system);

#endif
