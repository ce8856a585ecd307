/* proof_lanes.c - see nearest.h: certificates of local infeasibility, implemented in core/infeasibility_proof.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/nearest_lanes.h"

#include "core/infeasibility_proof.h"

void nearest_prove(const struct nearest *n, double *memory, struct nearest_proof *samples, size_t count,
                   const struct nearest_watch *watch) {
    proof_run(&n->backend, &n->parts, memory, samples, count, watch);
}
