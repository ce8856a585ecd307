/* entry_slots.h - how the generated statements of an emitted file access their slots: as numbers, or as masks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ENTRY_SLOTS_H
#define HN_CORE_ENTRY_SLOTS_H

enum { LANE_PARTS = 1, SLOT_STRIDE = 1, OFFSET_STEP = 1 };

#define S(slot)           (slots[slot])
#define M(slot)           (simd_to_bits(slots[slot]))
#define S_AT(moved, slot) (slots[(moved) + (slot)])
#define M_AT(moved, slot) (simd_to_bits(slots[(moved) + (slot)]))

#endif
