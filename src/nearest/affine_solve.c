/* affine_solve.c - see affine.h: one sample, which is active_set.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/affine.h"

#define NEAREST_AT(slots, offset) ((slots) + (offset))
#include "core/active_set.h"

void affine_solve(const struct affine *a, double *memory, struct affine_sample *sample) {
    affine_run(a, memory, sample);
}
