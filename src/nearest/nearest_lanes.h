/* nearest_lanes.h - what the texts of this module (*_text.h) ask for, on the processor: samples side by side, in the lanes of slots.
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
