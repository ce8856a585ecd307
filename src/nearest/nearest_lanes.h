/* nearest_lanes.h - what the search headers in core/ require of a target, for the CPU: one sample per lane of a slot.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_LANES_H
#define HN_NEAREST_LANES_H

#include "base/lanes.h"
#include "nearest/nearest.h"

#define NEAREST_AT_ONCE           LANES
#define NEAREST_AT(slots, offset) ((slots) + (offset))
#define NEAREST_ENDS(watch)       ((watch) && (watch)->ends((watch)->context))

#endif
