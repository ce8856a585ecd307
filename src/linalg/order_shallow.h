/* order_shallow.h - reorders a factor to the elimination tree of minimum height with the same entries in L.
 *
 * Rows that do not depend on each other are computed in parallel: by out-of-order processors, and by code over pairs
 * (codegen/passes/slp_vectorize.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_ORDER_SHALLOW_H
#define HN_LINALG_ORDER_SHALLOW_H

#include "linalg/symbolic.h"

#include <stdbool.h>

/* order: n, the elimination order, in the numbering of A. height: of the current tree and of the new one, in rows. Run
 * time is proportional to n times the height: for small factors. False when out of memory. */
bool order_shallow(const struct symbolic *s, uint32_t *order, uint32_t height[2]);

#endif
