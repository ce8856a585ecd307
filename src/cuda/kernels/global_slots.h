/* global_slots.h - how statements reach slots in the memory of the device: numbers of the samples of a warp lie side by side.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_GLOBAL_SLOTS_H
#define HN_CUDA_GLOBAL_SLOTS_H

enum { LANE_PARTS = 1, LANES_HERE = FAR_WIDTH };

#define S(slot)           (slots[(slot)*LANES_HERE])
#define M(slot)           (wide_to_bits(slots[(slot)*LANES_HERE]))
#define S_AT(moved, slot) (slots[(moved) + (slot)*LANES_HERE])
#define M_AT(moved, slot) (wide_to_bits(slots[(moved) + (slot)*LANES_HERE]))

#endif
