/* duplicates.h - rows that say the same: equal bodies, or linear rows whose coefficients are proportional.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_DUPLICATES_H
#define HN_TOOLS_DUPLICATES_H

#include "base/arena.h"
#include "derivatives/derivatives.h"

/* For each row the earlier row that it repeats, or its own number, and the factor between the two. */
struct duplicates {
    size_t *original;
    double *factor;
};

/* The Jacobian may have further rows beyond the problem's. */
hn_status duplicates_find(struct duplicates *duplicates, const struct problem *problem,
                          const struct node_matrix *jacobian, struct arena *arena, hn_error *error);

#endif
