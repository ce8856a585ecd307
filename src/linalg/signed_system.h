/* signed_system.h - L D L' of a sparse symmetric matrix whose pivots have either sign, over lanes.
 *
 * In come the entries below the diagonal, as pairs of unknowns with the offsets where their numbers lie, and the offset of the
 * diagonal, one slot per unknown. Out go the pattern of L and the lists that signed_kernel.h walks. Pivots are taken on the diagonal in
 * the order of symbolic.h and are never exchanged: that is safe where the matrix is quasi-definite, [H J'; J -W] with H and W positive
 * (Vanderbei, SIAM J. Optim. 5, 1995). Elsewhere the number of positive pivots is the number of positive eigenvalues (Sylvester), which
 * the kernel counts, and pivots that are lost in rounding are counted, too.
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

#endif
