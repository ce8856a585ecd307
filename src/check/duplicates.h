/* duplicates.h - redundant rows: equal bodies, or linear rows with proportional coefficients.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_DUPLICATES_H
#define HN_CHECK_DUPLICATES_H

#include "check/check_parts.h"

/* For each row the earlier row that it repeats, or its own number, and the factor between them. */
struct duplicates {
    size_t *original;
    double *factor;
};

hn_status duplicates_find(struct duplicates *duplicates, struct check *check, hn_error *error);

#endif
