/* rows.h - the rows of a problem for kernels: offsets of values, bounds and weights.
 *
 * Fields of type uint32_t and the lists are offsets into a thread's slots. A mask is a slot of all ones or all zeros
 * per lane.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_ROWS_H
#define HN_CPU_ROWS_H

#include "core/summary.h"
#include "hardnet/base.h"

struct rows_task {
    size_t rows, columns;
    const uint32_t *value, *lower, *upper; /* of each row: offsets of c, bl, bu */
    uint32_t residual;                     /* r, one slot per row */
    uint32_t summary;
    bool relative;
    /* The rest is for methods with row weights: A = W J, w a power of two on active rows, else 0. */
    bool weighted;
    const uint32_t *first; /* rows + 1: first entry of each row */
    const uint32_t *entry; /* offsets of J's entries */
    uint32_t matrix;       /* A, one slot per entry */
    uint32_t scale;        /* powers of two, one slot per row */
    uint32_t active;       /* masks, one per row */
    uint32_t right;        /* W r, one slot per row */
    uint32_t shift;        /* eps on active rows, 1 on others; one slot per row */
    uint32_t eps;          /* one slot */
    uint32_t hold;         /* one slot: satisfied rows nearer to a bound than this, in units of w, are active too */
    uint32_t leads;        /* mask: inequalities in several outputs are inactive */
    const struct known_row *known; /* rows with constant J, whose A is not stored; NULL: none */
};

/* A row with constant J. */
struct known_row {
    bool known;
    double scale;   /* w, */
    double squares; /* and |w J|^2 */
};

/* Outputs with bounds: their offsets in vectors, and the offsets of their bounds. */
struct clip_task {
    size_t count;
    uint32_t *offset, *lower, *upper;
    uint32_t *row; /* the row's number */
};

struct unclip_places {
    uint32_t y, step, gradient;      /* over outputs */
    uint32_t grad_lower, grad_upper; /* over rows */
};

/* Rows of the adjoint: input q; outputs D q, W q, W v; adds to the gradients of bounds. */
struct adjoint_task {
    uint32_t damped;         /* one slot: (q' v) d(eps)/d|W r| / |W r|, 0 where eps is locally constant */
    uint32_t q, v;           /* one slot per row */
    uint32_t kept;           /* D q */
    uint32_t pulled;         /* D W q, that is -g */
    uint32_t leaf_q, leaf_v; /* W q, W v for the second derivatives */
    uint32_t grad_lower, grad_upper;
};

#endif
