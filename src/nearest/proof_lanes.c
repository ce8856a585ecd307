/* proof_lanes.c - see nearest.h: that nothing near a point holds all rows, which is proof_text.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/nearest_lanes.h"
#include "nearest/proof_text.h"

void nearest_prove(const struct nearest *n, double *memory, struct nearest_proof *samples, size_t count,
                   const struct nearest_watch *watch) {
    proof_run(&n->backend, &n->parts, memory, samples, count, watch);
}
