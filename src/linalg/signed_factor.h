/* signed_factor.h - what signed_system.h makes and signed_kernel.h walks, as plain data: a device gets it as it is, with its lists moved
 * there.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_SIGNED_FACTOR_H
#define HN_LINALG_SIGNED_FACTOR_H

#include "base/arena_memory.h"
#include "base/real.h"

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
    /* of a system whose kernels are those of a team of threads (cuda/level_schedule.h): */
    uint32_t *own_entry;   /* entries: which of L each is, as own_offset lists them */
    uint32_t *touch_first; /* order + 1: pairs of each unknown, in the order of pairs: */
    uint32_t *touch;       /* 2 x entries x 2: the other unknown, and where the number lies */
    struct arena arena;
};

#endif
