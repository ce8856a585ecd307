/* global_slots.h - how statements reach slots in the memory of the device: numbers of the samples of a warp lie side by side.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_GLOBAL_SLOTS_H
#define HN_CUDA_GLOBAL_SLOTS_H

enum { LANE_PARTS = 1, SLOT_STRIDE = GLOBAL_WIDTH };

#define S(slot)           (slots[(slot)*SLOT_STRIDE])
#define M(slot)           (simd_to_bits(slots[(slot)*SLOT_STRIDE]))
#define S_AT(moved, slot) (slots[(moved) + (slot)*SLOT_STRIDE])
#define M_AT(moved, slot) (simd_to_bits(slots[(moved) + (slot)*SLOT_STRIDE]))

#endif
