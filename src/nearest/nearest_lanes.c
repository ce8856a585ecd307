/* nearest_lanes.c - see nearest.h: the search for up to plan.stride lanes, implemented in core/search.h.
 *
 * SPDX-License-Identifier: MIT */

#define WIDTH 1
#include "nearest/nearest_lanes.h"

#include "base/elementary.h"
#include "core/search.h"

void nearest_run(const struct nearest *n, double *memory, struct nearest_sample *samples, size_t count,
                 const struct nearest_watch *watch) {
    search_run(&n->backend, &n->parts, memory, samples, count, watch);
}
