/* transversal.h - which rows of a pattern can each have a column of their own.
 *
 * In comes a pattern, out go the rows that are left over when as many others as possible have got one. Rows of a matrix whose pattern
 * leaves none over are independent for almost all numbers. By augmenting paths with a look ahead: Duff, "On algorithms for obtaining a
 * maximum transversal", ACM Trans. Math. Softw. 7 (1981). Equal patterns give equal answers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_TRANSVERSAL_H
#define HN_LINALG_TRANSVERSAL_H

#include "linalg/gram.h"

/* wanted: rows that shall have a column. left: set for those that got none. Ends early once more than `most` are left over; *count is
 * their number until then. */
hn_status transversal(const struct vectors *rows, const bool *wanted, size_t most, bool *left, size_t *count,
                      hn_error *error);

#endif
