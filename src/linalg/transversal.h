/* transversal.h - a maximum matching of the rows of a sparsity pattern to columns.
 *
 * Input: a pattern; output: the rows left unmatched by a maximum matching. The rows of a matrix with a complete
 * matching are linearly independent for almost all values. Method: augmenting paths with look-ahead, Duff, "On
 * algorithms for obtaining a maximum transversal", ACM Trans. Math. Softw. 7 (1981). Equal patterns give equal results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_TRANSVERSAL_H
#define HN_LINALG_TRANSVERSAL_H

#include "linalg/gram.h"

/* wanted: rows to match. left: set for rows left unmatched. Stops early once more than `most` are unmatched; *count is
 * their number so far. */
hn_status transversal(const struct vectors *rows, const bool *wanted, size_t most, bool *left, size_t *count,
                      hn_error *error);

#endif
