/* lanes.h - the number of samples that every kernel computes in parallel, independent of the instruction set.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_LANES_H
#define HN_BASE_LANES_H

enum { LANES_POWER = 3, LANES = 1 << LANES_POWER };

#endif
