/* order.h - fill-reducing elimination order of a sparse symmetric matrix.
 *
 * Input: a sparsity pattern; output: a permutation. Values are never seen. Method: Amestoy, Davis, Duff, "An
 * approximate minimum degree ordering algorithm", SIAM J. Matrix Anal. Appl. 17 (1996). Equal patterns give equal
 * orders.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_ORDER_H
#define HN_LINALG_ORDER_H

#include "hardnet/base.h"

#include <stddef.h>
#include <stdint.h>

/* The neighbours of row i are index[first[i]] .. index[first[i + 1] - 1], in any order. The caller guarantees that both
 * triangles are given, without duplicates, and that all indices are below n; diagonal entries are ignored. order[k] is
 * the row eliminated k-th. Rows with more than max(16, 10 sqrt(n)) neighbours come last. */
hn_status order_minimum_degree(size_t n, const size_t *first, const uint32_t *index, uint32_t *order, hn_error *error);

#endif
