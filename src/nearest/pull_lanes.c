/* pull_lanes.c - see nearest.h: the gradient of the nearest point, implemented in core/implicit_vjp.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/nearest_lanes.h"

#include "core/implicit_vjp.h"

void nearest_pull(const struct nearest *n, double *memory, struct nearest_pull *samples, size_t count) {
    pull_run(&n->backend, &n->parts, memory, samples, count);
}
