/* order.h - in which order the rows of a sparse symmetric matrix are eliminated, so that its factor stays sparse.
 *
 * In comes a pattern, out goes a permutation; values are never seen. The method is that of Amestoy, Davis, Duff, "An
 * approximate minimum degree ordering algorithm", SIAM J. Matrix Anal. Appl. 17 (1996). Equal patterns give equal orders.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_ORDER_H
#define HN_LINALG_ORDER_H

#include "hardnet/base.h"

#include <stddef.h>
#include <stdint.h>

/* The neighbours of row i are index[first[i]] .. index[first[i + 1] - 1], in any order. The caller promises that both triangles
 * are there, that no entry stands twice, and that all are below n; entries on the diagonal are ignored. order[k] is the row
 * that is eliminated k-th. Rows with more than max(16, 10 sqrt(n)) neighbours come last. */
hn_status order_minimum_degree(size_t n, const size_t *first, const uint32_t *index, uint32_t *order, hn_error *error);

#endif
