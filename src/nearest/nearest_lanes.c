/* nearest_lanes.c - see nearest.h: the search of up to plan.stride samples side by side, which is search_text.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/nearest_lanes.h"

#define WIDTH 1
#include "base/elementary.h"
#include "nearest/search_text.h"

void nearest_run(const struct nearest *n, double *memory, struct nearest_sample *samples, size_t count,
                 const struct nearest_watch *watch) {
    search_run(&n->backend, &n->parts, memory, samples, count, watch);
}
