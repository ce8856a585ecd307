/* border.h - which columns of M are kept out of M M', so that they do not fill the factor.
 *
 * A column of M that stands in many rows, U, joins all of them in M M' + E. As unknowns of their own, w = U' z, such columns are a
 * border instead:
 *
 *     [ N + E   U ] [ z ]   [ b ]
 *     [ U'     -I ] [ w ] = [ 0 ],      M M' = N + U U'
 *
 * In goes a pattern, out go the columns that are worth it and an order of elimination: sparse rows of M, then w, whose pivots are at
 * most -1, then the rows that would be nearly singular without U: those with nothing outside it, and long ones, which are few and
 * often what determines w (a budget). Where E may be 0, rows that cannot each have a column of their own outside U come last, too, and
 * where these are many, nothing is kept out. The matrix is quasi-definite: every order has pivots (Vanderbei, SIAM J. Optim. 5, 1995);
 * what is left of them where N + E is nearly singular is about E.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BORDER_H
#define HN_LINALG_BORDER_H

#include "base/arena.h"
#include "linalg/gram.h"

struct border {
    size_t count;                 /* columns kept out; 0: none */
    const uint32_t *column;       /* count: ascending */
    const uint32_t *number;       /* of each column of M among them; COLUMN_STAYS: it is none */
    struct vectors rows, columns; /* M without them */
    struct vectors pattern;       /* of the matrix above without its diagonal: rows of M, then columns kept out */
    const uint32_t *order;        /* of its elimination */
    size_t nonzeros;              /* of L below its diagonal */
    double cost;                  /* multiply-adds: sums of N, factor and solve */
    struct arena arena;
};

/* What to choose from. */
struct border_request {
    const struct vectors *rows, *columns; /* of M */
    const bool *undamped;                 /* rows where E may be 0; NULL: none */
    double limit;                         /* of the cost */
};

/* The cheapest way, if it costs less than the limit; else none, of infinite cost. Released by border_release, also after an error. */
hn_status border_choose(struct border *out, const struct border_request *request, hn_error *error);
void border_release(struct border *border);

#endif
