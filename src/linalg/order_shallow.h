/* order_shallow.h - from a factor to an order of elimination with the same entries in it, whose tree is as low as it can be.
 *
 * Rows that do not wait for each other are computed side by side: by a processor that looks ahead, and by code over pairs
 * (codegen/passes/slp_vectorize.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_ORDER_SHALLOW_H
#define HN_LINALG_ORDER_SHALLOW_H

#include "linalg/symbolic.h"

#include <stdbool.h>

/* order: n, of elimination, in the numbering of A. height: of the present tree and of the order's, in rows. Its time grows with n times
 * the height: for small factors. False when memory is out. */
bool order_shallow(const struct symbolic *s, uint32_t *order, uint32_t height[2]);

#endif
