/* signed_system.h - L D L' of a sparse symmetric matrix with pivots of either sign, over lanes.
 *
 * Input: the entries below the diagonal, as pairs of unknowns with the offsets of their numbers, and the offset of the
 * diagonal, one slot per unknown. Output: the pattern of L and the lists that signed_kernel.h executes. Pivots are on
 * the diagonal in the order of symbolic.h, without pivoting: that is safe for quasi-definite matrices, [H J'; J -W]
 * with H and W positive definite (Vanderbei, SIAM J. Optim. 5, 1995). In general the number of positive pivots is the
 * number of positive eigenvalues (Sylvester), which the kernel counts together with the pivots lost to rounding.
 *
 * Offsets count doubles, as in damped_system.h; vectors have one slot per unknown, in the numbering of the caller.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_SIGNED_SYSTEM_H
#define HN_LINALG_SIGNED_SYSTEM_H

#include "hardnet/base.h"
#include "linalg/signed_factor.h"

struct signed_request {
    size_t order, entries;
    const struct signed_entry *entry;
    uint32_t stride;   /* doubles from one slot to the next */
    uint32_t diagonal; /* offset */
    uint32_t storage;  /* first offset that belongs to the system */
};

hn_status signed_create(struct signed_system *out, const struct signed_request *request, hn_error *error);
void signed_release(struct signed_system *system);

/* Adds the lists for thread blocks: by entries, and by unknowns. */
hn_status signed_add_block_lists(struct signed_system *system, hn_error *error);

#endif
