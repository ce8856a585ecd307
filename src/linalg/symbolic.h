/* symbolic.h - symbolic factorisation: the pattern of the factor L of a sparse symmetric matrix A, computed once for
 * all samples.
 *
 * Input: the pattern of A; output: a fill-reducing order, the elimination tree, and the pattern of L by columns and by
 * rows. Rows are renumbered by their position in the order. Values are never seen; cancellation is not assumed. Equal
 * patterns give equal results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_SYMBOLIC_H
#define HN_LINALG_SYMBOLIC_H

#include "hardnet/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOLIC_ROOT UINT32_MAX

struct symbolic {
    size_t n;
    uint32_t *order;        /* n: order[k] is the row of A that is eliminated k-th */
    uint32_t *position;     /* n: position[order[k]] = k */
    uint32_t *parent;       /* n: the elimination tree in the new numbering; SYMBOLIC_ROOT for a root */
    uint32_t *column_first; /* n + 1 */
    uint32_t *row_index;    /* nonzeros: rows of the strictly lower part of L, by columns, ascending in each */
    uint32_t *row_first;    /* n + 1 */
    uint32_t *column_index; /* nonzeros: columns of the same entries, by rows, ascending in each */
    uint32_t *row_entry;    /* nonzeros: for each entry by rows its number by columns */
    size_t nonzeros;        /* of the strictly lower part of L, at most UINT32_MAX */
    double factor_work;     /* multiply-adds of a factorisation: sum of c (c + 1) / 2, c the entries of a column */
    uint32_t *count;        /* n: entries of each column */
    uint32_t *scratch[4];   /* n each */
    void *block, *lists;    /* the memory of the tree, and of the pattern */
};

/* All arrangements give the same entries in L and eliminate children before parents. */
enum arrangement {
    ARRANGED_BY_SUBTREE, /* a postorder: each subtree is contiguous and ends with its root; good cache locality */
    ARRANGED_BY_DEPTH,   /* those farthest from their root first: neighbours in the order are mostly independent */
    ARRANGED_FOR_SPEED,  /* by depth if the tree is small or narrow, else by subtree */
    ARRANGED_SHALLOW     /* for speed; a small factor gets the lowest tree with its entries (order_shallow) */
};

/* The neighbours of row i of A are index[first[i]] .. index[first[i + 1] - 1], in any order. The caller guarantees that
 * both triangles are given, without duplicates, and that all indices are below n; diagonal entries are ignored. */
struct symbolic_request {
    size_t n;
    const size_t *first;
    const uint32_t *index;
    size_t limit; /* of entries below the diagonal of L */
    enum arrangement arrangement;
    const uint32_t
        *order; /* n: the elimination order; NULL: minimum degree. Adjacent rows in L keep this order, others may not */
};

/* Fails with HN_LIMIT, before allocating L, if L would have more entries than the limit. */
hn_status symbolic_create(struct symbolic *out, const struct symbolic_request *request, hn_error *error);
void symbolic_release(struct symbolic *symbolic);

/* The nonzeros and factor_work of symbolic_create, without forming L: for predicting cost. */
hn_status symbolic_count(const struct symbolic_request *request, size_t *nonzeros, double *work, hn_error *error);

/* Approximate minimum degree: order[k] is the row eliminated k-th. Rows with more than max(16, 10 sqrt(n)) neighbours
 * come last. */
hn_status order_minimum_degree(size_t n, const size_t *first, const uint32_t *index, uint32_t *order, hn_error *error);

/* The order with the lowest elimination tree among those with the same entries in L: n, in the numbering of A. Rows
 * that do not depend on each other are computed in parallel: by out-of-order processors, and by code over pairs
 * (codegen/passes/slp_vectorize.h). height: of the present tree and of the new one, in rows. Run time is proportional
 * to n times the height: for small factors. False when out of memory. */
bool order_shallow(const struct symbolic *s, uint32_t *order, uint32_t height[2]);

#endif
