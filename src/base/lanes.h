/* lanes.h - how many samples go side by side through every kernel, whatever the instruction set.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_LANES_H
#define HN_BASE_LANES_H

enum { LANES = 8 };

#endif
