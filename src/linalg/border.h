/* border.h - chooses dense columns of M that are kept out of M M' to avoid fill-in.
 *
 * A column of M with entries in many rows, U, couples all of them in M M' + E. Kept out, such columns become additional
 * unknowns w = U' z, a border:
 *
 *     [ N + E   U ] [ z ]   [ b ]
 *     [ U'     -I ] [ w ] = [ 0 ],      M M' = N + U U'
 *
 * Input: a pattern. Output: the columns to keep out and an elimination order: sparse rows of M, then w, whose
 * pivots are at most -1, then the rows that would be nearly singular without U: those with no entries outside U, and
 * long ones, which are few and often determine w (a budget). If E may be 0, rows left unmatched by a maximum matching
 * with the columns outside U are eliminated last, too; if there are many of them, nothing is kept out. The matrix is
 * quasi-definite: an L D L' factorisation exists for every order (Vanderbei, SIAM J. Optim. 5, 1995); if N + E is
 * nearly singular, the remaining pivots are about E.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BORDER_H
#define HN_LINALG_BORDER_H

#include "base/arena.h"
#include "linalg/gram.h"

#include "hardnet/base.h"

struct border {
    size_t count;                 /* columns kept out; may be 0 */
    struct vectors rows, columns; /* M without these columns */
    struct vectors u, u_columns;  /* U by rows, and by columns */
    struct vectors pattern;       /* of the matrix above without its diagonal: rows of M, then columns kept out */
    const uint32_t *order;        /* the elimination order */
    size_t nonzeros;              /* of L below its diagonal */
    double cost;                  /* multiply-adds: sums of N, factor and solve */
    struct arena arena;
};

/* The candidates. */
struct border_request {
    const struct vectors *rows, *columns; /* of M */
    const bool *undamped;                 /* rows where E may be 0; NULL: no such rows */
    double limit;                         /* on the cost */
};

/* The cheapest choice, if it costs less than the limit; else an empty one of infinite cost. Release with
 * border_release, also after an error. */
hn_status border_choose(struct border *out, const struct border_request *request, hn_error *error);
void border_release(struct border *border);

/* A maximum matching of the wanted rows of a pattern to columns: left[i] is set if row i is left unmatched. The rows of
 * a matrix with a complete matching are linearly independent for almost all values. Equal patterns give equal results.
 * Stops early once more than `most` rows are unmatched; *count is their number so far. False when out of memory. */
bool transversal(const struct vectors *rows, const bool *wanted, size_t most, bool *left, size_t *count);

#endif
