/* pull_lanes.c - see nearest.h: the gradient of the nearest point, which is pull_text.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/nearest_lanes.h"
#include "nearest/pull_text.h"

void nearest_pull(const struct nearest *n, double *memory, struct nearest_pull *samples, size_t count) {
    pull_run(&n->backend, &n->parts, memory, samples, count);
}
